/** The texts of our notices. Pure: names and counts, never the input of a tool (D4). */
import { flatLine } from '../../../shared/unseen';
import type { ApprovalView, InboxItem, ReplayDecision, RestartNotice } from '../../../shared/types';
import { callQuestionText } from '../../../shared/questions/call-question';
import { hideShapes } from '../../../shared/secrets/secret-shapes';
import { toolOfAgent } from '../../../shared/tool-words';
import { turnTitle } from '../../../shared/turn-title';
import type { TimedAnswer } from '../../ports/channel';
import type { Notice } from './notification-policy';
import { say } from '../say';

export const decisionRoute = (turnId: number): string => `/decisions/${turnId}`;

/** The page of decisions with exactly this item. */
export const itemRoute = (inboxId: number): string => `/decisions/item-${inboxId}`;

/** The previous process ended unexpectedly. */
export const isUnexpected = (restart: RestartNotice): boolean =>
  restart.reason === 'crash' || restart.reason === 'kill' || restart.reason === 'power_loss';

/** Turns of a restart that wait for an answer. */
export const waitingTurns = (restart: RestartNotice): readonly number[] => [
  ...restart.heldTurns,
  ...restart.staleTurns,
  ...restart.parkedTurns,
];

/**
 * The restart notice: the engine's sentence; a click leads to the open question if there is exactly
 * one.
 */
export function restartNotice(
  restart: RestartNotice | undefined,
  deliveryId: string,
  sentence: string,
): Notice {
  const waiting = restart === undefined ? [] : waitingTurns(restart);
  const [only] = waiting;
  return {
    key: `restart:${deliveryId}`,
    kind: 'restart',
    title:
      restart !== undefined && isUnexpected(restart)
        ? say('notice.restart.crash')
        : say('notice.restart'),
    body: sentence,
    route:
      waiting.length === 1 && only !== undefined
        ? decisionRoute(only)
        : waiting.length > 1
          ? '/decisions'
          : '/restart',
  };
}

/** One notice for any number of new questions. */
export function decisionNotice(
  decisions: readonly ReplayDecision[],
  showDetails: boolean,
  nameOf: NameOf = asNamed,
): Notice | undefined {
  const [first] = decisions;
  if (first === undefined) return undefined;
  if (decisions.length > 1) {
    return {
      key: 'decisions',
      kind: 'decision',
      title: say('notice.review', { count: decisions.length }),
      body: say('notice.review.about'),
      route: '/decisions',
      standsFor: decisions.length,
    };
  }
  const tool = first.ambiguous[0]?.tool ?? first.listedTools[0];
  return {
    key: 'decisions',
    kind: 'decision',
    title: showDetails ? first.question : say('notice.review', { count: 1 }),
    body: say('notice.review.one', {
      name: [
        plainLine(nameOf(first.agent)),
        ...(tool === undefined ? [] : [plainTool(toolOfAgent(first.agent, tool))]),
        ...titleOf(first.promptStart, showDetails),
      ].join(', '),
    }),
    route: decisionRoute(first.turnId),
    turnId: first.turnId,
  };
}

/** The display name of an agent. */
type NameOf = (agent: string) => string;
const asNamed: NameOf = (agent) => agent;

/** The tool without a built-in server's name; other servers stay part of the name. */
const plainTool = (tool: string): string => tool.replace(/^(files|shell|fetch|custom)\./, '');

/** Which turn it is about, if notifications show details; without anything shaped like a secret. */
function titleOf(prompt: string, showDetails: boolean): readonly string[] {
  const title = showDetails ? turnTitle(hideShapes(prompt, '…')) : '';
  return title === '' ? [] : [say('notice.turn', { title })];
}

/** The question in one line, for menus and notifications, without anything shaped like a secret. */
export const approvalTitle = (request: Parameters<typeof callQuestionText>[0]): string =>
  hideShapes(callQuestionText(request), '…');

/** One notice for any number of new calls that wait for permission. */
export function approvalNotice(
  requests: readonly ApprovalView[],
  showDetails: boolean,
  nameOf: NameOf = asNamed,
): Notice | undefined {
  const [first] = requests;
  if (first === undefined) return undefined;
  if (requests.length > 1) {
    return {
      key: 'approvals',
      kind: 'decision',
      title: say('notice.approval', { count: requests.length }),
      body: say('notice.approval.about'),
      route: '/decisions',
      standsFor: requests.length,
    };
  }
  const isCustom = first.kind === 'custom_tool';
  return {
    key: 'approvals',
    kind: 'decision',
    title: showDetails
      ? isCustom
        ? approvalTitle(first)
        : say('notice.asks', { name: plainLine(nameOf(first.agent)), text: approvalTitle(first) })
      : isCustom
        ? say('notice.result')
        : say('notice.approval', { count: 1 }),
    body: say(isCustom ? 'notice.result.one' : 'notice.approval.one', {
      name: [
        plainLine(nameOf(first.agent)),
        plainTool(toolOfAgent(first.agent, first.tool)),
        ...titleOf(first.promptStart, showDetails),
      ].join(', '),
    }),
    route: itemRoute(first.requestId),
    turnId: first.turnId,
  };
}

