/**
 * The input of a call as labeled fields, exact to the character. Input arrives as JSON text with
 * hidden characters written as `\u{code}`, which is not valid in JSON, so it can be parsed back
 * unambiguously. Input that does not fit into fields is shown as JSON. Pure.
 */
import { commandWarnings } from '../../shared/questions/command-warnings';
import { shellLine } from '../../shared/questions/shell-line';
import { t } from '../../shared/messages';
import type { MessageKey } from '../../shared/messages';
import { jsonEscape, unseenEscaped } from '../../shared/unseen';

/** Exact input from the engine: JSON text, escaped for display, at most 4,000 characters. */
export interface ExactInputText {
  readonly args: string;
  readonly isTruncated: boolean;
}

interface InputField {
  /** The name as written in the input. */
  readonly key: string;
  /** A readable label for a common name, or the name itself. */
  readonly label: string;
  readonly value: FieldValue;
}

export type FieldValue =
  /** A text. `isLong`: shown below its label, at full width. */
  | { readonly kind: 'text'; readonly text: string; readonly isLong: boolean }
  /** A command for a shell. */
  | { readonly kind: 'command'; readonly text: string }
  /** Not a text, or a text that does not look like one (`"3"`, `""`): shown as JSON. */
  | { readonly kind: 'json'; readonly text: string; readonly isLong: boolean };

type InputShape =
  | { readonly kind: 'fields'; readonly fields: readonly InputField[]; readonly json: string }
  | { readonly kind: 'json'; readonly json: string }
  /** The input is unknown. */
  | { readonly kind: 'missing' };

const MAX_FIELDS = 40;
const LONG_FROM = 90;

const LABELS = {
  to: 'input.to',
  cc: 'input.cc',
  bcc: 'input.bcc',
  from: 'input.from',
  subject: 'input.subject',
  body: 'input.body',
  text: 'input.text',
  message: 'input.message',
  command: 'input.command',
  path: 'input.path',
  content: 'input.content',
  url: 'input.url',
  query: 'input.query',
  timeout: 'input.timeout',
} as const satisfies Record<string, MessageKey>;

/**
 * Splits an input into fields, or leaves it as JSON if it is truncated, has a nested value at the
 * top level, or is not an object.
 */
export function inputShape({ args, isTruncated }: ExactInputText): InputShape {
  if (args === '') return { kind: 'missing' };
  const json = plainJson(args);
  if (isTruncated) return { kind: 'json', json };
  const value = parsed(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { kind: 'json', json };
  const entries = Object.entries(value);
  if (entries.length > MAX_FIELDS) return { kind: 'json', json };
  return {
    kind: 'fields',
    json,
    fields: entries.map(([key, one]) => ({
      key,
      label: labelOf(key),
      value: fieldValue(key, one),
    })),
  };
}

const labelOf = (key: string): string =>
  Object.hasOwn(LABELS, key) ? t(LABELS[key as keyof typeof LABELS]) : key;

function fieldValue(key: string, value: unknown): FieldValue {
  // An array of words is joined into the command; the exact array is in the JSON.
  const line = /^(?:command|cmd)$/.test(key) && Array.isArray(value) ? shellLine(value) : undefined;
  if (line !== undefined) return { kind: 'command', text: line };
  if (typeof value !== 'string' || looksLikeJson(value)) {
    const text = unseenEscaped(JSON.stringify(value, null, 1));
    return { kind: 'json', text, isLong: isLong(text) };
  }
  if (key === 'command' || key === 'cmd') return { kind: 'command', text: value };
  return { kind: 'text', text: value, isLong: isLong(value) };
}

const isLong = (text: string): boolean => text.length > LONG_FROM || text.includes('\n');

/** A text that could be mistaken for a number, a boolean, or nothing keeps its quotes. */
const looksLikeJson = (text: string): boolean =>
  text.trim() === '' ||
  /^\s*["[{]/.test(text) ||
  /^(true|false|null|[-+\d.][\d.eE+-]*)$/.test(text);

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Not JSON: shown as plain text.
    return undefined;
  }
}

/**
 * Converts the engine's escape of a hidden character to a JSON escape: still visible, and valid
 * JSON again.
 */
export function plainJson(shown: string): string {
  return shown.replace(/(\\+)u\{([0-9a-f]{1,6})\}/g, (whole, slashes: string, code: string) =>
    // After an even number of backslashes, the last one is literal.
    slashes.length % 2 === 0
      ? whole
      : `${slashes.slice(1)}${jsonEscape(String.fromCodePoint(Number.parseInt(code, 16)))}`,
  );
}

/** A piece of a text: as it is, or blanks that would not be seen: their marks, one a character. */
type BlankPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'blank'; readonly text: string; readonly marks: string };

// Tabs; spaces of other widths; runs of spaces; a space at the start or end of a line.
const BLANKS = /[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+| {2,}|^ | $/gm;

/** Marks blanks that a reader could miss; single spaces between words are unchanged. */
export function blankPieces(text: string): readonly BlankPiece[] {
  const pieces: BlankPiece[] = [];
  let last = 0;
  for (const match of text.matchAll(BLANKS)) {
    if (match.index > last) pieces.push({ kind: 'text', text: text.slice(last, match.index) });
    const blanks = match[0];
    pieces.push({
      kind: 'blank',
      text: blanks,
      marks: Array.from(blanks, (one) => (one === ' ' ? '·' : one === '\t' ? '→' : '°')).join(''),
    });
    last = match.index + blanks.length;
  }
  if (last < text.length) pieces.push({ kind: 'text', text: text.slice(last) });
  return pieces;
}

/** A command split around the parts that need attention. */
export function commandPieces(
  command: string,
): readonly { readonly text: string; readonly isWarning: boolean }[] {
  const pieces: { text: string; isWarning: boolean }[] = [];
  let at = 0;
  for (const { start, end } of commandWarnings(command)) {
    pieces.push({ text: command.slice(at, start), isWarning: false });
    pieces.push({ text: command.slice(start, end), isWarning: true });
    at = end;
  }
  pieces.push({ text: command.slice(at), isWarning: false });
  return pieces.filter(({ text }) => text !== '');
}
