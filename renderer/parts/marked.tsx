import type { ReactElement } from 'react';
import { markedPieces } from './marked-view';

/** What was searched for stands out; a reader hears the same text. */
export const Marked = ({
  text,
  words,
}: {
  text: string;
  words: readonly string[];
}): ReactElement => (
  <>
    {markedPieces(text, words).map((piece, at) =>
      piece.isHit ? (
        <mark key={at} className="hit">
          {piece.text}
        </mark>
      ) : (
        piece.text
      ),
    )}
  </>
);
