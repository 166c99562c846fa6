/** A turn in sentences, and the input of its timeline. Pure. */
import { t } from '../../shared/messages';
import type { VerbOutput } from '../../shared/contract';
import type { ApprovalView, ToolView, TurnState } from '../../shared/types';
import { purityOf } from '../decisions/approval-view';
import { phasesOf } from '../charts/step-timeline-lanes';
import { downtimesOf } from '../charts/step-timeline-plan';
import type { TimelineStep, TimelineTurn, Waiting } from '../charts/step-timeline-plan';
import { stopReasonText } from '../charts/step-timeline-words';
import { oneLine } from '../parts/inert-view';
import { shownTurn } from '../parts/state-view';
import { clockText, durationText } from '../parts/time-view';
import { toolName } from '../parts/tool-name';

export type ShownTurn = VerbOutput<'turns.show'>;
/** A turn whose steps include the calls that wait for permission. */
export type DrawnTurn = Omit<ShownTurn, 'steps'> & { readonly steps: readonly TimelineStep[] };

const timeText = (atMs: number, nowMs: number): string => clockText(atMs, nowMs, undefined, true);

/** What a blocked turn waits for; undefined while it runs and after it has ended. */
function waitingOf(data: DrawnTurn): Waiting | undefined {
  const { state } = data.turn;
  const steps = data.decision?.ambiguous.map((step) => step.index) ?? [];
  const tone = shownTurn(state).tone;
  switch (state) {
    case 'held':
    case 'requires_action':
      return { tone, label: t('timeline.waitsForYou'), steps };
    case 'waiting':
      return data.decision
        ? { tone: 'attention', label: t('timeline.waitsForYou'), steps }
        : { tone, label: t('timeline.waits'), steps };
    case 'parked':
      return { tone: 'waiting', label: t('timeline.parked'), steps };
    case 'queued':
      return data.steps.length === 0
        ? undefined
        : { tone, label: t('timeline.waitsQueued'), steps };
    case 'running':
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'discarded':
      return undefined;
  }
}

/** The same turn with the calls that wait for permission inserted in their places. */
export function withAsks(
  data: ShownTurn,
  requests: readonly ApprovalView[],
  tools: readonly ToolView[],
): DrawnTurn {
  const open = requests.filter(
    (request) => request.turnId === data.turn.id && request.answer === undefined,
  );
  // An external agent announces a call before it asks: then it is already a step.
  const begun = new Set(
    data.steps.flatMap(({ fate, requestId }) =>
      fate === 'asks' && requestId !== undefined ? [requestId] : [],
    ),
  );
  const steps = data.steps.map((step) => stepNow(data, step));
  const last = data.steps.reduce((most, step) => Math.max(most, step.index), 0);
  // The model answer that requested the call: both are in the same phase, which has not ended.
  const phase = data.steps.find(({ index }) => index === last)?.run;
  const asks = open
    .filter(({ requestId }) => !begun.has(requestId))
    .map((request, at): TimelineStep => ({
      turnId: request.turnId,
      index: last + 1 + at,
      tool: request.tool,
      purity: purityOf(request, tools),
      state: 'started',
      fate: 'fresh',
      hint: request.hint,
      startedAtMs: request.requestedAtMs,
      attempt: data.turn.attempt,
      isListed: false,
      duplicateRisk: false,
      requestId: request.requestId,
      reusedCount: 0,
      asks: true,
      ...(phase === undefined ? {} : { run: phase }),
    }));
  return { ...data, steps: [...steps, ...asks] };
}

/** A step that a stop interrupted while its turn waits for the user: nothing runs it. */
function stepNow(data: ShownTurn, step: ShownTurn['steps'][number]): TimelineStep {
  if (step.fate === 'asks') return { ...step, asks: true };
  const isCut =
    step.state === 'started' &&
    data.turn.state !== 'running' &&
    data.stops.some((stop) => stop.stoppedAtMs >= step.startedAtMs);
  return isCut ? { ...step, fate: 'cut_off' } : step;
}

