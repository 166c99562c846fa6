/**
 * Tells whether a shell command is known to only read. Behind the list entry `shell:effects`:
 * a command counts unless every simple command in it stands on the list below and nothing around it
 * can write, run or connect. The answer errs to one side only: what cannot be parsed, is not on the
 * list, or depends on a variable where that could matter, has effects.
 */
import { forEachChild, parse } from 'unbash';
import type { Assignment, Command, Redirection, SyntaxNode, Word } from 'unbash';

/** Longer commands are not looked into: they count. */
const MAX_COMMAND_CHARS = 20_000;

/** Read-only with any argument at all, also one that comes out of a variable. */
const PLAIN = new Set(
  (
    'ls cat head tail grep egrep fgrep pwd echo wc stat which whereis type true false : basename ' +
    'dirname realpath readlink du df cut tr nl tac rev paste comm join diff cmp cksum md5sum ' +
    'sha1sum sha224sum sha256sum sha384sum sha512sum uname arch whoami id groups printenv ps ' +
    'pgrep uptime nproc free lsblk lscpu jq od hexdump strings column seq expr fold fmt expand ' +
    'unexpand cd sleep exit break continue tty locale getconf'
  ).split(' '),
);

/** Programs that are only asked for their version. */
const VERSIONED = new Set(
  (
    'node npm npx pnpm yarn bun deno python python2 python3 pip pip3 ruby gem perl php java javac ' +
    'go rustc cargo gcc g++ clang make cmake docker podman kubectl bash sh zsh git gh tsc curl ' +
    'wget sqlite3 psql mysql rg fd tar ffmpeg'
  ).split(' '),
);

/** Short version options that end the program at once; `-v` of a shell would go on and read commands. */
const SHORT_VERSION: Readonly<Record<string, string>> = {
  node: '-v',
  npm: '-v',
  npx: '-v',
  pnpm: '-v',
  yarn: '-v',
  perl: '-v',
  php: '-v',
  tsc: '-v',
  java: '-version',
  javac: '-version',
  python: '-V',
  python3: '-V',
  pip: '-V',
  pip3: '-V',
  curl: '-V',
};

/** Environment prefixes that change how something looks, not what it does. */
const HARMLESS_PREFIX =
  /^(LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|COLUMNS|[a-z_][a-z0-9_]*)$/;

/** A shell variable that no program and no shell gives a meaning to. */
const PLAIN_VARIABLE = /^[a-z_][a-z0-9_]*$/;

/** Prints, deletes from the output or stops; everything else in sed can write or run. */
const PLAIN_SED = /^(\d+|\$)?(,(\d+|\$|\+\d+))?!?[pdq=]$/;

/** True where `arg` is the long option `option`, also abbreviated or with a value. */
function isLong(arg: string, option: string): boolean {
  const name = arg.split('=', 1)[0] ?? arg;
  return (
    name.length >= 3 &&
    name.startsWith('--') &&
    (option.startsWith(name) || name.startsWith(option))
  );
}

/** True where `arg` is a cluster of short options that contains one of `letters`. */
function hasShort(arg: string, letters: string): boolean {
  return /^-[^-]/.test(arg) && Array.from(letters).some((letter) => arg.includes(letter, 1));
}

const operandsOf = (args: readonly string[]): readonly string[] =>
  args.filter((arg) => !arg.startsWith('-') || arg === '-');

/** Read-only for these arguments. Every argument is known text, none comes out of a variable. */
const CHECKED: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  env: (args) => args.length === 0,
  hostname: (args) => args.length === 0,
  command: (args) => args[0] === '-v' || args[0] === '-V',
  printf: (args) => !args[0]?.startsWith('-v'),
  // -v and -R evaluate the subscript of a name, and that can run a command.
  test: (args) => !args.some((arg) => arg === '-v' || arg === '-R' || arg.includes('[')),
  '[': (args) => !args.some((arg) => arg === '-v' || arg === '-R' || arg.includes('[')),
  file: (args) => !args.some((arg) => isLong(arg, '--compile') || hasShort(arg, 'C')),
  tree: (args) => !args.some((arg) => hasShort(arg, 'oR')),
  sort: (args) =>
    !args.some(
      (arg) => isLong(arg, '--output') || isLong(arg, '--compress-program') || hasShort(arg, 'o'),
    ),
  // The second operand of uniq is a file it writes.
  uniq: (args) => operandsOf(args).length <= 1,
  date: (args) =>
    args.every((arg, index) => {
      const before = args[index - 1];
      if (before === '-d' || before === '--date' || before === '-r') return true;
      if (!arg.startsWith('-')) return arg.startsWith('+');
      return !isLong(arg, '--set') && !(hasShort(arg, 's') && !arg.startsWith('-I'));
    }),
  find: (args) => !args.some((arg) => /^-(exec|ok|delete|fprint|fls)/.test(arg)),
  rg: (args) => !args.some((arg) => /^--(pre|hostname-bin)(=|$)/.test(arg)),
  sed: (args) => {
    const rest = args.filter((arg) => arg !== '-n' && arg !== '-E' && arg !== '-r');
    return PLAIN_SED.test(rest[0] ?? '') && rest.slice(1).every((arg) => !arg.startsWith('-'));
  },
  npm: (args) =>
    ['ls', 'list', 'root', 'prefix'].includes(args[0] ?? '') &&
    args.every((arg) => /^([^-].*|-g|--global|--all|--json|--depth(=\d+)?)$/.test(arg)),
  go: (args) => args.length === 1 && args[0] === 'version',
  git: isReadOnlyGit,
};

