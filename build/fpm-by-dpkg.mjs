#!/usr/bin/env node
// electron-builder builds Debian packages by calling `fpm`, which it downloads. Where dpkg-deb is
// at hand nothing has to be downloaded: this understands just the part of fpm's command line that
// electron-builder uses for a deb, and refuses anything else.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** Options that take a value, except those that may be repeated. */
const single = new Set(
  '-s -t --deb-compression --architecture --after-install --after-remove --description --version --package --name --maintainer --vendor --url --deb-priority --license --category --deb-section --deb-upstream-changelog --iteration'.split(
    ' ',
  ),
);

/** @param {readonly string[]} args */
const parse = (args) => {
  /** @type {Record<string, string>} */
  const options = {};
  /** @type {string[]} */ const depends = [];
  /** @type {string[]} */ const recommends = [];
  /** @type {{from: string, to: string}[]} */ const files = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    const value = () => args[(index += 1)] ?? '';
    if (arg === '-d') depends.push(value());
    else if (arg === '--deb-recommends') recommends.push(value());
    else if (single.has(arg)) options[arg.replace(/^-+/, '')] = value();
    else if (arg === '--force') continue;
    else if (arg.startsWith('-')) throw new Error(`fpm-by-dpkg does not know ${arg}`);
    else
      files.push({
        from: arg.slice(0, arg.lastIndexOf('=')),
        to: arg.slice(arg.lastIndexOf('=') + 1),
      });
  }
  if (options['t'] !== 'deb') throw new Error('fpm-by-dpkg builds Debian packages only');
  return { options, depends, recommends, files };
};

/** The list by which dpkg --verify sees what was changed. @param {string} root */
const sums = (root) =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => {
      const hash = createHash('md5').update(readFileSync(file)).digest('hex');
      return `${hash}  ${relative(root, file)}\n`;
    })
    .join('');

/** Lines of at most 76 characters, as the format wants them. @param {string} text */
const wrapped = (text) =>
  (text.trim() || '.').match(/\S(?:.{0,73}\S)?(?=\s|$)/g)?.map((line) => ` ${line}`) ?? [];

const { options, depends, recommends, files } = parse(process.argv.slice(2));
const root = mkdtempSync(join(tmpdir(), 'holdfast-deb-'));
try {
  chmodSync(root, 0o755);
  for (const { from, to } of files) {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    cpSync(from, join(root, to), { recursive: true, verbatimSymlinks: true, force: true });
  }
  const kilobytes = execFileSync('du', ['-sk', root], { encoding: 'utf8' }).split(/\s/)[0];
  const [summary = '', ...rest] = (options['description'] ?? '').trim().split('\n');
  const control = {
    Package: options['name'],
    Version: options['version'],
    Architecture: options['architecture'],
    Maintainer: options['maintainer'],
    'Installed-Size': kilobytes,
    Depends: depends.join(', '),
    Recommends: recommends.join(', '),
    Section: options['deb-section'] ?? options['category'] ?? 'utils',
    Priority: options['deb-priority'] ?? 'optional',
    Homepage: options['url'],
    Description: [summary, ...rest.flatMap(wrapped)].join('\n'),
  };
  const lines = Object.entries(control).filter(([, value]) => value);
  const md5sums = sums(root);
  mkdirSync(join(root, 'DEBIAN'));
  writeFileSync(join(root, 'DEBIAN', 'md5sums'), md5sums);
  writeFileSync(
    join(root, 'DEBIAN', 'control'),
    `${lines.map(([name, value]) => `${name}: ${value}`).join('\n')}\n`,
  );
  for (const [option, script] of [
    ['after-install', 'postinst'],
    ['after-remove', 'postrm'],
  ]) {
    const source = options[option ?? ''];
    if (source)
      writeFileSync(join(root, 'DEBIAN', script ?? ''), readFileSync(source), { mode: 0o755 });
  }
  const compression = `-Z${options['deb-compression'] === 'gz' ? 'gzip' : (options['deb-compression'] ?? 'xz')}`;
  execFileSync(
    'dpkg-deb',
    ['--root-owner-group', compression, '--build', root, options['package'] ?? ''],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
