import type {
  Channel,
  ChannelOrigin,
  PressAnswer,
  QuestionPress,
  QuestionRules,
  ShownQuestion,
  SignedAnswer,
  SignedPress,
} from '../../ports/channel';
import type { AnswerSeal } from '../../ports/answer-seal';
import type { JournalReads } from '../../ports/journal/reads';
import type { Basics } from '../kernel/basics';
import type { ErrorCode } from '../../../shared/error-codes';
import { toHoldfastError } from '../kernel/errors';
import { createKeyedMutex } from '../kernel/keyed-mutex';
import { readToken } from './answer-tokens';
import { judgeRemote, type RemoteAnswer } from './decide-remote';
import { questionPage } from './question-page';
import { createRefusedAnswers } from './refused-requests';
import type { QuestionSources } from './question-sources';
import {
  askedOf,
  detailsMessage,
  hashOf,
  questionId,
  questionMessage,
  readPress,
  secondMessage,
  type OpenQuestion,
  type PressCode,
} from './question-text';

type Press = NonNullable<ReturnType<typeof readPress>>;

/** The verbs that answer questions: the same as for the window, with their checks. */
interface AnswerVerbs {
  readonly 'approvals.allow': Verb<{ requestId: number; requestHash: string; scope: 'once' }>;
  readonly 'approvals.deny': Verb<{ requestId: number; requestHash: string }>;
  readonly 'recovery.resume': Verb<{ turnId: number; requestHash: string }>;
  readonly 'recovery.discard': Verb<{ turnId: number; requestHash: string }>;
  readonly 'recovery.confirmStep': Verb<{ turnId: number; step: number; requestHash: string }>;
  readonly 'recovery.skipStep': Verb<{ turnId: number; step: number; requestHash: string }>;
  readonly 'tasks.run': Verb<{ taskId: number }>;
  readonly 'outage.fallback': Verb<{ agent: string }>;
  readonly 'inbox.dismiss': Verb<{ inboxId: number }>;
}
type Verb<Input> = (input: Input, origin: ChannelOrigin) => Promise<unknown>;

interface QuestionAnswersDeps extends Pick<Basics, 'audit' | 'clock'> {
  readonly reads: Pick<JournalReads, 'originOf'>;
  readonly seal: () => Promise<AnswerSeal>;
  readonly sources: QuestionSources;
  readonly rulesOf: (channel: string) => Channel['questions'];
  readonly verbs: () => AnswerVerbs;
}

/**
 * Handles button presses. A decision is on disk when it resolves; it never throws. A press that met
 * a temporary error is not accepted: it decided nothing and will be delivered again.
 */
export interface QuestionAnswers {
  press(channel: string, press: QuestionPress): Promise<PressAnswer>;
  /** The same for a signed link or button. */
  signed(channel: string, signed: SignedPress): Promise<SignedAnswer>;
  /** The current question of a signed link; decides nothing, whatever the link's answer is. */
  look(channel: string, signed: SignedPress): Promise<ShownQuestion>;
}

const REFUSALS = {
  FORGED: 'This answer is not valid. Nothing was done.',
  EXPIRED: 'This answer came too late. Nothing was done. Decide on your computer.',
  WRONG_PERSON: 'This answer was made for another person. Nothing was done.',
} as const;

const NOT_LISTED = 'You are not listed to decide here.';
const isListed = ({ decide }: QuestionRules, person: string): boolean =>
  decide?.people.includes(person) === true;

/** Maximum characters of a channel's short note. */
const NOTE_CHARS = 200;
const note = (text: string): PressAnswer => ({ note: text.slice(0, NOTE_CHARS) });

/** Answers that need a confirming press. */
const isTwice = (answer: RemoteAnswer): answer is 'allow' | 'resume' | 'discard' =>
  answer === 'allow' || answer === 'resume' || answer === 'discard';

/** Temporary errors, after which the same press may succeed. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'STARTING',
  'STOPPING',
  'RATE_LIMITED',
  'DISK_FULL',
  'DISK_READ_ONLY',
  'DISK_FAILED',
  'DATABASE_BUSY',
]);
/** Tries of a press that met an error which nothing is known of: it must not block its channel. */
const MAX_TRIES = 5;

