import { cutText } from '../../../../shared/cut-text';
import { because, type Reason } from '../../../../shared/reason';
import { plainName } from '../../../../shared/tool-id';
import type { Purity } from '../../../../shared/types';
import type { JournalEntry, StepEnd } from '../../../ports/journal/entries';
import type { ExternalAsking, ExternalCall } from '../../../ports/journal/external';
import type { ExternalOrphans, ExternalToolKind } from '../../../ports/external-agent';
import { INLINE_CHARS } from '../../journal/step-keys';
import { isListed } from '../../journal/side-effect-list';
import { isEffect } from '../../recovery/ledger';

/**
 * The journal entry of a call as its program reports it; written again when the program reports
 * more.
 */
export function callEntry({
  kind: tool,
  ...call
}: Omit<ExternalCall, 'tool'> & { readonly kind: ExternalToolKind }): JournalEntry {
  return { ...call, kind: 'outside.call', tool, input: call.input.slice(0, INLINE_CHARS) };
}

const NOT_BEGUN = 'It was not allowed before the run ended, so it did not start.';

/**
 * How a call that was open when its run ended turned out: one awaiting approval cannot have
 * started, an effect may have happened, a read was only interrupted. Pure. S4-20.
 */
export function endOfOpen(
  call: { readonly purity: Purity; readonly asking?: ExternalAsking | undefined },
  words: { readonly unknown: string; readonly cut: string },
): StepEnd {
  if (call.asking === 'asked') return { state: 'failed', error: NOT_BEGUN, isCutOff: true };
  return isEffect(call)
    ? { state: 'ambiguous', error: words.unknown }
    : { state: 'failed', error: words.cut, isCutOff: true };
}

/** A call, for the list of tools that pause a turn for review. */
interface ListedCall {
  readonly tool: string;
  readonly purity: Purity;
  readonly hasEffects: boolean;
}

/** Calls with an unknown outcome that need review before the turn resumes. Pure. S0-09. */
export function callsToHold<T extends ListedCall>(
  unknown: readonly T[],
  policy: { readonly mode: string; readonly sideEffectTools: readonly string[] },
): readonly T[] {
  if (policy.mode !== 'safe_only') return [];
  return unknown.filter(
    (call) => isEffect(call) && isListed(call.tool, call.hasEffects, policy.sideEffectTools),
  );
}

export const unknownCalls = (names: readonly string[], why: string): Reason =>
  because('reason.unknownCalls', { name: names.join(', '), text: why });

/** Why the turn must not resume; undefined if no process of an earlier run is left. */
export function leftAtWork(orphans: ExternalOrphans): string | undefined {
  if (orphans.left === 0) return undefined;
  const command = orphans.commands[0];
  return `A process that this turn started before the restart is still running and could not be terminated${command === undefined ? '' : ` (${command})`}. Check it, then resume.`;
}

/** Characters of each title and result that a resumed agent sees. */
const TOLD_CHARS = 600;

const TOLD_CALLS = 60;

/** A call of an earlier run as its agent sees it. */
export interface ToldCall {
  /** `host.tool`. */
  readonly tool: string;
  readonly title: string;
  readonly output?: string | undefined;
  readonly outcome: ToldOutcome;
}

export type ToldOutcome =
  | 'done'
  | 'unknown'
  /** To be left out: its result counts as empty. */
  | 'skipped'
  /** Not allowed, or interrupted before it started. */
  | 'never';

const HEADS: readonly (readonly [ToldOutcome, string])[] = [
  ['done', 'Already done. Do not do these again:'],
  ['unknown', 'Outcome unknown: may have happened. Check before you do anything like it again:'],
  ['skipped', 'Skipped by decision of the user; treat the result as empty:'],
  ['never', 'Did not start:'],
];

/**
 * The journal's facts for an agent that resumes after an interruption: one paragraph per outcome,
 * with its newest calls. Pure. S4-23.
 */
export function toldFacts(calls: readonly ToldCall[]): readonly string[] {
  return HEADS.flatMap(([outcome, head]) => {
    const lines = calls.filter((call) => call.outcome === outcome).map(lineOf);
    return lines.length === 0 ? [] : [[head, ...lines.slice(-TOLD_CALLS)].join('\n')];
  });
}

function lineOf({ tool, title, output }: ToldCall): string {
  const about = title === '' ? '' : `: ${cut(title)}`;
  const said = output?.trim() ?? '';
  const result = said === '' ? '' : ` -> ${cut(said.replaceAll(/\s+/g, ' '))}`;
  return `- ${plainName(tool)}${about}${result}`;
}

const cut = (text: string): string => cutText(text, TOLD_CHARS);
