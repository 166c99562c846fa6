/**
 * Finds known secrets in a text, however they are encoded in it: in another case, reversed, in
 * base64, base32, hex or decimal codes, with escapes of JSON, URLs, HTML or mails, with anything
 * but letters and digits between the letters, and in part. Pure except for learned values.
 *
 * The text is read once for each way to read it (`readingsOf`), and a hash table gives the
 * places at which one of the forms may start: the time does not grow with the number of secrets.
 */
import { exactForms, formsOf } from './secret-forms';
import { lettersIn, readingsOf, type TextView } from './text-view';

/** A range in a text. */
interface Span {
  readonly from: number;
  readonly to: number;
}

export interface KnownSecrets {
  /** From now on it is found. Values shorter than 6 characters are ignored. */
  learn(secret: string): void;
  readonly size: number;
  /** The text with `mask` in place of everything that was found. */
  hide(text: string, mask: string): string;
  /**
   * The same for a text of any length: one step for each part, so that its author does not decide
   * how long everything else waits.
   */
  hideInSteps(text: string, mask: string): Generator<undefined, string>;
  /** True if one of at least `leastChars` characters is in the text. */
  isIn(text: string, leastChars: number): boolean;
}

const SHORTEST = 6;
/** Letters by which a complete form is looked up, and the minimum of a part. */
const WHOLE = 6;
const PART = 10;
/**
 * Every third window of a form is in the table, so each sufficiently long part contains one of
 * them.
 */
const WINDOW = 8;
const STRIDE = PART - WINDOW + 1;
/** A part counts as a find only for longer ones. */
const MAX_WHOLE = 15;
/** Characters of one step, and how many of them the next step reads again: what a cut splits is found there. */
const STEP = 64 * 1024;
const AGAIN = 4 * 1024;
/** A part without a digit may be a word; one of this length cannot be. */
const WORDS = 20;

/** A share just below 1. */
const HALF = 0.45;

interface Form {
  readonly letters: string;
  readonly chars: number;
  readonly isPlain: boolean;
  /** It cannot be mistaken for a word or a number, so anything may be between its letters. */
  readonly isStrong: boolean;
  readonly secret: string;
}

const isMixed = (letters: string): boolean => /\d/.test(letters) && /\D/.test(letters);

function formsWithFacts(secret: string): readonly Form[] {
  return formsOf(secret)
    .filter(({ letters }) => letters.length >= WHOLE)
    .map((form) => {
      const { length } = form.letters;
      return {
        ...form,
        secret,
        isStrong: length >= WORDS || (length >= 8 && isMixed(form.letters)),
      };
    });
}

const MIX = 0x01_00_01_93;
function hashOf(codes: ArrayLike<number>, at: number, length: number): number {
  let hash = 0;
  for (let index = 0; index < length; index += 1)
    hash = (Math.imul(hash, MIX) + (codes[at + index] ?? 0)) | 0;
  return hash;
}

function codesOf(letters: string): Uint16Array {
  const codes = new Uint16Array(letters.length);
  for (let at = 0; at < codes.length; at += 1) codes[at] = letters.charCodeAt(at);
  return codes;
}

/**
 * The forms that contain a window of letters, and where; a bitmap in front of the table answers
 * nearly always. The entries are numbers in columns: a secret has more than a thousand, all created
 * at the first search, and an object for each would block everything else.
 */