export function createQuestionAnswers(deps: QuestionAnswersDeps): QuestionAnswers {
  const oneByOne = createKeyedMutex<number>();
  const notTaken = createNotTaken();
  /**
   * An answer from someone without permission, to a question that changed or that does not exist:
   * audited, and explained to the sender.
   */
  const refuse = (
    inboxId: number,
    code: PressCode,
    by: ChannelOrigin,
    reason: string,
    text: string,
  ): PressAnswer => {
    deps.audit.record('press_refused', {
      channel: channelOf(by),
      requestId: inboxId,
      answer: code,
      reason,
      by,
    });
    return note(text);
  };

  const decided = async (inboxId: number, rules: QuestionRules): Promise<PressAnswer> => {
    const message = await deps.sources.closed(inboxId, rules);
    const [, said = 'This is already decided.'] = message?.text.split('\n\n') ?? [];
    return message === undefined ? note(said) : { ...note(said), message };
  };

  const decidedEarlier = (
    { code, inboxId }: Press,
    rules: QuestionRules,
    by: ChannelOrigin,
  ): Promise<PressAnswer> => {
    if (code !== 'details' && code !== 'back')
      deps.audit.record('press_refused', {
        channel: channelOf(by),
        requestId: inboxId,
        answer: code,
        reason: 'REQUEST_ANSWERED',
        by,
      });
    return decided(inboxId, rules);
  };

  const answer = async (
    press: Press,
    rules: QuestionRules,
    person: string,
    by: ChannelOrigin,
  ): Promise<PressAnswer> => {
    const { code, inboxId } = press;
    if (!isListed(rules, person)) return refuse(inboxId, code, by, 'NOT_LISTED', NOT_LISTED);
    const question = await deps.sources.of(inboxId);
    if (question === undefined) return decidedEarlier(press, rules, by);
    if (!hashOf(question).startsWith(press.hashStart)) {
      const changed = 'It has changed since this was sent. Nothing was done. Look at it again.';
      return {
        ...refuse(inboxId, code, by, 'REQUEST_STALE', changed),
        message: questionMessage(question, rules),
      };
    }
    if (code === 'back') return { note: '', message: questionMessage(question, rules) };
    if (code === 'details') {
      const message = detailsMessage(question, rules);
      return message === undefined
        ? note('Details are only shown on your computer.')
        : { note: '', message };
    }
    const wanted = code.replace('!', '') as RemoteAnswer;
    if (!fits(question, wanted))
      return refuse(inboxId, code, by, 'UNKNOWN_BUTTON', 'This button belongs to no question.');
    const verdict = judgeRemote(rules, askedOf(question, wanted), person);
    if (verdict === 'not_remote' || verdict === 'not_listed')
      return refuse(
        inboxId,
        code,
        by,
        'NOT_HERE',
        'Decide this on your computer. Nothing was done.',
      );
    if (verdict === 'twice' && !code.endsWith('!') && isTwice(wanted))
      return { note: '', message: secondMessage(question, rules, wanted) };
    try {
      await act(deps.verbs(), question, wanted, by);
      const isOpen = (await deps.sources.of(inboxId)) !== undefined;
      // Includes the pressed message: it may be a first copy whose location never reached the disk.
      return isOpen ? note('Saved. There is more to decide.') : await decided(inboxId, rules);
    } catch (thrown) {
      // Another device answered first; that is what this person needs to know.
      return (await deps.sources.of(inboxId)) === undefined
        ? decided(inboxId, rules)
        : notTaken.answer(press, person, thrown);
    }
  };

  const press: QuestionAnswers['press'] = (channel, { data, person }) => {
    const read = readPress(data);
    const rules = deps.rulesOf(channel);
    if (read === undefined || rules === undefined) {
      deps.audit.record('press_refused', {
        channel,
        reason: 'UNKNOWN_BUTTON',
        by: byOf(channel, person),
      });
      return Promise.resolve(note('This button belongs to no question.'));
    }
    // If two presses arrive at once, the second one finds the first one's decision.
    return oneByOne(read.inboxId, () => answer(read, rules, person, byOf(channel, person))).catch(
      (thrown: unknown) => notTaken.answer(read, person, thrown),
    );
  };
  const reader = createTokenReader(deps);
  return { press, signed: createSigned(deps, reader, press), look: createLook(deps, reader) };
}

type TokenReader = (
  channel: string,
  signed: SignedPress,
) => Promise<
  | { readonly kind: 'read'; readonly person: string; readonly data: string }
  | { readonly kind: 'refused'; readonly note: string }
>;

/** Reads signed answers; a forged or late answer, or one from someone else, is audited. */
function createTokenReader(deps: QuestionAnswersDeps): TokenReader {
  const { clock, seal } = deps;
  const refused = createRefusedAnswers(deps);
  return async (channel, { token, person: sender }) => {
    const read = readToken(token, { channel, nowMs: clock.nowMs(), seal: await seal() });
    const isOther = read.person !== undefined && sender !== undefined && sender !== read.person;
    if (read.kind === 'read' && !isOther) return read;
    const reason = read.kind === 'read' ? 'WRONG_PERSON' : read.reason;
    refused({ channel, reason, by: byOf(channel, sender ?? read.person ?? 'unknown') });
    return { kind: 'refused', note: REFUSALS[reason] };
  };
}

/**
 * The question of a link for its page. Email programs open links automatically, so this never
 * decides.
 */
