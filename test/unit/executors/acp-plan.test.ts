import { describe, expect, it } from 'vitest';
import {
  answerOf,
  continuePrompt,
  createRepeats,
  endOfTold,
  costBefore,
  costOfPrompt,
  endsFromReplay,
  endsOfLeftovers,
  firstPrompt,
  planFailure,
  planOpening,
  type KnownCall,
} from '../../../electron/engine/executors/acp/plan';
import type { StepRow } from '../../../electron/ports/journal/rows';
import type { ExternalCallRow } from '../../../electron/ports/journal/external';
import type { ExternalEvent } from '../../../electron/ports/external-agent';

const known = (extra: Partial<KnownCall>): KnownCall => ({
  step: 2,
  callId: 'a',
  identity: 'i',
  title: 'echo one',
  tool: 'own.shell',
  isEffect: true,
  outcome: 'unknown',
  ...extra,
});
const step = (number: number, extra: Partial<StepRow> = {}): StepRow =>
  ({ step: number, state: 'started', purity: 'side_effect', ...extra }) as StepRow;
const call = (number: number, asking: ExternalCallRow['asking']): ExternalCallRow =>
  ({ step: number, asking }) as ExternalCallRow;
const tool = (
  report: Partial<Extract<ExternalEvent, { kind: 'tool' }>['report']>,
): ExternalEvent => ({
  kind: 'tool',
  report: { callId: 'a', ...report },
});

describe('the ways back into a session', () => {
  const facts = { agent: 'claude', attempt: 1, session: undefined, nowMs: 90_000 } as const;

  it('begins anew without an earlier session, and goes on in one that is there', () => {
    expect(planOpening(facts)).toEqual({
      findsOrphans: false,
      backsUp: false,
      waitMs: 0,
      opens: 'new',
    });
    expect(planOpening({ ...facts, attempt: 2, session: { usedAtMs: 80_000 } })).toEqual({
      findsOrphans: true,
      backsUp: true,
      waitMs: 0,
      opens: 'earlier',
    });
  });

  it.each([
    ['gemini', 61_000, 31_000],
    ['gemini', 59_000, 0],
    ['opencode', 61_000, 0],
  ] as const)(
    'waits for the next minute of the clock for %s used at %i ms: %i ms',
    (agent, usedAtMs, waitMs) => {
      expect(planOpening({ ...facts, agent, session: { usedAtMs } }).waitMs).toBe(waitMs);
    },
  );
});

