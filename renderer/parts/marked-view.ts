/** A text in pieces, with the search words highlighted. Pure. */
/** Part of a name, and whether it matches the search. */
interface MarkedPiece {
  readonly text: string;
  readonly isHit: boolean;
}

/** The text in pieces, with every occurrence of each search word highlighted. */
export function markedPieces(text: string, words: readonly string[]): readonly MarkedPiece[] {
  const lower = text.toLowerCase();
  // A letter whose lowercase form is longer would shift every later highlight.
  if (words.length === 0 || lower.length !== text.length) return [{ text, isHit: false }];
  const hits = new Array<boolean>(text.length).fill(false);
  for (const word of words) {
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length))
      hits.fill(true, at, at + word.length);
  }
  const pieces: { text: string; isHit: boolean }[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const isHit = hits[at] === true;
    const last = pieces.at(-1);
    if (last?.isHit === isHit) last.text += text.charAt(at);
    else pieces.push({ text: text.charAt(at), isHit });
  }
  return pieces;
}
