/**
 * The title of a turn: the first sentence of the first line of its prompt. The same in windows,
 * tray, notifications and messages. One line without hidden characters: they cannot be seen in a
 * title, and the prompt itself shows them. Pure.
 */
import { flatLine } from './unseen';

const MAX_CHARS = 80;
/** Only the start is looked at; a megabyte is not scanned for its first line. */
const SCANNED = 2_000;

export function turnTitle(prompt: string): string {
  const line = firstLine(prompt.slice(0, SCANNED));
  // A period within a name or number ends no sentence, nor does one after a single letter.
  const first = /^.{8,}?(?:[!?](?=\s)|[^\s.]\.(?=\s+\p{Lu}))/u.exec(line)?.[0] ?? line;
  return cutAtWord(first.endsWith('.') && !first.endsWith('..') ? first.slice(0, -1) : first);
}

function firstLine(text: string): string {
  for (const line of text.split(/[\r\n\u2028\u2029]+/)) {
    const flat = flatLine(line);
    if (flat !== '') return flat;
  }
  return '';
}

/** Cut within a word only if a single word is too long. */
function cutAtWord(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= MAX_CHARS) return text;
  const start = characters.slice(0, MAX_CHARS - 1).join('');
  const end = characters[MAX_CHARS - 1] === ' ' ? start.length : start.lastIndexOf(' ');
  return `${(end > MAX_CHARS / 2 ? start.slice(0, end) : start).replace(/[\s,;:–-]+$/u, '')}…`;
}
