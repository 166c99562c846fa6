import type { Purity } from '../../../../shared/types';
import type { JournalEntry, StepEnd } from '../../../ports/journal/entries';
import type { ExternalAsking } from '../../../ports/journal/external';
import type { ExternalOrphans, ExternalToolKind } from '../../../ports/external-agent';
import { INLINE_CHARS } from '../../journal/memo-keys';
import { isListed } from '../../journal/side-effect-list';
import { isEffect } from '../../recovery/ledger';

/** The entry of a call as its program tells it; said again where it knows more. */
export function callEntry(call: {
  readonly turnId: number;
  readonly step: number;
  readonly callId: string;
  readonly kind: ExternalToolKind;
  readonly title: string;
  /** JSON; what is longer is cut. */
  readonly input: string;
  readonly identity: string;
}): JournalEntry {
  const { kind, input, ...rest } = call;
  return { ...rest, kind: 'outside.call', tool: kind, input: input.slice(0, INLINE_CHARS) };
}

const NOT_BEGUN = 'Nobody had allowed it before the run ended: it did not begin.';

/**
 * How a call ends that was open when its run ended: one that was still asking cannot have begun, an
 * effect may have happened, a read was only cut off. Pure. S4-20.
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

/** What a call is for the list of tools that hold a turn. */
interface ListedCall {
  readonly tool: string;
  readonly purity: Purity;
  readonly hasEffects: boolean;
}

/** Those calls without a known result that a person has to judge before anything goes on. Pure. S0-09. */
export function callsToHold<T extends ListedCall>(
  unknown: readonly T[],
  policy: { readonly mode: string; readonly sideEffectTools: readonly string[] },
): readonly T[] {
  if (policy.mode !== 'safe_only') return [];
  return unknown.filter(
    (call) => isEffect(call) && isListed(call.tool, call.hasEffects, policy.sideEffectTools),
  );
}

export const unknownWords = (names: readonly string[], why: string): string =>
  `${names.join(', ')} (started, result unknown): ${why}`;

/** Why nothing may go on; undefined where nothing of an earlier run is left at work. */
export function leftAtWork(orphans: ExternalOrphans): string | undefined {
  if (orphans.left === 0) return undefined;
  const command = orphans.commands[0];
  return `Something that this turn started before the restart still runs and could not be ended${command === undefined ? '' : ` (${command})`}. Look at it, then go on.`;
}
