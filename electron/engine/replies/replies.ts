import type { AttemptRecord, Attempts } from '../../ports/attempts';
import type { Basics } from '../kernel/basics';
import type { Breakers } from '../../ports/breakers';
import type { Channel, Delivery, TimedAnswer } from '../../ports/channel';
import type { Journal } from '../../ports/journal/journal';
import type { ChannelReads } from '../../ports/journal/channels';
import type { InboxReads, StartReads, TurnReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { JournalEntry } from '../../ports/journal/entries';
import type { InboxRow } from '../../ports/journal/inbox';
import { breakerNames } from '../breaker/names';
import { HoldfastError } from '../kernel/errors';
import { answerOf, wholeAnswerOf } from '../journal/stored-text';
import { createMissedNotifier, type NoticeTarget } from './missed-notifier';
import { planRoute, routeNote, type Route } from './plan-route';
import {
  createReplyQueue,
  savedPosture,
  type PassEnd,
  type QueuePosture,
  type ReplyQueue,
} from './reply-queue';
import { REPEAT_NOTE, replyAttempt, type Sent } from './reply-attempt';
import { replyText } from './reply-text';
import type { QuestionsHost, QuestionSender } from './questions';
import { createGuarded, createSend, failureOf } from './send';
import { createTimedNotifier, WINDOW } from './timed-notifier';
import { openItem } from '../inbox/entries';

interface RepliesDeps extends Pick<
  Basics,
  'journal' | 'blobs' | 'clock' | 'crashPoints' | 'log' | 'audit'
> {
  readonly reads: ChannelReads & InboxReads & StartReads & TurnReads;
  readonly breakers: Pick<Breakers, 'of' | 'onMoved'>;
  readonly attempts: Attempts;
  /** The current channels: they change with the settings. */
  readonly channels: {
    readonly list: () => readonly Channel[];
    readonly defaultName: () => string;
    readonly isQuiet: () => boolean;
  };
  readonly timed: TimedReplies;
  readonly questions: (host: QuestionsHost) => QuestionSender;
}

/** Facts about answers that a schedule requested. */
interface TimedReplies {
  /** An answer that reports nothing to do is not sent (S1-38). */
  readonly isSwallowed: (turn: TurnRow, text: string) => boolean;
  /** Who requested what a missed-run notice describes; undefined for any other notice. */
  readonly askedFor: (item: InboxRow) => NoticeTarget | undefined;
  /** The source of a timed turn. */
  readonly madeBy: (turnId: number) => TimedAnswer['by'];
}

/** Sends messages to the requesting channel, once. S0-06, S0-29, S1-02, R8. */
export interface Replies {
  /**
   * Delivers every answer that is on disk and not yet confirmed by its channel; after the first
   * call, also each one that a commit adds.
   */
  flush(): void;
  /** Sends the one restart notice: to the default channel, otherwise to the next one that can. */
  restartNotice(startId: number, text: string): void;
  /** Sends one message to a channel now. @throws CHANNEL_UNKNOWN, CHANNEL_DOWN, CHANNEL_REFUSED */
  test(name: string, text: string): Promise<void>;
  posture(name: string): QueuePosture;
  stop(): void;
}

/** Used instead of a channel for an answer without a target. */
const SWALLOWED = 'none';
/** Queue of the restart notice; no channel has this name. */
const NOTICE = '';
/** Notices wait for the end of quiet hours; a long timer would not count time asleep. */
const LOOK_AGAIN_MS = 60_000;
/** Queue of missed-run notices; no channel has this name either. */
const MISSED = '?';

/** The notices themselves report these. */
const MISSED_KINDS: ReadonlySet<string> = new Set(['task.skipped', 'timer.ended']);

/** A question was opened, decided or replaced. */
const ASKING_KINDS: ReadonlySet<string> = new Set([
  'inbox.opened',
  'inbox.settled',
  'decision.recorded',
]);

/** The notice of one start, until a channel accepts it. */
interface RestartNotice {
  readonly startId: number;
  readonly text: string;
  /** The channels at that start; for channels added later it is outdated. */
  readonly channels: ReadonlySet<string>;
  /** Channels that may have it. */
  readonly mayHave: Set<string>;
}

export function createReplies(deps: RepliesDeps): Replies {
  const { reads, clock } = deps;
  const stopping = new AbortController();
  const queues = new Map<string, ReplyQueue>();
  let notice: RestartNotice | undefined;
  let tests = 0;

  const guarded = createGuarded({
    breakers: deps.breakers,
    queueOf: (name) => queueOf(name),
    signal: stopping.signal,
  });
  const send = createSend(guarded, stopping.signal);
  const questions = deps.questions({
    channels: deps.channels.list,
    guarded,
    signal: stopping.signal,
  });

  const routeOf = (asked: string, isRefused: boolean): Route =>
    planRoute(asked, {
      channels: deps.channels.list(),
      defaultName: deps.channels.defaultName(),
      isRefused,
    });

  const settle = async (
    turn: TurnRow,
    channel: string,
    note: readonly JournalEntry[] = [],
  ): Promise<void> => {
    await deps.journal.commit([{ kind: 'reply.delivered', turnId: turn.id, channel }, ...note], {
      isOutcome: true,
    });
  };

  /** An answer that is unreadable now waits: a substitute text would count as delivered. */
  const answerFor = async (turn: TurnRow, read = wholeAnswerOf): Promise<string> => {
    const end = reads.steps(turn.id).find((step) => step.step === turn.answerStep)?.end;
    return end?.state === 'completed' ? await read(deps.blobs, end.content) : '';
  };
  const swallow = async (turn: TurnRow, answer: string): Promise<boolean> => {
    const isSwallowed = deps.timed.isSwallowed(turn, answer);
    if (isSwallowed) await settle(turn, SWALLOWED);
    return isSwallowed;
  };

  /**
   * Sends one answer to its target, or to the default channel after its target permanently rejected
   * it.
   */
  const deliverAnswer = async (turn: TurnRow, isRefused = false): Promise<PassEnd> => {
    const route = routeOf(turn.channel, isRefused);
    if (route.kind !== 'window' && !route.channel.isReady()) return { kind: 'later' };
    const answer = await answerFor(turn);
    if (await swallow(turn, answer)) return { kind: 'done' };
    if (route.kind !== 'own') {
      deps.audit.record('reply_rerouted', {
        turnId: turn.id,
        from: turn.channel,
        to: route.kind === 'window' ? 'window' : route.channel.name,
        why: route.why,
      });
    }
    if (route.kind === 'window') {
      await settle(turn, 'window', [windowNote(deps.journal, turn, route.why)]);
      return { kind: 'done' };
    }
    const text = replyText(turn, answer);
    const attempt = replyAttempt(deps, turn.id, route.channel);
    deps.crashPoints.hit('reply.deliver.before');
    const delivery: Delivery = {
      deliveryId: `${reads.originOf({ turnId: turn.id })}:turn:${String(turn.id)}`,
      kind: 'answer',
      // The peer's ID is valid only on the requesting channel.
      peer: route.kind === 'own' ? turn.peer : '',
      sessionKey: turn.sessionKey,
      text:
        route.kind === 'own' ? text : `${routeNote(turn.channel, turn.peer, route.why)}\n\n${text}`,
      ...(attempt.note === undefined ? {} : { repeatNote: attempt.note }),
      ...(attempt.pieces === undefined ? {} : { pieces: attempt.pieces }),
    };
    const sent = await send(route.channel, delivery, () => attempt.begin());
    if (sent.kind === 'held') return { kind: 'later', afterMs: sent.retryInMs };
    if (sent.kind === 'failed') {
      if (!sent.isUnknown) await attempt.missed();
      deps.log.warn('reply.not_delivered', {
        turnId: turn.id,
        channel: route.channel.name,
        error: sent.error,
      });
      if (sent.isRefused && route.kind === 'own') return deliverAnswer(turn, true);
      const { error, afterMs } = sent;
      return { kind: 'later', error, ...(afterMs === undefined ? {} : { afterMs }) };
    }
    deps.crashPoints.hit('reply.deliver.after');
    await settle(turn, route.channel.name);
    return { kind: 'done' };
  };

  /** In the order of the turns; a peer whose answer failed waits, the others do not. */
  const sendAnswers = (channel: string) => async (): Promise<PassEnd> => {
    const waiting = new Set<string>();
    let end: PassEnd = { kind: 'done' };
    let after = 0;
    for (;;) {
      const batch = reads.pendingReplies(channel, { turnId: after });
      for (const turn of batch) {
        if (stopping.signal.aborted) return end;
        after = turn.id;
        if (waiting.has(turn.peer)) continue;
        const one = await deliverAnswer(turn).catch(failed);
        if (one.kind === 'done') continue;
        end = one;
        // This channel accepts nothing now, for any peer.
        if (one.error === undefined || one.afterMs !== undefined) return one;
        waiting.add(turn.peer);
      }
      if (batch.length === 0) return end;
    }
  };
  const failed = (error: unknown): PassEnd => {
    deps.log.warn('reply.not_delivered', { error });
    return { kind: 'later', error: failureOf(error).error };
  };

  const isFirst = ({ name }: Channel): boolean => name === deps.channels.defaultName();
  const sendNotice = async (): Promise<PassEnd> => {
    const sending = notice;
    if (sending === undefined) return { kind: 'done' };
    const tell = (channel: Channel): Promise<Sent> =>
      send(channel, {
        deliveryId: `${reads.originOf()}:start:${String(sending.startId)}`,
        kind: 'restart_notice',
        peer: '',
        sessionKey: '',
        text: sending.text,
        ...(sending.mayHave.has(channel.name) ? { repeatNote: REPEAT_NOTE } : {}),
      });
    const order = deps.channels
      .list()
      .filter(({ name, speaks }) => speaks !== false && sending.channels.has(name))
      .toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
    for (const channel of order) {
      if (!channel.isReady()) continue;
      // The desktop handles quiet hours itself: it shows held-back notifications afterward.
      if (channel.name !== WINDOW && deps.channels.isQuiet())
        return { kind: 'later', afterMs: LOOK_AGAIN_MS };
      // The digest counts the restart.
      const sent: Sent = channel.digestAt ? { kind: 'taken' } : await tell(channel);
      if (sent.kind === 'failed') {
        if (sent.isUnknown && channel.showsRepeats === true) sending.mayHave.add(channel.name);
        deps.log.warn('restart_notice.not_delivered', { channel: channel.name, error: sent.error });
      }
      if (sent.kind !== 'taken') continue;
      notice = undefined;
      const noticed = { startId: sending.startId, channel: channel.name };
      await deps.journal.commit([{ kind: 'marker.noticed', ...noticed }], { isOutcome: true });
      return { kind: 'done' };
    }
    return order.length === 0 ? { kind: 'done' } : { kind: 'later' };
  };

  const sendMissed = createMissedNotifier({ ...deps, send, signal: stopping.signal });
  const sendTimed = createTimedNotifier({
    ...deps,
    window: () => deps.channels.list().find(({ name }) => name === WINDOW),
    swallow: async (turn) =>
      deps.timed.madeBy(turn.id).kind === 'heartbeat' &&
      swallow(turn, await answerFor(turn, answerOf)),
    signal: stopping.signal,
  });

  // A restart notice ends with its run: the next start has a new one.
  const attemptsAt = (channel: string): AttemptRecord =>
    deps.attempts(channel === MISSED ? 'notices.missed' : breakerNames.channel(channel));
  const queueOf = (channel: string): ReplyQueue => {
    const senders: Readonly<Record<string, () => Promise<PassEnd>>> = {
      [NOTICE]: sendNotice,
      [MISSED]: sendMissed,
      [WINDOW]: sendTimed,
    };
    const queue =
      queues.get(channel) ??
      createReplyQueue({
        clock,
        signal: stopping.signal,
        sendDue: senders[channel] ?? sendAnswers(channel),
        ...(channel === NOTICE ? {} : { attempts: attemptsAt(channel) }),
      });
    queues.set(channel, queue);
    return queue;
  };
  /** Channels open last in a start; answers to turns that it closes wait on disk until then. */
  let isOpen = false;
  const flush = (): void => {
    isOpen = true;
    for (const { channel } of reads.pendingChannels()) queueOf(channel).visit();
    if (notice !== undefined) queueOf(NOTICE).visit();
    queueOf(MISSED).visit();
    questions.visit();
  };
  deps.journal.onCommitted(
    (entries) => {
      // The turn may have been closed by its run, a user or a takeover.
      const isAnswered = entries.some((entry) => entry.kind === 'turn.closed' && entry.hasReply);
      if (isAnswered && isOpen) flush();
      else if (entries.some(({ kind }) => MISSED_KINDS.has(kind))) queueOf(MISSED).visit();
      if (isOpen && entries.some(({ kind }) => ASKING_KINDS.has(kind))) questions.visit();
    },
    { skipsSteps: true },
  );
  // The channel is back: send waiting answers now instead of at the next visit.
  const unfollow = deps.breakers.onMoved(({ name, to }) => {
    if (to === 'closed' && name.startsWith(breakerNames.channel(''))) flush();
  });

  return {
    flush,
    restartNotice(startId, text) {
      const channels = new Set(deps.channels.list().map(({ name }) => name));
      notice = { startId, text, channels, mayHave: new Set() };
      queueOf(NOTICE).visit();
    },
    async test(name, text) {
      const channel = deps.channels.list().find((one) => one.name === name);
      if (channel === undefined) {
        throw new HoldfastError('CHANNEL_UNKNOWN', `There is no channel "${name.slice(0, 60)}".`, {
          hint: 'Nothing was sent. List them: holdfast channels list',
        });
      }
      if (channel.speaks === false) {
        throw new HoldfastError('CHANNEL_REFUSED', `The channel "${name}" is inbound only.`, {
          hint: 'Nothing was sent. Set a url for its replies.',
        });
      }
      tests += 1;
      const breaker = deps.breakers.of(breakerNames.channel(name), 'channel');
      const admission = breaker.allow();
      try {
        await channel.deliver(
          {
            deliveryId: `${reads.originOf()}:test:${String(clock.nowMs())}-${String(tests)}`,
            kind: 'test',
            peer: '',
            sessionKey: '',
            text,
          },
          stopping.signal,
        );
        if (admission.kind === 'allowed') breaker.onSuccess(admission);
        else breaker.onAnswerWhileOpen();
      } catch (thrown) {
        if (admission.kind === 'allowed') breaker.onFailure(admission, failureOf(thrown).error);
        throw thrown;
      }
    },
    posture(name) {
      const queue = queues.get(name);
      if (queue !== undefined) return queue.posture();
      const isWaiting = reads.pendingChannels().some(({ channel }) => channel === name);
      // A kill came after the answers were sent but before that was stored: nothing is left to
      // retry.
      return isWaiting ? savedPosture(attemptsAt(name)) : { streak: 0 };
    },
    stop() {
      unfollow();
      stopping.abort();
    },
  };
}

/** The answer's original target, for the user who finds it in the window. */
function windowNote(
  journal: Journal,
  turn: TurnRow,
  why: Parameters<typeof routeNote>[2],
): JournalEntry {
  return openItem(journal.allocate('inbox'), 'problem', {
    turnId: turn.id,
    title: `The answer of turn ${String(turn.id)} is here, not on "${turn.channel}"`,
    detail: `${routeNote(turn.channel, turn.peer, why)} Read it in the session "${turn.sessionKey}".`,
  });
}
