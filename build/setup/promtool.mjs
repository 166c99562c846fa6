// promtool reads a scrape as Prometheus does. Debian ships it only together with the server, which
// would start and take the port of our own metrics: so the one program is taken out of the package.
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, inTemporaryFolder, onPath, run, say } from './machine.mjs';

/**
 * Where promtool is; some seconds the first time, nothing after it. Needs no root.
 * @returns {Promise<string | undefined>} undefined if it is unavailable, with one printed line
 */
export const findPromtool = async () => {
  const installed = onPath('promtool');
  if (installed !== undefined) return installed;
  const kept = join(cacheDir(), 'promtool', 'promtool');
  if (existsSync(kept)) return kept;
  if (onPath('apt-get') !== undefined && onPath('dpkg-deb') !== undefined) {
    await inTemporaryFolder('promtool', async (dir) => {
      await run('apt-get', ['download', 'prometheus'], { cwd: dir });
      const archive = readdirSync(dir).find((name) => name.endsWith('.deb'));
      if (archive === undefined) return;
      const files = join(dir, 'files');
      await run('dpkg-deb', ['--extract', join(dir, archive), files], { cwd: dir });
      const program = join(files, 'usr', 'bin', 'promtool');
      if (!existsSync(program)) return;
      mkdirSync(join(cacheDir(), 'promtool'), { recursive: true });
      renameSync(program, kept);
    });
  }
  if (existsSync(kept)) return kept;
  say('promtool is not here: its one test is left out. Debian has it in the package prometheus.');
  return undefined;
};