/** Subcommands of git that only read, whatever else is said, apart from {@link GIT_REFUSED}. */
const GIT_READS = new Set(
  (
    'status log diff show rev-parse rev-list ls-files ls-tree cat-file blame describe shortlog ' +
    'merge-base name-rev grep for-each-ref show-ref count-objects check-ignore diff-tree ' +
    'diff-index diff-files whatchanged version cherry'
  ).split(' '),
);

/** Options of git that write a file or start a program. */
const GIT_REFUSED = [
  '--output',
  '--ext-diff',
  '--open-files-in-pager',
  '--exec',
  '--output-directory',
];

/** Options of `git branch` and `git tag` that only change what is listed. */
const GIT_LIST_OPTION =
  /^(-a|-r|-v|-vv|-l|-n\d*|--all|--list|--remotes|--verbose|--show-current|--no-color|--color|--column|--no-column|--(sort|format|contains|no-contains|merged|no-merged|points-at|color|column)(=.*)?)$/;
const GIT_LIST_MODE = /^(-l|--list|--contains|--no-contains|--merged|--no-merged|--points-at)(=|$)/;

function isGitList(args: readonly string[]): boolean {
  const options = args.filter((arg) => arg.startsWith('-'));
  if (!options.every((arg) => GIT_LIST_OPTION.test(arg))) return false;
  return options.length === args.length || options.some((arg) => GIT_LIST_MODE.test(arg));
}

function isReadOnlyGit(args: readonly string[]): boolean {
  let at = 0;
  while (args[at] === '--no-pager' || args[at] === '-C' || args[at] === '-P') {
    at += args[at] === '-C' ? 2 : 1;
  }
  const subcommand = args[at] ?? '';
  const rest = args.slice(at + 1);
  if (rest.some((arg) => GIT_REFUSED.some((option) => isLong(arg, option)))) return false;
  if (GIT_READS.has(subcommand))
    return !(subcommand === 'grep' && rest.some((arg) => hasShort(arg, 'O')));
  switch (subcommand) {
    case 'branch':
    case 'tag':
      return isGitList(rest);
    case 'remote':
      return rest.length === 0 || (rest.length === 1 && rest[0] === '-v') || rest[0] === 'get-url';
    case 'stash':
      return rest[0] === 'list' || rest[0] === 'show';
    case 'worktree':
      return rest[0] === 'list';
    case 'reflog':
      return rest.length === 0 || rest[0] === 'show';
    case 'config':
      return ['--get', '--get-all', '--list', '-l', 'get', 'list'].includes(rest[0] ?? '');
    default:
      return false;
  }
}

/**
 * True unless `command` is known to be read-only. Pure; never throws; an empty command has no
 * effects. Source: S0-13, S4-32.
 */
export function hasShellEffects(command: string): boolean {
  if (command.length > MAX_COMMAND_CHARS) return true;
  try {
    return !isReadOnly(parse(command));
  } catch {
    // A parser that gives up has not understood: that counts.
    return true;
  }
}

