import type { Delivery } from '../../ports/channel';
import { piecesOf } from './pieces';

/** Reserved for the note that a message may be a repeat, so that the pieces stay the same. */
const NOTE_ROOM = 160;

/** Sends a long answer in pieces, and skips those that have arrived. */
export async function deliverPieces(
  delivery: Delivery,
  { most, sizeOf }: { readonly most: number; readonly sizeOf?: (text: string) => number },
  send: (text: string) => Promise<unknown>,
): Promise<void> {
  const pieces = piecesOf(delivery.text, most - NOTE_ROOM, sizeOf);
  const there = Math.min(delivery.pieces?.there ?? 0, pieces.length);
  let note = delivery.repeatNote?.slice(0, NOTE_ROOM - 2);
  for (const [index, piece] of pieces.slice(there).entries()) {
    await send(note === undefined ? piece : `${note}\n\n${piece}`);
    note = undefined;
    const arrived = there + index + 1;
    if (arrived < pieces.length) await delivery.pieces?.took(arrived);
  }
}
