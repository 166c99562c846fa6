/** Titles made of what was written for something else: a prompt, a message. Pure. */
import { PRACTICE_SESSION } from '../../shared/practice';
import { t } from '../../shared/messages';
import { oneLine } from './inert-view';

const MOST_CHARS = 80;

/** The first sentence, at most 80 characters. */
export function firstSentence(text: string): string {
  const line = oneLine(text, 400);
  // A full stop inside a name or a number ends no sentence, nor does one after a single letter.
  const first = /^.{8,}?(?:[!?](?=\s)|[^\s.]\.(?=\s+\p{Lu}))/u.exec(line)?.[0] ?? line;
  const named = first.endsWith('.') ? first.slice(0, -1) : first;
  return oneLine(named, MOST_CHARS);
}

/** The name of a session where only its key is known. */
export const keyTitle = (key: string): string =>
  key === PRACTICE_SESSION ? t('practice.session') : firstSentence(key);
