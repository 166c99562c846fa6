import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gaveUp, planRespawn, RESPAWN_LIMITS } from '../../../electron/adapters/mcp/plan-respawn';

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
    expect(gaveUp(reason, 5)).toBe(`${begin} started again 5 times and ended each time.`);
  });
});
