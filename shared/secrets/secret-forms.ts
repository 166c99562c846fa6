import { lettersIn } from './text-view';

/** One encoding of a secret: letters and digits in lower case, as `lettersOf` gives them. */
interface SecretForm {
  readonly letters: string;
  /** Its length without inserted characters. */
  readonly chars: number;
  /** The plain form, not an encoding. */
  readonly isPlain: boolean;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Bytes of UTF-8. Half a surrogate pair is encoded on its own. */
function utf8(text: string): readonly number[] {
  const bytes: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 0x3f));
    else if (code < 0x1_0000)
      bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
    else
      bytes.push(
        0xf0 | (code >> 18),
        0x80 | ((code >> 12) & 0x3f),
        0x80 | ((code >> 6) & 0x3f),
        0x80 | (code & 0x3f),
      );
  }
  return bytes;
}

const utf16 = (text: string): readonly number[] =>
  [...Array(text.length).keys()].flatMap((at) => {
    const code = text.charCodeAt(at);
    return [code & 0xff, code >> 8];
  });

/**
 * Bytes in an alphabet of `bits` per letter, for each offset at which they may start in a longer
 * text: only the letters that depend on nothing else.
 */
function inAlphabet(bytes: readonly number[], alphabet: string, bits: number): readonly string[] {
  const places = bits === 6 ? 3 : 5;
  return [...Array(places).keys()].map((before) => {
    let letters = '';
    let held = 0;
    let heldBits = 0;
    for (const byte of [...Array<number>(before).fill(0), ...bytes]) {
      held = ((held << 8) | byte) & 0xffff;
      heldBits += 8;
      while (heldBits >= bits) {
        heldBits -= bits;
        letters += alphabet[(held >> heldBits) & ((1 << bits) - 1)] ?? '';
      }
    }
    return letters.slice(Math.ceil((before * 8) / bits));
  });
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hex(bytes: readonly number[], before = ''): string {
  let code = '';
  for (const byte of bytes) code += before + (HEX[byte] ?? '');
  return code;
}

/** Longer secrets are searched in plain form, hex and base64, but not reversed or re-cased. */
const LONG = 512;

const rareCodes = (bytes: readonly number[]): readonly string[] => [
  ...inAlphabet(bytes, BASE32, 5),
  hex(bytes, '0x'),
  hex(bytes, 'u00'),
  bytes.map(String).join(''),
  bytes.map((byte) => byte.toString(8)).join(''),
  bytes.map((byte) => byte.toString(8).padStart(3, '0')).join(''),
];

/** Every searched form of a secret: plain, reversed, and encoded. Pure. */
export function formsOf(secret: string): readonly SecretForm[] {
  const reversed = Array.from(secret).reverse().join('');
  const bytes = utf8(secret);
  const isLong = secret.length > LONG;
  const spellings = isLong
    ? [bytes]
    : [bytes, ...[secret.toUpperCase(), secret.toLowerCase(), reversed].map(utf8), utf16(secret)];
  const codes = [
    ...spellings.flatMap((one) => [hex(one), ...inAlphabet(one, BASE64, 6)]),
    ...(isLong ? [] : rareCodes(bytes)),
  ];
  const found = new Map<string, SecretForm>();
  const add = (text: string, isPlain: boolean): void => {
    const letters = lettersIn(text);
    if (!found.has(letters)) found.set(letters, { letters, chars: text.length, isPlain });
  };
  add(secret, true);
  add(reversed, true);
  for (const code of codes) add(code, false);
  return [...found.values()];
}

/** A secret without letters or digits is searched only in plain form and in the usual encodings. */
export function exactForms(secret: string): readonly string[] {
  const bytes = utf8(secret);
  const code = hex(bytes);
  const percent = bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return [
    ...new Set([
      secret,
      JSON.stringify(secret).slice(1, -1),
      Array.from(secret).reverse().join(''),
      /[\uD800-\uDFFF]/.test(secret) ? secret : encodeURIComponent(secret),
      percent,
      percent.toUpperCase(),
      code,
      code.toUpperCase(),
      ...inAlphabet(bytes, BASE64, 6).flatMap((one) => [
        one,
        one.replaceAll('+', '-').replaceAll('/', '_'),
      ]),
    ]),
  ].filter((form) => form.length >= 4);
}