/** The same notice at any hour, separate from the one about other questions. */
export const asUrgent = (notice: Notice | undefined): Notice | undefined =>
  notice && { ...notice, key: `${notice.key}:urgent`, isUrgent: true };

/**
 * Turns of tasks, timers, or heartbeats ended for the window: who answered and where, never the
 * content. A newer answer in the same session replaces an older one; several sessions share one
 * notice.
 */
export function answersNotice(
  answers: readonly TimedAnswer[],
  showDetails: boolean,
): Notice | undefined {
  const newest = answers.at(-1);
  if (newest === undefined) return undefined;
  const isOne = answers.every(({ sessionId }) => sessionId === newest.sessionId);
  if (isOne) return answerNotice(newest, showDetails);
  const failed = answers.filter(({ isFailed }) => isFailed).length;
  return {
    key: 'summary:answer',
    kind: 'answer',
    title: say('notice.replies', { count: answers.length }),
    body: [
      ...(failed === 0 ? [] : [say('notice.replies.failed', { count: failed })]),
      say('notice.replies.place'),
      ...(answers.some(({ mayBeSecond }) => mayBeSecond) ? [say('notice.replies.seen')] : []),
    ].join(' '),
    route: '/sessions',
    standsFor: answers.length,
  };
}

function answerNotice(
  { by, agent, isFailed, sessionId, turnId, mayBeSecond }: TimedAnswer,
  showDetails: boolean,
): Notice {
  const name =
    by.kind !== 'task'
      ? say(`notice.from.${by.kind}`)
      : showDetails && by.name !== ''
        ? plainLine(by.name)
        : say('notice.from.task', { id: by.taskId });
  const about = say(isFailed ? 'notice.reply.failedAbout' : 'notice.reply.about', {
    name: plainLine(agent),
  });
  return {
    key: `answer:${sessionId}`,
    kind: 'answer',
    title: say(isFailed ? 'notice.reply.failed' : 'notice.reply', { name }),
    body: mayBeSecond ? `${about} ${say('notice.reply.seen')}` : about,
    route: `/sessions/${sessionId}`,
    alsoAt: [`/turns/${turnId}`],
  };
}

/** One notice for any number of missed one-time tasks and timers. S0-24, R11 */
export function missedNotice(
  items: readonly InboxItem[],
  showDetails: boolean,
): Notice | undefined {
  const [first] = items;
  if (first === undefined) return undefined;
  const shared = { key: 'missed', kind: 'problem' } as const;
  if (items.length > 1) {
    return {
      ...shared,
      title: say(`notice.missed.${whatOf(items)}`, { count: items.length }),
      body: say('notice.missed.many'),
      route: '/decisions',
      standsFor: items.length,
    };
  }
  return {
    ...shared,
    title: showDetails ? plainLine(first.title) : missedTitle(first),
    body: say('notice.missed.one'),
    route: itemRoute(first.id),
  };
}

/** An agent chose the timer's id, so it counts as a detail. */
const missedTitle = ({ taskId }: InboxItem): string =>
  taskId === undefined ? say('notice.missed.timer') : say('notice.missed.task', { id: taskId });

function whatOf(items: readonly InboxItem[]): 'tasks' | 'timers' | 'both' {
  const tasks = items.filter(({ taskId }) => taskId !== undefined).length;
  if (tasks === items.length) return 'tasks';
  return tasks === 0 ? 'timers' : 'both';
}

/** Without anything that could reorder or break the text of a notification. */
const plainLine = (text: string): string => flatLine(text).slice(0, 64);

export const closeNotice = (kind: 'hide' | 'minimise'): Notice => ({
  key: 'close_to_tray',
  kind: 'close_to_tray',
  title: say('notice.close'),
  body: say(`notice.close.${kind}`),
  route: '/',
});

export const testNotice: Notice = {
  key: 'test',
  kind: 'test',
  title: say('notice.test'),
  body: say('notice.test.about'),
  route: '/',
};

export const windowGivenUpNotice: Notice = {
  key: 'window',
  kind: 'problem',
  title: say('notice.window'),
  body: say('notice.window.about'),
  route: '/',
};

export const stayedDownNotice = (reason: string): Notice => ({
  key: 'stayed_down',
  kind: 'restart',
  title: say('notice.stayedDown'),
  body: reason,
  route: '/',
});
