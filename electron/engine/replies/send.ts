import type { Breakers } from '../../ports/breakers';
import type { Channel, Delivery } from '../../ports/channel';
import { breakerNames } from '../breaker/names';
import { HoldfastError } from '../kernel/errors';
import type { Sent } from './reply-attempt';
import type { ReplyQueue } from './reply-queue';

/** One send to a channel; `begin` runs once the breaker allows it, before anything is sent. */
type Send = (channel: Channel, delivery: Delivery, begin?: () => Promise<void>) => Promise<Sent>;
/** The same for any other request to the channel. */
type Guarded = (
  channel: Channel,
  act: () => Promise<void>,
  begin?: () => Promise<void>,
) => Promise<Sent>;

/**
 * Sends through the channel's breaker, and only after a wait that the channel requested. A local
 * rejection is not a failure of the channel.
 */
export function createGuarded(deps: {
  readonly breakers: Pick<Breakers, 'of'>;
  readonly queueOf: (channel: string) => ReplyQueue;
  readonly signal: AbortSignal;
}): Guarded {
  const { breakers, signal } = deps;
  return async (
    channel: Channel,
    act: () => Promise<void>,
    begin: () => Promise<void> = () => Promise.resolve(),
  ): Promise<Sent> => {
    const queue = deps.queueOf(channel.name);
    const restMs = queue.heldMs();
    if (restMs > 0) return { kind: 'held', retryInMs: restMs };
    const breaker = breakers.of(breakerNames.channel(channel.name), 'channel');
    const admission = breaker.allow();
    if (admission.kind === 'refused') return { kind: 'held', retryInMs: admission.retryInMs };
    try {
      await begin();
    } catch (refusal) {
      breaker.onIgnored(admission);
      throw refusal;
    }
    try {
      await act();
      breaker.onSuccess(admission);
      void queue.wentWell();
      return { kind: 'taken' };
    } catch (thrown) {
      const failed = failureOf(thrown);
      const isNeutral = signal.aborted || failed.isRefused || failed.afterMs !== undefined;
      if (isNeutral) breaker.onIgnored(admission);
      else breaker.onFailure(admission, failed.error);
      if (failed.afterMs !== undefined) await queue.hold(failed.afterMs, failed.error);
      return failed;
    }
  };
}

/** Sends answers and notices through it. */
export const createSend =
  (guarded: Guarded, signal: AbortSignal): Send =>
  (channel, delivery, begin) =>
    guarded(channel, () => channel.deliver(delivery, signal), begin);

/** Converts a channel's exception to a send result. */
export function failureOf(thrown: unknown): Extract<Sent, { kind: 'failed' }> {
  const error = thrown instanceof Error ? thrown.message : String(thrown);
  const facts = thrown instanceof HoldfastError ? thrown.facts : {};
  const afterMs = facts['retryAfterMs'];
  return {
    kind: 'failed',
    error,
    isRefused: thrown instanceof HoldfastError && thrown.code === 'CHANNEL_REFUSED',
    isUnknown: !(thrown instanceof HoldfastError) || facts['mayHaveArrived'] === true,
    ...(typeof afterMs === 'number' ? { afterMs } : {}),
  };
}
