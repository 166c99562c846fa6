/** Titles made of what was written for something else: a prompt, a message. Pure. */
import { PRACTICE_SESSION } from '../../shared/practice';
import { t } from '../../shared/messages';
import { turnTitle } from '../../shared/turn-title';

/** The title of what was written: its first sentence, at most 80 characters. */
export const firstSentence = (text: string): string => turnTitle(text);

/** The name of a session where only its key is known. */
export const keyTitle = (key: string): string =>
  key === PRACTICE_SESSION ? t('practice.session') : firstSentence(key);
