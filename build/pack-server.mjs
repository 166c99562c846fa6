// npm run package:server: the headless host and the command line as an npm package, without Electron, for
// servers: npm install --global <file>. It holds what `npm run build` made for plain Node, its dependencies by
// their exact versions, the service unit and the man page. Writes out/holdfast-<version>.tgz.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { asScript } from './ensure.mjs';
import { ensureBuilt } from './setup/build.mjs';
import { SetupStop, inProject, run, say, tail } from './setup/machine.mjs';
import { serverManifest } from './setup/server-manifest.mjs';

/** Names that the built files load from outside. @param {string} folder */
const loadedBy = (folder) => {
  /** @type {Set<string>} */
  const names = new Set();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.cjs')) continue;
    const text = readFileSync(join(folder, name), 'utf8');
    for (const [, found = ''] of text.matchAll(
      /(?:require|import)\(\s*['"`]((?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[\w./-]*)?['"`]\s*\)/g,
    ))
      names.add(found);
  }
  return names;
};

await asScript(async () => {
  await ensureBuilt('app');
  const dir = inProject('dist', 'server-package');
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(join(dir, 'bin'), { recursive: true });
  cpSync(inProject('dist', 'node'), join(dir, 'dist', 'node'), {
    recursive: true,
    // Excludes code that is compiled for the Node of this machine, and maps of sources that are not
    // included.
    filter: (file) => !/\.(v8|map)$/.test(file),
  });
  const bin = join(dir, 'bin', 'holdfast.cjs');
  writeFileSync(bin, readFileSync(inProject('build', 'server-bin.cjs'), 'utf8'));
  chmodSync(bin, 0o755);
  for (const file of ['LICENSE', 'CHANGELOG.md']) cpSync(inProject(file), join(dir, file));
  mkdirSync(join(dir, 'man'));
  cpSync(inProject('docs', 'holdfast.1'), join(dir, 'man', 'holdfast.1'));
  const unit = readFileSync(inProject('build', 'holdfast.service'), 'utf8');
  writeFileSync(join(dir, 'holdfast.service'), unit);
  writeFileSync(
    join(dir, 'README.md'),
    readFileSync(inProject('build', 'server-readme.md'), 'utf8'),
  );
  const whole = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  const manifest = serverManifest(whole, loadedBy(join(dir, 'dist', 'node')));
  writeFileSync(join(dir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  mkdirSync(inProject('out'), { recursive: true });
  const { code, output } = await run('npm', ['pack', '--pack-destination', inProject('out')], {
    cwd: dir,
  });
  if (code !== 0) throw new SetupStop(`npm pack failed:\n${tail(output)}`);
  say(inProject('out', `${manifest.name}-${manifest.version}.tgz`));
});
