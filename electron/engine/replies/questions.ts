import type { Basics } from '../kernel/basics';
import type { Channel, QuestionMessage, QuestionRules } from '../../ports/channel';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import type { SentQuestion } from '../../ports/journal/questions';
import { isUrgentCall } from '../../../shared/questions/is-urgent';
import { planQuestions, type QuestionStep } from './plan-questions';
import { escalationAtMs, mayDisturb, reminderAtMs, type QuestionTimes } from './plan-reminders';
import type { QuestionSources } from './question-sources';
import {
  askedAtMsOf,
  headline,
  idOf,
  questionId,
  questionMessage,
  type OpenQuestion,
} from './question-text';
import { remind, type Reminded } from './remind';
import { REPEAT_NOTE, type Sent } from './reply-attempt';
import { createReplyQueue, type PassEnd, type ReplyQueue } from './reply-queue';

interface QuestionSenderDeps extends Pick<Basics, 'hasher' | 'clock' | 'crashPoints' | 'log'> {
  readonly journal: Pick<Journal, 'commit'>;
  readonly reads: Pick<JournalReads, 'sentQuestions' | 'questionChannels' | 'originOf'>;
  readonly channels: () => readonly Channel[];
  readonly sources: QuestionSources;
  readonly times: () => QuestionTimes;
  /** `notifications.urgent` */
  readonly urgent: () => readonly string[];
  /** Sends through the channel's breaker, and only after a wait that the channel requested. */
  readonly guarded: (
    channel: Channel,
    act: () => Promise<void>,
    begin?: () => Promise<void>,
  ) => Promise<Sent>;
  readonly signal: AbortSignal;
}

/** Dependencies that the replies module provides. */
export type QuestionsHost = Pick<QuestionSenderDeps, 'channels' | 'guarded' | 'signal'>;

/**
 * Sends every open question once to each channel that supports questions, and updates its message
 * when it is decided anywhere. PH-01, PH-02, PH-05, PH-06
 */
export interface QuestionSender {
  /** Call when a question was opened or decided, or a channel is back. */
  visit(): void;
}

interface Pass {
  readonly channel: Channel;
  readonly rules: QuestionRules;
  readonly messages: ReadonlyMap<number, QuestionMessage>;
}

/** Open questions for a channel, and when to check them again. */
interface Belonging {
  readonly open: readonly (OpenQuestion & { readonly isWithheld: boolean })[];
  readonly againAtMs: readonly number[];
}
/**
 * Long sleeps are split, because a timer counts neither time in which the computer is asleep nor
 * clock changes.
 */
const LOOK_AGAIN_MS = 60_000;

/** A removed or disabled channel gets no questions; those it has are closed later. */
const NO_RULES: QuestionRules = { showsInput: false };

export function createQuestionSender(deps: QuestionSenderDeps): QuestionSender {
  const queues = new Map<string, ReplyQueue>();
  const { reads, sources } = deps;

  const sendDueTo = (name: string) => async (): Promise<PassEnd> => {
    const channel = deps.channels().find((one) => one.name === name);
    const rows = reads.sentQuestions(name);
    if (channel === undefined) {
      // Nothing more can be sent there.
      for (const row of rows) await forget(deps, row);
      return { kind: 'done' };
    }
    const rules = channel.questions;
    if (rules === undefined && rows.length === 0) return { kind: 'done' };
    if (!channel.isReady() || rules?.isHeard?.() === false) return { kind: 'later' };
    const times = deps.times();
    const { open, againAtMs } =
      rules === undefined
        ? { open: [], againAtMs: [] }
        : belonging(deps, { channel, rules, rows, times }, await sources.open());
    const messages = new Map(
      open.map((one) => [idOf(one), questionMessage(one, rules ?? NO_RULES)]),
    );
    const withheld = new Set(open.filter((one) => one.isWithheld).map(idOf));
    const steps = planQuestions(
      [...messages].map(([inboxId, message]) => ({
        inboxId,
        said: saidOf(deps, message),
        isWithheld: withheld.has(inboxId),
      })),
      rows,
    );
    lookAgain(name, againAtMs, times.nowMs);
    const pass: Pass = { channel, rules: rules ?? NO_RULES, messages };
    for (const step of steps) {
      if (deps.signal.aborted) return { kind: 'done' };
      const end = await doStep(deps, pass, step);
      if (end.kind === 'later') return end;
    }
    // A question that was just sent needs its reminder later.
    if (steps.some(({ kind }) => kind === 'ask') && times.afterMs > 0)
      lookAgain(name, [...againAtMs, times.nowMs + times.afterMs], times.nowMs);
    return remindOf(deps, channel, open, { rules: pass.rules, rows, times });
  };

  const alarms = new Map<string, AbortController>();
  const lookAgain = (name: string, atMs: readonly number[], nowMs: number): void => {
    alarms.get(name)?.abort();
    alarms.delete(name);
    const later = atMs.filter((one) => one > nowMs);
    if (later.length === 0) return;
    const alarm = new AbortController();
    alarms.set(name, alarm);
    const waitMs = Math.min(Math.min(...later) - nowMs, LOOK_AGAIN_MS);
    deps.clock
      .sleep(waitMs, AbortSignal.any([deps.signal, alarm.signal]))
      .then(() => queueOf(name).visit())
      .catch(() => undefined);
  };

  const queueOf = (name: string): ReplyQueue => {
    const queue =
      queues.get(name) ??
      createReplyQueue({ clock: deps.clock, signal: deps.signal, sendDue: sendDueTo(name) });
    queues.set(name, queue);
    return queue;
  };
  return {
    visit() {
      const carrying = deps.channels().filter(({ questions }) => questions !== undefined);
      for (const name of new Set([
        ...carrying.map((channel) => channel.name),
        ...reads.questionChannels(),
      ]))
        queueOf(name).visit();
    },
  };
}

