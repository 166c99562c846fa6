/** Error text for the user: a sentence, its details, the next step. */
import { isErrorCode } from '../../shared/error-codes';
import { errorMessage } from '../../shared/error-messages';

interface TroubleText {
  readonly sentence: string;
  /** The message of the error itself, if the sentence is the general one. */
  readonly detail?: string;
  readonly next: string;
}

const ends = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/**
 * An expected error brings its own sentence. An unknown one (`INTERNAL`, or a code of another
 * version) has a technical message: then the catalogue's sentence comes first. The next step is
 * always there.
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
