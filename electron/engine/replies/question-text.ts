/**
 * Text and buttons of a question's message. Pure. Agents' text becomes one line, without hidden
 * characters, known secrets and anything that looks like a secret.
 */
import { callQuestionText, callWarnings } from '../../../shared/questions/call-question';
import { toolOfAgent } from '../../../shared/tool-words';
import type { ApprovalView, ReplayDecision } from '../../../shared/types';
import type { QuestionMessage, QuestionRules } from '../../ports/channel';
import type { InboxRow } from '../../ports/journal/inbox';
import type { StartReads } from '../../ports/journal/reads';
import { showText } from '../journal/show-text';
import { isRiskyCall, judgeRemote, type RemoteAnswer } from './decide-remote';
import { table } from '../../../shared/table';

/** Hides known and likely secrets; must get the whole text. */
export interface Hides {
  readonly hide: (text: string) => string;
}

/** An open question, with everything that a message about it needs. */
export type OpenQuestion = Hides & QuestionFacts;

type QuestionFacts =
  /** `name`: the display name of the agent. */
  | { readonly kind: 'approval'; readonly view: ApprovalView; readonly name: string }
  | { readonly kind: 'decision'; readonly decision: ReplayDecision; readonly name: string }
  | {
      readonly kind: 'missed';
      readonly item: Pick<InboxRow, 'id' | 'title' | 'detail' | 'createdAtMs'>;
      /** Absent for a timer, which cannot be run now. */
      readonly taskId?: number;
      readonly hash: string;
    }
  /** Whether waiting turns of an agent may continue with another one. FB-02 */
  | {
      readonly kind: 'fallback';
      readonly item: Pick<InboxRow, 'id' | 'title' | 'detail' | 'createdAtMs'>;
      readonly agent: string;
      readonly to: string;
      readonly hash: string;
    };

/** The request of a press: an answer, a confirmed answer, more text, or the question again. */
export type PressCode = RemoteAnswer | `${'allow' | 'resume' | 'discard'}!` | 'details' | 'back';

const CODES = {
  allow: 'a',
  'allow!': 'A',
  deny: 'd',
  confirm: 'c',
  skip: 's',
  resume: 'r',
  'resume!': 'R',
  discard: 'x',
  'discard!': 'X',
  run: 'n',
  dismiss: 'm',
  details: 'i',
  back: 'b',
} as const satisfies Record<PressCode, string>;

/** Characters of the hash in a button: 64 bits, for which no second matching call can be found. */
const HASH_CHARS = 16;

/** The data of a button: its action, its question, and the question's hash as shown. */
export const pressData = (code: PressCode, inboxId: number, hash: string): string =>
  `q1:${CODES[code]}:${String(inboxId)}:${hash.slice(0, HASH_CHARS)}`;

/** Undefined for anything that is not one of our buttons. */
export function readPress(
  data: string,
): { readonly code: PressCode; readonly inboxId: number; readonly hashStart: string } | undefined {
  const found = /^q1:([a-zA-Z]):([1-9]\d{0,14}):([0-9a-f]{16})$/.exec(data);
  const code = (Object.keys(CODES) as PressCode[]).find((one) => CODES[one] === found?.[1]);
  return found === null || code === undefined
    ? undefined
    : { code, inboxId: Number(found[2]), hashStart: found[3] ?? '' };
}

/** The hash that an answer is bound to. */
export function hashOf(question: OpenQuestion): string {
  switch (question.kind) {
    case 'approval':
      return question.view.requestHash;
    case 'decision':
      return question.decision.requestHash;
    case 'missed':
    case 'fallback':
      return question.hash;
  }
}

export function idOf(question: OpenQuestion): number {
  switch (question.kind) {
    case 'approval':
      return question.view.requestId;
    case 'decision':
      return question.decision.inboxId;
    case 'missed':
    case 'fallback':
      return question.item.id;
  }
}

/** When it was first asked. */
export function askedAtMsOf(question: OpenQuestion): number {
  switch (question.kind) {
    case 'approval':
      return question.view.requestedAtMs;
    case 'decision':
      return question.decision.createdAtMs;
    case 'missed':
    case 'fallback':
      return question.item.createdAtMs;
  }
}

