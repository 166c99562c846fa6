import { createHash } from 'node:crypto';
import type { McpServerSettings } from '../../../shared/settings/mcp';
import type { AttemptRecord } from '../../ports/attempts';
import type { Clock } from '../../ports/clock';
import { planFirstStart, planRespawn, type FirstStart, type RespawnLimits } from './plan-respawn';

/** What happens after a server's end. */
type Next =
  /** `kept`: resolves when the counted start is on disk, before it happens. */
  | { readonly kind: 'respawn'; readonly delayMs: number; readonly kept: Promise<void> }
  | { readonly kind: 'give_up'; readonly restarts: number };

/** The counted restarts of one server, across restarts of Holdfast. S2-19 */
interface Restarts {
  /** For this run: continues the count of the last one. */
  first(): FirstStart;
  after(reason: string): Next;
  /** The user restarts it, which resets the count. */
  forget(): Promise<void>;
}

export function createRestarts(deps: {
  readonly spec: McpServerSettings;
  readonly attempts: AttemptRecord;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly limits: RespawnLimits;
}): Restarts {
  const { attempts, clock, limits } = deps;
  // Restarts with another configuration do not count.
  const setUp = createHash('sha256').update(JSON.stringify(deps.spec)).digest('hex').slice(0, 16);
  let restartsMs: readonly number[] = [];

  const wallMs = (atMs: number): number =>
    Math.max(0, Math.round(clock.nowMs() + atMs - clock.monotonicMs()));
  const keep = (lastError: string, nextAtMs?: number): Promise<void> =>
    attempts.keep({
      streak: restartsMs.length,
      lastError: lastError.slice(0, 1000),
      ...(nextAtMs === undefined ? {} : { nextTryAtMs: wallMs(nextAtMs) }),
      startsAtMs: restartsMs.map(wallMs),
      of: setUp,
    });
  return {
    first() {
      const saved = attempts.saved();
      const now = { wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
      const plan = planFirstStart(saved?.of === setUp ? saved : undefined, now, limits);
      restartsMs = plan.restartsMs;
      return plan;
    },
    after(reason) {
      const plan = planRespawn(restartsMs, clock.monotonicMs(), limits);
      if (plan.kind === 'give_up') {
        void keep(reason);
        return plan;
      }
      restartsMs = plan.restartsMs;
      const delayMs = plan.atMs - clock.monotonicMs();
      return { kind: 'respawn', delayMs, kept: keep(reason, plan.atMs) };
    },
    forget() {
      restartsMs = [];
      return attempts.over();
    },
  };
}
