/** What is no ordinary file, at the places where Holdfast reads or writes one. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startProgram, type ProgramProcess } from '../helpers/start-program';

/** What a start and a stop leave, and the copy of it that a test spoils. */
let whole: string;
let dataDir: string;
let children: ProgramProcess[] = [];

beforeAll(async () => {
  whole = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-odd-'));
  dataDir = whole;
  const { isUp, ended } = launch('start', '--headless');
  expect(await isUp).toBe(true);
  expect((await hf('stop')).code).toBe(0);
  await ended;
});
afterAll(() => {
  fs.rmSync(whole, { recursive: true, force: true });
});
beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-odd-'));
  fs.cpSync(whole, dataDir, { recursive: true });
  children = [];
});
afterEach(async () => {
  for (const child of children.filter((one) => one.exitCode === null && one.signalCode === null)) {
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', () => resolve(undefined)));
  }
  fs.rmSync(dataDir, { recursive: true, force: true });
});

function launch(...args: string[]) {
  const child = startProgram([...args, '--data-dir', dataDir], {
    ...process.env,
    HOLDFAST_NO_RELAUNCH: '1',
    HOLDFAST_HOME: '',
    NO_COLOR: '1',
  });
  children.push(child);
  let out = '';
  child.stdin.end();
  const isUp = new Promise<boolean>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      if (out.includes('is running (process')) resolve(true);
    });
    child.once('exit', () => resolve(false));
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, out, err: child.errors() })),
  );
  return { isUp, ended };
}
const hf = (...args: string[]) => launch(...args).ended;

const at = (name: string): string => path.join(dataDir, name);
const put = (name: string, make: (file: string) => void): void => {
  fs.rmSync(at(name), { force: true });
  make(at(name));
};
const pipe = (file: string): void => void execFileSync('mkfifo', ['-m', '600', file]);
const huge = (file: string): void => {
  fs.writeFileSync(file, '', { mode: 0o600 });
  fs.truncateSync(file, 3e9);
};
const month = new Date().toISOString().slice(0, 7);

describe.skipIf(process.platform === 'win32')('a file that is none', () => {
  it.each([
    ['a named pipe', 'agent.lock', pipe],
    ['3 GB', 'agent.lock', huge],
    ['a named pipe', 'config.json', pipe],
    ['3 GB', 'config.json', huge],
    ['a named pipe', 'run/control.token', pipe],
    ['a named pipe', 'run/config.last-good.json', pipe],
    ['a named pipe', 'logs/holdfast.log', pipe],
    ['a named pipe', `audit/${month}.jsonl`, pipe],
  ] as const)(
    'L5 S0-02 %s at %s holds up no command, no start and no stop',
    async (_what, name, make) => {
      put(name, make);
      expect((await hf('status')).code).toBe(0);
      expect((await hf('turns', 'list')).code).toBe(0);
      const running = launch('start', '--headless');
      expect(await running.isUp).toBe(true);
      expect((await hf('turns', 'list')).code).toBe(0);
      expect((await hf('stop')).code).toBe(0);
      expect((await running.ended).code).toBe(0);
    },
  );

  it('a folder at run/control.token is named by a start with 4, and nothing is started', async () => {
    put('run/control.token', (folder) => fs.mkdirSync(folder));
    const { code, err } = await hf('start', '--headless');
    expect(code).toBe(4);
    expect(err).toContain(
      `A folder is at ${at('run/control.token')}, where Holdfast stores a file.`,
    );
  });

  it('with an agent.lock that cannot be read, no command says that Holdfast is not running', async () => {
    put('agent.lock', (folder) => fs.mkdirSync(folder));
    const unknown = `It is unknown whether Holdfast is running: ${at('agent.lock')} cannot be read (not a file).`;
    const read = await hf('turns', 'list');
    expect(read.err).toContain(`${unknown} Showing the last saved state.`);
    expect((await hf('status')).out).toContain(unknown);
    for (const command of [['stop'], ['send', 'hello'], ['restart']]) {
      const { code, err } = await hf(...command);
      expect([code, err]).toEqual([4, expect.stringContaining(unknown)]);
      expect(err).not.toContain('is not running');
    }
  });
});
