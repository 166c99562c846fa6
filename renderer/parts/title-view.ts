/** Titles derived from other texts: a prompt, a message. Pure. */
import { PRACTICE_SESSION } from '../../shared/practice';
import { t } from '../../shared/messages';
import { turnTitle } from '../../shared/turn-title';

/** The title for a text: its first sentence, at most 80 characters. */
export const firstSentence = (text: string): string => turnTitle(text);

/** The name of a session if only its key is known. */
export const keyTitle = (key: string): string =>
  key === PRACTICE_SESSION ? t('practice.session') : firstSentence(key);
