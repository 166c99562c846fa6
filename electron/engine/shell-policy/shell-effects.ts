/**
 * Whether a shell command is known to only read. Implements the list entry `shell:effects`: a
 * command counts as an effect unless every simple command in it is listed below and nothing around
 * it can write, run or connect. Errs on the safe side: a command that cannot be parsed, is not
 * listed, or depends on a variable that could matter has effects.
 */
import { forEachChild } from 'unbash';
import type {
  Assignment,
  Command,
  CommandArgument,
  HereDoc,
  Redirection,
  SyntaxNode,
  Word,
  WordPart,
} from 'unbash';
import { mayOpenDevice } from './device-paths';
import { checkedProgram, isVersionCall, opensListed, PLAIN } from './read-only-programs';
import { parse, withoutContinuations } from './shell-walk';

/** Characters that a shell and the parser may read differently: control characters, odd blanks. */
const ODD_CHARACTER =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]/;

/**
 * After `$$` bash searches for the end of `${` and `$(` without expanding them: quotes shift there.
 */
const ODD_DOLLARS = /\$\$[^\s;|&]/;

/** Longer commands are not analyzed: they count as effects. */
const MAX_COMMAND_CHARS = 20_000;

/** Environment prefixes that change the display, not the action or the source. */
const HARMLESS_PREFIX =
  /^(LC_(ALL|COLLATE|CTYPE|MESSAGES|NUMERIC|TIME)|LANG|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS)$/;
/** Not a path: a locale or time zone given by its path would be read from there. */
const HARMLESS_VALUE = /^(?![/.])[A-Za-z0-9_.:@+-]*(\/[A-Za-z][A-Za-z0-9_+-]*)?$/;

/**
 * A shell variable without a meaning to any program or shell; `path` is where zsh searches
 * programs.
 */
const PLAIN_VARIABLE =
  /^(?!(?:c?d?path|[fm](?:an|ail)?path|module_path|fignore|[a-z_]*prompt[a-z_]*|histchars|auto_resume|argv|status|pipestatus|psvar|signals|watch|zsh_.*|npm_.*|[a-z]+_proxy)$)[a-z][a-z0-9_]*$/;

/**
 * Expansions that only read a value: a name, its length, a default, or a part removed by a pattern
 * of plain characters. No quotes inside: their meaning depends on the context.
 */
