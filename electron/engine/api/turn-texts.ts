import type { VerbInput, VerbOutput } from '../../../shared/contract';
import type { Blobs } from '../../ports/blobs';
import type { ExternalReads } from '../../ports/journal/external';
import type { TurnReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import { showText } from '../journal/show-text';
import { answerOf, resultOf, textOf } from '../journal/stored-text';
import { HoldfastError } from '../kernel/errors';
import { argumentsOf } from '../recovery/decisions';

type TextDeps = { readonly reads: ExternalReads & TurnReads; readonly blobs: Blobs };

/** Characters of the stored text per page; escaping can make a page longer. */
const PAGE_CHARS = 50_000;

/**
 * One page of a turn's text, inert as everywhere, so that a text of any length can be read
 * completely. A page never splits a character. @throws HoldfastError STEP_UNKNOWN, TURN_STATE
 */
export async function textPage(
  deps: TextDeps,
  turn: TurnRow,
  { part, step, fromChar = 0 }: VerbInput<'turns.text'>,
): Promise<VerbOutput<'turns.text'>> {
  const whole = await partOf(deps, turn, part, step);
  const start = wholeCharacter(whole, Math.min(fromChar, whole.length));
  const end = wholeCharacter(whole, Math.min(start + PAGE_CHARS, whole.length));
  const text = whole.slice(start, end);
  return {
    text: showText(text, Infinity).text,
    fromChar: start,
    totalChars: whole.length,
    ...(end < whole.length ? { nextChar: end } : {}),
  };
}

/** Moves a position that is inside a surrogate pair behind it. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

async function partOf(
  { reads, blobs }: TextDeps,
  turn: TurnRow,
  part: VerbInput<'turns.text'>['part'],
  number: number | undefined,
): Promise<string> {
  if (part === 'prompt') return textOf(blobs, reads.prompt(turn));
  const steps = reads.steps(turn.id);
  const wanted = part === 'answer' ? turn.answerStep : number;
  const step = steps.find((one) => one.step === wanted);
  if (part === 'answer') {
    if (step?.end?.state === 'completed') return answerOf(blobs, step.end.content);
    throw new HoldfastError('TURN_STATE', `Turn ${String(turn.id)} has no answer.`, {
      hint: `See its progress: holdfast turns show ${String(turn.id)}`,
    });
  }
  if (step === undefined)
    throw new HoldfastError(
      'STEP_UNKNOWN',
      `Turn ${String(turn.id)} has no step ${String(wanted ?? '')}.`,
      { hint: `List its steps: holdfast turns show ${String(turn.id)}` },
    );
  const outsideCalls = (turnId: number) => reads.outsideCalls(turnId);
  return part === 'input'
    ? argumentsOf({ blobs, outsideCalls }, steps, step)
    : resultOf(blobs, step);
}
