/**
 * JSON with line numbers: for a hand-edited settings file, "line 14" and a sentence are better than
 * "Unexpected token in position 312". Accepts exactly JSON (a test compares it with JSON.parse),
 * except that names with a meaning for JavaScript objects are rejected (T5).
 */
type ParsedJson =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Line of the member at this path of names; 1-based. */
      readonly lineOf: (path: readonly string[]) => number | undefined;
    }
  | { readonly ok: false; readonly line: number; readonly reason: string };

const MAX_DEPTH = 32;
/** Names with a special meaning in JavaScript; rejecting them is safer than handling them. */
const FORBIDDEN_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

class Refusal extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

const keyOf = (path: readonly string[]): string => JSON.stringify(path);

/** Parses a whole text. Never throws; never puts more than one character of the text in a reason. */
export function parseJson(text: string): ParsedJson {
  const lines = new Map<string, number>();
  let at = 0;
  let line = 1;
  let counted = 0;

  /** Offsets increase during parsing, so counting continues where it stopped. */
  function lineAt(offset: number): number {
    for (; counted < offset; counted += 1) if (text[counted] === '\n') line += 1;
    return line;
  }

  function refuse(message: string, offset = at): never {
    throw new Refusal(offset, message);
  }

  function skipSpace(): void {
    while (' \t\n\r'.includes(text[at] ?? 'x')) at += 1;
  }

  function refuseChar(expected: string): never {
    const char = text[at];
    if (char === undefined) return refuse(`the file ends in the middle; ${expected} is missing`);
    if (char === '/' || char === '#')
      return refuse('comments are not allowed in JSON; remove this one');
    if (char === "'") return refuse('put text in double quotes, not in single quotes');
    const shown = /[\x21-\x7e]/.test(char) ? `"${char}"` : 'an invisible character';
    return refuse(`${shown} found, but ${expected} is expected`);
  }

  function string(): string {
    const start = at;
    at += 1;
    for (;;) {
      const char = text[at];
      if (char === undefined || char === '\n')
        return refuse('a string has no closing double quote', start);
      if (char < ' ')
        return refuse('a string contains a control character; write it as \\n, \\t or \\u…');
      if (char === '"') break;
      at += char === '\\' ? 2 : 1;
    }
    at += 1;
    try {
      return JSON.parse(text.slice(start, at)) as string;
    } catch {
      return refuse('a string contains an invalid backslash; write \\\\ for one backslash', start);
    }
  }

  function number(): number {
    const found = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    found.lastIndex = at;
    const token = found.exec(text)?.[0];
    if (token === undefined) return refuseChar('a value');
    at += token.length;
    if (/[\w.+-]/.test(text[at] ?? '')) return refuse('this is not a number as JSON writes it');
    return Number(token);
  }

  function word(token: string, meaning: boolean | null): boolean | null {
    if (!text.startsWith(token, at) || /\w/.test(text[at + token.length] ?? ''))
      return refuseChar('a value');
    at += token.length;
    return meaning;
  }

  function object(path: readonly string[], depth: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    at += 1;
    skipSpace();
    if (text[at] === '}') {
      at += 1;
      return result;
    }
    for (;;) {
      skipSpace();
      if (text[at] !== '"') return refuseChar('a name in double quotes');
      const start = at;
      const name = string();
      if (FORBIDDEN_NAMES.has(name)) return refuse(`"${name}" cannot be a name here`, start);
      if (Object.hasOwn(result, name))
        return refuse('the same name is used twice in one object', start);
      const member = [...path, name];
      lines.set(keyOf(member), lineAt(start));
      skipSpace();
      if (text[at] !== ':') return refuseChar('a colon');
      at += 1;
      result[name] = value(member, depth + 1);
      skipSpace();
      const comma = at;
      if (text[at] === '}') break;
      if (text[at] !== ',') return refuseChar('a comma or "}"');
      at += 1;
      skipSpace();
      if (text[at] === '}') return refuse('remove the comma before "}"', comma);
    }
    at += 1;
    return result;
  }

  function array(path: readonly string[], depth: number): unknown[] {
    const result: unknown[] = [];
    at += 1;
    skipSpace();
    if (text[at] === ']') {
      at += 1;
      return result;
    }
    for (;;) {
      skipSpace();
      result.push(value(path, depth + 1));
      skipSpace();
      const comma = at;
      if (text[at] === ']') break;
      if (text[at] !== ',') return refuseChar('a comma or "]"');
      at += 1;
      skipSpace();
      if (text[at] === ']') return refuse('remove the comma before "]"', comma);
    }
    at += 1;
    return result;
  }

  function value(path: readonly string[], depth: number): unknown {
    if (depth > MAX_DEPTH) return refuse('it is nested too deeply');
    skipSpace();
    switch (text[at]) {
      case '{':
        return object(path, depth);
      case '[':
        return array(path, depth);
      case '"':
        return string();
      case 't':
        return word('true', true);
      case 'f':
        return word('false', false);
      case 'n':
        return word('null', null);
      default:
        return number();
    }
  }

  try {
    if (text.trim() === '') return { ok: false, line: 1, reason: 'the file is empty' };
    const root = value([], 0);
    skipSpace();
    if (at < text.length) refuseChar('the end of the file');
    return { ok: true, value: root, lineOf: (path) => lines.get(keyOf(path)) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const before = text.slice(0, error.offset);
    return { ok: false, line: before.split('\n').length, reason: error.message };
  }
}