/** ID of a question on channels: the same for every attempt to send it. */
export const questionId = (reads: Pick<StartReads, 'originOf'>, inboxId: number): string =>
  `${reads.originOf({ inboxId })}:question:${String(inboxId)}`;

/** The facts that a channel's rules need about an answer to this question. */
export function askedOf(question: OpenQuestion, answer: RemoteAnswer) {
  switch (question.kind) {
    case 'approval':
      return { agent: question.view.agent, answer, isRisky: isRiskyCall(question.view) };
    case 'decision':
      return {
        agent: question.decision.agent,
        answer,
        isRisky: question.decision.ambiguous.length > 0,
      };
    case 'missed':
      return { agent: '', answer, isRisky: false };
    case 'fallback':
      return { agent: question.agent, answer, isRisky: false };
  }
}

/** The message that is sent for a question. */
export function questionMessage(question: OpenQuestion, rules: QuestionRules): QuestionMessage {
  const button = (answer: RemoteAnswer, label: string) =>
    ['once', 'twice'].includes(judgeRemote(rules, askedOf(question, answer)))
      ? [{ label, data: pressData(answer, idOf(question), hashOf(question)) }]
      : [];
  const rows = [
    ...rowsOf(question, button),
    rules.decide === undefined
      ? []
      : [{ label: 'Details', data: pressData('details', idOf(question), hashOf(question)) }],
  ].filter((row) => row.length > 0);
  return { text: textOf(question, rules), buttons: rows };
}

type Button = (
  answer: RemoteAnswer,
  label: string,
) => readonly { readonly label: string; readonly data: string }[];

function rowsOf(question: OpenQuestion, button: Button): ReturnType<Button>[] {
  switch (question.kind) {
    case 'approval':
      return question.view.kind === 'custom_tool'
        ? [[...button('deny', 'Deny')]]
        : [[...button('allow', 'Allow once'), ...button('deny', 'Deny')]];
    case 'decision': {
      const { ambiguous, kind } = question.decision;
      const again = kind === 'limit' ? 'Raise the limit and resume' : 'Resume';
      return [
        ...(ambiguous.length === 0
          ? []
          : [[...button('confirm', 'Mark as done'), ...button('skip', 'Skip step')]]),
        [
          ...button('resume', ambiguous.length === 0 ? again : 'Run again'),
          ...button('discard', 'Discard turn'),
        ],
      ];
    }
    case 'missed':
      return [
        [
          ...(question.taskId === undefined ? [] : button('run', 'Run now')),
          ...button('dismiss', 'Dismiss'),
        ],
      ];
    case 'fallback':
      return [
        [
          ...button('run', `Continue with ${inert(question, question.to, 60)}`),
          ...button('dismiss', 'Keep waiting'),
        ],
      ];
  }
}

function textOf(question: OpenQuestion, rules: QuestionRules): string {
  return [headline(question, rules), ...aboutOf(question, rules), deskNote(question, rules)]
    .filter((part) => part !== '')
    .join('\n');
}

/** The first line; also the heading of the message once it is decided. */
export function headline(question: OpenQuestion, { showsInput }: QuestionRules): string {
  switch (question.kind) {
    case 'approval': {
      const { view } = question;
      const asked = showsInput
        ? // Only here can a message name the folder.
          inert(
            question,
            callQuestionText(view, (folder) => folder),
            400,
          )
        : view.kind === 'custom_tool'
          ? `Result of ${toolIn(question)}?`
          : `Allow ${toolIn(question)}?`;
      return `${inert(question, question.name, 64)}: ${asked}`;
    }
    case 'decision': {
      const { decision } = question;
      const asked = showsInput
        ? inert(question, decision.question, 300)
        : KIND_QUESTION[decision.kind];
      return `${inert(question, question.name, 64)}, turn ${String(decision.turnId)}: ${asked}`;
    }
    case 'missed':
      return showsInput
        ? inert(question, question.item.title, 300)
        : question.taskId === undefined
          ? 'A timer was missed.'
          : `Task ${String(question.taskId)} was missed.`;
    case 'fallback':
      return inert(question, question.item.title, 300);
  }
}

