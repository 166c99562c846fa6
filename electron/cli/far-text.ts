/** Text of another computer on this terminal: shown, never obeyed. HO-01 */
import { StringDecoder } from 'node:string_decoder';
import { unseenEscaped } from '../../shared/unseen';
import { inert } from './render';

/**
 * What a Holdfast there writes to a terminal: its colors, ends of lines, and what a terminal echoes
 * for a character that is taken back.
 */
const KEPT = /(\u001b\[(?:0|1|2|31|32|33)m|\r\n|\u0008 \u0008)/;
/** The start of one of them, at the end of a chunk. */
const BEGUN = /(?:\r|\u001b(?:\[\d{0,2})?|(?<!\u0008 )\u0008 ?)$/;
const PLAIN = '\u001b[0m';

/** Makes a stream of output harmless, chunk by chunk; JSON stays the same value. */
export function createFarText(isJson: boolean): {
  push(chunk: Uint8Array): string;
  end(): string;
} {
  const decoder = new StringDecoder('utf8');
  const spelled = isJson ? unseenEscaped : inert;
  let begun = '';
  let isPainted = false;
  const shown = (text: string): string =>
    text
      .split(KEPT)
      .map((part, at) => {
        if (at % 2 === 0 || (isJson && part !== '\r\n')) return spelled(part);
        if (part.startsWith('\u001b')) isPainted = part !== PLAIN;
        return part;
      })
      .join('');
  return {
    push(chunk) {
      const text = begun + decoder.write(Buffer.from(chunk));
      begun = BEGUN.exec(text)?.[0] ?? '';
      return shown(text.slice(0, text.length - begun.length));
    },
    end() {
      const rest = shown(begun + decoder.end());
      begun = '';
      return isPainted ? `${rest}${PLAIN}` : rest;
    },
  };
}
