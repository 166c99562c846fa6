import type { Channel } from '../../ports/channel';
import type { Basics } from '../kernel/basics';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import { digestText, planDigest } from './plan-digest';
import type { QuestionTimes } from './plan-reminders';
import type { QuestionSources } from './question-sources';
import { headline } from './question-text';
import type { QuestionsHost } from './questions';
import { createReplyQueue, type PassEnd, type ReplyQueue } from './reply-queue';

interface DigestsDeps extends QuestionsHost, Pick<Basics, 'clock' | 'crashPoints' | 'log'> {
  readonly journal: Pick<Journal, 'commit'>;
  readonly reads: Pick<JournalReads, 'originOf' | 'digests' | 'digestCounts' | 'firstStartMs'>;
  readonly sources: Pick<QuestionSources, 'open' | 'budgets'>;
  readonly times: () => QuestionTimes;
  /** One sentence per provider that is not simply up. */
  readonly outside: () => readonly string[];
}

/**
 * Long sleeps are split, because a timer counts neither time in which the computer is asleep nor
 * clock changes.
 */
const LOOK_AGAIN_MS = 60_000;

/**
 * Sends one message a day, at its time, to each channel that wants one instead of single notices.
 * It is recorded before it is sent, so that no restart sends it twice; if a kill leaves its outcome
 * unknown, the next digest repeats its content. CH-03
 */
export function createDigests(deps: DigestsDeps): { visit(): void } {
  const queues = new Map<string, ReplyQueue>();
  const alarms = new Map<string, AbortController>();
  const channelOf = (name: string): Channel | undefined =>
    deps.channels().find((one) => one.name === name);

  const lookAgain = (name: string, waitMs: number): void => {
    alarms.get(name)?.abort();
    const alarm = new AbortController();
    alarms.set(name, alarm);
    deps.clock
      .sleep(Math.min(waitMs, LOOK_AGAIN_MS), AbortSignal.any([deps.signal, alarm.signal]))
      .then(() => queueOf(name).visit())
      .catch(() => undefined);
  };

  const sendDigest = (name: string) => async (): Promise<PassEnd> => {
    const channel = channelOf(name);
    if (channel?.digestAt === undefined) return { kind: 'done' };
    const times = deps.times();
    const plan = planDigest(channel.digestAt, deps.reads.digests(name), {
      ...times,
      beganMs: deps.reads.firstStartMs(),
    });
    if (plan.kind === 'later') {
      lookAgain(name, plan.atMs - times.nowMs);
      return { kind: 'done' };
    }
    if (!channel.isReady()) return { kind: 'later' };
    const end = await send(deps, channel, plan);
    if (end.kind === 'done') lookAgain(name, LOOK_AGAIN_MS);
    return end;
  };

  const queueOf = (name: string): ReplyQueue => {
    const queue =
      queues.get(name) ??
      createReplyQueue({ clock: deps.clock, signal: deps.signal, sendDue: sendDigest(name) });
    queues.set(name, queue);
    return queue;
  };
  return {
    visit() {
      for (const { name, digestAt } of deps.channels())
        if (digestAt !== undefined) queueOf(name).visit();
    },
  };
}

async function send(
  deps: DigestsDeps,
  channel: Channel,
  { day, fromMs, toMs }: { readonly day: string; readonly fromMs: number; readonly toMs: number },
): Promise<PassEnd> {
  const { journal, crashPoints } = deps;
  const rules = channel.questions ?? { showsInput: false };
  const text = digestText({
    fromMs,
    toMs,
    counts: deps.reads.digestCounts(fromMs, toMs),
    questions: [
      ...(await deps.sources.open()).map((one) => headline(one, rules)),
      ...deps.sources.budgets(),
    ],
    outside: deps.outside(),
  });
  const about = { channel: channel.name, day };
  const end = await deps.guarded(
    channel,
    () =>
      channel.deliver(
        {
          deliveryId: `${deps.reads.originOf()}:digest:${day}`,
          kind: 'digest',
          peer: '',
          sessionKey: '',
          text,
        },
        deps.signal,
      ),
    async () => {
      crashPoints.hit('digest.send.before');
      await journal.commit([{ kind: 'digest.attempted', ...about, fromMs, toMs }]);
      crashPoints.hit('digest.attempt.after');
    },
  );
  if (end.kind === 'held') return { kind: 'later', afterMs: end.retryInMs };
  crashPoints.hit('digest.send.after');
  if (end.kind === 'failed') deps.log.warn('digest.not_told', { ...about, error: end.error });
  // A digest that certainly did not arrive is retried, unless the channel rejects it permanently.
  if (end.kind === 'failed' && !end.isUnknown && !end.isRefused) {
    await journal.commit([{ kind: 'digest.not_taken', ...about }], { isOutcome: true });
    return { kind: 'later', error: end.error };
  }
  if (end.kind === 'taken')
    await journal.commit([{ kind: 'digest.sent', ...about }], { isOutcome: true });
  return { kind: 'done' };
}
