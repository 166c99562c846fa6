/** The values of a command line's arguments before it runs. */
import type { Command, Word } from 'unbash';
import { parse } from './shell-walk';

/** Undefined if the argument contains an expansion. */
export type Text = string | undefined;

/** Maximum number of arguments that a brace expansion yields; more are not checked one by one. */
const MAX_FIELDS = 64;
const MAX_BRACED_CHARS = 200;

/**
 * `$'...'` with escapes that every shell reads the same way, and that a plain sh ends at the same
 * place.
 */
export const PLAIN_ANSI_C = /^\$'([^\\']|\\[nt\\])*'$/;

/** An argument's value if known before the run. Patterns are unknown: files decide the result. */
export function textOf(word: Word): Text {
  const isKnown = (word.parts ?? []).every(
    (part) =>
      part.type === 'Literal' ||
      part.type === 'SingleQuoted' ||
      (part.type === 'AnsiCQuoted' && PLAIN_ANSI_C.test(part.text)) ||
      (part.type === 'DoubleQuoted' && part.parts.every((inner) => inner.type === 'Literal')),
  );
  return isKnown ? word.value : undefined;
}

/** A command's arguments as the program receives them, name first, with braces expanded. */
export function fieldsOf({ name, args }: Pick<Command, 'name' | 'args'>): readonly Text[] {
  const fields: Text[] = [];
  const add = (word: Word): void => {
    const isBraced = (word.parts ?? []).some((part) => part.type === 'BraceExpansion');
    if (isBraced && fields.length < MAX_FIELDS) fields.push(...branchesOf(word));
    else fields.push(textOf(word));
  };
  if (name !== undefined) add(name);
  for (const arg of args) {
    if (arg.type === 'Word') add(arg);
    else
      fields.push(
        arg.value.type === 'Word' && textOf(arg.value) !== undefined ? arg.text : undefined,
      );
  }
  return fields;
}

function branchesOf(word: Word): readonly Text[] {
  const branches =
    word.text.length > MAX_BRACED_CHARS ? undefined : expandBraces(word.text, MAX_FIELDS);
  if (branches === undefined) return [undefined];
  return branches.map((branch) => {
    const command = parse(`: ${branch}`)?.commands[0]?.command;
    if (command?.type !== 'Command' || command.args.length !== 1) return undefined;
    const [only] = command.args;
    return only?.type === 'Word' ? textOf(only) : undefined;
  });
}

/** `a{b,c}d` as `abd`, `acd`; undefined above `limit` results or if not closed. */
export function expandBraces(text: string, limit: number): readonly string[] | undefined {
  const cut = firstBraces(text);
  if (cut === undefined) return [text];
  const { start, end, choices } = cut;
  const all: string[] = [];
  for (const choice of choices) {
    const inner = expandBraces(text.slice(0, start) + choice + text.slice(end), limit - all.length);
    if (inner === undefined || all.length + inner.length > limit) return undefined;
    all.push(...inner);
  }
  return all;
}

interface Braces {
  readonly start: number;
  readonly end: number;
  readonly choices: readonly string[];
}

/** The first unquoted braces that contain a comma. */
function firstBraces(text: string): Braces | undefined {
  const bare = withoutQuoted(text);
  for (let start = bare.indexOf('{'); start >= 0; start = bare.indexOf('{', start + 1)) {
    const commas: number[] = [];
    let depth = 0;
    for (let at = start; at < bare.length; at += 1) {
      if (bare[at] === '{') depth += 1;
      else if (bare[at] === '}') depth -= 1;
      else if (bare[at] === ',' && depth === 1) commas.push(at);
      if (depth > 0) continue;
      if (commas.length === 0) break;
      const cuts = [start, ...commas, at];
      const choices = cuts.slice(1).map((cut, index) => text.slice((cuts[index] ?? 0) + 1, cut));
      return { start, end: at + 1, choices };
    }
  }
  return undefined;
}

/** The same text with a blank for each quoted character. */
function withoutQuoted(text: string): string {
  return text.replace(/\\.|'[^']*'|"(?:[^"\\]|\\.)*"/gs, (quoted) => ' '.repeat(quoted.length));
}

/** A shell pattern for one path; a set of characters counts as any character. */
export function pathPattern(text: string, flags = ''): RegExp {
  const source = text
    .replace(/\[[^\]]+\]/g, '?')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('?', '[^/]')
    .replace(/\*+/g, '[^/]*');
  return new RegExp(`^(?:${source})$`, flags);
}