/** Nodes that do nothing by themselves: they read where all that is inside them reads. */
const PLAIN_NODES: ReadonlySet<SyntaxNode['type']> = new Set([
  'Statement',
  'AndOr',
  'Pipeline',
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
  'AnsiCQuoted',
  'LocaleString',
  'SimpleExpansion',
  'ExtendedGlob',
  'BraceExpansion',
  'HereDocDelimiter',
  'HereDocBody',
  'FileDescriptor',
  'Remove',
  'Replace',
  'CaseModification',
  'ArithmeticBinary',
  'ArithmeticTernary',
  'ArithmeticGroup',
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
  if (PLAIN_NODES.has(node.type)) return everyChild(node);
  switch (node.type) {
    case 'Script':
      return (node.errors ?? []).length === 0 && everyChild(node);
    case 'Default':
      // ${x:=y} sets a variable, perhaps one that means something.
      return !node.operator.includes('=') && everyChild(node);
    case 'CommandExpansion':
      return node.script !== undefined && everyChild(node);
    case 'ArithmeticExpansion':
      return node.expression !== undefined && everyChild(node);
    case 'For':
      return PLAIN_VARIABLE.test(node.name.value) && everyChild(node);
    case 'ArithmeticWord':
      // A variable in arithmetic is evaluated again, and that can run a command.
      return /^\d+$/.test(node.value);
    case 'ParameterExpansion':
      // ${!x}, ${x[i]} and ${x@P} evaluate what a variable holds.
      return node.prefix !== '!' && node.index === undefined && everyChild(node);
    case 'Assignment':
      return isPlainAssignment(node, PLAIN_VARIABLE);
    case 'Redirect':
    case 'HereString':
    case 'HereDoc':
      return isReadOnlyRedirection(node);
    case 'Command':
      return isReadOnlyCommand(node);
    default:
      // Functions, coproc, select, process substitution, [[ ]], (( )) and what is yet to come.
      return false;
  }
}

function isPlainAssignment(assignment: Assignment, names: RegExp): boolean {
  if (!names.test(assignment.name) || assignment.index !== undefined) return false;
  return assignment.value.type === 'Word' && isReadOnly(assignment.value);
}

/** True where the value of the word is known now: nothing is expanded in it. */
function isKnown(word: Word): boolean {
  return (word.parts ?? []).every(
    (part) =>
      part.type === 'Literal' ||
      part.type === 'SingleQuoted' ||
      part.type === 'AnsiCQuoted' ||
      (part.type === 'DoubleQuoted' && part.parts.every((inner) => inner.type === 'Literal')),
  );
}

/** Known, or a pattern that cannot expand to an option because of how it starts. */
function isKnownArgument(word: Word): boolean {
  if (isKnown(word)) return true;
  const parts = word.parts ?? [];
  if (parts[0]?.type !== 'Literal' || word.value.startsWith('-')) return false;
  return parts.every(
    (part) => part.type === 'Glob' || part.type === 'Literal' || part.type === 'SingleQuoted',
  );
}

function isReadOnlyRedirection(redirection: Redirection): boolean {
  if (redirection.descriptor?.type === 'FileDescriptorVariable') return false;
  if (redirection.type === 'HereDoc') return everyChild(redirection);
  const target = redirection.target;
  if (target === undefined) return false;
  if (redirection.type === 'HereString') return isReadOnly(target);
  if (!isKnown(target)) return false;
  switch (redirection.operator) {
    case '<':
      return !/^\/dev\/(tcp|udp)\//.test(target.value);
    case '<&':
    case '>&':
      return /^(\d+|\d*-)$/.test(target.value) || target.value === '/dev/null';
    case '<>':
      return false;
    default:
      return /^\/dev\/(null|stdout|stderr)$/.test(target.value);
  }
}

function isReadOnlyCommand(command: Command): boolean {
  const prefixNames = command.name === undefined ? PLAIN_VARIABLE : HARMLESS_PREFIX;
  for (const part of command.prefix) {
    const isFine =
      part.type === 'Assignment'
        ? isPlainAssignment(part, prefixNames)
        : isReadOnlyRedirection(part);
    if (!isFine) return false;
  }
  if (!command.redirects.every(isReadOnlyRedirection)) return false;
  if (command.name === undefined) return true;
  if (!isKnown(command.name)) return false;
  if (!command.args.every((arg) => arg.type === 'Word' && isReadOnly(arg))) return false;

  // A program by its path is the listed one only where the system keeps its programs.
  const name = command.name.value.replace(/^\/(usr\/)?bin\//, '');
  if (PLAIN.has(name)) return true;

  const words = command.args.filter((arg): arg is Word => arg.type === 'Word');
  const args = words.map((word) => word.value);
  if (VERSIONED.has(name) && words.length === 1 && words.every(isKnown)) {
    if (args[0] === '--version' || args[0] === SHORT_VERSION[name]) return true;
  }
  const isFine = Object.hasOwn(CHECKED, name) ? CHECKED[name] : undefined;
  if (isFine === undefined || !isFine(args)) return false;
  switch (name) {
    case 'test':
    case '[':
      return words.every((word, index) => isKnown(word) || isQuotedOperand(word, words[index + 1]));
    case 'printf':
      return words.slice(0, 1).every(isKnown);
    default:
      return words.every(isKnownArgument);
  }
}

/** One value whatever it holds, and, should it turn out to be an operator, one with a known operand. */
function isQuotedOperand(word: Word, next: Word | undefined): boolean {
  const isOneValue = word.parts?.length === 1 && word.parts[0]?.type === 'DoubleQuoted';
  return isOneValue && !word.value.includes('@') && (next === undefined || isKnown(next));
}
