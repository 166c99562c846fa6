import type { Blobs } from '../../ports/blobs';
import type { JournalReads } from '../../ports/journal/reads';
import type { StepRow, TurnRow } from '../../ports/journal/rows';
import { resultOf, textOf } from '../journal/stored-text';
import { argumentsOf } from '../recovery/decisions';
import type { StepTexts } from './trace-spans';

/** Maximum length of one text; the rest is not sent. */
const MAX_CHARS = 16_000;

interface SpanTextsDeps {
  readonly reads: Pick<JournalReads, 'outsideCalls' | 'prompt'>;
  readonly blobs: Blobs;
  readonly redactText: (text: string) => string;
  /** True if a setting permits sending texts. */
  readonly areSent: () => boolean;
}

/**
 * Texts of a turn and of a step, without secrets; empty unless the user permits sending them. OT-01
 */
export interface SpanTexts {
  turn(turn: TurnRow): Promise<StepTexts>;
  step(step: StepRow, steps: readonly StepRow[]): Promise<StepTexts>;
}

export function createSpanTexts({ reads, blobs, ...deps }: SpanTextsDeps): SpanTexts {
  const shown = (text: string): string => deps.redactText(text.slice(0, MAX_CHARS));
  const outsideCalls = (turnId: number) => reads.outsideCalls(turnId);
  return {
    async turn(turn) {
      if (!deps.areSent()) return {};
      return { input: shown(await textOf(blobs, reads.prompt(turn))) };
    },
    async step(step, steps) {
      if (!deps.areSent()) return {};
      return {
        input: shown(await argumentsOf({ blobs, outsideCalls }, steps, step)),
        output: shown(await resultOf(blobs, step)),
      };
    },
  };
}
