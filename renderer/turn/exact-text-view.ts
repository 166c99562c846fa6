/**
 * Pages of a text that are cheap to render: limited in characters and in unusual characters. Pure.
 */
import { inertPieces } from '../parts/inert-view';

const PAGE_CHARS = 6000;
const PAGE_ODD = 600;

/** Cuts at a page's end, never inside a pair of surrogates; joined, the pages are the text. */
export function pagesOf(text: string): readonly string[] {
  const pages: string[] = [];
  let at = 0;
  while (at < text.length) {
    let end = Math.min(text.length, at + PAGE_CHARS);
    const pieces = inertPieces(text.slice(at, end));
    let odd = 0;
    let length = 0;
    for (const piece of pieces) {
      if (piece.kind === 'odd') {
        odd += 1;
        if (odd > PAGE_ODD) break;
      }
      length +=
        piece.kind === 'text'
          ? piece.text.length
          : Number.parseInt(piece.code.slice(2), 16) > 0xffff
            ? 2
            : 1;
    }
    if (odd > PAGE_ODD) end = at + length;
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end -= 1;
    if (end <= at) end = at + 1;
    pages.push(text.slice(at, end));
    at = end;
  }
  return pages.length === 0 ? [''] : pages;
}