const toolIn = (question: Extract<OpenQuestion, { readonly kind: 'approval' }>): string =>
  inert(
    question,
    toolOfAgent(question.view.agent, question.view.tool).replace(
      /^(files|shell|fetch|custom)\./,
      '',
    ),
    100,
  );

const KIND_QUESTION: Readonly<Record<ReplayDecision['kind'], string>> = {
  held: 'It was interrupted. Resume it?',
  stale: 'It was interrupted some time ago. Resume it?',
  parked: 'It is parked after repeated failures. Resume it?',
  limit: 'It reached a limit. Raise the limit or discard it?',
};

function aboutOf(question: OpenQuestion, { showsInput }: QuestionRules): readonly string[] {
  switch (question.kind) {
    case 'approval': {
      const { view } = question;
      return [
        inert(question, view.reason, 300),
        ...(showsInput ? callWarnings(view).map((one) => inert(question, one, 200)) : []),
        ...(showsInput && view.goesTo !== undefined
          ? [`To: ${inert(question, view.goesTo.address, 300)}`]
          : []),
        ...(showsInput ? [] : ['What it would do is only shown on your computer.']),
      ];
    }
    case 'decision': {
      const [first, ...more] = question.decision.ambiguous;
      if (first === undefined) return [];
      const which = `Outcome unknown: step ${String(first.index)}`;
      return [
        showsInput ? `${which}, ${inert(question, first.tool, 100)}.` : `${which}.`,
        ...(more.length === 0
          ? []
          : [`${String(more.length)} more ${more.length === 1 ? 'step' : 'steps'} after that.`]),
        'Run again may do it twice.',
      ];
    }
    case 'missed':
      return showsInput ? [inert(question, question.item.detail, 500)] : [];
    case 'fallback':
      return [inert(question, question.item.detail, 500)];
  }
}

/** A note on where to decide the rest, if not everything can be decided here. */
function deskNote(question: OpenQuestion, rules: QuestionRules): string {
  if (question.kind === 'missed' || question.kind === 'fallback') {
    return judgeRemote(rules, askedOf(question, 'dismiss')) === 'not_remote' ? SEE_ON_COMPUTER : '';
  }
  if (question.kind === 'approval' && question.view.kind === 'custom_tool')
    return 'Submit its result on your computer.';
  const main = question.kind === 'approval' ? 'allow' : 'resume';
  if (judgeRemote(rules, askedOf(question, main)) !== 'not_remote') return '';
  const isAll = judgeRemote(rules, askedOf(question, 'deny')) === 'not_remote';
  return isAll
    ? SEE_ON_COMPUTER
    : `${main === 'allow' ? 'Allow it' : 'Run it again'} on your computer.`;
}
const SEE_ON_COMPUTER = 'See it on your computer.';

/** The same message, asking to confirm the press. */
export function secondMessage(
  question: OpenQuestion,
  rules: QuestionRules,
  answer: 'allow' | 'resume' | 'discard',
): QuestionMessage {
  const about = {
    allow: ['It may delete, or reach beyond this computer. Allow it?', 'Yes, allow once'],
    resume: ['If it did happen the first time, it happens twice. Run it again?', 'Yes, run again'],
    discard: ['The turn ends, and nothing of it runs again. Discard it?', 'Yes, discard'],
  } as const;
  const [asked, label] = about[answer];
  const data = (code: PressCode) => pressData(code, idOf(question), hashOf(question));
  return {
    text: `${textOf(question, rules)}\n\n${asked}`,
    buttons: [
      [
        { label, data: data(`${answer}!`) },
        { label: 'Back', data: data('back') },
      ],
    ],
  };
}

/** Longest input in a message. */
const MAX_DETAILS = 2_500;

/** The same message with the exact input below it; undefined if that is not sent. */
export function detailsMessage(
  question: OpenQuestion,
  rules: QuestionRules,
): QuestionMessage | undefined {
  if (!rules.showsInput) return undefined;
  const { text, buttons } = questionMessage(question, rules);
  return { text: `${text}\n\n${detailsOf(question)}`, buttons };
}

