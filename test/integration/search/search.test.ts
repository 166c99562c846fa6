/** Search over the real journal: found, filtered, never a secret, forgotten with what it is about. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { VerbInput, VerbOutput } from '../../../shared/contract';
import { ENDED, turnIn } from '../../helpers/compose-world';
import { promptOf, resultsSoFar, type Script } from '../../helpers/fake-world';
import { createScheduleWorld, type ScheduleWorld } from '../schedule/schedule-world';

const SECRET = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD';

/** In capitals, but of a secret its own letters. */
const answerTo = (text: string): string =>
  `Answer: ${text.includes(SECRET) ? text : text.toUpperCase()}`;

/** Calls what the message spells, `tool {json}`; else answers in capitals. */
const script: Script = (request) => {
  const found = /^([a-z_]+) (\{.*\})$/.exec(promptOf(request));
  if (found !== null && resultsSoFar(request) === 0)
    return { calls: [{ tool: found[1] ?? '', args: JSON.parse(found[2] ?? '{}') as unknown }] };
  const last = request.messages.at(-1);
  return { text: last?.role === 'tool' ? `told: ${last.content}` : answerTo(promptOf(request)) };
};

let site: ScheduleWorld;
let life: Composition;
const file = (): string => path.join(site.world.dataDir, 'search.db');
const find = (input: VerbInput<'search.find'>): Promise<VerbOutput<'search.find'>> =>
  life.holdfast.call('search.find', input, 'test');
const places = async (input: VerbInput<'search.find'>) =>
  (await find(input)).hits.map(({ turnId, part }) => `${String(turnId)} ${part}`);
const send = async (text: string, session: string): Promise<number> => {
  const { turnId } = await life.holdfast.call('send', { text, session, agent: 'fake' }, 'test');
  await turnIn(life, turnId, [...ENDED]);
  return turnId;
};

beforeAll(async () => {
  site = createScheduleWorld({}, script);
  writeFileSync(path.join(site.world.workspace, 'plan.txt'), 'The walrus sleeps on ice floes.');
  life = await site.start();
  await send('Where do penguins live?', 'birds');
  await send('read_file {"path":"plan.txt"}', 'birds');
  await send(`Keep the key ${SECRET} of the penguins`, 'keys');
});
afterAll(() => site.end());

describe('search', () => {
  it('SR-01 an idle start has no index; the first search makes it, for its owner alone, and finds prompts and answers, newest first', async () => {
    expect(existsSync(file())).toBe(false);
    expect(await places({ words: 'penguins live' })).toEqual(['1 answer', '1 prompt']);
    expect(statSync(file()).mode & 0o077).toBe(0);
    const { hits, notIndexed } = await find({ words: '"penguins live"', limit: 1 });
    expect(hits).toMatchObject([
      { turnId: 1, step: 1, part: 'answer', session: 'birds', agent: 'fake', state: 'completed' },
    ]);
    expect(hits[0]?.excerpt).toContain('PENGUINS LIVE');
    expect(notIndexed).toBe(0);
  });

  it('SR-01 the call of a tool and its result are found, by words, tool and file', async () => {
    expect(await places({ words: 'walrus' })).toEqual(['2 answer', '2 result']);
    expect(await places({ words: 'walrus', tool: 'read_file' })).toEqual(['2 result']);
    expect(await places({ words: 'path', file: 'plan.txt', tool: 'files.read_file' })).toEqual([
      '2 call',
    ]);
    expect(await places({ words: 'walrus', tool: 'shell' })).toEqual([]);
    const { hits } = await find({ words: 'plan.txt', tool: 'read_file', file: 'plan.txt' });
    expect(hits.map(({ part, title, excerpt }) => [part, title, excerpt])).toContainEqual([
      'call',
      'read_file {"path":"plan.txt"}',
      'path: plan.txt',
    ]);
  });

  it('SR-01 filters of session, agent, state, cost and date', async () => {
    const words = 'penguins';
    expect(await places({ words, session: 'keys' })).toEqual(['3 answer', '3 prompt']);
    expect(await places({ words, agent: 'other' })).toEqual([]);
    expect(await places({ words, state: 'failed' })).toEqual([]);
    expect(await places({ words, minCostUsd: 5 })).toEqual([]);
    expect(await places({ words, sinceMs: Date.now() + 60_000 })).toEqual([]);
    expect(await places({ words, untilMs: Date.now() - 3_600_000 })).toEqual([]);
    await expect(find({ words, session: 'nobody' })).rejects.toMatchObject({
      code: 'SESSION_UNKNOWN',
    });
  });

  it('SR-01 a page goes on where the one before ended', async () => {
    const all = await places({ words: 'penguins' });
    const paged: string[] = [];
    let before: number | undefined;
    do {
      const page = await find({ words: 'penguins', limit: 1, ...(before && { before }) });
      paged.push(...page.hits.map(({ turnId, part }) => `${String(turnId)} ${part}`));
      before = page.nextBefore;
    } while (before !== undefined);
    expect(paged).toEqual(all);
    expect(all).toHaveLength(4);
  });

  it('SR-02 a secret is neither found nor in the file, and what stands beside it is found', async () => {
    expect(await places({ words: SECRET })).toEqual([]);
    expect(await places({ words: 'abcdefghijklmnopqrstuvwxyz0123456789ABCD' })).toEqual([]);
    const { hits } = await find({ words: 'keep the key', session: 'keys' });
    expect(hits.map(({ excerpt, title }) => excerpt + (title ?? '')).join()).not.toContain(
      'sk-proj-abc',
    );
    expect(hits.length).toBeGreaterThan(0);
    for (const end of ['', '-wal'])
      expect(readFileSync(file() + end, 'latin1').toLowerCase()).not.toContain('abcdefghijklmnop');
  });

  it('SR-03 an agent recalls its own session, and all of them only if it says so', async () => {
    const own = await send('recall {"query":"penguins"}', 'birds');
    const told = (await life.holdfast.call('turns.show', { turnId: own }, 'test')).answer ?? '';
    expect(told).toContain('turn 1 (prompt');
    expect(told).not.toContain('turn 3');
    const all = await send('recall {"query":"penguins","everywhere":true}', 'birds');
    const { answer = '' } = await life.holdfast.call('turns.show', { turnId: all }, 'test');
    expect(answer).toContain('turn 3 (prompt');
  });

  it('SR-02 a deleted session is found no longer at once', async () => {
    await life.holdfast.call('session.delete', { session: 'keys' }, 'test');
    expect((await places({ words: 'penguins' })).some((place) => place.startsWith('3'))).toBe(
      false,
    );
  });

  it('SR-02 one of a stopped Holdfast is read without writing; one that is thrown away or damaged is made again, the same', async () => {
    const before = await places({ words: 'walrus' });
    await site.stop(life);
    const { openReadOnly } = await import('../../../electron/offline/open-data');
    const stopped = await openReadOnly(site.world.dataDir);
    const bytes = readFileSync(file());
    const read = await stopped.holdfast.call('search.find', { words: 'walrus' }, 'test');
    expect(read.hits.length).toBe(before.length);
    await stopped.close();
    expect(readFileSync(file()).equals(bytes)).toBe(true);
    for (const end of ['', '-wal', '-shm']) rmSync(file() + end, { force: true });
    life = await site.start();
    expect(await places({ words: 'walrus' })).toEqual(before);
    await site.stop(life);
    writeFileSync(file(), 'not a database, but long enough to be taken for one'.repeat(100));
    life = await site.start();
    expect(await places({ words: 'walrus' })).toEqual(before);
  });
});
