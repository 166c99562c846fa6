import type { ReactElement } from 'react';
import { markedPieces } from './marked-view';

/** The match is highlighted; a screen reader reads the same text. */
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
