import { expect, it } from 'vitest';
import { createHasher } from '../../../electron/adapters/blobs/hasher';
import { HoldfastError } from '../../../electron/engine/kernel/errors';
import { createSharedQuestions } from '../../../electron/engine/sharing/shared-questions';
import type { JournalEntry } from '../../../electron/ports/journal/entries';
import { turnRow } from '../recovery/step-rows';

const same = (text: string) => text;
const portable = { in: same, out: same, key: same, value: same };
const row = (turnId: number, more: object = {}) => ({
  ...{ requestId: turnId * 10, turnId, request: 'approval', tool: 'shell', inputKey: 'k' },
  ...{ reason: '', grant: '', hint: '', input: { kind: 'inline', text: 'ls' } },
  ...more,
});

/** Turns 1 and 2 are held here, 3 and 4 are at work on another computer. */
function world(own: (turnId: number) => readonly object[]) {
  const asked: string[] = [];
  const applied: number[] = [];
  const committed: JournalEntry[] = [];
  const texts = { portableOf: () => portable, hasher: createHasher(), blobs: {}, store: {} };
  const held = [1, 2].map((turnId) => ({ turnId, uid: `u${String(turnId)}`, epoch: 1 }));
  const questions = createSharedQuestions({
    store: {
      ask({ turn, id }: { turn: string; id: string }) {
        asked.push(`${turn} ${id}`);
        return Promise.resolve(true);
      },
    },
    texts,
    recovery: {
      journal: {
        allocate: () => 99,
        commit: (entries: readonly JournalEntry[]) => Promise.resolve(committed.push(...entries)),
      },
      reads: {
        turn: (id: number) => turnRow({ id }),
        requestsOfTurn: own,
        openShared: () =>
          [3, 4].map((turnId) => ({ turnId, uid: `u${String(turnId)}`, epoch: 1, state: 'away' })),
      },
      crashPoints: { hit: () => undefined },
    },
    held: { list: () => held, has: (turnId: number) => turnId < 3 },
    approvals: {
      apply(requestId: number) {
        applied.push(requestId);
        return Promise.resolve();
      },
    },
    name: () => 'desk',
  } as never);
  return { questions, asked, applied, committed };
}

it('DW-23 an answer that cannot be read keeps no other answer back, and is told', async () => {
  const { questions, asked, applied } = world((turnId) => (turnId < 3 ? [row(turnId)] : []));
  await questions.after([]);
  const told = asked.map((one, at) => {
    const [turn = '', id = ''] = one.split(' ');
    return { turn, epoch: 1, id, body: '', answer: at === 0 ? '{"kind":' : '{"kind":"deny"}' };
  });
  expect(told).toHaveLength(2);
  await expect(questions.after(told as never)).rejects.toThrow(SyntaxError);
  expect(applied).toEqual([20]);
});

it('DW-23 a question that a newer version asks keeps no other question back', async () => {
  const { questions, committed } = world(() => []);
  const about = { request: 'approval', tool: 'shell', inputKey: 'k', input: { t: 'ls' } };
  const body = JSON.stringify({ ...about, hint: '', reason: '', grant: '' });
  const newer = JSON.stringify({ ...about, hint: '', reason: '', grant: '', more: 1 });
  const told = ['u3', 'u3', 'u4'].map((turn, at) => ({
    ...{ turn, epoch: 1, id: String(at), body: at === 0 ? newer : body },
  }));
  await expect(questions.after(told as never)).rejects.toThrow('more');
  expect(committed.map((entry) => 'turnId' in entry && entry.turnId)).toEqual([3, 3, 4, 4]);
});

it('DW-23 a store out of reach ends the look', async () => {
  let looks = 0;
  const { questions } = world(() => {
    looks += 1;
    throw new HoldfastError('SHARE_UNREACHABLE', 'cut');
  });
  await expect(questions.after([])).rejects.toMatchObject({ code: 'SHARE_UNREACHABLE' });
  expect(looks).toBe(1);
});
