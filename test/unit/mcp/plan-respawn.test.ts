import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  gaveUp,
  planFirstStart,
  planRespawn,
  RESPAWN_LIMITS,
} from '../../../electron/adapters/mcp/plan-respawn';

/** A server that ends again `livesMs` after each start, from 0 on. */
function livesOf(livesMs: readonly number[]): { restarts: number[]; gaveUpAtMs?: number } {
  let restartsMs: readonly number[] = [];
  const restarts: number[] = [];
  let nowMs = 0;
  for (const lifeMs of livesMs) {
    nowMs += lifeMs;
    const plan = planRespawn(restartsMs, nowMs, RESPAWN_LIMITS);
    if (plan.kind === 'give_up') return { restarts, gaveUpAtMs: nowMs };
    restartsMs = plan.restartsMs;
    restarts.push(plan.atMs);
    nowMs = plan.atMs;
  }
  return { restarts };
}

describe('when a server is started again', () => {
  it('S2-19 waits 1, 2, 4, 8 and 16 s and gives up at the sixth end', () => {
    const { restarts, gaveUpAtMs } = livesOf([0, 0, 0, 0, 0, 0]);
    expect(restarts).toEqual([1_000, 3_000, 7_000, 15_000, 31_000]);
    expect(gaveUpAtMs).toBe(31_000);
  });

  it('S2-19 begins at 1 s again once the restarts are older than 300 s', () => {
    const { restarts, gaveUpAtMs } = livesOf([0, 0, 300_000]);
    expect(gaveUpAtMs).toBeUndefined();
    expect(restarts).toEqual([1_000, 3_000, 304_000]);
  });

  it('S2-19 counts a restart that is just inside the window, not one at its edge', () => {
    expect(planRespawn([1_000], 300_999, RESPAWN_LIMITS)).toMatchObject({ atMs: 302_999 });
    expect(planRespawn([1_000], 301_000, RESPAWN_LIMITS)).toMatchObject({ atMs: 302_000 });
  });

  it('S2-19 never restarts more than 5 times in any 300 s, however a server lives', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.nat(5_000), fc.nat(200_000), fc.nat(400_000)), { maxLength: 60 }),
        (livesMs) => {
          const { restarts } = livesOf(livesMs);
          for (const from of restarts) {
            const inside = restarts.filter((at) => at >= from && at < from + 300_000);
            expect(inside.length).toBeLessThanOrEqual(5);
          }
          for (const [index, at] of restarts.entries())
            expect(at).toBeGreaterThan(restarts[index - 1] ?? 0);
        },
      ),
    );
  });
});

describe('what stands with a server that is given up', () => {
  it.each([
    ['MCP error -32000: Connection closed', 'MCP error -32000: Connection closed. It was'],
    ['It ended with exit code 3.\n', 'It ended with exit code 3. It was'],
    ['', 'It was'],
  ])('S2-19 the reason %j is a sentence before the next one begins', (reason, begin) => {
    expect(gaveUp(reason, 5)).toBe(`${begin} restarted 5 times and ended each time.`);
  });
});

describe('the first start of a run', () => {
  const now = { wallMs: 10_000_000, monotonicMs: 500 };
  const ago = (...ms: readonly number[]): readonly number[] => ms.map((one) => now.wallMs - one);
  const saved = { streak: 5, lastError: 'it broke' };
  const five = ago(250_000, 240_000, 230_000, 220_000, 200_000);

  it.each([
    ['nothing is kept', undefined, { delayMs: 0, restartsMs: [] }],
    [
      'the next start was 4 s away',
      { ...saved, startsAtMs: ago(3_000, -4_000), nextTryAtMs: now.wallMs + 4_000 },
      { delayMs: 4_000, restartsMs: [-2_500, 4_500] },
    ],
    [
      'that start is overdue, and one restart is older than 300 s',
      { ...saved, startsAtMs: ago(300_000, 60_000), nextTryAtMs: now.wallMs - 60_000 },
      { delayMs: 0, restartsMs: [-59_500] },
    ],
    [
      'it was given up and the first of 5 restarts has left the window',
      { ...saved, startsAtMs: ago(300_001, 240_000, 230_000, 220_000, 200_000) },
      { delayMs: 0, restartsMs: [-239_500, -229_500, -219_500, -199_500] },
    ],
    [
      'the clock was set back by a day: no wait is longer than 16 s',
      { ...saved, startsAtMs: ago(-86_400_000), nextTryAtMs: now.wallMs + 86_400_000 },
      { delayMs: 16_000, restartsMs: [16_500] },
    ],
  ] as const)('S2-19 S2-51 %s', (_what, kept, start) => {
    expect(planFirstStart(kept, now, RESPAWN_LIMITS)).toMatchObject({ kind: 'start', ...start });
  });

  it('S2-19 S2-51 is none where 5 restarts of the last 300 s have led to nothing', () => {
    expect(planFirstStart({ ...saved, startsAtMs: five }, now, RESPAWN_LIMITS)).toEqual({
      kind: 'give_up',
      reason: 'it broke',
      restartsMs: [-249_500, -239_500, -229_500, -219_500, -199_500],
    });
  });

  it('S2-19 S2-51 a fifth restart that was planned is made', () => {
    const kept = { ...saved, startsAtMs: five, nextTryAtMs: now.wallMs - 1 };
    expect(planFirstStart(kept, now, RESPAWN_LIMITS)).toMatchObject({ kind: 'start', delayMs: 0 });
  });
});
