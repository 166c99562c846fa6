import { expect, it } from 'vitest';
import { createHasher } from '../../../electron/adapters/blobs/hasher';
import { callEntry } from '../../../electron/engine/executors/program/calls';
import { createDecisions } from '../../../electron/engine/recovery/decisions';
import type { StepRow } from '../../../electron/ports/journal/rows';
import { policyOf, stepRow, turnRow, UNKNOWN } from './step-rows';

/** Held turns by number, each with its steps. */
const decisionsOf = (
  turns: Readonly<Record<number, () => readonly StepRow[]>>,
  outside: readonly { readonly step: number; readonly input: string }[] = [],
) =>
  createDecisions({
    blobs: { get: () => Promise.resolve(undefined) },
    hasher: createHasher(),
    clock: { nowMs: () => 2_000 },
    policy: policyOf,
    tools: {
      hasStatusCheck: () => false,
      keyIn: () => undefined,
      questionAbout: (_tool: string, args: unknown) => `asked with ${JSON.stringify(args)}`,
    },
    processesOf: () => Promise.resolve([]),
    reads: {
      turn: (id: number) => turnRow({ id, state: 'held', frameId: undefined }),
      steps: (id: number) => turns[id]?.(),
      runsOfTurn: () => [],
      keyOrigin: () => ({ databaseId: 'd', turnId: 1 }),
      outsideCalls: () => outside,
      openInboxesOfTurn: (turnId: number) => [
        { id: turnId, turnId, item: 'replay_decision', createdAtMs: 1 },
      ],
      inbox: () =>
        Object.keys(turns).map((id) => ({ turnId: Number(id), item: 'replay_decision' })),
    },
  } as never);

const cut = (content: string): string => {
  const input = JSON.stringify({ path: 'a.txt', content });
  const call = { turnId: 7, step: 1, callId: 'c', title: 't', identity: '' };
  const entry = callEntry({ ...call, kind: 'edit', input });
  return entry.kind === 'outside.call' ? entry.input : '';
};
const OPEN = () => [stepRow(1, { tool: 'claude.edit', end: UNKNOWN })];

it.each([
  ['whole JSON', cut('x'), 'asked with {"path":"a.txt","content":"x"}'],
  ['cut at 32 KB', cut('x'.repeat(40_000)), 'Did edit happen?'],
  ['no text', '', 'Did edit happen?'],
  ['null', 'null', 'Did edit happen?'],
])('S0-11 a held call whose input is %s can be decided', async (_what, input, question) => {
  const decisions = decisionsOf({ 7: OPEN }, [{ step: 1, input }]);
  expect(await decisions.list()).toMatchObject([{ turnId: 7, question }]);
});

it('S0-11 a held call whose model answer has lost its file can be decided', async () => {
  const content = { kind: 'blob', address: 'a'.repeat(64), chars: 40_000 } as const;
  const asked = stepRow(1, {
    tool: 'llm',
    purity: 'llm',
    hasEffects: false,
    end: { state: 'completed', content, isError: false },
  });
  const call = stepRow(2, { tool: 'shell', call: { step: 1, part: 0 }, end: UNKNOWN });
  expect(await decisionsOf({ 7: () => [asked, call] }).list()).toMatchObject([
    { question: 'Did shell happen?', ambiguous: [{ args: '(the stored text is missing)' }] },
  ]);
});

it('R9 a turn that cannot be read does not hide the decisions of the others', async () => {
  const broken = (): never => {
    throw new SyntaxError('no JSON');
  };
  const decisions = decisionsOf({ 6: broken, 7: OPEN, 8: OPEN });
  expect((await decisions.list()).map(({ turnId }) => turnId)).toEqual([7, 8]);
  // An empty list would say that nothing waits.
  await expect(decisionsOf({ 6: broken }).list()).rejects.toThrow('no JSON');
});