function detailsOf(question: OpenQuestion): string {
  switch (question.kind) {
    case 'approval': {
      const { view } = question;
      return [
        `Turn ${String(view.turnId)}: ${inert(question, view.promptStart, 200)}`,
        ...(view.folder === undefined ? [] : [`In ${inert(question, view.folder, 300)}`]),
        inputText(question, view.args, view.isTruncated),
      ].join('\n');
    }
    case 'decision': {
      const { decision } = question;
      const [first] = decision.ambiguous;
      return [
        `Turn ${String(decision.turnId)}: ${inert(question, decision.promptStart, 200)}`,
        inert(question, decision.reason, 500),
        ...(first === undefined ? [] : [inputText(question, first.args, first.isTruncated)]),
      ].join('\n');
    }
    case 'missed':
    case 'fallback':
      return inert(question, question.item.detail, 1_000);
  }
}

/** A tool call's input without likely secrets. */
export function inputText({ hide }: Hides, args: string, isTruncated: boolean): string {
  const safe = hide(args);
  const isLong = isTruncated || safe.length > MAX_DETAILS;
  return isLong
    ? `${safe.slice(0, MAX_DETAILS)}…\n(There is more. See all of it on your computer.)`
    : safe;
}

/**
 * One line that cannot imitate another one. Secrets are hidden before truncation, because half a
 * secret is not recognized.
 */
export const inert = ({ hide }: Hides, text: string, most: number): string =>
  showText(hide(text).replace(/\s+/g, ' ').trim(), most).text;

/** The message of a decided question: what was asked, and what really happened. */
export const closedMessage = (
  about:
    | Extract<OpenQuestion, { readonly kind: 'approval' }>
    | (Hides & {
        readonly kind: 'other';
        readonly item: Pick<InboxRow, 'title' | 'outcome' | 'turnId'>;
        readonly agent: string;
        readonly taskId?: number | undefined;
        /** It asked about a fallback: its title is ours and reveals nothing about the work. */
        readonly isOffer?: boolean;
      }),
  rules: QuestionRules,
): QuestionMessage => ({
  text:
    about.kind === 'approval'
      ? `${headline(about, rules)}\n\n${answerSentence(about.view)}`
      : `${closedHead(about, rules)}\n\n${OUTCOMES[about.item.outcome ?? ''] ?? `Closed: ${inert(about, about.item.outcome ?? 'done', 100)}.`}`,
  buttons: [],
});

function closedHead(
  about: Extract<Parameters<typeof closedMessage>[0], { kind: 'other' }>,
  { showsInput }: QuestionRules,
): string {
  const { item, agent, taskId, isOffer } = about;
  if (item.turnId !== undefined)
    return `${inert(about, agent, 64)}, turn ${String(item.turnId)}${showsInput ? `: ${inert(about, item.title, 300)}` : ''}`;
  if (showsInput || isOffer === true) return inert(about, item.title, 300);
  return taskId === undefined ? 'A timer was missed.' : `Task ${String(taskId)} was missed.`;
}

const OUTCOMES = table<string>({
  resumed: 'Resumed.',
  'limit raised': 'The limit was raised, and the turn resumed.',
  discarded: 'The turn was discarded. Nothing runs again.',
  'marked as done': 'Marked as done.',
  'recorded as done': 'Marked as done.',
  skipped: 'Skipped with an empty result.',
  'run now': 'It was run.',
  continued: 'The turns continue with it.',
  dismissed: 'Dismissed.',
  over: 'Closed: the turn no longer waits for it.',
});

/** The answer to a call, and where it was given. */
function answerSentence({ answer, scope = 'once', by = '' }: ApprovalView): string {
  const where = placeOf(by);
  switch (answer) {
    case 'allowed':
      return `${{ once: 'Allowed once', session: 'Allowed for the session', always: 'Always allowed' }[scope]}${where}.`;
    case 'denied':
      return `Denied${where}.`;
    case 'result':
      return `Its result was submitted${where}.`;
    case 'cleared':
    case undefined:
      return 'Closed: the turn no longer waits for it.';
  }
}

const PLACES = table<string>({
  window: ' in the window',
  cli: ' on the command line',
  tray: ' in the tray',
  control: ' over the control socket',
});

function placeOf(by: string): string {
  const channel = /^channel:([^:]+):/.exec(by)?.[1];
  return channel === undefined ? (PLACES[by] ?? '') : ` on ${showText(channel, 64).text}`;
}
