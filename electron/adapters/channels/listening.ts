import { toHoldfastError } from '../../engine/kernel/errors';
import type { Intake } from '../../ports/channel';
import type { ChannelSettings } from '../../../shared/settings/channels';
import type { ChannelDeps } from './channel-deps';

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/** One connection: resolves when the other side ends it, and rejects if it breaks. */
type Session = (
  intake: Intake,
  options: {
    readonly signal: AbortSignal;
    /** The connection is up: the other side has accepted us. */
    readonly onUp: () => void;
  },
) => Promise<void>;

/**
 * Keeps a connection open that receives messages, through the channel's breaker and with growing
 * delays between attempts.
 */
export function createListening(
  {
    name,
    clock,
    log,
    breaker,
  }: Pick<ChannelDeps<ChannelSettings['kind']>, 'name' | 'clock' | 'log' | 'breaker'>,
  session: Session,
): { start(intake: Intake): void; stop(): void } {
  let running = new AbortController();

  /**
   * The delay before the next attempt, or undefined after a connection that was up and whose
   * messages could be taken.
   */
  const once = async (intake: Intake, signal: AbortSignal): Promise<number | undefined> => {
    const admission = breaker().allow();
    if (admission.kind === 'refused') return admission.retryInMs;
    let isUp = false;
    const ended = new AbortController();
    try {
      await session(intake, {
        signal: AbortSignal.any([signal, ended.signal]),
        onUp() {
          if (!isUp) breaker().onSuccess(admission);
          isUp = true;
        },
      });
      if (!isUp) breaker().onIgnored(admission);
      return isUp ? undefined : 0;
    } catch (thrown) {
      const error = toHoldfastError(thrown);
      const afterMs = error.facts['retryAfterMs'];
      const isOurs = error.code !== 'CHANNEL_DOWN' || error.facts['isNotTaken'] === true;
      // It is shown, and keeps back nothing that a half-open breaker would send.
      const isShown = isUp && isOurs && !signal.aborted && breaker().view().state === 'closed';
      if (isShown) breaker().onFailure(undefined, error.message);
      else if (!isUp && (signal.aborted || typeof afterMs === 'number'))
        breaker().onIgnored(admission);
      else if (!isUp) breaker().onFailure(admission, error.message);
      if (!signal.aborted) log.warn('channel.not_heard', { channel: name, error: error.message });
      return isUp && !isOurs ? undefined : typeof afterMs === 'number' ? afterMs : 0;
    } finally {
      ended.abort();
    }
  };

  const run = async (intake: Intake, signal: AbortSignal): Promise<void> => {
    let retryMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      const waitMs = await once(intake, signal);
      if (waitMs === undefined) retryMs = FIRST_RETRY_MS;
      await clock.sleep(Math.max(retryMs, waitMs ?? 0), signal).catch(() => undefined);
      if (waitMs !== undefined) retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    }
  };

  return {
    start(intake) {
      running.abort();
      running = new AbortController();
      void run(intake, running.signal);
    },
    stop() {
      running.abort();
    },
  };
}
