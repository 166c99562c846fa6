const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const OPEN_MAP = 0x7b;

/**
 * Maximum number of values in one external message. Text of the same length takes fifty times
 * longer to read if it consists of small values, so the length alone is no limit.
 */
export const MAX_VALUES = 100_000;

/** Counts the values of JSON text before it is parsed; does not validate it. */
interface JsonMeter {
  /** Continues counting with the next piece, UTF-8 or UTF-16. True if there are too many values. */
  isAbove(piece: Uint8Array | string): boolean;
  /** The next piece starts a new text. */
  reset(): void;
}

export function createJsonMeter(maxValues: number): JsonMeter {
  let values = 0;
  let isInText = false;
  let isEscaped = false;
  const take = (code: number): void => {
    if (isEscaped) isEscaped = false;
    else if (isInText) {
      if (code === QUOTE) isInText = false;
      else if (code === BACKSLASH) isEscaped = true;
    } else if (code === QUOTE) isInText = true;
    else if (code === COMMA || code === OPEN_LIST || code === OPEN_MAP) values += 1;
  };
  return {
    isAbove(piece) {
      if (typeof piece === 'string')
        for (let at = 0; at < piece.length; at += 1) take(piece.charCodeAt(at));
      else for (const code of piece) take(code);
      return values > maxValues;
    },
    reset() {
      values = 0;
      isInText = false;
      isEscaped = false;
    },
  };
}
