/** Other providers that answer a held request while its own is down or at its limit. FB-05 */
import type {
  GatewayAlternative,
  GatewayAlternatives,
  GatewayEnd,
  GatewayFallbackMove,
  GatewayJob,
} from '../../ports/gateway';
import type { RetryingCallEnd } from '../retry/retrying-call';

/** After a failure of the other one; ms. */
const AGAIN_MS = 15_000;

/** What came of a look: an end, or when to look again, or why none answers. */
interface Look<A> {
  readonly end?: GatewayEnd<A>;
  readonly atMs?: number;
  readonly why?: string;
}

interface StandInDeps<A> {
  readonly nowMs: () => number;
  readonly move: (provider: string, others: readonly string[]) => Promise<GatewayFallbackMove>;
  /** A call to it may go out now. */
  readonly isFree: (other: Pick<GatewayAlternative<A>, 'provider' | 'mostUsd'>) => boolean;
  readonly tryOnce: (job: GatewayJob<A>) => Promise<RetryingCallEnd<A>>;
}

/**
 * Of one request. What another provider refuses is not the client's to read: the request goes on
 * waiting for its own. An answer that has begun and broke off is the end, whoever gave it.
 */
export function createStandIns<A>(
  job: GatewayJob<A>,
  deps: StandInDeps<A>,
): { look(): Promise<Look<A>> } {
  let found: GatewayAlternatives<A> | undefined;
  /** By provider: what it said. */
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
