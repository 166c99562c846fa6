import { forEachChild, parse as parseShell } from 'unbash';
import type { Script, SyntaxNode, Word } from 'unbash';

/** What a walk over a command line tells. A word is undefined where something is expanded in it. */
interface ShellVisitor {
  command(name: string | undefined, args: readonly (string | undefined)[]): void;
  /** A redirection that writes. */
  writes(target: string | undefined): void;
}

/**
 * Words and signs of a line that is parsed: the parser and what walks over its tree cost by these and
 * not by letters, and who wrote the line must not decide how long the process answers nobody.
 */
export const MOST_MARKS = 10_000;

/** The syntax tree; undefined where the parser has not understood everything, or it would take too long. */
export function parse(command: string): Script | undefined {
  if (hasTooManyMarks(command)) return undefined;
  try {
    const script = parseShell(command);
    if ((script.errors ?? []).length > 0) return undefined;
    return SUBSTITUTION.test(command) && hidesProgram(script) ? undefined : script;
  } catch {
    return undefined;
  }
}

const isLetter = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x61 && code <= 0x7a) ||
  code === 0x5f;

function hasTooManyMarks(command: string): boolean {
  let marks = 0;
  let wasLetter = false;
  for (let at = 0; at < command.length; at += 1) {
    const code = command.charCodeAt(at);
    const isOne = isLetter(code);
    if (!(isOne && wasLetter) && code !== 0x20 && code !== 0x09 && (marks += 1) > MOST_MARKS)
      return true;
    wasLetter = isOne;
  }
  return false;
}

const SUBSTITUTION = /[<>]\(/;
const QUOTED = /\\.|'[^']*'|"(?:[^"\\]|\\.)*"/gs;

/**
 * True where a process substitution is still in the text of a word. Behind a digit, as in
 * `2>(curl x)`, and in front of a second parenthesis the parser takes one for plain text, and the
 * shell runs it.
 */
function hidesProgram(node: SyntaxNode): boolean {
  const isBare = (text: string): boolean => SUBSTITUTION.test(text.replace(QUOTED, ''));
  if (node.type === 'Word' && node.parts === undefined && isBare(node.text)) return true;
  if ((node.type === 'Literal' || node.type === 'Glob') && isBare(node.text)) return true;
  // Inside of double quotes it is text.
  if (node.type === 'DoubleQuoted' && node.parts.every((part) => part.type === 'Literal'))
    return false;
  let isFound = false;
  forEachChild(node, (child) => {
    isFound ||= hidesProgram(child);
  });
  return isFound;
}

/** Visits every simple command, also those inside substitutions, loops and functions. */
export function walk(node: SyntaxNode, visitor: ShellVisitor): void {
  if (node.type === 'Command') {
    const args = node.args.map((arg) => (arg.type === 'Word' ? knownText(arg) : undefined));
    if (node.name !== undefined) visitor.command(knownText(node.name), args);
  }
  if (node.type === 'Redirect' && node.operator !== '<' && node.operator !== '<&') {
    const isCopy = node.operator === '>&' && /^(\d+|-)$/.test(node.target?.value ?? '');
    if (!isCopy) visitor.writes(node.target === undefined ? undefined : knownText(node.target));
  }
  forEachChild(node, (child) => {
    walk(child, visitor);
  });
}

/** The value of a word that is known before it runs. */
function knownText(word: Word): string | undefined {
  const isKnown = (word.parts ?? []).every(
    (part) =>
      part.type === 'Literal' ||
      part.type === 'SingleQuoted' ||
      part.type === 'AnsiCQuoted' ||
      part.type === 'Glob' ||
      (part.type === 'DoubleQuoted' && part.parts.every((inner) => inner.type === 'Literal')),
  );
  return isKnown ? word.value : undefined;
}
