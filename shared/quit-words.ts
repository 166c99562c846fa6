/** What the end of Holdfast means for its open turns, counted by the plan of the next start. Pure. */

/** What the next start would do with the open turns if Holdfast ended now. */
export interface ForeseenStart {
  /** Resume automatically. */
  readonly resume: number;
  /** Need a decision: their running steps would be interrupted and may have happened. */
  readonly ask: number;
  /** Are discarded by the step policy. */
  readonly discard: number;
}

const turns = (count: number): string => `${String(count)} ${count === 1 ? 'turn' : 'turns'}`;

/** `1 turn will resume on next start, 1 is cut off and put to you`; empty if nothing is open. */
export function quitFacts({ resume, ask, discard }: ForeseenStart): string {
  const parts: string[] = [];
  const named = (count: number): string => (parts.length === 0 ? turns(count) : String(count));
  if (resume > 0) parts.push(`${named(resume)} will resume on next start`);
  if (ask > 0) parts.push(`${named(ask)} cut off and put to you`);
  if (discard > 0) parts.push(`${named(discard)} discarded`);
  return parts.join(', ');
}

/** The same in whole sentences, for a question or an answer of the command line. */
export function quitSentences({ resume, ask, discard }: ForeseenStart): string {
  const verb = (count: number, one: string, many: string): string =>
    `${turns(count)} ${count === 1 ? one : many}`;
  return [
    resume > 0 ? `${verb(resume, 'resumes', 'resume')} at the next start.` : '',
    ask > 0
      ? `${verb(ask, 'is cut off and waits', 'are cut off and wait')} for your decision then.`
      : '',
    discard > 0
      ? `${verb(discard, 'is discarded', 'are discarded')} then, by your step policy.`
      : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** A step that a quit waits for; the tool is empty between two steps. */
export interface QuitStep {
  readonly turnId: number;
  readonly tool: string;
  readonly hint: string;
  /** It has side effects: interrupted, it is repeated or needs a decision. */
  readonly isEffect: boolean;
  readonly startedAtMs: number;
}

const MAX_NAME = 30;

/**
 * `Quits when 1 step is done: npm test, 40 s`; `timeOf` formats the time of the longest-running
 * step.
 */
export function quitWhenDoneText(
  steps: readonly QuitStep[],
  timeOf: (step: QuitStep) => string,
): string {
  const oldest = steps.toSorted((one, other) => one.startedAtMs - other.startedAtMs)[0];
  if (oldest === undefined) return 'Quits now';
  const { hint, tool } = oldest;
  const what = steps.length === 1 ? '1 step is' : `${String(steps.length)} steps are`;
  const name = (hint === '' ? tool : hint).replace(/[\p{C}\s]+/gu, ' ').trim();
  const short = name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 1)}…`;
  const told = [short, timeOf(oldest)].filter((part) => part !== '').join(', ');
  return `Quits when ${what} done${told === '' ? '' : `: ${told}`}`;
}
