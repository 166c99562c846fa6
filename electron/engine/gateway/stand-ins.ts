/** Other providers that answer a queued request while its own is down or at its limit. FB-05 */
import type {
  GatewayAlternative,
  GatewayAlternatives,
  GatewayEnd,
  GatewayFallbackMove,
  GatewayJob,
} from '../../ports/gateway';
import type { RetryingCallEnd } from '../retry/retrying-call';

/** Delay after a failure of the other provider, in ms. */
const AGAIN_MS = 15_000;

/** Result of a check: an end, the time of the next check, or why none answers. */
interface Look<A> {
  readonly end?: GatewayEnd<A>;
  readonly atMs?: number;
  readonly why?: string;
}

interface StandInDeps<A> {
  readonly nowMs: () => number;
  readonly move: (provider: string, others: readonly string[]) => Promise<GatewayFallbackMove>;
  /** True if a call to it may start now. */
  readonly isFree: (other: Pick<GatewayAlternative<A>, 'provider' | 'mostUsd'>) => boolean;
  readonly tryOnce: (job: GatewayJob<A>) => Promise<RetryingCallEnd<A>>;
}

/**
 * For one request. The client never sees another provider's rejection: the request keeps waiting
 * for its own. A partial answer that broke off is final, whichever provider sent it.
 */
export function createStandIns<A>(
  job: GatewayJob<A>,
  deps: StandInDeps<A>,
): { look(): Promise<Look<A>> } {
  let found: GatewayAlternatives<A> | undefined;
  /** Rejections by provider. */
  const refused = new Map<string, string>();
  let notBeforeMs = 0;

  const ask = async (other: GatewayAlternative<A>): Promise<Look<A>> => {
    const end = await deps.tryOnce({ ...job, ...other });
    if (end.kind === 'answer') return { end };
    if (job.signal.aborted || job.hasBegun())
      return { end: { kind: 'failure', failure: end.failure ?? LOST } };
    if (end.kind === 'failure' && !end.failure.isRetryable && end.failure.kind !== 'quota')
      refused.set(other.provider, `${other.provider} did not answer: ${end.failure.message}`);
    notBeforeMs = deps.nowMs() + AGAIN_MS;
    return { atMs: notBeforeMs, ...reasons() };
  };
  const reasons = (...more: readonly string[]): Pick<Look<A>, 'why'> => {
    const all = [...(found?.unfit ?? []), ...refused.values(), ...more];
    return all.length === 0 ? {} : { why: all.join(' ') };
  };

  return {
    async look() {
      found ??= await job.alternatives();
      const left = found.fit.filter(({ provider }) => !refused.has(provider));
      if (left.length === 0) return reasons();
      const move = await deps.move(
        job.provider,
        left.map(({ provider }) => provider),
      );
      switch (move.kind) {
        case 'stay':
          return reasons(...(move.why === undefined ? [] : [move.why]));
        case 'later':
          return { atMs: move.atMs, ...reasons() };
        case 'go': {
          const other = left[move.to];
          if (other === undefined) return reasons();
          const nowMs = deps.nowMs();
          if (nowMs < notBeforeMs) return { atMs: notBeforeMs, ...reasons() };
          return deps.isFree(other) ? ask(other) : { atMs: nowMs + AGAIN_MS, ...reasons() };
        }
      }
    },
  };
}

const LOST = {
  kind: 'aborted',
  message: 'The answer broke off.',
  hint: '',
  isRetryable: false,
} as const;
