import type { Blobs } from '../../ports/blobs';
import type { StepRow } from '../../ports/journal/rows';
import type { StoredText } from '../../ports/journal/stored';
import type { AnswerPart } from '../../ports/provider';
import { HoldfastError } from '../kernel/errors';

const MISSING = '(the stored text is missing)';

type Reader = Pick<Blobs, 'get'>;

/** A stored text; a missing file is an error, not an empty text. @throws RESULT_UNREADABLE */
export async function wholeTextOf(blobs: Reader, text: StoredText): Promise<string> {
  if (text.kind === 'inline') return text.text;
  return (await blobs.get(text.address)) ?? withStart(text, MISSING);
}

/**
 * The text of a stored model answer; as with `wholeTextOf`, a missing file is not an empty answer.
 * @throws RESULT_UNREADABLE
 */
export async function wholeAnswerOf(blobs: Reader, text: StoredText): Promise<string> {
  const whole = text.kind === 'inline' ? text.text : await blobs.get(text.address);
  return whole === undefined ? MISSING : answerText(whole);
}

/** A stored text for display; if the disk cannot read it now, a placeholder. */
export const textOf = (blobs: Reader, text: StoredText): Promise<string> =>
  wholeTextOf(blobs, text).catch((error: unknown) => withStart(text, inPlaceOf(error)));

/** A stored model answer for display. */
export const answerOf = (blobs: Reader, text: StoredText): Promise<string> =>
  wholeAnswerOf(blobs, text).catch(inPlaceOf);

/** A step's result; empty if there is none. */
export async function resultOf(blobs: Reader, step: StepRow): Promise<string> {
  const end = step.end;
  if (end === undefined || end.state === 'failed' || end.content === undefined) return '';
  return step.purity === 'llm' ? answerOf(blobs, end.content) : textOf(blobs, end.content);
}

/** The placeholder for a text that may be readable later. */
function inPlaceOf(error: unknown): string {
  if (!(error instanceof HoldfastError) || error.code !== 'RESULT_UNREADABLE') throw error;
  return `(${[error.message, error.hint].join(' ').trim()})`;
}

/** The start of a result is in its row. */
function withStart(text: StoredText, instead: string): string {
  if (text.kind === 'inline' || text.start === undefined) return instead;
  const rest = instead === MISSING ? '(' : `${instead}\n(`;
  return `${text.start}\n${rest}The first ${String(text.start.length)} of ${String(text.chars)} characters. The whole result is stored until the turn ends.)`;
}

function answerText(stored: string): string {
  try {
    const { p } = JSON.parse(stored) as { p?: readonly AnswerPart[] };
    return (p ?? [])
      .filter((part) => part.kind === 'text')
      .map((part) => part.text)
      .join('');
  } catch {
    return ''; // An unreadable answer adds nothing to the conversation.
  }
}