/** The turn's timeline in its current state. */
export const timelineOf = (data: DrawnTurn, nowMs: number): TimelineTurn => ({
  steps: data.steps,
  stops: data.stops,
  phases: phasesOf(data.steps),
  startedAtMs: data.turn.startedAtMs,
  isRunning: data.turn.state === 'running',
  waiting: waitingOf(data),
  nowMs,
});

/** The effects of stops: when, why, how long, and what became of the steps. */
function stopSentences(data: ShownTurn, nowMs: number): readonly string[] {
  const downtimes = downtimesOf(data.steps, data.stops, nowMs);
  const last = downtimes.at(-1);
  if (!last) return [];
  const facts = { time: timeText(last.fromMs, nowMs), what: stopReasonText(last.reason) };
  const downMs = downtimes.reduce((sum, stop) => sum + stop.toMs - stop.fromMs, 0);
  const duration = durationText(downMs);
  const stopped =
    downtimes.length > 1
      ? t('story.stoppedOften', { ...facts, count: downtimes.length, duration })
      : last.isBack
        ? t('story.stopped', { ...facts, duration })
        : t('story.stoppedNotBack', facts);
  const count = (test: (step: ShownTurn['steps'][number]) => boolean): number =>
    data.steps.filter(test).length;
  // A skipped step has no result to reuse, so its empty result saves nothing.
  const reused = count(
    (step) => step.state !== 'skipped' && (step.fate === 'reused' || step.reusedCount > 0),
  );
  const asked = count((step) => step.fate === 'asked_again');
  const ranAgain = count((step) => step.fate === 'run_again');
  const unknown = count((step) => step.state === 'ambiguous');
  const parts = [
    ...(reused > 0 ? [t('story.reused', { count: reused })] : []),
    ...(asked > 0 ? [t('story.asked', { count: asked })] : []),
    ...(ranAgain > 0 ? [t('story.ranAgain', { count: ranAgain })] : []),
    ...(unknown > 0 ? [t('story.unknown', { count: unknown })] : []),
  ];
  return [
    stopped,
    ...(parts.length > 0 ? [`${parts.join(', ')}.`] : []),
    ...(reused > 0 && asked === 0 ? [t('story.nothingRepeated')] : []),
  ];
}

/** Which computer runs a shared turn. DW-28 */
const moveSentences = ({ moves = [] }: ShownTurn): readonly string[] =>
  moves.map(({ to, computer, atStep = 1 }) => {
    const facts = { name: oneLine(computer, 64), step: atStep };
    if (to === 'here') return t('story.movedHere', facts);
    return atStep > 1 ? t('story.movedThere', facts) : t('story.movedThereStart', facts);
  });

/** Why the turn is in its state; empty where the question below says it. */
export const reasonShown = ({ turn, decision }: ShownTurn): string =>
  decision === undefined ? turn.reason : '';

/** Current state of the turn. */
function stateSentence(data: ShownTurn, nowMs: number): string {
  const { turn } = data;
  const endMs = turn.endedAtMs ?? nowMs;
  const time = timeText(endMs, nowMs);
  const byState: Readonly<Record<TurnState, () => string>> = {
    running: () => {
      const step = data.steps.findLast((one) => one.state === 'started');
      return step
        ? t('story.runs', {
            step: step.index,
            tool: oneLine(toolName(step.tool), 60),
            time: timeText(step.startedAtMs, nowMs),
          })
        : '';
    },
    completed: () =>
      t('story.finished', { time, duration: durationText(endMs - turn.acceptedAtMs) }),
    failed: () => t('story.failed', { time }),
    cancelled: () => t('story.cancelled', { time }),
    discarded: () => t('story.discarded', { time }),
    held: () => t('story.held'),
    // Its reason names the call that needs the decision.
    requires_action: () => (reasonShown(data) === '' ? t('story.held') : ''),
    parked: () => t('story.parked'),
    waiting: () => (data.decision ? t('story.held') : ''),
    queued: () => t(data.steps.length === 0 ? 'story.queued' : 'story.resumes'),
  };
  return byState[turn.state]();
}

/** The whole story as one text for screen readers. */
export const turnStory = (data: ShownTurn, nowMs: number): string =>
  [...moveSentences(data), ...stopSentences(data, nowMs), stateSentence(data, nowMs)]
    .filter((sentence) => sentence !== '')
    .join(' ');
