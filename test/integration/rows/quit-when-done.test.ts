/** Quit when this step completes: the real engine, a real command, the built command line. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StatusSnapshot } from '../../../shared/types';
import type { FakeRequest } from '../../helpers/fake-provider';
import type { FakeReply } from '../../helpers/fake-provider-types';
import type { Launched, RecoveryList, Site } from './site';
import { createSite, promptIn, resultsIn, until } from './site';
import { waitUntil } from '../../helpers/bounded-wait';
import { wholeLines } from '../../helpers/whole-lines';

let site: Site;
beforeEach(async () => {
  site = await createSite();
  site.configure({ resilience: { recovery: { side_effect_tools: [] } } });
  site.fp.setScript(script);
});
afterEach(() => site.remove());

/** Two commands in one answer: the second one must not begin. */
function script(request: FakeRequest): FakeReply {
  if (promptIn(request) !== 'work') return { text: 'other' };
  if (resultsIn(request) > 0) return { text: 'done' };
  const command = (name: string): FakeReply['toolCalls'] & object => [
    {
      name: 'shell',
      args: {
        command: `echo ${name} >> begun; ${waitUntil('test -e go')}; echo ${name} >> ended`,
      },
    },
  ];
  return { toolCalls: [...command('one'), ...command('two')] };
}

const lines = (name: string): string[] => {
  const file = path.join(site.workspace, name);
  return wholeLines(file);
};
const letGo = (): void => fs.writeFileSync(path.join(site.workspace, 'go'), '');
const status = (): Promise<StatusSnapshot> => site.json<StatusSnapshot>('status');
const shellSteps = (turnId: number): { state: string }[] =>
  site.db("SELECT state FROM turn_steps WHERE turn_id = ? AND tool = 'shell.shell'", turnId);

async function atWork(): Promise<{ host: Launched; turnId: number }> {
  const host = await site.start();
  const turnId = await site.send('work');
  await until('the command is at work', () => lines('begun').length === 1);
  return { host, turnId };
}

async function waitsToQuit(): Promise<Launched> {
  const stop = site.launch(['stop', '--when-done']);
  await until('it is said', async () => (await status()).quitsBehind !== undefined);
  return stop;
}

it('F4 lets the step at work end and be recorded, begins no other and no turn, and the next start goes on', async () => {
  const { host, turnId } = await atWork();
  const stop = await waitsToQuit();
  expect((await status()).quitsBehind).toMatchObject([{ turnId, tool: 'shell.shell' }]);
  expect((await site.hf('status')).out).toMatch(/^Quits when 1 step completes: /);
  // Accepted means on disk, also now; it runs after the next start.
  const other = await site.send('other', '--session', 'other');
  letGo();
  const ended = await stop.ended;
  expect([ended.code, ended.out]).toEqual([
    0,
    'Holdfast has stopped. The running steps were completed.\n',
  ]);
  expect((await host.ended).code).toBe(0);
  expect([lines('begun'), lines('ended')]).toEqual([['one'], ['one']]);
  expect(shellSteps(turnId)).toEqual([{ state: 'completed' }]);
  expect(site.db('SELECT state FROM turns WHERE id = ?', other)).toEqual([{ state: 'queued' }]);

  await site.start();
  await site.turnIn(turnId, 'completed');
  await site.turnIn(other, 'completed');
  expect((await site.json<RecoveryList>('recovery', 'list')).decisions).toEqual([]);
  expect(lines('begun')).toEqual(['one', 'two']);
});

it('F4 goes on where it is taken back, in the same run', async () => {
  const { turnId } = await atWork();
  const stop = await waitsToQuit();
  const other = await site.send('other', '--session', 'other');
  const taken = await site.hf('stop', '--take-back');
  expect(taken.out).toBe('Stop canceled. Queued turns resume.\n');
  const ended = await stop.ended;
  expect([ended.code, ended.out]).toEqual([1, 'The stop was canceled. Holdfast keeps running.\n']);
  letGo();
  await site.turnIn(turnId, 'completed');
  await site.turnIn(other, 'completed');
  expect((await status()).quitsBehind).toBeUndefined();
  expect(site.db('SELECT attempt FROM turns WHERE id = ?', turnId)).toEqual([{ attempt: 1 }]);
});

it('F4 a run that rests between two steps goes on where it is taken back', async () => {
  const host = await site.start();
  site.fp.setScript((request) => {
    if (promptIn(request) === 'long')
      return resultsIn(request) > 0
        ? { text: 'done' }
        : {
            toolCalls: [
              {
                name: 'shell',
                args: { command: `echo x >> long; ${waitUntil('test -e end')}` },
              },
            ],
          };
    return script(request);
  });
  const long = await site.send('long', '--session', 'long');
  const turnId = await site.send('work');
  await until('both are at work', () => lines('begun').length === 1 && lines('long').length === 1);
  await waitsToQuit();
  letGo();
  await until('one rests', async () => (await status()).quitsBehind?.length === 1);
  expect(shellSteps(turnId)).toEqual([{ state: 'completed' }]);
  await site.hf('stop', '--take-back');
  await site.turnIn(turnId, 'completed');
  expect(lines('ended')).toEqual(['one', 'two']);
  expect(site.db('SELECT attempt FROM turns WHERE id = ?', turnId)).toEqual([{ attempt: 1 }]);
  fs.writeFileSync(path.join(site.workspace, 'end'), '');
  await site.turnIn(long, 'completed');
  await site.stop(host);
});

it('F4 a second Quit quits now, and the cut off step is asked about as ever', async () => {
  site.configure({ resilience: { recovery: { side_effect_tools: ['shell:effects'] } } });
  const { host, turnId } = await atWork();
  const first = await waitsToQuit();
  const said = await site.json<{ willAsk?: number }>('stop');
  expect(said.willAsk).toBe(1);
  expect((await host.ended).code).toBe(0);
  await first.ended;
  await site.start();
  await site.turnIn(turnId, 'held');
  // The start remembers nothing of the wish.
  expect((await status()).quitsBehind).toBeUndefined();
});

it('F4 quits at once where nothing is at work, and SIGTERM never waits', async () => {
  const idle = await site.start();
  const stop = await site.hf('stop', '--when-done');
  expect(stop.code).toBe(0);
  expect((await idle.ended).code).toBe(0);
  const { host } = await atWork();
  await waitsToQuit();
  host.child.kill('SIGTERM');
  expect((await host.ended).code).toBe(0);
  expect(lines('ended')).toEqual([]);
});
