/**
 * A text as someone would read it to extract a secret: decoded, and without separators between its
 * letters. Each character knows its source position. Pure, and linear in the text.
 */
export interface TextView {
  readonly codes: Uint16Array;
  /** Start and end of each character's source in the text. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly length: number;
}

/** A view that is filled from left to right; never longer than its source. */
class Filling implements TextView {
  readonly codes: Uint16Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  length = 0;
  constructor(most: number) {
    this.codes = new Uint16Array(most);
    this.starts = new Int32Array(most);
    this.ends = new Int32Array(most);
  }
  put(code: number, start: number, end: number): void {
    const at = this.length;
    this.codes[at] = code;
    this.starts[at] = start;
    this.ends[at] = end;
    this.length = at + 1;
  }
}

/** The text as it is. */
function viewOf(text: string): TextView {
  const view = new Filling(text.length);
  for (let at = 0; at < text.length; at += 1) view.put(text.charCodeAt(at), at, at + 1);
  return view;
}

const HEX = new Int8Array(128).fill(-1);
for (let digit = 0; digit < 16; digit += 1) {
  const shown = digit.toString(16);
  HEX[shown.charCodeAt(0)] = digit;
  HEX[shown.toUpperCase().charCodeAt(0)] = digit;
}
const hexAt = ({ codes, length }: TextView, at: number): number =>
  at < length ? (HEX[codes[at] ?? 0] ?? -1) : -1;

/** The number with `digits` hex digits from `at`; -1 if they are missing. */
function hexNumber(view: TextView, at: number, digits: number): number {
  let value = 0;
  for (let index = 0; index < digits; index += 1) {
    const digit = hexAt(view, at + index);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** One decoded character or byte, and the length of its spelling. */
interface Spelled {
  readonly code: number;
  readonly length: number;
  /** One byte of UTF-8, not a character. */
  readonly isByte: boolean;
}

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const LETTER_X = 0x78;
const LETTER_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SEMICOLON = 0x3b;
const HASH = 0x23;
const MAX_NUMBER = 8;

/** `%73`, `\x73`, `\u0073`, `\u{73}`, `\163`, `\n`, `&#115;`, `&#x73;`, `&amp;`. */
function spelledAt(view: TextView, at: number): Spelled | undefined {
  switch (view.codes[at]) {
    case PERCENT: {
      const code = hexNumber(view, at + 1, 2);
      return code < 0 ? undefined : { code, length: 3, isByte: true };
    }
    case BACKSLASH:
      return escapedAt(view, at);
    case AMPERSAND:
      return entityAt(view, at);
    default:
      return undefined;
  }
}

function escapedAt(view: TextView, at: number): Spelled | undefined {
  const kind = view.codes[at + 1] ?? 0;
  if (at + 1 >= view.length) return undefined;
  if (kind === LETTER_X || kind === LETTER_U || kind === LETTER_U - 0x20) {
    if (view.codes[at + 2] === OPEN_BRACE) return bracedAt(view, at);
    const digits = kind === LETTER_X ? 2 : kind === LETTER_U ? 4 : 8;
    const code = hexNumber(view, at + 2, digits);
    if (code >= 0) return { code, length: digits + 2, isByte: kind === LETTER_X };
  }
  const octal = octalAt(view, at + 1);
  if (octal !== undefined) return octal;
  // `\n`, `\t`, `\r`, `\b`, `\f`, `\v`, `\e`, `\a` denote characters that are never part of a
  // secret.
  const isControl = 'ntrbfvea'.includes(String.fromCharCode(kind));
  return { code: isControl ? 0x20 : kind, length: 2, isByte: false };
}

function bracedAt(view: TextView, at: number): Spelled | undefined {
  let code = 0;
  for (let index = at + 3; index < at + 3 + MAX_NUMBER; index += 1) {
    if (view.codes[index] === CLOSE_BRACE && index > at + 3)
      return { code, length: index + 1 - at, isByte: false };
    const digit = hexAt(view, index);
    if (digit < 0) return undefined;
    code = code * 16 + digit;
  }
  return undefined;
}

function octalAt(view: TextView, at: number): Spelled | undefined {
  let code = 0;
  for (let index = 0; index < 3; index += 1) {
    const digit = (view.codes[at + index] ?? 0) - 0x30;
    if (digit < 0 || digit > 7) return undefined;
    code = code * 8 + digit;
  }
  return code > 0xff ? undefined : { code, length: 4, isByte: true };
}

const MAX_NAME = 14;
const AMP = [0x61, 0x6d, 0x70];

/** `&amp;` may start another one; the others never denote a letter. */
function namedAt(view: TextView, at: number): Spelled | undefined {
  const most = Math.min(view.length, at + 2 + MAX_NAME);
  for (let index = at + 1; index < most; index += 1) {
    const code = view.codes[index] ?? 0;
    if (code === SEMICOLON && index > at + 2) {
      const isAmp = index === at + 4 && AMP.every((one, next) => view.codes[at + 1 + next] === one);
      return { code: isAmp ? AMPERSAND : 0x20, length: index + 1 - at, isByte: false };
    }
    if (code < 0x61 || code > 0x7a) return undefined;
  }
  return undefined;
}

function entityAt(view: TextView, at: number): Spelled | undefined {
  if (view.codes[at + 1] !== HASH) return namedAt(view, at);
  const isHex = ((view.codes[at + 2] ?? 0) | 0x20) === LETTER_X;
  const first = at + (isHex ? 3 : 2);
  let code = 0;
  for (let index = first; index < first + MAX_NUMBER && index < view.length; index += 1) {
    if (view.codes[index] === SEMICOLON && index > first)
      return { code, length: index + 1 - at, isByte: false };
    const digit = hexAt(view, index);
    if (digit < 0 || (!isHex && digit > 9)) return undefined;
    code = code * (isHex ? 16 : 10) + digit;
  }
  return undefined;
}

/** `=73` of quoted-printable; `=` at the end of a line joins it to the next. */
function quotedAt(view: TextView, at: number): Spelled | undefined {
  if (view.codes[at] !== EQUALS) return undefined;
  const code = hexNumber(view, at + 1, 2);
  return code < 0 ? undefined : { code, length: 3, isByte: true };
}

/** The view with one layer of encoding removed; undefined if there was none. */
function decoded(
  view: TextView,
  at: (view: TextView, at: number) => Spelled | undefined,
): TextView | undefined {
  const result = new Filling(view.length);
  let isChanged = false;
  for (let index = 0; index < view.length;) {
    const spelled = at(view, index);
    if (spelled === undefined) {
      result.put(view.codes[index] ?? 0, view.starts[index] ?? 0, view.ends[index] ?? 0);
      index += 1;
      continue;
    }
    isChanged = true;
    const start = view.starts[index] ?? 0;
    const { code, length } = spelled.isByte ? joinedBytes(view, index, spelled, at) : spelled;
    index += length;
    result.put(code > 0xffff ? 0xffff : code, start, view.ends[index - 1] ?? start);
  }
  return isChanged ? result : undefined;
}

/** Two or three consecutive encoded bytes are one UTF-8 character. */
function joinedBytes(
  view: TextView,
  index: number,
  first: Spelled,
  at: (view: TextView, at: number) => Spelled | undefined,
): Pick<Spelled, 'code' | 'length'> {
  const more = first.code >= 0xe0 ? 2 : first.code >= 0xc2 ? 1 : 0;
  let code = more === 2 ? first.code & 0x0f : first.code & 0x1f;
  let { length } = first;
  for (let left = more; left > 0; left -= 1) {
    const next = at(view, index + length);
    if (next?.isByte !== true || (next.code & 0xc0) !== 0x80) return first;
    code = (code << 6) | (next.code & 0x3f);
    length += next.length;
  }
  return more === 0 ? first : { code, length };
}

/** Nested spellings are decoded to this depth and no deeper. */
const MAX_LAYERS = 3;

/** The letters of a text in each reading: unchanged, with escapes decoded, as quoted-printable. */
export function* readingsOf(text: string): Generator<TextView> {
  yield lettersOfText(text);
  const isEscaped = /%[0-9A-Fa-f]{2}|\\|&#?\w{1,14};/.test(text);
  const isQuoted = /=[0-9A-Fa-f]{2}/.test(text);
  if (!isEscaped && !isQuoted) return;
  const plain = viewOf(text);
  let view: TextView | undefined = isEscaped ? plain : undefined;
  for (let layer = 0; layer < MAX_LAYERS && view !== undefined; layer += 1) {
    view = decoded(view, spelledAt);
    if (view !== undefined) yield lettersOf(view);
  }
  const unquoted = isQuoted ? decoded(plain, quotedAt) : undefined;
  if (unquoted !== undefined) yield lettersOf(unquoted);
}

/** Comparison value of a character: lower case; 0 for separators. */
const FOLDED = new Uint16Array(0x1_0000);
const IS_KNOWN = new Uint8Array(0x1_0000);

function foldedOf(code: number): number {
  if (IS_KNOWN[code] === 0) {
    FOLDED[code] = folded(code);
    IS_KNOWN[code] = 1;
  }
  return FOLDED[code] ?? 0;
}

function folded(code: number): number {
  if (code < 0x80) {
    if ((code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a)) return code;
    return code >= 0x41 && code <= 0x5a ? code + 0x20 : 0;
  }
  // Full-width letters are letters.
  if (code >= 0xff01 && code <= 0xff5e) return folded(code - 0xfee0);
  // Halves of surrogate pairs stay unchanged.
  if (code >= 0xd800 && code <= 0xdfff) return code;
  const char = String.fromCharCode(code);
  return /[\p{L}\p{N}]/u.test(char) ? char.toLowerCase().charCodeAt(0) : 0;
}

/** Only letters and digits, in lower case. */
function lettersOfText(text: string): TextView {
  const result = new Filling(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const code = foldedOf(text.charCodeAt(at));
    if (code !== 0) result.put(code, at, at + 1);
  }
  return result;
}

function lettersOf(view: TextView): TextView {
  const result = new Filling(view.length);
  for (let index = 0; index < view.length; index += 1) {
    const code = foldedOf(view.codes[index] ?? 0);
    if (code !== 0) result.put(code, view.starts[index] ?? 0, view.ends[index] ?? 0);
  }
  return result;
}

/** The letters and digits of a short text, in lower case. */
export function lettersIn(text: string): string {
  let letters = '';
  for (let at = 0; at < text.length; at += 1) {
    const code = foldedOf(text.charCodeAt(at));
    if (code !== 0) letters += String.fromCharCode(code);
  }
  return letters;
}
