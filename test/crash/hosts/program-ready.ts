/**
 * Runs of the built command line that are forked from one process: forked-lives.ts. It has loaded the
 * program and been through a start, a turn, some commands and a stop.
 */
import fs from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { startFakeProvider } from '../../helpers/fake-provider';
import { becomeLives, createRunner, keepProcess } from './forked-lives';

const [addon = '', home = '', entry = ''] = process.argv.slice(2);
const run = createRunner(path.join(path.dirname(entry), 'node-program.cjs'));

function begin(options: string): void {
  process.argv = [process.execPath, entry, ...(JSON.parse(options) as string[])];
  run();
}

/** What the runs in this process print is for nobody; `said` is called with it. */
function takeOutput(said: (text: string) => void): void {
  for (const name of ['stdin', 'stdout', 'stderr'] as const) {
    const stream = new PassThrough();
    if (name === 'stdin') stream.end();
    else stream.on('data', (chunk: Buffer) => said(chunk.toString()));
    Object.defineProperty(process, name, { value: stream, configurable: true });
  }
}

/** Resolves when one more of the runs in this process has ended. */
function ends(): () => Promise<void> {
  let ended = 0;
  let wanted = 0;
  let wake: (() => void) | undefined;
  process.exit = (() => {
    ended += 1;
    wake?.();
  }) as unknown as typeof process.exit;
  return async () => {
    wanted += 1;
    while (ended < wanted) await new Promise<void>((resolve) => (wake = resolve));
  };
}

async function warmUp(): Promise<void> {
  const dataDir = path.join(home, 'data');
  const workspace = path.join(home, 'workspace');
  for (const dir of [dataDir, workspace]) fs.mkdirSync(dir, { mode: 0o700 });
  const provider = await startFakeProvider({
    script: ({ body }) =>
      body.includes('"role":"tool"')
        ? { text: 'done' }
        : { toolCalls: [{ name: 'shell', args: { command: 'echo 1 >> effects.log' } }] },
  });
  const agent = { provider: 'fp', model: 'm', workspace };
  const fp = { kind: 'openai-compatible', base_url: provider.baseUrl('openai-compatible') };
  fs.writeFileSync(
    path.join(dataDir, 'config.json'),
    JSON.stringify({ providers: { fp }, agents: { a: agent } }),
    { mode: 0o600 },
  );
  let hasSpoken: () => void = () => undefined;
  const isReady = new Promise<void>((resolve) => (hasSpoken = resolve));
  takeOutput(() => {
    hasSpoken();
  });
  const oneMoreEnd = ends();
  const command = (...args: string[]): void => {
    begin(JSON.stringify([...args, '--data-dir', dataDir]));
  };
  command('start', '--headless');
  await isReady;
  for (const args of [
    ['send', 'work', '--wait'],
    ['turns', 'show', '1', '--json'],
    ['status'],
    ['recovery', 'list', '--json'],
  ]) {
    command(...args);
    await oneMoreEnd();
  }
  // The stop and what it stops.
  command('stop');
  await oneMoreEnd();
  await oneMoreEnd();
  await provider.stop();
}

async function main(): Promise<void> {
  const restore = keepProcess();
  const { exit } = process;
  await warmUp();
  process.exit = exit;
  restore();
  // What the runs do behind their end is over by then: a fork would do it, too.
  setTimeout(() => {
    becomeLives(addon, begin);
  }, 100);
}

void main();
