import type { Channel, Delivery } from '../../ports/channel';
import type { Clock } from '../../ports/clock';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import type { InboxRow } from '../../ports/journal/inbox';
import type { Basics } from '../kernel/basics';
import { planRoute, routeNote } from './plan-route';
import { REPEAT_NOTE, type Sent } from './reply-attempt';
import type { PassEnd } from './reply-queue';
import { WINDOW } from './timed-notifier';

/** Where to notify the user: what happened and who requested it. */
export interface NoticeTarget {
  readonly channel: string;
  readonly peer: string;
}

interface MissedNotifierDeps extends Pick<Basics, 'crashPoints' | 'log'> {
  readonly journal: Pick<Journal, 'commit'>;
  readonly reads: Pick<JournalReads, 'inbox' | 'originOf'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly channels: {
    readonly list: () => readonly Channel[];
    readonly defaultName: () => string;
    readonly isQuiet: () => boolean;
  };
  readonly timed: {
    /** Who requested what a missed-run notice describes; undefined for any other notice. */
    readonly askedFor: (item: InboxRow) => NoticeTarget | undefined;
  };
  readonly send: (channel: Channel, delivery: Delivery) => Promise<Sent>;
  readonly signal: AbortSignal;
}

/** Older notices are only in the inbox. */
const NEWS_MS = 24 * 3_600_000;
/** During quiet hours, the notice waits until they end. */
const LOOK_AGAIN_MS = 60_000;
/** Read in batches; goes through all open notices, including those behind undismissed ones. */
const BATCH = 1_000;

/**
 * Reports missed tasks and timers where their answer would have gone, once it is certain that no
 * answer will come. The window has its own notices. A channel's acceptance is on disk, and so is
 * the sending if the message may arrive twice: after a kill in between, the second message is
 * marked as a repeat. S0-24, R11, R12
 */
export function createMissedNotifier(deps: MissedNotifierDeps): () => Promise<PassEnd> {
  const { reads } = deps;
  const tell = async (
    item: InboxRow,
    asked: NoticeTarget,
    isRefused: boolean,
  ): Promise<PassEnd> => {
    const { channels } = deps;
    const world = { channels: channels.list(), defaultName: channels.defaultName(), isRefused };
    const route = planRoute(asked.channel, world);
    if (route.kind === 'window' || route.channel.name === WINDOW) return { kind: 'done' };
    const { channel } = route;
    // The channel shows it as a question, with its answers.
    if (channel.questions !== undefined && channel.questions.isEscalation !== true)
      return { kind: 'done' };
    // Its digest counts open items.
    if (channel.digestAt !== undefined) return { kind: 'done' };
    if (channels.isQuiet()) return { kind: 'later', afterMs: LOOK_AGAIN_MS };
    if (!channel.isReady()) return { kind: 'later' };
    const isOwn = route.kind === 'own';
    const isRepeat = item.attemptedOn === channel.name;
    const text = `${item.title}\n\n${item.detail}`;
    deps.crashPoints.hit('missed.tell.before');
    if (channel.showsRepeats === true && !isRepeat) {
      await deps.journal.commit([
        { kind: 'missed.attempted', inboxId: item.id, channel: channel.name },
      ]);
      deps.crashPoints.hit('missed.attempt.after');
    }
    const sent = await deps.send(channel, {
      deliveryId: `${reads.originOf({ inboxId: item.id })}:missed:${String(item.id)}`,
      kind: 'missed',
      peer: isOwn ? asked.peer : '',
      sessionKey: '',
      text: isOwn ? text : `${routeNote(asked.channel, asked.peer, route.why)}\n\n${text}`,
      ...(isRepeat ? { repeatNote: REPEAT_NOTE } : {}),
    });
    const isNotTaken = sent.kind === 'held' || (sent.kind === 'failed' && !sent.isUnknown);
    // This attempt reports nothing about what an earlier attempt left unknown.
    if (isNotTaken && channel.showsRepeats === true && !isRepeat) {
      await deps.journal.commit([{ kind: 'missed.not_taken', inboxId: item.id }], {
        isOutcome: true,
      });
    }
    if (sent.kind === 'held') return { kind: 'later', afterMs: sent.retryInMs };
    if (sent.kind === 'failed') {
      deps.log.warn('missed.not_told', {
        inboxId: item.id,
        channel: channel.name,
        error: sent.error,
      });
      return sent.isRefused && isOwn
        ? tell(item, asked, true)
        : { kind: 'later', error: sent.error };
    }
    deps.crashPoints.hit('missed.tell.after');
    await deps.journal.commit([{ kind: 'missed.told', inboxId: item.id, channel: channel.name }], {
      isOutcome: true,
    });
    return { kind: 'done' };
  };

  return async () => {
    let end: PassEnd = { kind: 'done' };
    const sinceMs = deps.clock.nowMs() - NEWS_MS;
    let afterId = 0;
    for (;;) {
      const batch = reads.inbox({ includeSettled: false, limit: BATCH, afterId });
      for (const item of batch) {
        afterId = item.id;
        if (deps.signal.aborted) return end;
        if (item.toldOn !== undefined || item.createdAtMs < sinceMs) continue;
        const asked = deps.timed.askedFor(item);
        if (asked === undefined) continue;
        const one = await tell(item, asked, false);
        // Each notice has a separate target, so a channel's requested wait delays no other.
        if (one.kind === 'later' && (end.kind === 'done' || waitOf(one) < waitOf(end))) end = one;
      }
      if (batch.length < BATCH) return end;
    }
  };
}

const waitOf = (end: Extract<PassEnd, { kind: 'later' }>): number => end.afterMs ?? 0;
