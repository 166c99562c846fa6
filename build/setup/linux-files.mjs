// Files of a Debian package besides the app: the command on the PATH, the man page, completions,
// the entry for software centers, the service unit. Staged as they will be on the system.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { SetupStop, inProject, run, tail, wholeOutputOf } from './machine.mjs';
import { sandboxSwitches } from './sandbox.mjs';

const shells = /** @type {const} */ ({
  bash: 'usr/share/bash-completion/completions/holdfast',
  zsh: 'usr/share/zsh/vendor-completions/_holdfast',
  fish: 'usr/share/fish/vendor_completions.d/holdfast.fish',
});

const copied = /** @type {const} */ ({
  'build/linux/copyright': 'usr/share/doc/holdfast/copyright',
  'build/linux/dev.holdfast.app.metainfo.xml': 'usr/share/metainfo/dev.holdfast.app.metainfo.xml',
  'build/linux/lintian-overrides': 'usr/share/lintian/overrides/holdfast',
  'build/holdfast.service': 'usr/lib/systemd/user/holdfast.service',
});

/** Without a name and a time inside, so that the same text gives the same bytes. @param {string | Buffer} text */
const gzipped = (text) => gzipSync(text, { level: 9 });

/**
 * Debian's own form of a list of changes, one entry for the version: lintian and apt read it.
 * @param {string} version @param {number} seconds since the epoch
 */
export const debianChangelog = (version, seconds) => {
  const date = new Date(seconds * 1000).toUTCString().replace('GMT', '+0000');
  return [
    `holdfast (${version}) unstable; urgency=medium`,
    '',
    '  * See CHANGELOG.md of the project for what changed.',
    '',
    ` -- Holdfast contributors <maintainers@holdfast.invalid>  ${date}`,
    '',
  ].join('\n');
};

/**
 * @param {{executable: string, version: string, seconds: number}} app `executable`: the packed app,
 *   which prints its own completions
 * @returns {string} the folder that holds them
 */
export const stageLinuxFiles = ({ executable, version, seconds }) => {
  const root = inProject('dist', 'linux-root');
  rmSync(root, { recursive: true, force: true });
  /** @param {string} path @param {string | Buffer} content */
  const put = (path, content) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    chmodSync(file, 0o644);
  };
  for (const [from, to] of Object.entries(copied)) put(to, readFileSync(inProject(from)));
  put('usr/share/man/man1/holdfast.1.gz', gzipped(readFileSync(inProject('docs', 'holdfast.1'))));
  put('usr/share/doc/holdfast/changelog.gz', gzipped(debianChangelog(version, seconds)));
  const switches = sandboxSwitches(executable);
  for (const [shell, path] of Object.entries(shells))
    put(path, wholeOutputOf(executable, [...switches, 'completion', shell]));
  mkdirSync(join(root, 'usr', 'bin'));
  symlinkSync('/opt/Holdfast/holdfast', join(root, 'usr', 'bin', 'holdfast'));
  return root;
};

/** A folder in which electron-builder finds the tools of an AppImage. @param {string} dir */
export const ownAppImageTools = async (dir) => {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(join(dir, 'runtimes'), { recursive: true });
  mkdirSync(join(dir, 'lib', 'x64'), { recursive: true });
  const { code, output } = await run('cc', [
    ...['-O2', '-s', '-static', '-o', join(dir, 'runtimes', 'runtime-x64')],
    inProject('build', 'linux', 'appimage-runtime.c'),
  ]);
  if (code !== 0)
    throw new SetupStop(`The runtime of the AppImage did not compile:\n${tail(output)}`);
  for (const tool of ['mksquashfs', 'desktop-file-validate']) {
    cpSync(`/usr/bin/${tool}`, join(dir, tool));
  }
  return dir;
};