function createLook(
  { audit, rulesOf, sources }: QuestionAnswersDeps,
  readSigned: TokenReader,
): QuestionAnswers['look'] {
  return async (channel, signed) => {
    const read = await readSigned(channel, signed);
    if (read.kind === 'refused') return read;
    const rules = rulesOf(channel);
    const pressed = readPress(read.data);
    if (rules === undefined || pressed === undefined || !isListed(rules, read.person)) {
      audit.record('press_refused', {
        channel,
        reason: 'NOT_LISTED',
        by: byOf(channel, read.person),
      });
      return { kind: 'refused', note: NOT_LISTED };
    }
    const question = await sources.of(pressed.inboxId);
    if (question === undefined) {
      const closed = await sources.closed(pressed.inboxId, rules);
      return { kind: 'closed', text: closed?.text ?? 'This is already decided.' };
    }
    const isStale = !hashOf(question).startsWith(pressed.hashStart);
    return {
      kind: 'open',
      person: read.person,
      ...questionPage(question, rules),
      ...(isStale ? { note: 'It has changed since this link was sent.' } : {}),
    };
  };
}

/** Accepts an answer whose sender is identified only by its signature. PH-03 */
function createSigned(
  { reads, sources }: QuestionAnswersDeps,
  readSigned: TokenReader,
  press: QuestionAnswers['press'],
): QuestionAnswers['signed'] {
  return async (channel, signed) => {
    const read = await readSigned(channel, signed);
    if (read.kind === 'refused') return read;
    const { person, data } = read;
    const inboxId = readPress(data)?.inboxId ?? 0;
    const wasOpen = (await sources.of(inboxId)) !== undefined;
    const { message, ...answer } = await press(channel, { person, data });
    const isOpen = (await sources.of(inboxId)) !== undefined;
    const taken = { kind: 'taken', id: questionId(reads, inboxId), isOpen, person } as const;
    // The question's end is sent separately; adding it here would repeat it.
    return {
      ...taken,
      ...answer,
      ...(message === undefined || (wasOpen && !isOpen) ? {} : { message }),
    };
  };
}

/** The reply to a press whose verb threw: rejected permanently, or to be retried. */
function createNotTaken(): {
  answer(press: { code: PressCode; inboxId: number }, person: string, thrown: unknown): PressAnswer;
} {
  const tries = new Map<string, number>();
  return {
    answer({ code, inboxId }, person, thrown) {
      const { code: why, message } = toHoldfastError(thrown);
      if (PASSING.has(why)) return { ...note(message), isNotTaken: true };
      if (why !== 'INTERNAL') return note(message);
      const key = `${String(inboxId)} ${code} ${person}`;
      const count = (tries.get(key) ?? 0) + 1;
      if (count < MAX_TRIES) tries.set(key, count);
      else tries.delete(key);
      return { ...note(message), ...(count < MAX_TRIES ? { isNotTaken: true } : {}) };
    },
  };
}

const byOf = (channel: string, person: string): ChannelOrigin =>
  `channel:${channel.slice(0, 32)}:${person.slice(0, 100)}`;

const channelOf = (by: ChannelOrigin): string => by.split(':')[1] ?? '';

/**
 * Whether the question offers this answer; anyone may send the data of a button that does not
 * exist.
 */
function fits(question: OpenQuestion, answer: RemoteAnswer): boolean {
  switch (question.kind) {
    case 'approval':
      return answer === 'deny' || (answer === 'allow' && question.view.kind === 'approval');
    case 'decision':
      return (
        answer === 'resume' ||
        answer === 'discard' ||
        ((answer === 'confirm' || answer === 'skip') && question.decision.ambiguous.length > 0)
      );
    case 'fallback':
      return answer === 'dismiss' || answer === 'run';
    case 'missed':
      return answer === 'dismiss' || (answer === 'run' && question.taskId !== undefined);
  }
}

/** The answer in the window's form, bound to what was shown. */
function act(
  verbs: AnswerVerbs,
  question: OpenQuestion,
  answer: RemoteAnswer,
  by: ChannelOrigin,
): Promise<unknown> {
  switch (question.kind) {
    case 'approval': {
      const { requestId, requestHash } = question.view;
      return answer === 'allow'
        ? verbs['approvals.allow']({ requestId, requestHash, scope: 'once' }, by)
        : verbs['approvals.deny']({ requestId, requestHash }, by);
    }
    case 'decision': {
      const { turnId, requestHash, ambiguous } = question.decision;
      const step = ambiguous[0]?.index ?? 0;
      if (answer === 'resume') return verbs['recovery.resume']({ turnId, requestHash }, by);
      if (answer === 'discard') return verbs['recovery.discard']({ turnId, requestHash }, by);
      const verb = answer === 'confirm' ? 'recovery.confirmStep' : 'recovery.skipStep';
      return verbs[verb]({ turnId, step, requestHash }, by);
    }
    case 'fallback':
      return answer === 'run'
        ? verbs['outage.fallback']({ agent: question.agent }, by)
        : verbs['inbox.dismiss']({ inboxId: question.item.id }, by);
    case 'missed':
      return answer === 'run' && question.taskId !== undefined
        ? verbs['tasks.run']({ taskId: question.taskId }, by)
        : verbs['inbox.dismiss']({ inboxId: question.item.id }, by);
  }
}
