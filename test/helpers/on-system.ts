/** What a part does where `process.platform` is another one. */

import Database from 'better-sqlite3';

/** On Linux the two others are shown, elsewhere only the real one: its paths and links are its own. */
export const OTHER_SYSTEMS: readonly NodeJS.Platform[] =
  process.platform === 'linux' ? ['darwin', 'win32'] : [process.platform];

/**
 * Runs `work` as on that system, and then as on this one again. The compiled part of SQLite is that of the
 * real one: where nothing was compiled here, its name is made from the system at the first use.
 */
export async function onSystem<T>(
  platform: NodeJS.Platform,
  work: () => T | Promise<T>,
): Promise<T> {
  new Database(':memory:').close();
  const own = process.platform;
  const become = (value: NodeJS.Platform): void => {
    Object.defineProperty(process, 'platform', { value, configurable: true });
  };
  become(platform);
  try {
    return await work();
  } finally {
    become(own);
  }
}
