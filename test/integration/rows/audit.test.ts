/** What is told of a turn that was cut off: by the audit, and by the commands while nothing runs it. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StatusSnapshot } from '../../../shared/types';
import type { RecoveryList, Site } from './site';
import { createSite, effect, resultsIn, until } from './site';

let site: Site;

beforeEach(async () => {
  site = await createSite();
});
afterEach(() => site.remove());

describe('the audit', () => {
  const harms: readonly (readonly [string, (file: string) => void])[] = [
    ['left as it is', () => undefined],
    ['removed', (name) => fs.rmSync(path.dirname(name), { recursive: true })],
    ['emptied', (name) => fs.truncateSync(name)],
    [
      'filled with lies',
      (name) => {
        const lie = { n: 900, at: new Date().toISOString(), event: 'turn_ended' };
        fs.appendFileSync(
          name,
          `${JSON.stringify({ ...lie, facts: { turnId: 1, state: 'completed' } })}\n`,
        );
      },
    ],
  ];

  it.each(harms)(
    'S4-33 tells the story of a killed turn to its end in files of its own, without asking the model; %s, the recovery is the same',
    async (harm, doHarm) => {
      site.configure();
      site.fp.setScript((request) =>
        resultsIn(request) === 0 ? { toolCalls: [effect('1')] } : { fault: 'stall_first_byte' },
      );
      const host = await site.start();
      const turnId = await site.send('work');
      await site.fp.waitForRequests(2);
      await until(
        'the audit has both steps',
        () => site.audit().filter(({ event }) => event === 'step').length === 2,
      );
      await site.kill(host);
      const folder = path.join(site.dataDir, 'audit');
      const journal = site.db<{ seq: number }>('SELECT max(seq) AS seq FROM journal');
      doHarm(path.join(folder, fs.readdirSync(folder)[0] ?? ''));
      expect(site.db('SELECT max(seq) AS seq FROM journal')).toEqual(journal);
      site.fp.setScript(() => ({ text: 'done' }));
      const next = await site.start();
      await site.turnIn(turnId, 'completed');
      await site.stop(next);
      const { lastStart } = await site.json<RecoveryList>('recovery', 'list');
      expect(lastStart.map((one) => [one.turnId, one.action])).toEqual([[turnId, 'resume']]);
      expect([site.effects().length, site.fp.calls().length]).toEqual([1, 3]);
      const told = await site.json<{ events: { kind: string; words: string }[] }>(
        'events', 'list', '--source', 'audit', '--turn', String(turnId), '--limit', '500',
      ); // prettier-ignore
      const story = told.events.toReversed().map(({ words }) => words);
      const before = [
        'Prompt accepted as turn 1',
        'Step 1 completed: model',
        'Step 2 completed: shell',
      ];
      const lie = 'Turn 1 completed';
      const kept = { 'left as it is': before, 'filled with lies': [...before, lie] }[harm] ?? [];
      expect(story).toEqual([
        ...kept,
        'After the start, turn 1: resumed',
        'Step 1 reused',
        'Step 2 reused',
        'Step 4 completed: model',
        'Turn 1 completed',
      ]);
      expect(site.fp.calls()).toHaveLength(3);
    },
  );
});

describe('status of what was cut off', () => {
  it.each([
    ['killed', 2, 'the next normal start resumes each of them or asks you'],
    ['stopped in order', 1, 'the next normal start resumes it or asks you'],
  ] as const)(
    'S0-04 S2-+06 S4-29 %s with %i turns at work: status and doctor call them cut off, not running, in text and JSON; a start without restoring, too; the next start says nothing of it',
    async (end, count, words) => {
      site.configure({ shutdown: { grace: '200ms' } });
      site.fp.setScript(() => ({ fault: 'stall_first_byte' }));
      let host = await site.start();
      for (let n = 0; n < count; n += 1) await site.send('work', '--session', `s${String(n)}`);
      await site.fp.waitForRequests(count);
      const now = await site.json<StatusSnapshot>('status');
      expect([now.counts.running, now.cutOff]).toEqual([count, undefined]);
      const said = async (): Promise<unknown[]> => {
        const { phase, pid, counts, cutOff } = await site.json<StatusSnapshot>('status');
        // Where nothing runs, no process is named: not the command's own either.
        expect(pid === undefined).toBe(phase === 'stopped');
        expect((await site.hf('status')).out).toContain(
          `interrupted     ${String(count)} turn${count === 1 ? '' : 's'}; ${words}`,
        );
        return [counts.running, cutOff];
      };
      if (end === 'killed') await site.kill(host);
      else await site.stop(host);
      expect(await said()).toEqual([0, count]);
      expect((await site.hf('doctor')).out).toMatch(
        new RegExp(`unfinished turns +${String(count)} interrupted`),
      );
      host = await site.start('--no-restore');
      expect(await said()).toEqual([0, count]);
      await site.kill(host);
      site.fp.setScript(() => ({ text: 'done' }));
      await site.start();
      for (let n = 1; n <= count; n += 1) await site.turnIn(n, 'completed');
      expect(await site.json<StatusSnapshot>('status')).not.toHaveProperty('cutOff');
      expect((await site.hf('status')).out).not.toContain('interrupted');
    },
  );
});
