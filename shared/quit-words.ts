/** What the end of Holdfast means for its unfinished turns, counted by the plan of the next start. Pure. */
import type { QuitStep } from './types/status';
import { flatLine } from './unseen';
import { EN_WORDS } from './messages/en-words';
import { sayFrom } from './messages/say';

const say = sayFrom(EN_WORDS);

/** What the next start would do with the unfinished turns if Holdfast ended now. */
export interface ForeseenStart {
  /** Resume automatically. */
  readonly resume: number;
  /** Need a decision: their running steps would be interrupted and may have happened. */
  readonly ask: number;
  /** Are discarded by the step policy. */
  readonly discard: number;
}

/** `1 turn will resume on next start, 1 will need your review`; empty if nothing is unfinished. */
export function quitFacts({ resume, ask, discard }: ForeseenStart): string {
  const parts: string[] = [];
  const text = (count: number): string =>
    parts.length === 0 ? say('quit.turns', { count }) : String(count);
  if (resume > 0) parts.push(say('quit.fact.resume', { text: text(resume) }));
  if (ask > 0) parts.push(say('quit.fact.ask', { text: text(ask) }));
  if (discard > 0) parts.push(say('quit.fact.discard', { text: text(discard) }));
  return parts.join(', ');
}

/** The same in complete sentences, for a question or an answer of the command line. */
export const quitSentences = ({ resume, ask, discard }: ForeseenStart): string =>
  [
    resume > 0 ? say('quit.resume', { count: resume }) : '',
    ask > 0 ? say('quit.ask', { count: ask }) : '',
    discard > 0 ? say('quit.discard', { count: discard }) : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');

const MAX_NAME = 30;

/**
 * `Quits when 1 step completes: npm test, 40 s`; `timeOf` formats the time of the longest-running
 * step.
 */
export function quitWhenDoneText(
  steps: readonly QuitStep[],
  timeOf: (step: QuitStep) => string,
): string {
  const count = steps.length;
  const oldest = steps.toSorted((one, other) => one.startedAtMs - other.startedAtMs)[0];
  if (oldest === undefined) return say('quit.nowText');
  const { hint, tool } = oldest;
  const name = flatLine(hint === '' ? tool : hint);
  const short = name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 1)}…`;
  const text = [short, timeOf(oldest)].filter((part) => part !== '').join(', ');
  return text === '' ? say('quit.whenDone', { count }) : say('quit.whenDoneOf', { count, text });
}
