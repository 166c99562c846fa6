import type { Blobs } from '../../ports/blobs';
import type { StoredText } from '../../ports/journal';
import type { AnswerPart } from '../../ports/provider';

const MISSING = '(the stored text is missing)';

/** A stored text; a missing file says so instead of pretending to be empty. */
export async function textOf(blobs: Pick<Blobs, 'get'>, text: StoredText): Promise<string> {
  if (text.kind === 'inline') return text.text;
  const whole = await blobs.get(text.address);
  if (whole !== undefined) return whole;
  if (text.start === undefined) return MISSING;
  return `${text.start}\n(The first ${String(text.start.length)} of ${String(text.chars)} characters. The whole result is kept until the turn is over.)`;
}

/** What a stored model answer says; as with `textOf`, a missing file is no empty answer. */
export async function answerOf(blobs: Pick<Blobs, 'get'>, text: StoredText): Promise<string> {
  const whole = text.kind === 'inline' ? text.text : await blobs.get(text.address);
  return whole === undefined ? MISSING : answerText(whole);
}

function answerText(stored: string): string {
  try {
    const { p } = JSON.parse(stored) as { p?: readonly AnswerPart[] };
    return (p ?? [])
      .filter((part) => part.kind === 'text')
      .map((part) => part.text)
      .join('');
  } catch {
    return ''; // an answer that cannot be read adds nothing to the conversation
  }
}
