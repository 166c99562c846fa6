/**
 * A real agent of another program from the package registry, installed once into a cache outside
 * of the repository: `$XDG_CACHE_HOME/holdfast-test` (or `~/.cache/holdfast-test`).
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALL_MS = 240_000;

/** @returns the program, or why it cannot be had here */
export async function realAgent(
  name: string,
  version: string,
  program: string,
): Promise<{ readonly path: string } | { readonly missing: string }> {
  const named = process.env['XDG_CACHE_HOME'] ?? '';
  const cache = path.isAbsolute(named) ? named : path.join(os.homedir(), '.cache');
  const folder = path.join(cache, 'holdfast-test', `${name.replaceAll('/', '-')}-${version}`);
  const file = path.join(folder, 'node_modules', '.bin', program);
  if (!fs.existsSync(path.join(folder, 'installed'))) {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
    try {
      await run('npm', ['install', '--no-audit', '--no-fund', `${name}@${version}`], {
        cwd: folder,
        timeout: INSTALL_MS,
        // What npx and this repository say to npm is not meant for it: its program is made by a script.
        env: Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^npm_/i.test(key))),
      });
      await run(file, ['--version'], { timeout: INSTALL_MS });
      fs.writeFileSync(path.join(folder, 'installed'), '');
    } catch (error) {
      const last = error instanceof Error ? (error.message.split('\n').at(-2) ?? '') : '';
      return { missing: `${name}@${version} cannot be installed here: ${last}` };
    }
  }
  return { path: file };
}