const PLAIN_EXPANSION = [
  /^\$(\w+|[?#@*$!-])$/,
  /^\$\{(#?\w+|[?#@*])\}$/,
  /^\$\{\w+(:?[-+]|%%?|##?)[\w.,:/*?@ -]*\}$/,
  /^\$\{\w+\/\/?[\w.,:@ -]+(\/[\w.,:@ -]*)?\}$/,
  /^\$\{\w+:\d+(:\d+)?\}$/,
];

/** Only numbers: a variable in arithmetic is evaluated again, and that can run a command. */
const PLAIN_ARITHMETIC = /^\$\(\([\d\s+*/%()<>!&|^~?:-]*\)\)$/;

/**
 * `$'...'` with escapes that every bash reads the same way, and that a plain sh ends at the same
 * place.
 */
const PLAIN_ANSI_C = /^\$'([^\\']|\\[nt\\])*'$/;

/** Longer here-documents go through a file that the shell creates and removes. */
const MAX_HERE_DOC_CHARS = 4_000;

/**
 * True unless `command` is known to be read-only. Pure; never throws; an empty command has no
 * effects. Source: S0-13, S4-32.
 */
export function hasShellEffects(command: string): boolean {
  if (command.length > MAX_COMMAND_CHARS || ODD_CHARACTER.test(command)) return true;
  const line = withoutContinuations(command);
  if (line === undefined || ODD_DOLLARS.test(line)) return true;
  try {
    if (!hasPlainHereDocs(line)) return true;
    const script = parse(line);
    return script === undefined || !isReadOnly(script) || mayOpenDevice(script);
  } catch {
    // The parser gave up, so the command counts as having effects.
    return true;
  }
}

/** Nodes without effects of their own: they only read if everything inside them only reads. */
const PLAIN_NODES: ReadonlySet<SyntaxNode['type']> = new Set([
  'AndOr',
  'Time',
  'Negation',
  'If',
  'Elif',
  'While',
  'Subshell',
  'BraceGroup',
  'CompoundList',
  'Case',
  'CaseItem',
  'Word',
  'Literal',
  'Glob',
  'SingleQuoted',
  'DoubleQuoted',
  'BraceExpansion',
  'FileDescriptor',
  'Redirected',
] as const);

function everyChild(node: SyntaxNode): boolean {
  let isFine = true;
  forEachChild(node, (child) => {
    isFine &&= isReadOnly(child);
  });
  return isFine;
}

function isReadOnly(node: SyntaxNode): boolean {
  if ((node.type === 'Word' || node.type === 'DoubleQuoted') && hasSubscript(node.parts))
    return false;
  if (PLAIN_NODES.has(node.type)) return everyChild(node);
  switch (node.type) {
    case 'Script':
      return (node.errors ?? []).length === 0 && everyChild(node);
    case 'Statement':
      // A background command outlives the call.
      return node.background !== true && everyChild(node);
    case 'Pipeline':
      // A shell does not wait for a pipe that ends in a command without a program: the other parts
      // keep running.
      return node.commands.every((one) => !isNullCommand(one)) && everyChild(node);
    case 'AnsiCQuoted':
      return PLAIN_ANSI_C.test(node.text);
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      return PLAIN_EXPANSION.some((plain) => plain.test(node.text));
    case 'CommandExpansion':
      // A backslash in backquotes has different meanings inside and outside double quotes.
      if (node.script === undefined || /^`.*\\/s.test(node.text)) return false;
      return everyChild(node);
    case 'ArithmeticExpansion':
      return PLAIN_ARITHMETIC.test(node.text);
    case 'For':
      return PLAIN_VARIABLE.test(node.name.value) && everyChild(node);
    case 'Assignment':
      return isPlainAssignment(node);
    case 'Redirect':
    case 'HereString':
    case 'HereDoc':
      return isReadOnlyRedirection(node);
    case 'Command':
      return isReadOnlyCommand(node);
    default:
      // Functions, coproc, select, process substitution, [[ ]], (( )) and future syntax.
      return false;
  }
}

/** `$name[...]`: in zsh a subscript, which is computed and can run a command. */
const hasSubscript = (parts: readonly WordPart[] | undefined): boolean =>
  parts?.some(
    (part, at) => part.type === 'SimpleExpansion' && parts[at + 1]?.text.startsWith('[') === true,
  ) === true;

/** `name=value` for a variable without a special meaning. */
function isPlainAssignment(assignment: Assignment): boolean {
  if (!PLAIN_VARIABLE.test(assignment.name) || assignment.index !== undefined) return false;
  return assignment.value.type === 'Word' && isReadOnly(assignment.value);
}

/** `LC_ALL=C` before a program. */
function isHarmlessPrefix({ name, index, value }: Assignment): boolean {
  if (!HARMLESS_PREFIX.test(name) || index !== undefined || value.type !== 'Word') return false;
  return isKnown(value) && HARMLESS_VALUE.test(value.value);
}

/** True if the argument's value is known: it contains no expansion. */
function isKnown(word: Word): boolean {
  const mayBranch = branching(word);
  return (word.parts ?? []).every(
    (part) =>
      (part.type === 'Literal' && !mayBranch(part.text)) ||
      part.type === 'SingleQuoted' ||
      (part.type === 'AnsiCQuoted' && PLAIN_ANSI_C.test(part.text)) ||
      (part.type === 'DoubleQuoted' && part.parts.every((inner) => inner.type === 'Literal')),
  );
}

/** An unquoted brace makes several arguments of one, however the parser reads it. */
function branching(word: Word): (text: string) => boolean {
  // Computed once per argument: it may be as long as the line, with a part for each brace.
  let isSeveral: boolean | undefined;
  return (text) => text.includes('{') && (isSeveral ??= /,|\.\./.test(word.text));
}

/** Known, or a pattern that cannot expand to an option because of how it starts. */
function isKnownArgument(word: Word): boolean {
  if (isKnown(word)) return true;
  const parts = word.parts ?? [];
  const mayBranch = branching(word);
  if (parts[0]?.type !== 'Literal' || word.value.startsWith('-')) return false;
  return parts.every(
    (part) =>
      part.type === 'Glob' ||
      part.type === 'SingleQuoted' ||
      (part.type === 'Literal' && !mayBranch(part.text)),
  );
}

function isReadOnlyRedirection(redirection: Redirection): boolean {
  if (redirection.descriptor?.type === 'FileDescriptorVariable') return false;
  // The body was already checked as text, before anything was parsed.
  if (redirection.type === 'HereDoc') return isPlainHereDoc(redirection);
  const target = redirection.target;
  if (target === undefined) return false;
  if (redirection.type === 'HereString') return isReadOnly(target);
  if (!isKnown(target)) return false;
  switch (redirection.operator) {
    case '<':
      return true;
    case '<&':
    case '>&':
      return /^(\d+|\d*-)$/.test(target.value) || target.value === '/dev/null';
    case '<>':
      return false;
    case '&>':
    case '&>>':
      // A plain sh treats the `&` as the end of a background command.
      return false;
    default:
      return /^\/dev\/(null|stdout|stderr)$/.test(target.value);
  }
}

const isNullCommand = (node: SyntaxNode): boolean =>
  node.type === 'Command' && node.name === undefined;

function isReadOnlyCommand(command: Command): boolean {
  const isPlainPart = command.name === undefined ? isPlainAssignment : isHarmlessPrefix;
  for (const part of command.prefix) {
    const isFine = part.type === 'Assignment' ? isPlainPart(part) : isReadOnlyRedirection(part);
    if (!isFine) return false;
  }
  if (!command.redirects.every(isReadOnlyRedirection)) return false;
  if (command.name === undefined) return true;
  if (!isKnown(command.name)) return false;
  const isFine = (arg: CommandArgument): boolean => arg.type === 'Word' && isReadOnly(arg);
  if (!command.args.every(isFine)) return false;

  // A path counts as the listed program only in the system's program folders.
  const name = command.name.value.replace(/^\/(usr\/)?bin\//, '');
  if (COUNTED.has(name) && !command.args.every(isCount)) return false;
  const words = command.args.filter((arg): arg is Word => arg.type === 'Word');
  const args = words.map((word) => word.value);
  if (PLAIN.has(name)) return !opensListed(name, args);

  if (words.every(isKnown) && isVersionCall(name, args)) return true;
  const program = checkedProgram(name);
  if (program === undefined || !program.isReadOnly(args)) return false;
  switch (name) {
    case 'test':
    case '[':
      return words.every(
        (word, index) =>
          (isKnown(word) || isQuotedOperand(word, words[index + 1])) &&
          (!/^-[tv]$/.test(words[index - 1]?.value ?? '') || isCount(word)),
      );
    case 'printf':
      return words.slice(0, 1).every(isKnown) && hasCounts(args[0] ?? '', words.slice(1));
    default:
      return words.every(program.takes === 'pattern' ? isKnownArgument : isKnown);
  }
}

/** zsh evaluates their arguments, and a name in it can run a command. */
const COUNTED: ReadonlySet<string> = new Set(['exit', 'break', 'continue']);
const DIRECTIVE = /%%|%([^%A-Za-z]*)([A-Za-z])/g;

/**
 * True if every word for a number in the `printf` format is a number; the format repeats while
 * words are left.
 */
function hasCounts(format: string, words: readonly Word[]): boolean {
  const isNumber = [...format.matchAll(DIRECTIVE)].flatMap(([, flags = '', letter]) =>
    letter === undefined
      ? []
      : [
          ...Array.from({ length: flags.split('*').length - 1 }, () => true),
          /[diouxXeEfFgGaA]/.test(letter),
        ],
  );
  return words.every((word, at) => isNumber[at % isNumber.length] !== true || isCount(word));
}

/** A literal number, or the exit status of the previous command. */
const isCount = (word: CommandArgument): boolean =>
  word.type === 'Word' &&
  ((isKnown(word) && /^[-+]?(\d[\w.]*)?$/.test(word.value)) || /^(\$\?|"\$\?")$/.test(word.text));

/** One value, whatever it contains; if it turns out to be an operator, its operand is known. */
function isQuotedOperand(word: Word, next: Word | undefined): boolean {
  const isOneValue = word.parts?.length === 1 && word.parts[0]?.type === 'DoubleQuoted';
  // If it is `-t`, zsh evaluates the next argument.
  const isFollowed = next === undefined || (isKnown(next) && !/^[A-Za-z_]/.test(next.value));
  return isOneValue && !word.value.includes('@') && isFollowed;
}

const HERE_DOC_NAME = /^(?:([A-Za-z_]\w*)|'([A-Za-z_]\w*)'|"([A-Za-z_]\w*)")$/;

function isPlainHereDoc({ operator, delimiter, body, closing }: HereDoc): boolean {
  if (operator !== '<<' || delimiter === undefined || closing === undefined) return false;
  if (!HERE_DOC_NAME.test(delimiter.text)) return false;
  if (body.text.length > MAX_HERE_DOC_CHARS) return false;
  return delimiter.quoted || isPlainBody(body.text);
}

/** Simple variables and text. In a body, quotes are ordinary characters. */
const isPlainBody = (body: string): boolean =>
  !/\$\w+\[/.test(body) && !/[$`\\]/.test(body.replace(/\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})/g, ''));

/**
 * At most one here-document, and only in the line itself: in substitutions, shells read them
 * differently.
 */
function hasPlainHereDocs(command: string): boolean {
  if (!command.includes('<<')) return true;
  const starts = command.match(/<<+/g) ?? [];
  const documents = starts.filter((one) => one !== '<<<');
  if (documents.length === 0) return true;
  return documents.length === 1 && starts.length === 1 && !/[$<>]\(|`/.test(command);
}
