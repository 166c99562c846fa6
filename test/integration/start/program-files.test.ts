/** Program files that an update or a build replaces under a running Holdfast. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DoctorReport, StatusSnapshot } from '../../../shared/types';
import { builtProgram } from '../../helpers/built-program';
import { callsThenDone, createSite, effect, until, type Launched, type Site } from '../rows/site';

const WORDS = "Holdfast's program files changed while it was running";
const own = builtProgram();
let site: Site;
let program: string;

beforeEach(async () => {
  // Its own copy, where its packages are found: other tests run the shared one.
  program = fs.mkdtempSync(path.join(path.dirname(path.dirname(own)), 'test-copy-'));
  fs.cpSync(path.dirname(own), program, { recursive: true });
  process.env['HOLDFAST_TEST_PROGRAM'] = path.join(program, 'holdfast.cjs');
  site = await createSite();
  site.configure();
});
afterEach(async () => {
  await site.remove();
  process.env['HOLDFAST_TEST_PROGRAM'] = own;
  fs.rmSync(program, { recursive: true, force: true });
});

/** A process of its own, with the loader of the program: no fork of one that has loaded it. */
async function start(): Promise<Launched> {
  const host = site.launch(['start', '--headless'], '', { NODE_OPTIONS: '--no-warnings' });
  await until('the host is ready', () => host.out().includes('\n'));
  return host;
}

/** Takes these parts of the program away; the returned function puts them back. */
function without(...parts: readonly string[]): () => void {
  const chunks = path.join(program, 'chunks');
  const files = fs
    .readdirSync(chunks)
    .filter((name) => parts.some((part) => name.startsWith(`${part}-`)))
    .map((name) => path.join(chunks, name));
  expect(files.length).toBeGreaterThanOrEqual(parts.length);
  for (const file of files) fs.renameSync(file, `${file}.away`);
  return () => {
    for (const file of files) fs.renameSync(`${file}.away`, file);
  };
}

const reason = async (turnId: number): Promise<string> => (await site.show(turnId)).turn.reason;

describe('program files that change under a running Holdfast', () => {
  it('S0-04 2 turns wait instead of failing, 1 problem says what to do, and a restart runs each with 1 request', async () => {
    const host = await start();
    const putBack = without('http-provider');
    const first = await site.send('one', '--session', 's1', '--agent', 'a');
    await until('it waits', async () => (await reason(first)) === 'Resumes after a restart.');
    const second = await site.send('two', '--session', 's2', '--agent', 'b');
    const status = await site.json<StatusSnapshot>('status');
    expect(status).toMatchObject({
      programChanged: true,
      tray: 'degraded',
      counts: { queued: 2, parked: 0, needsYou: 0 },
    });
    const told = (await site.hf('status')).out;
    expect(told.split(WORDS)).toHaveLength(2);
    expect(told).toContain('Your work is safe. Restart Holdfast');
    const { checks } = JSON.parse((await site.hf('doctor', '--json')).out) as DoctorReport;
    expect(checks.filter(({ detail }) => detail.includes(WORDS))).toMatchObject([
      { name: 'program files', level: 'fail' },
    ]);
    expect(site.fp.calls()).toHaveLength(0);
    await site.stop(host);
    putBack();
    await start();
    await site.turnIn(first, 'completed');
    await site.turnIn(second, 'completed');
    expect(site.fp.calls()).toHaveLength(2);
  });

  it('S4-20 a command whose code is gone has certainly not run: after a restart it runs once, without a question', async () => {
    const host = await start();
    const putBack = without('run-command');
    site.fp.setScript(callsThenDone(effect('one')));
    const turn = await site.send('please change', '--agent', 'a');
    await until('it waits', async () => (await reason(turn)) === 'Resumes after a restart.');
    expect([site.effects().length, site.fp.calls().length]).toEqual([0, 1]);
    await site.stop(host);
    putBack();
    await start();
    await site.turnIn(turn, 'completed');
    expect([site.effects().length, site.fp.calls().length]).toEqual([1, 2]);
  });

  it('S4-20 an agent that is a command line has certainly not run either: after a restart it runs once, without a question', async () => {
    const command = {
      executor: 'command',
      command: 'sh',
      args: ['-c', 'echo done >> effects.log'],
    };
    site.configure({ agents: { line: { ...command, workspace: site.workspace } } });
    const host = await start();
    const putBack = without('run-command');
    const turn = await site.send('please change', '--agent', 'line');
    await until('it waits', async () => (await reason(turn)) === 'Resumes after a restart.');
    expect(site.effects()).toHaveLength(0);
    await site.stop(host);
    putBack();
    await start();
    await site.turnIn(turn, 'completed');
    expect(site.effects()).toHaveLength(1);
  });
});
