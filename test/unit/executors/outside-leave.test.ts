import { describe, expect, it } from 'vitest';
import {
  planPermission,
  storedAnswer,
} from '../../../electron/engine/executors/program/permission';
import type { RequestRow } from '../../../electron/ports/journal/approvals';

const facts = {
  call: { tool: 'own.shell', risk: { isRisky: true, reason: 'why', covers: 'git push' } },
  identity: 'abcdef0123456789',
  verdict: { kind: 'allow', by: 'default' },
  stored: undefined,
  repeat: undefined,
  ask: 'policy',
  isEffect: true,
} as const;
const ask = { kind: 'ask', reason: 'why' } as const;

describe('whether a call of another program may be made', () => {
  it('S3-06 goes by the rules, and leave covers what the risk of the call names', () => {
    expect(planPermission(facts)).toEqual({ kind: 'allow' });
    const asked = { kind: 'ask', reason: 'why', grant: 'own.shell git push' };
    expect(planPermission({ ...facts, verdict: ask })).toEqual(asked);
    expect(planPermission({ ...facts, ask: 'always' }).kind).toBe('ask');
  });

  it('S0-10 what would happen twice is asked about although the rules allow it, and leave for it covers it alone', () => {
    expect(planPermission({ ...facts, repeat: 'done' })).toMatchObject({
      kind: 'ask',
      grant: 'own.shell abcdef012345',
    });
    expect(planPermission({ ...facts, repeat: 'unknown' }).kind).toBe('ask');
    expect(planPermission({ ...facts, repeat: 'done', isEffect: false }).kind).toBe('allow');
  });

  it('an answer from before the restart counts, but not against a rule that forbids', () => {
    const stored = { requestId: 4, isAllowed: true, note: '' };
    const plan = planPermission({ ...facts, verdict: ask, stored, repeat: 'done' });
    expect(plan).toEqual({ kind: 'stored', answer: stored });
    const deny = { kind: 'deny', reason: 'rule' } as const;
    expect(planPermission({ ...facts, verdict: deny, stored })).toEqual(deny);
  });

  it('S3-07 a stored answer is for exactly this input and is used once', () => {
    const row = (requestId: number, inputKey: string, answer: RequestRow['answer']): RequestRow =>
      ({ requestId, tool: 'own.shell', inputKey, answer }) as RequestRow;
    const own = (inputKey: string) => ({ tool: 'own.shell', inputKey });
    const rows = [
      row(1, 'x', 'allowed'),
      row(2, 'x', 'denied'),
      row(3, 'y', undefined),
      row(4, 'w', 'cleared'),
    ];
    const found = (used: readonly number[], identity: string): number | undefined =>
      storedAnswer(rows, new Set(used), own(identity))?.requestId;
    expect(storedAnswer(rows, new Set(), own('x'))).toMatchObject({
      requestId: 1,
      isAllowed: true,
    });
    expect(storedAnswer(rows, new Set([1]), own('x'))).toMatchObject({
      requestId: 2,
      isAllowed: false,
    });
    expect(found([1, 2], 'x')).toBeUndefined();
    const other = { tool: 'own.other', inputKey: 'x' };
    expect(storedAnswer(rows, new Set(), other)).toBeUndefined();
    expect([found([], 'y'), found([], 'z'), found([], 'w')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
