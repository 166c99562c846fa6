/** What a part does where `process.platform` is another one. */

/** On Linux the two others are shown, elsewhere only the real one: its paths and links are its own. */
export const OTHER_SYSTEMS: readonly NodeJS.Platform[] =
  process.platform === 'linux' ? ['darwin', 'win32'] : [process.platform];

/** Runs `work` as on that system, and then as on this one again. */
export async function onSystem<T>(
  platform: NodeJS.Platform,
  work: () => T | Promise<T>,
): Promise<T> {
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
