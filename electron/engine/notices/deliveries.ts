import type { Blobs } from '../../ports/blobs';
import type { Breakers } from '../../ports/breakers';
import type { Channel, Delivery } from '../../ports/channel';
import type { Clock } from '../../ports/clock';
import type { Journal, JournalReads, TurnRow } from '../../ports/journal';
import type { Log } from '../../ports/log';
import { breakerNames } from '../breaker';
import type { CrashPoints } from '../kernel/crash-points';
import { answerText, textOf } from '../journal/stored-text';

export interface DeliveriesDeps {
  readonly journal: Journal;
  readonly reads: JournalReads;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly crashPoints: CrashPoints;
  readonly log: Log;
  readonly breakers: Pick<Breakers, 'of'>;
  readonly channels: readonly Channel[];
  readonly defaultChannel: () => string;
  /** An answer that says that there is nothing to say goes to nobody (S1-38). */
  readonly isSwallowed: (turn: TurnRow, text: string) => boolean;
}

/** What people are told, to the channel that asked, once. S0-06, S0-29, R8. */
export interface Deliveries {
  /** Delivers every answer that is on disk and not yet confirmed by its channel. */
  flush(): void;
  /** Sends the one restart notice: the default channel, else the next that can. */
  restartNotice(startId: number, text: string): void;
  stop(): void;
}

/** In place of a channel, for an answer that goes to nobody. */
const SWALLOWED = 'none';
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

export function createDeliveries(deps: DeliveriesDeps): Deliveries {
  const { reads, channels, clock } = deps;
  const stopping = new AbortController();
  const inFlight = new Set<number>();
  let notice: { readonly startId: number; readonly text: string } | undefined;
  let isWaiting = false;
  let retryMs = FIRST_RETRY_MS;

  /** Tries again while something is undelivered; idle otherwise. */
  const later = (): void => {
    if (isWaiting || stopping.signal.aborted) return;
    isWaiting = true;
    const delayMs = retryMs;
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    clock.sleep(delayMs, stopping.signal).then(
      () => {
        isWaiting = false;
        attemptAll();
      },
      () => undefined,
    );
  };

  /** The channel behind its breaker; undefined while nothing may be sent to it: it waits. */
  const guardOf = (channel: Channel): ((delivery: Delivery) => Promise<void>) | undefined => {
    const breaker = deps.breakers.of(breakerNames.channel(channel.name), 'channel');
    const admission = breaker.allow();
    if (admission.kind === 'refused') return undefined;
    return async (delivery) => {
      try {
        await channel.deliver(delivery, stopping.signal);
        breaker.onSuccess(admission);
      } catch (error) {
        if (stopping.signal.aborted) breaker.onIgnored(admission);
        else breaker.onFailure(admission, error instanceof Error ? error.message : String(error));
        throw error;
      }
    };
  };

  const attemptAll = (): void => {
    for (const turn of reads.pendingReplies()) void deliverAnswer(turn);
    void deliverNotice();
  };

  const deliverAnswer = async (turn: TurnRow): Promise<void> => {
    const channel = channels.find((one) => one.name === turn.channel);
    if (inFlight.has(turn.id)) return;
    if (channel?.isReady() !== true) {
      later();
      return;
    }
    inFlight.add(turn.id);
    try {
      const end = reads.steps(turn.id).find((step) => step.step === turn.answerStep)?.end;
      const text =
        end?.state === 'completed' ? answerText(await textOf(deps.blobs, end.content)) : '';
      if (deps.isSwallowed(turn, text)) {
        await deps.journal.commit(
          [{ kind: 'reply.delivered', turnId: turn.id, channel: SWALLOWED }],
          { isOutcome: true },
        );
        return;
      }
      const guard = guardOf(channel);
      if (guard === undefined) {
        later();
        return;
      }
      deps.crashPoints.hit('reply.deliver.before');
      await guard({
        deliveryId: `${reads.databaseId()}:turn:${String(turn.id)}`,
        kind: 'answer',
        peer: turn.peer,
        sessionKey: turn.sessionKey,
        text,
      });
      deps.crashPoints.hit('reply.deliver.after');
      await deps.journal.commit(
        [{ kind: 'reply.delivered', turnId: turn.id, channel: channel.name }],
        { isOutcome: true },
      );
      retryMs = FIRST_RETRY_MS;
    } catch (error) {
      deps.log.warn('reply.not_delivered', { turnId: turn.id, channel: turn.channel, error });
      later();
    } finally {
      inFlight.delete(turn.id);
    }
  };

  const deliverNotice = async (): Promise<void> => {
    const sending = notice;
    if (sending === undefined) return;
    const wanted = deps.defaultChannel();
    const order = [...channels].sort(
      (a, b) => Number(b.name === wanted) - Number(a.name === wanted),
    );
    notice = undefined;
    for (const channel of order) {
      const guard = channel.isReady() ? guardOf(channel) : undefined;
      if (guard === undefined) continue;
      try {
        await guard({
          deliveryId: `${reads.databaseId()}:start:${String(sending.startId)}`,
          kind: 'restart_notice',
          peer: '',
          sessionKey: '',
          text: sending.text,
        });
        await deps.journal.commit(
          [{ kind: 'marker.noticed', startId: sending.startId, channel: channel.name }],
          { isOutcome: true },
        );
        return;
      } catch (error) {
        deps.log.warn('restart_notice.not_delivered', { channel: channel.name, error });
      }
    }
    notice = sending;
    if (channels.length > 0) later();
  };

  return {
    flush: attemptAll,
    restartNotice(startId, text) {
      notice = { startId, text };
      void deliverNotice();
    },
    stop() {
      stopping.abort();
    },
  };
}
