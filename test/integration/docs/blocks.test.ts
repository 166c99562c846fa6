/** Every command block of the documents runs, in page order, on a fresh data directory. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { builtProgram } from '../../helpers/built-program';
import { blocksOf } from './doc-blocks';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const program = builtProgram();
const pages = [
  'README.md',
  ...readdirSync(join(project, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`),
];
const blocks = new Map(
  pages.map((page) => [page, blocksOf(readFileSync(join(project, page), 'utf8'))]),
);
const running = pages.filter((page) =>
  blocks.get(page)?.some(({ notRun }) => notRun === undefined),
);

interface Home {
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A person's home folder with `holdfast` on the PATH and nothing of this computer's. */
function makeHome(): Home {
  const dir = mkdtempSync(join(tmpdir(), 'hf-docs-'));
  const bin = join(dir, 'bin');
  for (const folder of [bin, join(dir, 'project')]) mkdirSync(folder);
  const script = join(bin, 'holdfast');
  writeFileSync(script, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(script, 0o755);
  const env: NodeJS.ProcessEnv = {
    PATH: [bin, process.env['PATH']].join(delimiter),
    HOME: dir,
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    HOLDFAST_NO_RELAUNCH: '1',
    // Several pages at once, and programs of this computer, may have the usual ones.
    HOLDFAST_CONFIG__observability__health_port: '0',
    HOLDFAST_CONFIG__observability__metrics_port: '0',
    HOLDFAST_CONFIG__gateway__port: '0',
  };
  return { dir, env };
}

const asks = (home: Home, script: string): Promise<{ code: number; said: string }> =>
  new Promise((resolve) => {
    execFile(
      '/bin/sh',
      ['-eu', '-c', script],
      { cwd: home.dir, env: home.env, timeout: 120_000, encoding: 'utf8' },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, said: `${out}${err}` });
      },
    ).stdin?.end();
  });

/** The engine on the data of this home; the function ends it and deletes the home. */
async function startEngine(home: Home): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [program, 'start', '--headless'], {
    env: home.env,
    cwd: home.dir,
    stdio: 'ignore',
  });
  const isUp =
    'for i in $(seq 300); do holdfast status --json | grep -q \'"running"\' && exit 0; sleep 0.1; done; exit 1';
  const up = await asks(home, isUp);
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(home.dir, { recursive: true, force: true, maxRetries: 5 });
  };
  if (up.code !== 0) {
    await end();
    throw new Error(`The engine did not start. ${up.said}`);
  }
  return end;
}

describe('command blocks of the documents', () => {
  it('tells blocks that run from those that are marked, with their lines', () => {
    const page =
      '# A\n\n```sh\none\n```\n\n<!-- not run: why -->\n\n   ```console\n   two\n   ```\n\n```json\n{}\n```\n';
    expect(blocksOf(page)).toEqual([
      { line: 4, text: 'one', notRun: undefined },
      { line: 10, text: 'two', notRun: 'why' },
    ]);
  });

  it('has no page whose commands are all left out without a reason', () => {
    const unmarked = [...blocks.values()].flat().filter(({ notRun }) => notRun?.trim() === '');
    expect(unmarked).toEqual([]);
    expect(running.length).toBeGreaterThan(20);
  });

  it.concurrent.each(running)(
    'the commands of %s run as they are written',
    async (page) => {
      const home = makeHome();
      const end = await startEngine(home);
      try {
        for (const { line, text, notRun } of blocks.get(page) ?? []) {
          if (notRun !== undefined) continue;
          const { code, said } = await asks(home, text);
          expect(code, `${page}:${String(line)}\n${text}\n${said}`).toBe(0);
        }
      } finally {
        await end();
      }
    },
    300_000,
  );
});
