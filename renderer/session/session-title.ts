/** The name of a session in lists and headers. Pure. */
import type { SessionView } from '../../shared/types';
import { firstSentence, keyTitle } from '../parts/title-view';

/** The first sentence of its title, at most 80 characters; its key if it has no title of its own. */
export const sessionTitle = ({ title, key }: Pick<SessionView, 'title' | 'key'>): string =>
  title === '' || title === key ? keyTitle(key) : firstSentence(title);
