// The archive for systems without a package format of ours. The same folder gives the same bytes: names in
// order, one owner, one time, and nothing of gzip's own.
import { cpSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SetupStop, inProject, run, tail } from './machine.mjs';

/**
 * @param {{dir: string, version: string, seconds: number, name: string}} what
 * @returns {Promise<string>} the file
 */
export const packFolder = async ({ dir, version, seconds, name }) => {
  // Man page, completions and the entry of the desktop come with it, too.
  cpSync(inProject('dist', 'linux-root', 'usr', 'share'), join(dir, 'share'), { recursive: true });
  const file = inProject('out', name);
  const { code, output } = await run('tar', [
    '--create',
    '--use-compress-program=gzip -n',
    `--file=${file}`,
    ...['--owner=0', '--group=0', '--numeric-owner', '--sort=name', '--format=gnu'],
    `--mtime=@${seconds}`,
    '--mode=u+w,go+rX,go-w',
    `--transform=s,^[^/]*,holdfast-${version},S`,
    // Building a Debian package leaves this next to the app; only that package installs it.
    '--exclude=apparmor-profile',
    ...['-C', dirname(dir), basename(dir)],
  ]);
  if (code !== 0) throw new SetupStop(`tar failed:\n${tail(output)}`);
  return file;
};
