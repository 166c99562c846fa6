// npm run docs: builds the site of docs/ into dist/docs, searchable and without a server of its own.
// --dev serves it while you write, --preview serves what was built.
//
// VitePress brings a Vite of its own, older than that of the project, and 125 packages that neither
// the app nor a test needs. So it has its own lock file (build/docs-site) and is installed at the
// first use, into the cache below node_modules.
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { asScript } from './ensure.mjs';
import { SetupStop, inProject, say } from './setup/machine.mjs';

const home = inProject('node_modules', '.cache', 'holdfast', 'docs-site');
const vitepress = join(home, 'node_modules', 'vitepress', 'bin', 'vitepress.js');

/** The folder of the pages, next to the packages that build them. */
const pages = join(home, 'pages');

/** @param {string} command @param {readonly string[]} args */
const runHere = (command, args) =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: home,
      stdio: 'inherit',
      shell: process.platform === 'win32' && command === 'npm',
      env: {
        ...process.env,
        DOCS_SOURCE: pages,
        DOCS_OUTPUT: inProject('dist', 'docs'),
      },
    });
    child.on('error', () => resolve(127));
    child.on('close', (code) => resolve(code ?? 1));
  });

/** @param {string} name */
const isSame = (name) => {
  const [from, to] = [inProject('build', 'docs-site', name), join(home, name)];
  return existsSync(to) && readFileSync(from, 'utf8') === readFileSync(to, 'utf8');
};

await asScript(async () => {
  mkdirSync(join(home, '.vitepress'), { recursive: true });
  if (!isSame('package-lock.json') || !existsSync(vitepress)) {
    say('Installing VitePress, once…');
    for (const name of ['package.json', 'package-lock.json'])
      copyFileSync(inProject('build', 'docs-site', name), join(home, name));
    const code = await runHere('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
    if (code !== 0) throw new SetupStop('VitePress could not be installed: see above.');
  }
  copyFileSync(
    inProject('build', 'docs-site', 'config.mjs'),
    join(home, '.vitepress', 'config.mjs'),
  );
  rmSync(pages, { force: true });
  symlinkSync(inProject('docs'), pages, 'junction');
  const args = process.argv.slice(2);
  const verb = args.includes('--dev') ? 'dev' : args.includes('--preview') ? 'preview' : 'build';
  const rest = args.filter((arg) => arg !== '--dev' && arg !== '--preview');
  process.exitCode = await runHere(process.execPath, [vitepress, verb, '.', ...rest]);
});