/** The open questions that a channel should have now. */
function belonging(
  { reads, urgent }: QuestionSenderDeps,
  on: {
    readonly channel: Channel;
    readonly rules: QuestionRules;
    readonly rows: readonly SentQuestion[];
    readonly times: QuestionTimes;
  },
  open: readonly OpenQuestion[],
): Belonging {
  const { channel, rules, times } = on;
  const own = new Map(on.rows.map((row) => [row.inboxId, row]));
  const others = rules.isEscalation
    ? reads
        .questionChannels()
        .filter((name) => name !== channel.name)
        .flatMap((name) => reads.sentQuestions(name))
    : [];
  const againAtMs: number[] = [];
  const marked = urgent();
  const belong = open.flatMap((one) => {
    const timed = {
      inboxId: idOf(one),
      createdAtMs: askedAtMsOf(one),
      isUrgent: one.kind === 'approval' && isUrgentCall(one.view, marked),
    };
    const row = own.get(timed.inboxId);
    if (rules.isEscalation && row === undefined) {
      const elsewhere = others.filter(({ inboxId }) => inboxId === timed.inboxId);
      const atMs = escalationAtMs(timed, elsewhere, times);
      if (atMs === undefined) return [];
      againAtMs.push(atMs);
      if (atMs > times.nowMs) return [];
    }
    const isWithheld = !mayDisturb(timed, times);
    const remindAtMs = rules.isEscalation ? undefined : reminderAtMs(row, times);
    if (isWithheld) againAtMs.push(times.nowMs + LOOK_AGAIN_MS);
    else if (remindAtMs !== undefined) againAtMs.push(remindAtMs);
    return [{ ...one, isWithheld }];
  });
  return { open: belong, againAtMs };
}

/** Sends reminders of questions that have been open for long on a channel. */
async function remindOf(
  deps: QuestionSenderDeps,
  channel: Channel,
  open: Belonging['open'],
  on: {
    readonly rules: QuestionRules;
    readonly rows: readonly SentQuestion[];
    readonly times: QuestionTimes;
  },
): Promise<PassEnd> {
  if (on.rules.isEscalation || deps.signal.aborted) return { kind: 'done' };
  const due = open.flatMap((one): readonly Reminded[] => {
    const row = on.rows.find(({ inboxId }) => inboxId === idOf(one));
    const atMs = reminderAtMs(row, on.times);
    return one.isWithheld || row?.sent === undefined || atMs === undefined || atMs > on.times.nowMs
      ? []
      : [{ row: { ...row, sent: row.sent }, headline: headline(one, on.rules) }];
  });
  // All of them are in the first chat of the channel.
  const [first] = due;
  if (first === undefined) return { kind: 'done' };
  const end = await remind(deps, channel, due);
  return unfinished(deps, channel, first.row.inboxId, end) ?? { kind: 'done' };
}

const saidOf = ({ hasher }: QuestionSenderDeps, message: QuestionMessage): string =>
  hasher.sha256Hex(JSON.stringify(message)).slice(0, 16);

const forget = (deps: QuestionSenderDeps, { channel, inboxId }: SentQuestion): Promise<unknown> =>
  deps.journal.commit([{ kind: 'question.closed', channel, inboxId }], { isOutcome: true });

function doStep(deps: QuestionSenderDeps, pass: Pass, step: QuestionStep): Promise<PassEnd> {
  switch (step.kind) {
    case 'ask':
      return ask(deps, pass, step);
    case 'edit':
      return edit(deps, pass, step.row, pass.messages.get(step.inboxId), false);
    case 'close':
      return close(deps, pass, step.row);
  }
}