describe('what a dead run left', () => {
  it('S4-20 a call that was still asking did not begin; an allowed or silent effect may have happened', () => {
    const ends = endsOfLeftovers(
      [
        step(2),
        step(3),
        step(4),
        step(5, { purity: 'world' }),
        step(1, { purity: 'llm' }),
        step(6, { state: 'completed' }),
      ],
      [call(2, 'asked'), call(3, 'allowed'), call(4, undefined), call(5, undefined)],
    );
    expect(ends.map(({ step: number, end }) => [number, end.state])).toEqual([
      [2, 'failed'],
      [3, 'ambiguous'],
      [4, 'ambiguous'],
      [5, 'failed'],
      [1, 'failed'],
    ]);
  });

  const once = (): boolean => false;
  it('a replayed "completed" counts only with its result; nothing replayed undoes what we saw', () => {
    const calls = [known({}), known({ step: 3, callId: 'b', outcome: 'never' })];
    expect(endsFromReplay(calls, [tool({ status: 'completed' })], once)).toEqual([]);
    expect(
      endsFromReplay(calls, [tool({ status: 'failed', output: 'interrupted' })], once),
    ).toEqual([]);
    expect(
      endsFromReplay(
        calls,
        [
          tool({ status: 'pending' }),
          tool({ status: 'completed', output: 'done' }),
          tool({ callId: 'b', status: 'completed', output: 'never ran' }),
        ],
        once,
      ),
    ).toEqual([{ step: 2, output: 'done' }]);
    // The id of two calls of this turn, or of one of an earlier turn, is the word of neither.
    const done = [tool({ status: 'completed', output: 'done' })];
    expect(endsFromReplay([...calls, known({ step: 4 })], done, once)).toEqual([]);
    expect(endsFromReplay(calls, done, (callId) => callId === calls[0]?.callId)).toEqual([]);
  });

  it.each([
    ['a new session', 'other', false, 7, [], 0],
    ['a new one where the earlier one told its count and was lost', 'other', false, 7, [9], 0],
    ['the session of the turn before', 'other', true, 7, [], 7],
    [
      'one that nobody counted: taken over, or from before',
      'other',
      true,
      undefined,
      [],
      undefined,
    ],
    ['one that tells its count when it is loaded', 'other', true, 7, [9], 9],
    ['Claude Code, which counts anew in each process', 'claude', true, 7, [], 0],
  ] as const)(
    'S4-+09 before a prompt the count of %s',
    (_what, agent, knowsPast, costUsd, told, before) => {
      const replay = told.map((one) => ({ kind: 'cost' as const, costUsd: one }));
      const facts = { agent, knowsPast, replay, costUsd };
      expect(costBefore({ ...facts, wasPrompted: false })).toBe(before);
    },
  );

  it.each([
    ['is on record', 7, [9], 7],
    ['nobody recorded', undefined, [9], 9],
  ] as const)(
    'S4-+09 after a prompt of the same turn was cut off it is paid for by this turn: what %s stands',
    (_what, costUsd, told, before) => {
      const replay = told.map((one) => ({ kind: 'cost' as const, costUsd: one }));
      const facts = { agent: 'other', knowsPast: true, wasPrompted: true } as const;
      expect(costBefore({ ...facts, replay, costUsd })).toBe(before);
    },
  );

  it.each([
    [9, 7, 2],
    [7, 7, 0],
    [3, 7, 3],
    [9, undefined, undefined],
    [undefined, 7, undefined],
  ])('S4-+09 told %s, before %s: the prompt has cost %s', (told, before, cost) => {
    expect(costOfPrompt(told, before)).toBe(cost);
  });

  it('each recorded effect answers for one later call', () => {
    const repeatOf = createRepeats([
      known({ outcome: 'done' }),
      known({ outcome: 'unknown' }),
      known({ identity: 'never', outcome: 'never' }),
      known({ identity: 'read', outcome: 'done', isEffect: false }),
    ]);
    expect([repeatOf('i'), repeatOf('i'), repeatOf('i')]).toEqual(['done', 'unknown', undefined]);
    expect([repeatOf('never'), repeatOf('read'), repeatOf('other')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('what the agent is told', () => {
  const messages = [
    { role: 'user', text: 'before' },
    { role: 'assistant', parts: [{ kind: 'text', text: 'told' }] },
    { role: 'user', text: 'now' },
  ] as const;

  it('the plain request where it remembers, the conversation where it does not', () => {
    expect(firstPrompt(messages, true)).toBe('now');
    expect(firstPrompt(messages, false)).toContain('User: before\nYou: told');
    expect(firstPrompt(messages.slice(2), false)).toBe('now');
  });

  it('after a cut: what is done, what is unknown, what did not begin, and the request', () => {
    const text = continuePrompt({
      messages,
      knowsPast: true,
      calls: [
        { ...known({ outcome: 'done' }), output: 'written\n' },
        known({ title: 'send', outcome: 'unknown' }),
        known({ title: 'rm', outcome: 'never' }),
        known({ title: 'pay', outcome: 'skipped' }),
      ],
      orphans: { found: 1, waited: 0, ended: 1, left: 0, commands: [] },
    });
    expect(text).toContain('Do not do these again:\n- shell: echo one -> written');
    expect(text).toContain(
      'may have happened. Check before you do anything like it again:\n- shell: send',
    );
    expect(text).toContain('Did not start:\n- shell: rm');
    expect(text).toContain('treat the result as empty:\n- shell: pay');
    expect(text).toContain('and was terminated');
    expect(text.endsWith('The request:\nnow')).toBe(true);
    expect(text).not.toContain('before in this conversation');
  });
});

describe('how a call and a prompt end', () => {
  const told = { isEnding: false, asking: undefined } as const;
  const state = (status: 'pending' | 'completed' | 'failed', output?: string) =>
    ({ kind: 'execute', status, output }) as const;

  it.each([
    [{ ...told, state: state('pending') }, undefined],
    [
      { ...told, state: state('completed', 'x') },
      { state: 'completed', text: 'x', isError: false },
    ],
    [
      { ...told, state: state('failed') },
      { state: 'completed', text: '(it failed)', isError: true },
    ],
    [{ ...told, asking: 'asked', state: state('failed', 'x') }, { state: 'failed' }],
    [{ ...told, isEnding: true, state: state('failed', 'x') }, { state: 'ambiguous' }],
    [
      { ...told, isEnding: true, state: { ...state('failed', 'x'), kind: 'read' } },
      { state: 'completed', isError: true },
    ],
  ] as const)('S4-20 %o is %o', (facts, end) => {
    if (end === undefined) expect(endOfTold(facts)).toBeUndefined();
    else expect(endOfTold(facts)).toMatchObject(end);
  });

  it('an answer without a word says why it has none', () => {
    const facts = { text: '', stop: 'end_turn', isRefused: false } as const;
    expect(answerOf({ ...facts, text: 'done', isRefused: true }).text).toBe('done');
    expect(answerOf({ ...facts, isRefused: true }).text).toContain('denied');
    expect(answerOf({ ...facts, stop: 'refusal' })).toEqual({
      text: '(The agent declined the request.)',
      finish: 'content_filter',
    });
    expect(answerOf({ ...facts, stop: 'max_tokens' })).toMatchObject({ finish: 'length' });
  });

  it.each([
    ['provider', 0, 0, 'requeue'],
    ['provider', 1, 0, 'park'],
    ['died', 0, 0, 'park'],
    ['died', 1, 1, 'hold'],
  ] as const)(
    'S0-09 S0-15 %s with %i unknown and %i to hold: %s',
    (kind, unknown, toHold, plan) => {
      expect(planFailure({ failure: { kind }, unknown, toHold })).toBe(plan);
    },
  );
});
