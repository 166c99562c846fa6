import { forEachChild, parse as parseShell } from 'unbash';
import type { Script, SyntaxNode, Word } from 'unbash';

/** Callbacks of a walk over a command line. An argument with an expansion is undefined. */
interface ShellVisitor {
  command(name: string | undefined, args: readonly (string | undefined)[]): void;
  /** A redirection that writes. */
  writes(target: string | undefined): void;
}

/**
 * Maximum number of arguments and operators to parse: parser and walk cost grow with these, not
 * with characters, and the author of a line must not be able to block the process.
 */
export const MAX_MARKS = 10_000;

/**
 * The syntax tree of a line as {@link withoutContinuations} gives it; undefined if the parser did not understand everything or would take too long.
 */
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

/** `\` at the end of a line, if it is not itself escaped. */
const CONTINUED = /\\\n(?<=(?:^|[^\\])(?:\\\\)*\\\n)/g;
/** The same within a word or operator: no blanks around it, or a comment after it. */
const JOINS = /(?<=[^ \t\n])\\\n(?=[^ \t\n])|\\\n(?=#)/;
/** Text that may contain places where a shell keeps it. */
const MAY_KEEP = /['`#]|<</;

/**
 * A shell removes `\` and the following line end before it reads: `$\`, `{x:=y}` on the next line
 * is an expansion, `>\`, `>f` one operator. The parser reads the halves separately. Undefined if it
 * is unclear which of them a shell removes.
 */
export function withoutContinuations(command: string): string | undefined {
  if (!command.includes('\\\n')) return command;
  if (!MAY_KEEP.test(command)) return command.replace(CONTINUED, '');
  return JOINS.test(command) ? undefined : command;
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
    if (!(isOne && wasLetter) && code !== 0x20 && code !== 0x09 && (marks += 1) > MAX_MARKS)
      return true;
    wasLetter = isOne;
  }
  return false;
}

const SUBSTITUTION = /[<>]\(/;
const QUOTED = /\\.|'[^']*'|"(?:[^"\\]|\\.)*"/gs;

/**
 * True if an argument's text still contains a process substitution. After a digit, as in `2>(curl
 * x)`, and before a second parenthesis the parser reads it as plain text, but the shell runs it.
 */
function hidesProgram(node: SyntaxNode): boolean {
  const isBare = (text: string): boolean => SUBSTITUTION.test(text.replace(QUOTED, ''));
  if (node.type === 'Word' && node.parts === undefined && isBare(node.text)) return true;
  if ((node.type === 'Literal' || node.type === 'Glob') && isBare(node.text)) return true;
  // Within double quotes it is text.
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

/** An argument's value if known before the run. */
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
