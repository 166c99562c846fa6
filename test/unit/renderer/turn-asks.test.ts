/** The calls that wait for leave, among the steps of their turn. */
import { describe, expect, it } from 'vitest';
import { shownStep } from '../../../renderer/parts/state-view';
import { lanePhrase } from '../../../renderer/charts/step-timeline-lanes';
import { planTimeline } from '../../../renderer/charts/step-timeline-plan';
import { timelineOf, withAsks } from '../../../renderer/turn/turn-story-view';
import type { ShownTurn } from '../../../renderer/turn/turn-story-view';
import type { ApprovalView, StepView } from '../../../shared/types';

const step = (index: number, over: Partial<StepView>): StepView => ({
  turnId: 1,
  index,
  tool: 'coder.shell',
  purity: 'side_effect',
  state: 'started',
  fate: 'fresh',
  hint: 'rm old.log',
  startedAtMs: 1000 + index,
  attempt: 1,
  isListed: false,
  duplicateRisk: false,
  reusedCount: 0,
  ...over,
});
const turn = (steps: readonly StepView[], stoppedAtMs?: number): ShownTurn =>
  ({
    turn: { id: 1, state: 'requires_action', attempt: 1 },
    steps,
    stops: stoppedAtMs === undefined ? [] : [{ stoppedAtMs, reason: 'kill' }],
  }) as unknown as ShownTurn;
const request = (requestId: number): ApprovalView =>
  ({ requestId, turnId: 1, tool: 'coder.shell', hint: '', requestedAtMs: 2000 }) as ApprovalView;

describe('a call that waits for leave', () => {
  it('S3-07 that its agent has begun is one row, and after a kill nothing of its turn is said to run', () => {
    const prompt = step(1, { tool: 'coder.prompt', purity: 'llm' });
    const asks = step(2, { fate: 'asks', requestId: 7 });
    const drawn = withAsks(turn([prompt, asks], 1500), [request(7)], []);
    expect(drawn.steps.map((one) => [one.index, one.asks, shownStep(one).label])).toEqual([
      [1, undefined, 'fate.cutOff'],
      [2, true, 'fate.asks'],
    ]);
    // Without a stop the agent is there, and waits.
    expect(withAsks(turn([prompt, asks]), [request(7)], []).steps[0]?.fate).toBe('fresh');
  });

  it('S3-06 that is no step yet stands after the steps, each question once', () => {
    const asks = step(1, { fate: 'asks', requestId: 7 });
    const drawn = withAsks(turn([asks]), [request(7), request(8)], []);
    expect(drawn.steps.map((one) => [one.index, one.requestId])).toEqual([
      [1, 7],
      [2, 8],
    ]);
  });

  it('S4-05 stands in the phase of the answer that asks for it, so that this is not said to be over', () => {
    const run = { runId: 4, skill: 'notes', phase: 'gather', visit: 1 };
    const drawn = withAsks(
      turn([step(1, { tool: 'model', purity: 'llm', state: 'completed', endedAtMs: 1500, run })]),
      [request(8)],
      [],
    );
    const plan = planTimeline(timelineOf(drawn, 3000));
    expect(plan.lanes.map((lane) => lanePhrase(lane, plan))).toEqual(['1 step needs you']);
  });
});
