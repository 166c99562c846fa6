import { plainName } from '../../../../shared/tool-id';

/** So much of each title and result is told to an agent that is asked again. */
const TOLD_CHARS = 600;
const TOLD_CALLS = 60;

/** A call of an earlier run as its agent is told of it. */
export interface ToldCall {
  /** `host.tool`. */
  readonly tool: string;
  readonly title: string;
  readonly output?: string | undefined;
  readonly fate: ToldFate;
}

export type ToldFate =
  | 'done'
  | 'unknown'
  /** To be left out: its result counts as empty. */
  | 'skipped'
  /** It was asked about and never allowed, or cut off before it began. */
  | 'never';

const HEADS: readonly (readonly [ToldFate, string])[] = [
  ['done', 'Already done. Do not do these again:'],
  ['unknown', 'Outcome unknown: may have happened. Check before you do anything like it again:'],
  ['skipped', 'Not to be done, by decision of the user; treat the result as empty:'],
  ['never', 'Did not begin:'],
];

/**
 * The facts of the journal for an agent that goes on after a cut: one paragraph for each fate that
 * there is, the newest calls of it. Pure. S4-23.
 */
export function toldFacts(calls: readonly ToldCall[]): readonly string[] {
  return HEADS.flatMap(([fate, head]) => {
    const lines = calls.filter((call) => call.fate === fate).map(lineOf);
    return lines.length === 0 ? [] : [[head, ...lines.slice(-TOLD_CALLS)].join('\n')];
  });
}

function lineOf({ tool, title, output }: ToldCall): string {
  const about = title === '' ? '' : `: ${cut(title)}`;
  const said = output?.trim() ?? '';
  const result = said === '' ? '' : ` -> ${cut(said.replaceAll(/\s+/g, ' '))}`;
  return `- ${plainName(tool)}${about}${result}`;
}

const cut = (text: string): string =>
  text.length <= TOLD_CHARS ? text : `${text.slice(0, TOLD_CHARS)}…`;
