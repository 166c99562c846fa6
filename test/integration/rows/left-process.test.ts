/** A command that outlives Holdfast: told of, shown in the question, waited for, ended or left alone. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LeftProcessView } from '../../../shared/types';
import type { Launched, RecoveryList, Site } from './site';
import { callsThenDone, createSite, stalledEffect, until } from './site';

interface Left extends RecoveryList {
  readonly processes: readonly LeftProcessView[];
}
interface Items {
  readonly items: readonly {
    readonly id: number;
    readonly title: string;
    readonly outcome?: string;
  }[];
}

let site: Site;
let left: number | undefined;

beforeEach(async () => {
  site = await createSite();
  site.configure({ resilience: { recovery: { side_effect_tools: ['shell:effects'] } } });
});
afterEach(async () => {
  // Lets what is still at work end by itself.
  fs.writeFileSync(path.join(site.workspace, 'go'), '');
  if (left !== undefined && isThere(left)) await until('it has ended', () => !isThere(left ?? 0));
  left = undefined;
  await site.remove();
});

const isThere = (pid: number): boolean =>
  fs.existsSync(`/proc/${String(pid)}/environ`) &&
  !/\) Z /.test(fs.readFileSync(`/proc/${String(pid)}/stat`, 'latin1'));
const list = (): Promise<Left> => site.json<Left>('recovery', 'list');
const notices = async (...args: string[]): Promise<Items['items']> =>
  (await site.json<Items>('inbox', 'list', ...args)).items.filter(({ title }) =>
    title.includes('is still running'),
  );

/** A turn whose command outlives a SIGKILL of Holdfast, and Holdfast started again. */
async function cutOff(): Promise<{ turnId: number; host: Launched; process: LeftProcessView }> {
  site.fp.setScript(callsThenDone(stalledEffect('x')));
  const first = await site.start();
  const turnId = await site.send('report');
  await until('the effect happened', () => site.effects().length === 1);
  await site.kill(first);
  const host = await site.start();
  const [process] = (await list()).processes;
  if (process === undefined) throw new Error('nothing was found');
  left = process.pid;
  return { turnId, host, process };
}

describe('F3 a command of a turn that outlived Holdfast', () => {
  it('is shown in the question about its turn, with its number, its command and whose it is', async () => {
    const { turnId, process } = await cutOff();
    expect(isThere(process.pid)).toBe(true);
    expect(process).toMatchObject({ turnId, step: 2, state: 'running' });
    expect(process.command).toContain('effects.log');
    expect(Math.abs(process.startedAtMs - Date.now())).toBeLessThan(60_000);
    const { decisions } = await list();
    expect(decisions[0]?.processes).toEqual([process]);
    const shown = await site.hf('recovery', 'list');
    expect(shown.out).toContain(
      `process ${String(process.pid)} of turn ${String(turnId)} still runs`,
    );
    expect(shown.out).toContain(`holdfast processes end ${String(process.pid)}`);
    expect(await notices()).toHaveLength(1);
  });

  it('end it: the process and its group are gone, the notice too, and the question says so', async () => {
    const { turnId, process } = await cutOff();
    const before = (await list()).decisions[0];
    const ended = await site.hf('recovery', 'end-process', String(process.pid));
    expect([ended.code, ended.out]).toEqual([
      0,
      'Terminated. What it did until then stays done.\n',
    ]);
    expect(isThere(process.pid)).toBe(false);
    expect(await notices()).toEqual([]);
    const after = await list();
    expect(after.processes).toEqual([]);
    expect(after.decisions[0]?.processes).toMatchObject([{ state: 'ended_by_you', answer: 'end' }]);
    // What was shown before is void: an answer is about what a person saw.
    expect(after.decisions[0]?.requestHash).not.toBe(before?.requestHash);
    await expect
      .poll(() => site.audit().filter(({ event }) => event === 'process_decided'))
      .toMatchObject([{ facts: { turnId, pid: process.pid, answer: 'end' } }]);
    const again = await site.hf('recovery', 'end-process', String(process.pid));
    expect(again.code).not.toBe(0);
    expect(again.err).toContain('It was not signaled');
  });

  it('wait for it: nothing is signaled, and when it ends its turn is asked about anew', async () => {
    const { turnId, process } = await cutOff();
    const before = (await list()).decisions[0];
    expect((await site.hf('recovery', 'wait-process', String(process.pid))).code).toBe(0);
    expect((await list()).processes).toMatchObject([{ state: 'running', answer: 'wait' }]);
    expect(isThere(process.pid)).toBe(true);
    fs.writeFileSync(path.join(site.workspace, 'go'), '');
    await until('the notice is gone', async () => (await notices()).length === 0);
    const { decisions, processes } = await list();
    expect(processes).toEqual([]);
    expect(decisions).toMatchObject([{ turnId, processes: [{ state: 'ended', answer: 'wait' }] }]);
    expect(decisions[0]?.processes?.[0]?.endedAtMs).toBeGreaterThan(process.startedAtMs);
    expect(decisions[0]?.inboxId).not.toBe(before?.inboxId);
    expect(site.effects()).toHaveLength(1);
  });

  it('let it run: the notice goes and stays away over a restart, the process runs on', async () => {
    const { host, process } = await cutOff();
    expect((await site.hf('recovery', 'leave-process', String(process.pid))).code).toBe(0);
    expect(await notices()).toEqual([]);
    await site.stop(host);
    await site.start();
    expect(await notices()).toEqual([]);
    expect(isThere(process.pid)).toBe(true);
    expect((await list()).decisions[0]?.processes).toMatchObject([
      { state: 'running', answer: 'leave' },
    ]);
  });

  it('is judged again at each start: one that lives keeps its one notice, one that ended meanwhile loses it', async () => {
    const { host, process } = await cutOff();
    const [notice] = await notices();
    await site.kill(host);
    const second = await site.start();
    expect(await notices()).toMatchObject([{ id: notice?.id }]);
    await site.stop(second);
    fs.writeFileSync(path.join(site.workspace, 'go'), '');
    await until('it has ended', () => !isThere(process.pid));
    // Nothing runs: what is on disk is said of it, and what the system says now.
    expect((await list()).decisions[0]?.processes).toMatchObject([{ state: 'ended_unseen' }]);
    await site.start();
    expect(await notices()).toEqual([]);
    expect((await notices('--all'))[0]?.outcome).toBe(
      'the process ended while Holdfast was not running',
    );
    expect((await list()).decisions[0]?.processes).toMatchObject([{ state: 'ended_unseen' }]);
  });
});
