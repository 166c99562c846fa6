/** The words of our notices. Pure: names and counts, never what a tool was given (D4). */
import type { ReplayDecision, RestartNotice } from '../../shared/model';
import type { Notice } from './notification-policy';

export const decisionRoute = (turnId: number): string => `/decisions/${turnId}`;

const isUnexpected = (restart: RestartNotice): boolean =>
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
    };
  }
  const tool = first.ambiguous[0]?.tool ?? first.listedTools[0];
  return {
    key: 'decisions',
    kind: 'decision',
    title: showDetails ? first.question : 'A turn waits for your decision',
    body: [first.agent, ...(tool === undefined ? [] : [tool])]
      .join(', ')
      .concat('. It was cut off.'),
    route: decisionRoute(first.turnId),
  };
}

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
