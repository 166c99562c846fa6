import type { Channel } from '../../ports/channel';
import type { Journal } from '../../ports/journal/journal';
import type { SentQuestion } from '../../ports/journal/questions';
import type { JournalReads } from '../../ports/journal/reads';
import type { CrashPoints } from '../kernel/crash-points';
import type { Sent } from './reply-attempt';

interface RemindDeps {
  readonly journal: Pick<Journal, 'commit'>;
  readonly reads: Pick<JournalReads, 'originOf'>;
  readonly crashPoints: CrashPoints;
  readonly guarded: (
    channel: Channel,
    act: () => Promise<void>,
    begin?: () => Promise<void>,
  ) => Promise<Sent>;
  readonly signal: AbortSignal;
}

/** A question that is still open, and the location of its message. */
export interface Reminded {
  readonly row: SentQuestion & { readonly sent: NonNullable<SentQuestion['sent']> };
  /** The first line of its message. */
  readonly headline: string;
}

/** Lines of one reminder. */
const MAX_LINES = 10;

/** The text of a reminder. Pure. */
export function reminderText(headlines: readonly string[]): string {
  if (headlines.length === 1)
    return `Reminder: this still needs your decision.\n${headlines[0] ?? ''}`;
  const rest = headlines.length - MAX_LINES;
  return [
    `Reminder: ${String(headlines.length)} questions still need your decision.`,
    ...headlines.slice(0, MAX_LINES).map((line) => `• ${line}`),
    ...(rest > 0 ? [`and ${String(rest)} more`] : []),
  ].join('\n');
}

/**
 * One message about all questions of a channel that are due for a reminder. It is recorded before
 * it is sent: after a kill in between it counts as sent, because no reminder may be sent twice, and
 * the question itself is still there. PH-07
 */
export async function remind(
  deps: RemindDeps,
  channel: Channel,
  due: readonly Reminded[],
): Promise<Sent> {
  const { journal, crashPoints, signal } = deps;
  const about = { channel: channel.name, inboxIds: due.map(({ row }) => row.inboxId) };
  const [first] = due;
  const ref = due.length === 1 ? first?.row.sent.ref : undefined;
  const end = await deps.guarded(
    channel,
    () =>
      channel.deliver(
        {
          deliveryId: `${deps.reads.originOf()}:reminder:${about.inboxIds.join(',').slice(0, 200)}`,
          kind: 'reminder',
          peer: first?.row.sent.peer ?? '',
          sessionKey: '',
          text: reminderText(due.map(({ headline }) => headline)),
          ...(ref === undefined ? {} : { aboutRef: ref }),
        },
        signal,
      ),
    async () => {
      crashPoints.hit('question.remind.before');
      await journal.commit([{ kind: 'question.reminded', ...about }]);
      crashPoints.hit('question.remind.after');
    },
  );
  if (end.kind === 'held') return end;
  crashPoints.hit('question.reminded.after');
  // A reminder that certainly did not arrive is retried, unless the channel rejects it permanently.
  const isNotTaken = end.kind === 'failed' && !end.isUnknown && !end.isRefused;
  if (isNotTaken)
    await journal.commit([{ kind: 'question.not_reminded', ...about }], { isOutcome: true });
  return end;
}
