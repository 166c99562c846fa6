// What npm run package -- --try does with the installers: as a person would, on a copy of this system.
import { spawn } from 'node:child_process';
import { SetupStop, inProject, isRoot, missingPrograms, say } from './setup/machine.mjs';

const needed =
  'unshare dpkg lintian desktop-file-validate appstreamcli systemd-analyze xdg-mime squashfuse fusermount3 man bash zsh fish Xvfb'.split(
    ' ',
  );

/** @param {readonly string[]} files @param {string} ending */
const oneOf = (files, ending) => {
  const file = files.find((name) => name.endsWith(ending));
  if (file === undefined) throw new SetupStop(`There is no ${ending} to try.`);
  return file;
};

/**
 * @param {{files: readonly string[], before: string | undefined, version: string, versionBefore: string}} what
 * @throws {SetupStop} at the first thing that is not as it should be
 */
export const tryPackages = async ({ files, before, version, versionBefore }) => {
  if (process.platform !== 'linux' || !isRoot())
    throw new SetupStop('Installers can be tried on Linux and as root only (sudo).');
  const missing = missingPrograms(needed);
  if (missing.length > 0) throw new SetupStop(`To try installers install: ${missing.join(', ')}`);
  const code = await new Promise((resolve) => {
    // A mount namespace of its own: what is mounted in it goes with the last process inside.
    const child = spawn(
      'unshare',
      [
        ...['--mount', '--pid', '--fork', '--kill-child', 'bash'],
        inProject('build', 'linux', 'try-package.sh'),
        ...[before ?? '', oneOf(files, '.deb'), oneOf(files, '.tar.gz'), oneOf(files, '.AppImage')],
        ...[versionBefore, version],
      ],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    child.on('error', () => resolve(127));
    child.on('close', resolve);
  });
  if (code !== 0) throw new SetupStop(`Trying the installers failed (${code}).`);
  say('Tried: installed, started, upgraded with open work, removed and purged.');
};
