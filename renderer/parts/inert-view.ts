/**
 * Text from models, tools, and files is shown as plain text, with every character made visible that
 * could disguise it. Pure; covers W8 and the text of a decision.
 */
import { UNSEEN } from '../../shared/unseen';

/**
 * Part of a displayed text: plain, or one character that would be invisible or reorder the line.
 */
type InertPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'odd'; readonly code: string; readonly name: OddName };

type OddName = 'direction' | 'invisible' | 'control';

const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Splits a text so that every unusual character becomes a piece with its code point. */
export function inertPieces(text: string): readonly InertPiece[] {
  const pieces: InertPiece[] = [];
  let last = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (match.index > last) pieces.push({ kind: 'text', text: text.slice(last, match.index) });
    const code = (match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const name: OddName = DIRECTION.test(match[0])
      ? 'direction'
      : /\p{Cc}/u.test(match[0])
        ? 'control'
        : 'invisible';
    pieces.push({ kind: 'odd', code: `U+${code}`, name });
    last = match.index + match[0].length;
  }
  if (last < text.length) pieces.push({ kind: 'text', text: text.slice(last) });
  return pieces;
}

/**
 * A text on one line: line breaks become spaces, unusual characters their code points, cut at
 * `max`.
 */
export function oneLine(text: string, max = 160): string {
  // Only the start is visible, so a megabyte of text need not be scanned.
  const start = text.slice(0, max * 8);
  const flat = inertPieces(start)
    .map((piece) => (piece.kind === 'text' ? piece.text : `[${piece.code}]`))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
  return flat.length > max || start.length < text.length ? `${flat.slice(0, max - 1)}…` : flat;
}
