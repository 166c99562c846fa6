import type { Hasher } from '../../ports/blobs';
import type { Channel, QuestionMessage, QuestionRules } from '../../ports/channel';
import type { Clock } from '../../ports/clock';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import type { SentQuestion } from '../../ports/journal/questions';
import type { Log } from '../../ports/log';
import type { CrashPoints } from '../kernel/crash-points';
import { planQuestions, type QuestionStep } from './plan-questions';
import type { QuestionSources } from './question-sources';
import { idOf, questionMessage } from './question-text';
import { REPEAT_NOTE, type Sent } from './reply-attempt';
import { createReplyQueue, type LaneEnd, type ReplyQueue } from './reply-queue';

interface QuestionLanesDeps {
  readonly journal: Pick<Journal, 'commit'>;
  readonly reads: Pick<JournalReads, 'sentQuestions' | 'questionChannels' | 'databaseId'>;
  readonly hasher: Hasher;
  readonly clock: Clock;
  readonly crashPoints: CrashPoints;
  readonly log: Log;
  readonly channels: () => readonly Channel[];
  readonly sources: QuestionSources;
  /** Through the channel's breaker, and not before a wait that it asked for. */
  readonly guarded: (
    channel: Channel,
    act: () => Promise<void>,
    begin?: () => Promise<void>,
  ) => Promise<Sent>;
  readonly signal: AbortSignal;
}

/** What the room of replies gives to it. */
export type LaneHost = Pick<QuestionLanesDeps, 'channels' | 'guarded' | 'signal'>;

/**
 * Sends every open question to each channel that carries questions, once, and changes its message
 * when it is decided, wherever that was. PH-01, PH-02, PH-05, PH-06
 */
export interface QuestionLanes {
  /** Something was asked or decided, or a channel is back. */
  visit(): void;
}

interface Walk {
  readonly channel: Channel;
  readonly rules: QuestionRules;
  readonly messages: ReadonlyMap<number, QuestionMessage>;
}

/** A channel that is gone or off carries no questions; those that it has are closed later. */
const NO_RULES: QuestionRules = { showsInput: false };

export function createQuestionLanes(deps: QuestionLanesDeps): QuestionLanes {
  const lanes = new Map<string, ReplyQueue>();
  const { reads, sources } = deps;

  const walkOf = (name: string) => async (): Promise<LaneEnd> => {
    const channel = deps.channels().find((one) => one.name === name);
    const rows = reads.sentQuestions(name);
    if (channel === undefined) {
      // Nothing can be said there any more.
      for (const row of rows) await forget(deps, row);
      return { kind: 'done' };
    }
    const rules = channel.questions;
    if (rules === undefined && rows.length === 0) return { kind: 'done' };
    if (!channel.isReady()) return { kind: 'later' };
    const open = rules === undefined ? [] : await sources.open();
    const messages = new Map(
      open.map((one) => [idOf(one), questionMessage(one, rules ?? NO_RULES)]),
    );
    const steps = planQuestions(
      [...messages].map(([inboxId, message]) => ({ inboxId, said: saidOf(deps, message) })),
      rows,
    );
    const walk: Walk = { channel, rules: rules ?? NO_RULES, messages };
    for (const step of steps) {
      if (deps.signal.aborted) return { kind: 'done' };
      const end = await doStep(deps, walk, step);
      if (end.kind === 'later') return end;
    }
    return { kind: 'done' };
  };

  const laneOf = (name: string): ReplyQueue => {
    const lane =
      lanes.get(name) ??
      createReplyQueue({ clock: deps.clock, signal: deps.signal, walk: walkOf(name) });
    lanes.set(name, lane);
    return lane;
  };
  return {
    visit() {
      const carrying = deps.channels().filter(({ questions }) => questions !== undefined);
      for (const name of new Set([
        ...carrying.map((channel) => channel.name),
        ...reads.questionChannels(),
      ]))
        laneOf(name).visit();
    },
  };
}

const saidOf = ({ hasher }: QuestionLanesDeps, message: QuestionMessage): string =>
  hasher.sha256Hex(JSON.stringify(message)).slice(0, 16);

const forget = (deps: QuestionLanesDeps, { channel, inboxId }: SentQuestion): Promise<unknown> =>
  deps.journal.commit([{ kind: 'question.closed', channel, inboxId }], { isOutcome: true });

function doStep(deps: QuestionLanesDeps, walk: Walk, step: QuestionStep): Promise<LaneEnd> {
  switch (step.kind) {
    case 'ask':
      return ask(deps, walk, step);
    case 'edit':
      return edit(deps, walk, step.row, walk.messages.get(step.inboxId), false);
    case 'close':
      return close(deps, walk, step.row);
  }
}

async function close(deps: QuestionLanesDeps, walk: Walk, row: SentQuestion): Promise<LaneEnd> {
  const open = await deps.sources.of(row.inboxId);
  // It is open, and questions are no longer sent there: its buttons go, its words stay true.
  const message =
    open === undefined
      ? await deps.sources.closed(row.inboxId, walk.rules)
      : { text: questionMessage(open, NO_RULES).text, buttons: [] };
  return edit(deps, walk, row, message, true);
}

/** Changes a message; one that cannot be changed, or is gone, is settled with that. */
async function edit(
  deps: QuestionLanesDeps,
  { channel }: Walk,
  row: SentQuestion,
  message: QuestionMessage | undefined,
  isLast: boolean,
): Promise<LaneEnd> {
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

/** Undefined if there is nothing to try again: it was done, or never will be. */
function unfinished(
  { log }: QuestionLanesDeps,
  channel: Channel,
  inboxId: number,
  end: Sent,
): LaneEnd | undefined {
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
  deps: QuestionLanesDeps,
  { channel, messages }: Walk,
  { inboxId, isRepeat }: Extract<QuestionStep, { kind: 'ask' }>,
): Promise<LaneEnd> {
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
  // One that the channel will never take is not tried again: it stands in the inbox.
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

/** A channel without buttons gets the words alone. */
async function send(
  deps: QuestionLanesDeps,
  channel: Channel,
  message: QuestionMessage,
  inboxId: number,
  isRepeat: boolean,
): Promise<{ readonly peer: string; readonly ref: string }> {
  const repeat = isRepeat ? { repeatNote: REPEAT_NOTE } : {};
  const id = `${deps.reads.databaseId()}:question:${String(inboxId)}`;
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
