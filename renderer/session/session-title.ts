/** The name of a session in lists and heads. Pure. */
import type { SessionView } from '../../shared/types';
import { oneLine } from '../parts/inert-view';

const MOST_CHARS = 80;

/** The first sentence of its title, at most 80 characters; its key if it has no title. */
export function sessionTitle({ title, key }: Pick<SessionView, 'title' | 'key'>): string {
  const text = oneLine(title === '' ? key : title, 400);
  // A full stop inside a name or a number ends no sentence, nor does one after a single letter.
  const first = /^.{8,}?(?:[!?](?=\s)|[^\s.]\.(?=\s+\p{Lu}))/u.exec(text)?.[0] ?? text;
  const named = first.endsWith('.') ? first.slice(0, -1) : first;
  return oneLine(named, MOST_CHARS);
}
