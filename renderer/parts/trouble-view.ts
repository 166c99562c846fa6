/** What a person reads when something was refused: a sentence, what is known of it, the next step. */
import { isErrorCode } from '../../shared/error-codes';
import { errorMessage } from '../../shared/error-messages';

interface TroubleText {
  readonly sentence: string;
  /** What the error itself said, where the sentence is the general one. */
  readonly detail?: string;
  readonly next: string;
}

const ends = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/**
 * An expected error brings its own sentence. A stranger (`INTERNAL`, or a code of another version)
 * brings words of a program: then the catalogue speaks first. The next step is always there.
 */
export function troubleText(trouble: {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}): TroubleText {
  const known = errorMessage(trouble.code);
  const next = trouble.hint ?? known.next;
  const isStrange = !isErrorCode(trouble.code) || trouble.code === 'INTERNAL';
  if (trouble.message.trim() === '') return { sentence: known.sentence, next };
  return isStrange
    ? { sentence: known.sentence, detail: ends(trouble.message.trim()), next }
    : { sentence: ends(trouble.message.trim()), next };
}
