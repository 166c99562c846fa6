import { expect, it } from 'vitest';
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
