/** The texts of our notices. Pure: names and counts, never the input of a tool (D4). */
import type { ApprovalView, InboxItem, ReplayDecision, RestartNotice } from '../../shared/types';
import { callQuestionText } from '../../shared/questions/call-question';
import { hideShapes } from '../../shared/secrets/secret-shapes';
import { toolOfAgent } from '../../shared/tool-words';
import type { TimedAnswer } from '../ports/channel';
import type { Notice } from './notification-policy';

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

/** The restart notice: the sentence is the engine's, the place is the one open question, if it is one. */
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
        ? 'Back after an unexpected stop'
        : 'Holdfast started again',
    body: sentence,
    route:
      waiting.length === 1 && only !== undefined
        ? decisionRoute(only)
        : waiting.length > 1
          ? '/decisions'
          : '/',
  };
}

/** One notice for any number of new questions. */
export function decisionNotice(
  decisions: readonly ReplayDecision[],
  showDetails: boolean,
): Notice | undefined {
  const [first] = decisions;
  if (first === undefined) return undefined;
  if (decisions.length > 1) {
    return {
      key: 'decisions',
      kind: 'decision',
      title: `${decisions.length} turns wait for your decision`,
      body: 'They were cut off. Nothing of them runs until you answer.',
      route: '/decisions',
      standsFor: decisions.length,
    };
  }
  const tool = first.ambiguous[0]?.tool ?? first.listedTools[0];
  return {
    key: 'decisions',
    kind: 'decision',
    title: showDetails ? first.question : 'A turn waits for your decision',
    body: [first.agent, ...(tool === undefined ? [] : [plainTool(toolOfAgent(first.agent, tool))])]
      .join(', ')
      .concat('. It was cut off.'),
    route: decisionRoute(first.turnId),
  };
}

/** The tool without a built-in host; other hosts are part of the name. */
const plainTool = (tool: string): string => tool.replace(/^(files|shell|fetch|custom)\./, '');

/** The question in one line, for menus and notifications, without anything shaped like a secret. */
export const approvalTitle = (request: Parameters<typeof callQuestionText>[0]): string =>
  hideShapes(callQuestionText(request), '…');

/** One notice for any number of new calls that wait for permission. */
export function approvalNotice(
  requests: readonly ApprovalView[],
  showDetails: boolean,
): Notice | undefined {
  const [first] = requests;
  if (first === undefined) return undefined;
  if (requests.length > 1) {
    return {
      key: 'approvals',
      kind: 'decision',
      title: `${requests.length} calls wait for your approval`,
      body: 'None of them has been made. Their turns wait on disk until you answer.',
      route: '/decisions',
      standsFor: requests.length,
    };
  }
  const isCustom = first.kind === 'custom_tool';
  return {
    key: 'approvals',
    kind: 'decision',
    title: showDetails
      ? approvalTitle(first)
      : isCustom
        ? 'A tool waits for its result'
        : 'A call waits for your approval',
    body: `${first.agent}, ${plainTool(toolOfAgent(first.agent, first.tool))}. ${isCustom ? 'The turn waits on disk.' : 'It has not been made.'}`,
    route: itemRoute(first.requestId),
  };
}

/**
 * Whether the user wants to hear of this call at any hour: they listed its agent, its tool, or what
 * permission for it covers. What an agent says about itself does not count. ux.md part 5 f
 */
export const isUrgentCall = (
  { agent, tool, covers }: Pick<ApprovalView, 'agent' | 'tool' | 'covers'>,
  urgent: readonly string[],
): boolean => [agent, tool, covers].some((name) => urgent.includes(name));

/** The same notice at any hour, separate from the one about other questions. */
export const asUrgent = (notice: Notice | undefined): Notice | undefined =>
  notice && { ...notice, key: `${notice.key}:urgent`, isUrgent: true };

const MAKERS = {
  timer: 'A timer',
  heartbeat: 'A heartbeat',
  wake: 'A timer or heartbeat',
} as const;

/**
 * Tasks, timers or heartbeats have ended for the window: who answered and where it is, never its
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
    title: `${answers.length} answers of tasks, timers and heartbeats`,
    body: [
      ...(failed === 0 ? [] : [`${failed} could not be finished.`]),
      'All of them are in Sessions.',
      ...(answers.some(({ mayBeSecond }) => mayBeSecond) ? ['You may have seen some before.'] : []),
    ].join(' '),
    route: '/sessions',
    standsFor: answers.length,
  };
}

function answerNotice(
  { by, agent, isFailed, sessionId, turnId, mayBeSecond }: TimedAnswer,
  showDetails: boolean,
): Notice {
  const who =
    by.kind !== 'task'
      ? MAKERS[by.kind]
      : showDetails && by.name !== ''
        ? plainLine(by.name)
        : `Task ${by.taskId}`;
  const where = isFailed
    ? 'Its session says why. What was done is kept.'
    : 'The answer is in its session.';
  return {
    key: `answer:${sessionId}`,
    kind: 'answer',
    title: isFailed ? `${who} could not be finished` : `${who} has an answer`,
    body: `${plainLine(agent)}. ${where}${mayBeSecond ? ' You may have seen this before.' : ''}`,
    route: `/sessions/${sessionId}`,
    alsoAt: [`/turns/${turnId}`],
  };
}

/** One notice for any number of tasks that come once, and timers, that were missed. S0-24, R11 */
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
      title: `${items.length} ${whatOf(items)} were missed`,
      body: 'They did not run. Each of them can be run now.',
      route: '/decisions',
      standsFor: items.length,
    };
  }
  return {
    ...shared,
    title: showDetails ? plainLine(first.title) : missedTitle(first),
    body: 'It did not run. It can be run now.',
    route: itemRoute(first.id),
  };
}

/** The id of a timer is what an agent made of it: it counts as a detail. */
const missedTitle = ({ taskId }: InboxItem): string =>
  taskId === undefined ? 'A timer was missed' : `Task ${taskId} was missed`;

function whatOf(items: readonly InboxItem[]): string {
  const tasks = items.filter(({ taskId }) => taskId !== undefined).length;
  if (tasks === items.length) return 'tasks';
  return tasks === 0 ? 'timers' : 'tasks and timers';
}

/** Without anything that could reorder or break the text of a notification. */
const plainLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, 64);

export const closeNotice = (kind: 'hide' | 'minimise'): Notice => ({
  key: 'close_to_tray',
  kind: 'close_to_tray',
  title: 'Holdfast is still running',
  body:
    kind === 'hide'
      ? "Closing the window keeps your agents' work going. Quit is in the tray menu."
      : 'No tray was found on this desktop, so the window was only minimised. Ctrl+Q in it quits.',
  route: '/',
});

export const testNotice: Notice = {
  key: 'test',
  kind: 'test',
  title: 'This is how Holdfast tells you',
  body: 'A click on a notice opens what it is about.',
  route: '/',
};

export const windowGivenUpNotice: Notice = {
  key: 'window',
  kind: 'problem',
  title: 'The window ended 3 times in a minute',
  body: 'Your turns go on. Open it again from the tray.',
  route: '/',
};

export const stayedDownNotice = (reason: string): Notice => ({
  key: 'stayed_down',
  kind: 'restart',
  title: 'Holdfast had stayed down',
  body: reason,
  route: '/',
});
