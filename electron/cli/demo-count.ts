/** What the demo claims at its end, from facts alone. */
import type { VerbOutput } from '../../shared/contract';

interface DemoFacts {
  /** Turns that `send` said yes to. */
  readonly accepted: readonly number[];
  /** What the journal says of them at the end. */
  readonly ended: readonly VerbOutput<'turns.show'>[];
  /** The written file is the same, byte time and inode, as before the kill. */
  readonly isFileUntouched: boolean;
}

interface DemoCount {
  readonly accepted: number;
  /** Accepted turns without an answer. */
  readonly lost: number;
  /** Effects that ran more than once. */
  readonly repeated: number;
  readonly reused: number;
  /** Runs of effects that the journal knows. */
  readonly writes: number;
}

/** Counts; nothing is taken on trust: a turn that is not there is lost. */
export function countDemo(facts: DemoFacts): DemoCount {
  const answered = facts.accepted.filter((turnId) =>
    facts.ended.some(
      (shown) =>
        shown.turn.id === turnId && shown.turn.state === 'completed' && (shown.answer ?? '') !== '',
    ),
  );
  const runs = new Map<string, number>();
  for (const shown of facts.ended) {
    for (const step of shown.steps) {
      if (step.purity !== 'side_effect' && step.purity !== 'external') continue;
      const effect = `${String(shown.turn.id)} ${step.tool} ${step.args ?? ''}`;
      runs.set(effect, (runs.get(effect) ?? 0) + 1);
    }
  }
  const counts = [...runs.values()];
  const repeatedRuns = counts.reduce((sum, times) => sum + times - 1, 0);
  return {
    accepted: facts.accepted.length,
    lost: facts.accepted.length - answered.length,
    repeated: Math.max(repeatedRuns, facts.isFileUntouched ? 0 : 1),
    reused: facts.ended.reduce((sum, shown) => sum + shown.turn.reused, 0),
    writes: counts.reduce((sum, times) => sum + times, 0),
  };
}
