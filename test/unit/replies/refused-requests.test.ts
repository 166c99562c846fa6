import { describe, expect, it } from 'vitest';
import { createQuestionAnswers } from '../../../electron/engine/replies/question-answers';
import { pressData } from '../../../electron/engine/replies/question-text';
import { createRefusedRequests } from '../../../electron/engine/replies/refused-requests';

const HOUR_MS = 3_600_000;

it('PH-03 a refused request is on record at once for each reason, then once an hour with how many came since', () => {
  let nowMs = 5;
  const lines: unknown[] = [];
  const refused = createRefusedRequests({
    audit: {
      record: (event, facts) => void lines.push([event, facts]),
      flush: () => Promise.resolve(),
    },
    clock: { nowMs: () => nowMs },
  });
  const one = 'Send exactly one Host header.';
  const other = 'The token is missing or wrong.';
  refused(one);
  refused(other);
  for (let more = 0; more < 100; more += 1) refused(one);
  nowMs += HOUR_MS - 1;
  refused(one);
  expect(lines).toEqual([
    ['request_refused', { reason: one, count: 1 }],
    ['request_refused', { reason: other, count: 1 }],
  ]);
  nowMs += 1;
  refused(one);
  // A clock that is set back holds no line back.
  nowMs = 0;
  refused(one);
  expect(lines.slice(2)).toEqual([
    ['request_refused', { reason: one, count: 102 }],
    ['request_refused', { reason: one, count: 1 }],
  ]);
});

describe('a press that decides nothing', () => {
  const world = () => {
    let nowMs = 5;
    const lines: unknown[] = [];
    const press = createQuestionAnswers({
      audit: { record: (_event: string, facts: unknown) => void lines.push(facts) },
      clock: { nowMs: () => nowMs },
      sources: { of: () => Promise.resolve(undefined), closed: () => Promise.resolve(undefined) },
      rulesOf: () => ({ decide: { people: ['ann'], may: 'all' } }),
    } as unknown as Parameters<typeof createQuestionAnswers>[0]).press;
    return { lines, press, pass: (ms: number) => (nowMs += ms) };
  };
  const old = pressData('allow', 7, '0'.repeat(64));

  it('PH-03 is on record once an hour, with how often it was pressed; another person is another line', async () => {
    const { lines, press, pass } = world();
    for (let times = 0; times < 100; times += 1) await press('phone', { data: old, person: 'ann' });
    await press('phone', { data: old, person: 'bob' });
    await press('phone', { data: 'no button', person: 'ann' });
    await press('phone', { data: 'no button either', person: 'ann' });
    expect(lines).toMatchObject([
      { requestId: 7, reason: 'REQUEST_ANSWERED' },
      { requestId: 7, reason: 'NOT_LISTED' },
      { reason: 'UNKNOWN_BUTTON' },
    ]);
    pass(HOUR_MS);
    await press('phone', { data: old, person: 'ann' });
    expect(lines.slice(3)).toMatchObject([{ reason: 'REQUEST_ANSWERED', count: 100 }]);
  });

  it('PH-03 leaves at most 1,000 lines an hour, however many people and questions are named', async () => {
    const { lines, press, pass } = world();
    const all = async () => {
      for (let at = 0; at < 1_500; at += 1)
        await press('phone', { data: old, person: `stranger ${String(at)}` });
    };
    await all();
    expect(lines).toHaveLength(1_000);
    pass(HOUR_MS);
    await all();
    expect(lines).toHaveLength(2_000);
  });
});
