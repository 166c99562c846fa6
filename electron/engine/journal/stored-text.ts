import type { Blobs } from '../../ports/blobs';
import type { StoredText } from '../../ports/journal';
import type { AnswerPart } from '../../ports/provider';

/** A stored text; a missing file says so instead of pretending to be empty. */
export async function textOf(blobs: Pick<Blobs, 'get'>, text: StoredText): Promise<string> {
  if (text.kind === 'inline') return text.text;
  return (await blobs.get(text.sha256)) ?? '(the stored text is missing)';
}

/** The text of a stored model answer. */
export function answerText(stored: string): string {
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