async function close(deps: QuestionSenderDeps, pass: Pass, row: SentQuestion): Promise<PassEnd> {
  const open = await deps.sources.of(row.inboxId);
  // Still open, but questions are no longer sent there: its buttons are removed, its text stays
  // true.
  const message =
    open === undefined
      ? await deps.sources.closed(row.inboxId, pass.rules)
      : { text: questionMessage(open, NO_RULES).text, buttons: [] };
  return edit(deps, pass, row, message, true);
}

/** Edits a message; one that cannot be edited, or is gone, counts as settled. */
async function edit(
  deps: QuestionSenderDeps,
  { channel }: Pass,
  row: SentQuestion,
  message: QuestionMessage | undefined,
  isLast: boolean,
): Promise<PassEnd> {
  const { inboxId, sent } = row;
  const ref = sent?.ref;
  if (sent !== undefined && ref !== undefined && message !== undefined) {
    deps.crashPoints.hit('question.edit.before');
    const end = await deps.guarded(channel, async () => {
      await channel.edit?.({ peer: sent.peer, ref }, message, deps.signal);
    });
    const failed = unfinished(deps, channel, inboxId, end);
    if (failed !== undefined) return failed;
    deps.crashPoints.hit('question.edit.after');
  }
  if (isLast) await forget(deps, row);
  else if (message !== undefined)
    await deps.journal.commit(
      [{ kind: 'question.told', channel: channel.name, inboxId, said: saidOf(deps, message) }],
      { isOutcome: true },
    );
  return { kind: 'done' };
}

/** Undefined if there is nothing to retry: it succeeded, or never will. */
function unfinished(
  { log }: QuestionSenderDeps,
  channel: Channel,
  inboxId: number,
  end: Sent,
): PassEnd | undefined {
  if (end.kind === 'taken') return undefined;
  if (end.kind === 'held') return { kind: 'later', afterMs: end.retryInMs };
  log.warn('question.not_told', { channel: channel.name, inboxId, error: end.error });
  if (end.isRefused) return undefined;
  return {
    kind: 'later',
    error: end.error,
    ...(end.afterMs === undefined ? {} : { afterMs: end.afterMs }),
  };
}

async function ask(
  deps: QuestionSenderDeps,
  { channel, messages }: Pass,
  { inboxId, isRepeat }: Extract<QuestionStep, { kind: 'ask' }>,
): Promise<PassEnd> {
  const message = messages.get(inboxId);
  if (message === undefined) return { kind: 'done' };
  const about = { channel: channel.name, inboxId };
  const isOnRecord = channel.showsRepeats === true && !isRepeat;
  let place = { peer: '', ref: '' };
  deps.crashPoints.hit('question.ask.before');
  const end = await deps.guarded(
    channel,
    async () => {
      place = await send(deps, channel, message, about.inboxId, isRepeat);
    },
    async () => {
      if (!isOnRecord) return;
      await deps.journal.commit([{ kind: 'question.attempted', ...about }]);
      deps.crashPoints.hit('question.attempt.after');
    },
  );
  const isNotTaken = end.kind === 'failed' && !end.isUnknown;
  if (isNotTaken && isOnRecord)
    await deps.journal.commit([{ kind: 'question.not_taken', ...about }], { isOutcome: true });
  const failed = unfinished(deps, channel, inboxId, end);
  if (failed !== undefined) return failed;
  // A permanently rejected question is not retried; it is in the inbox.
  deps.crashPoints.hit('question.ask.after');
  const { peer, ref } = place;
  await deps.journal.commit(
    [
      {
        kind: 'question.sent',
        ...about,
        peer,
        ...(ref === '' ? {} : { ref }),
        said: saidOf(deps, message),
      },
    ],
    { isOutcome: true },
  );
  return { kind: 'done' };
}

/** A channel without buttons gets only the text. */
async function send(
  deps: QuestionSenderDeps,
  channel: Channel,
  message: QuestionMessage,
  inboxId: number,
  isRepeat: boolean,
): Promise<{ readonly peer: string; readonly ref: string }> {
  const repeat = isRepeat ? { repeatNote: REPEAT_NOTE } : {};
  const id = questionId(deps.reads, inboxId);
  if (channel.ask !== undefined)
    return channel.ask({ ...message, id, inboxId, peer: '', ...repeat }, deps.signal);
  await channel.deliver(
    {
      deliveryId: id,
      kind: 'question',
      peer: '',
      sessionKey: '',
      text: message.text,
      ...repeat,
    },
    deps.signal,
  );
  return { peer: '', ref: '' };
}