class Table {
  readonly #bits = new Uint8Array(1 << 15);
  /** Maps a hash to its first entry, stored as index + 1; at most half full. */
  #slots = new Int32Array(1 << 8);
  readonly #hashes: number[] = [];
  readonly #forms: Form[] = [];
  readonly #places: number[] = [];
  /** The next entry of the same hash; -1 if there is none. */
  readonly #next: number[] = [];
  readonly #top: number;
  constructor(readonly length: number) {
    let top = 1;
    for (let index = 1; index < length; index += 1) top = Math.imul(top, MIX);
    this.#top = top;
  }
  add(form: Form, codes: Uint16Array, at: number): void {
    const hash = hashOf(codes, at, this.length);
    const slot = this.#slotOf(hash);
    const first = (this.#slots[slot] ?? 0) - 1;
    const entry = this.#hashes.length;
    if (first < 0) {
      const bit = hash >>> 14;
      this.#bits[bit >>> 3] = (this.#bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
      this.#slots[slot] = entry + 1;
    } else {
      // Many forms of one letter are many entries of one window; a few of them suffice to find it.
      let last = first;
      let known = 1;
      for (let next = this.after(last); next >= 0; next = this.after(last)) {
        last = next;
        known += 1;
      }
      if (known >= MAX_OF_ONE) return;
      this.#next[last] = entry;
    }
    this.#hashes.push(hash);
    this.#forms.push(form);
    this.#places.push(at);
    this.#next.push(-1);
    if (entry * 2 >= this.#slots.length) this.#grow();
  }
  get isEmpty(): boolean {
    return this.#hashes.length === 0;
  }
  formOf(entry: number): Form | undefined {
    return this.#forms[entry];
  }
  /** Position of the window in its form. */
  placeOf(entry: number): number {
    return this.#places[entry] ?? 0;
  }
  after(entry: number): number {
    return this.#next[entry] ?? -1;
  }
  /**
   * Every place where an entry may start; `next` returns where to continue, `at + 1` if it is no
   * match.
   */
  scan(view: TextView, next: (firstEntry: number, at: number) => number): void {
    const { codes } = view;
    const last = view.length - this.length;
    let hash = 0;
    let fresh = true;
    for (let at = 0; at <= last;) {
      if (fresh) hash = hashOf(codes, at, this.length);
      const bit = hash >>> 14;
      let to = at + 1;
      if (((this.#bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0) {
        const entry = (this.#slots[this.#slotOf(hash)] ?? 0) - 1;
        if (entry >= 0) to = next(entry, at);
      }
      fresh = to !== at + 1;
      if (!fresh) {
        hash = (hash - Math.imul(codes[at] ?? 0, this.#top)) | 0;
        hash = (Math.imul(hash, MIX) + (codes[at + this.length] ?? 0)) | 0;
      }
      at = to;
    }
  }
  /** The slot that has the entries of this hash, or is free for them. */
  #slotOf(hash: number): number {
    const mask = this.#slots.length - 1;
    // The low bits of such a hash depend only on the last letter, so they are mixed first.
    let slot = (Math.imul(hash, SPREAD) >>> 8) & mask;
    for (let entry = this.#slots[slot] ?? 0; entry > 0; entry = this.#slots[slot] ?? 0) {
      if (this.#hashes[entry - 1] === hash) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }
  #grow(): void {
    const firsts = this.#slots.filter((entry) => entry > 0);
    this.#slots = new Int32Array(this.#slots.length * 4);
    for (const entry of firsts) this.#slots[this.#slotOf(this.#hashes[entry - 1] ?? 0)] = entry;
  }
}

const SPREAD = 0x9e_37_79_b1 | 0;
const MAX_OF_ONE = 4;

/**
 * How far a form extends in both directions from one of its windows; `inForm` counts letters of the
 * form.
 */
function runOf(view: TextView, at: number, letters: string, inForm: number): Span {
  let back = 0;
  while (
    back < inForm &&
    back < at &&
    view.codes[at - back - 1] === letters.charCodeAt(inForm - back - 1)
  )
    back += 1;
  let on = 0;
  while (
    inForm + on < letters.length &&
    at + on < view.length &&
    view.codes[at + on] === letters.charCodeAt(inForm + on)
  )
    on += 1;
  return { from: at - back, to: at + on };
}

/** Code by code: a text full of such places must not allocate a string for each. */
function isMixedBetween({ codes }: TextView, { from, to }: Span): boolean {
  const first = isDigit(codes[from]);
  for (let at = from + 1; at < to; at += 1) if (isDigit(codes[at]) !== first) return true;
  return false;
}
const isDigit = (code = 0): boolean => code >= 0x30 && code <= 0x39;

/** Location of a match in the text; undefined if it is too short to be certain. */
function placeOf(view: TextView, run: Span, form: Form, text: string): Span | undefined {
  const length = run.to - run.from;
  const all = form.letters.length;
  const isWhole = length === all;
  if (!isWhole && length < Math.min(WORDS, Math.max(PART, all * HALF))) {
    if (length < PART || !isMixedBetween(view, run)) return undefined;
  }
  const from = view.starts[run.from] ?? 0;
  const to = view.ends[run.to - 1] ?? 0;
  if (!form.isStrong && !isTight(text, { from, to }, form)) return undefined;
  return isWhole ? widened(text, { from, to }, form) : { from, to };
}

/** A word only counts if only invisible characters are between its letters. */
function isTight(text: string, { from, to }: Span, { chars }: Form): boolean {
  let seen = 0;
  for (let at = from; at < to && seen <= chars; at += 1)
    if (!isUnseen(text.charCodeAt(at))) seen += 1;
  return seen <= chars;
}
const isUnseen = (code: number): boolean =>
  code === 0xad ||
  code === 0xfeff ||
  (code >= 0x200b && code <= 0x200f) ||
  (code >= 0x2028 && code <= 0x202e) ||
  (code >= 0x2060 && code <= 0x2069);

/**
 * Extends the range by the characters at both ends: those of the plain secret, or the last letter
 * of its code.
 */
function widened(text: string, { from, to }: Span, { secret, isPlain }: Form): Span {
  if (isPlain) {
    const first = Math.max(0, from - 64);
    const at = text.slice(first, from + secret.length).indexOf(secret);
    if (at < 0) return { from, to };
    return { from: first + at, to: Math.max(to, first + at + secret.length) };
  }
  const ahead = /[A-Za-z0-9+/_-]{0,2}$/.exec(text.slice(Math.max(0, from - 2), from))?.[0] ?? '';
  const behind = /^[A-Za-z0-9+/_-]{0,2}={0,2}/.exec(text.slice(to, to + 4))?.[0] ?? '';
  return { from: from - ahead.length, to: to + behind.length };
}

/** Starts without any secrets. */
export function createKnownSecrets(): KnownSecrets {
  const learned = new Set<string>();
  /** Learned since the last search: learning is cheap, and forms are built only for a search. */
  let fresh: string[] = [];
  const tables = {
    whole: new Table(WHOLE),
    part: new Table(WINDOW),
    exact: [] as [string, number][],
  };

  function index(): void {
    for (const secret of fresh) {
      if (lettersIn(secret).length < WHOLE)
        for (const form of exactForms(secret)) tables.exact.push([form, secret.length]);
      for (const form of formsWithFacts(secret)) {
        const codes = codesOf(form.letters);
        const { length } = codes;
        if (length <= MAX_WHOLE) tables.whole.add(form, codes, 0);
        else for (let at = 0; at + WINDOW <= length; at += STRIDE) tables.part.add(form, codes, at);
      }
    }
    fresh = [];
  }

  function* spansIn(text: string, leastChars: number): Generator<Span> {
    index();
    for (const [form, chars] of tables.exact) {
      if (chars < leastChars) continue;
      for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length))
        yield { from: at, to: at + form.length };
    }
    const used = [tables.whole, tables.part].filter((table) => !table.isEmpty);
    if (used.length === 0 || text.length < WHOLE) return;
    for (const view of readingsOf(text)) {
      const found: Span[] = [];
      for (const table of used)
        table.scan(view, (firstEntry, at) => {
          for (let entry = firstEntry; entry >= 0; entry = table.after(entry)) {
            const form = table.formOf(entry);
            if (form === undefined || form.secret.length < leastChars) continue;
            const run = runOf(view, at, form.letters, table.placeOf(entry));
            const place = placeOf(view, run, form, text);
            if (place === undefined) continue;
            found.push(place);
            return Math.max(at + 1, run.to);
          }
          return at + 1;
        });
      yield* found;
    }
  }

  return {
    learn(secret) {
      const text = secret.trim();
      if (text.length < SHORTEST || learned.has(text)) return;
      learned.add(text);
      fresh.push(text);
    },
    get size() {
      return learned.size;
    },
    isIn: (text, leastChars) => learned.size > 0 && !spansIn(text, leastChars).next().done,
    hide(text, mask) {
      if (learned.size === 0) return text;
      const spans = [...spansIn(text, 0)];
      return spans.length === 0 ? text : masked(text, spans, { mask, learned });
    },
    *hideInSteps(text, mask) {
      if (learned.size === 0) return text;
      const spans: Span[] = [];
      for (let start = 0; start < text.length; start += STEP - AGAIN) {
        for (const { from, to } of spansIn(text.slice(start, start + STEP), 0))
          spans.push({ from: start + from, to: start + to });
        yield undefined;
      }
      return spans.length === 0 ? text : masked(text, spans, { mask, learned });
    },
  };
}

/**
 * The text with the mask over the ranges; a quote in one of them stays, so that JSON stays JSON.
 */
function masked(
  text: string,
  spans: readonly Span[],
  { mask, learned }: { readonly mask: string; readonly learned: ReadonlySet<string> },
): string {
  const pieces: string[] = [];
  let done = 0;
  for (const span of joined(spans)) {
    const from = Math.max(done, beforeBackslashes(text, span.from));
    const source = text.slice(from, span.to);
    pieces.push(text.slice(done, from), overQuotes(source, mask, learned.has(source)));
    done = span.to;
  }
  return pieces.join('') + text.slice(done);
}

/** Ranges that overlap or touch are merged. */
function joined(spans: readonly Span[]): readonly Span[] {
  const result: { from: number; to: number }[] = [];
  for (const { from, to } of [...spans].sort((one, other) => one.from - other.from)) {
    const last = result.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else result.push({ from, to });
  }
  return result;
}

/** A backslash before the range belongs to its first letter: alone it would escape our mask. */
function beforeBackslashes(text: string, from: number): number {
  let at = from;
  while (at > 0 && text.charCodeAt(at - 1) === 0x5c) at -= 1;
  return (from - at) % 2 === 0 ? from : from - 1;
}

/** Possible separators between two JSON texts. */
const STRUCTURE = /^[\s,:[\]{}\d.+-]*$/;

/** Between two JSON texts, their quotes and separators stay. */
function overQuotes(source: string, mask: string, isSecret: boolean): string {
  if (isSecret || !source.includes('"')) return mask;
  const pieces = source.split(/(?<!\\)((?:\\\\)*")/);
  const isJson = pieces.every((piece, index) => index % 4 !== 2 || STRUCTURE.test(piece));
  return isJson ? pieces.map((piece, index) => (index % 4 === 0 ? mask : piece)).join('') : mask;
}
