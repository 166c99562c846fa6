/**
 * The programs that are known to only read, and with which arguments. A program stands here when its
 * manual has no way to write, run or connect with the arguments that are let through, and when no
 * file of the workspace decides what it does: whatever takes its version or its settings from the
 * folder it runs in (git in most of its commands, cargo, npm, the shims of version managers) would
 * run what that folder says.
 */

/** Read-only with any argument at all, also one that comes out of a variable. */
export const PLAIN: ReadonlySet<string> = new Set(
  (
    'ls cat head tail grep egrep fgrep pwd echo wc stat which whereis type true false : basename ' +
    'dirname realpath readlink du df cut tr nl tac rev paste comm join cmp cksum md5sum ' +
    'sha1sum sha224sum sha256sum sha384sum sha512sum uname arch whoami id groups printenv ps ' +
    'pgrep uptime nproc free lsblk lscpu jq od hexdump column seq expr fold fmt expand ' +
    'unexpand cd sleep exit break continue tty locale'
  ).split(' '),
);

/** Only asked for their version: programs that no version manager is known to stand in front of. */
const VERSIONED: ReadonlySet<string> = new Set(
  'gcc g++ clang make cmake bash sh zsh git curl wget sqlite3 psql mysql rg fd tar ffmpeg'.split(
    ' ',
  ),
);

/** True for `PROGRAM --version` and nothing else. */
export const isVersionCall = (name: string, args: readonly string[]): boolean =>
  args.length === 1 &&
  VERSIONED.has(name) &&
  (args[0] === '--version' || (name === 'curl' && args[0] === '-V'));

/** How an argument may be written: known text, or also a pattern that begins with known text. */
type ArgumentKind = 'known' | 'pattern';

interface CheckedProgram {
  readonly isReadOnly: (args: readonly string[]) => boolean;
  readonly takes: ArgumentKind;
}

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

/** True where no argument is one of these options. `long` are whole names. */
const without =
  (letters: string, ...long: readonly string[]) =>
  (args: readonly string[]): boolean =>
    !args.some((arg) => hasShort(arg, letters) || long.some((option) => isLong(arg, option)));

/** Prints, deletes from the output or stops; everything else in sed can write or run. */
const PLAIN_SED = /^(\d+|\$)?(,(\d+|\$|\+\d+))?!?[pdq=]$/;

/** `%n` of the shell's own printf assigns a variable, so every directive has to be a known one. */
const PLAIN_FORMAT = /^(?:[^%]|%%|%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?[sdiouxXcbqeEfgG])*$/;

const isOneOf =
  (...allowed: readonly RegExp[]) =>
  (arg: string): boolean =>
    allowed.some((pattern) => pattern.test(arg));

/** The second operand of uniq is a file that it writes; old spellings of options are operands too. */
function isReadOnlyUniq(args: readonly string[]): boolean {
  const isOption = isOneOf(
    /^-[cdDiuz]+$/,
    /^-[fsw]\d+$/,
    /^--(count|repeated|all-repeated|unique|ignore-case|zero-terminated)$/,
  );
  const operands = args.filter((arg) => !isOption(arg));
  return operands.length <= 1 && operands.every((arg) => arg === '-' || /^[^-+]/.test(arg));
}

function isReadOnlyDate(args: readonly string[]): boolean {
  return args.every((arg, index) => {
    const before = args[index - 1];
    if (before === '-d' || before === '--date' || before === '-r') return true;
    if (!arg.startsWith('-')) return arg.startsWith('+');
    return !isLong(arg, '--set') && !(hasShort(arg, 's') && !arg.startsWith('-I'));
  });
}

/** Every argument counts as text: none comes out of a variable. */
const known = (isReadOnly: CheckedProgram['isReadOnly']): CheckedProgram => ({
  isReadOnly,
  takes: 'known',
});
/** The same, and patterns of file names, for programs to which more operands are just more files. */
const manyFiles = (isReadOnly: CheckedProgram['isReadOnly']): CheckedProgram => ({
  isReadOnly,
  takes: 'pattern',
});

/** -v and -R evaluate the subscript of a name, and that can run a command. */
const isReadOnlyTest = (args: readonly string[]): boolean =>
  !args.some((arg) => arg === '-v' || arg === '-R' || arg.includes('['));

const CHECKED: Readonly<Record<string, CheckedProgram>> = {
  env: known((args) => args.length === 0),
  hostname: known((args) => args.length === 0),
  // A specification is the name of a program that getconf runs.
  getconf: known((args) => args.every((arg) => /^[A-Za-z_/]/.test(arg))),
  command: known((args) => args[0] === '-v' || args[0] === '-V'),
  printf: known((args) => PLAIN_FORMAT.test(args[0] ?? '') && !(args[0] ?? '').startsWith('-')),
  test: known(isReadOnlyTest),
  '[': known(isReadOnlyTest),
  // They start a program that unpacks, or write a compiled file.
  file: manyFiles(without('CzZmM', '--compile', '--uncompress', '--magic-file')),
  tree: manyFiles(without('oR', '--output')),
  diff: manyFiles(without('l', '--paginate')),
  // An operand @FILE holds options.
  strings: manyFiles((args) =>
    args.every(isOneOf(/^[^-@]/, /^-$/, /^-[anotxd0-9]+$/, /^--(all|bytes=\d+)$/)),
  ),
  sort: manyFiles(without('oT', '--output', '--compress-program', '--temporary-directory')),
  uniq: known(isReadOnlyUniq),
  date: known(isReadOnlyDate),
  find: manyFiles((args) => !args.some((arg) => /^-(exec|ok|delete|fprint|fls)/.test(arg))),
  rg: manyFiles(
    (args) =>
      !args.some((arg) => /^--(pre|hostname-bin|search-zip)(=|$)/.test(arg) || hasShort(arg, 'z')),
  ),
  sed: manyFiles((args) => {
    const rest = args.filter((arg) => arg !== '-n' && arg !== '-E' && arg !== '-r');
    return PLAIN_SED.test(rest[0] ?? '') && rest.slice(1).every((arg) => !arg.startsWith('-'));
  }),
  git: known(isReadOnlyGit),
};

/** The program whose arguments have to be looked at; undefined for one that is not known. */
export const checkedProgram = (name: string): CheckedProgram | undefined =>
  Object.hasOwn(CHECKED, name) ? CHECKED[name] : undefined;

/** Words of `git rev-parse` for which it reads no object of the repository. */
const REV_PARSE =
  /^(HEAD|--(show-toplevel|git-dir|git-common-dir|absolute-git-dir|show-cdup|show-prefix|is-inside-work-tree|is-inside-git-dir|is-bare-repository|abbrev-ref|short|verify|quiet))$/;
const CONFIG_SCOPE = /^--(local|global|system|worktree|show-origin|show-scope|name-only|null)$/;

/**
 * Only what git answers from its own settings and names. The settings of a repository can name
 * programs (`core.fsmonitor`, filters and textconv of any name, `gpg.program`, the transport of a
 * partial clone that fetches a missing object), and with them `status`, `diff`, `log`, `show` and
 * most others run what a cloned folder says.
 */
function isReadOnlyGit(args: readonly string[]): boolean {
  let at = 0;
  while (args[at] === '--no-pager' || args[at] === '-P') at += 1;
  const [subcommand = '', ...rest] = args.slice(at);
  switch (subcommand) {
    case 'version':
      return rest.length === 0;
    case 'rev-parse':
      return rest.length > 0 && rest.every((arg) => REV_PARSE.test(arg));
    case 'branch':
      return rest.length === 1 && rest[0] === '--show-current';
    case 'remote':
      if (rest[0] === 'get-url') return rest.length === 2 && /^[^-]/.test(rest[1] ?? '');
      return rest.length === 0 || (rest.length === 1 && rest[0] === '-v');
    case 'config':
      return isReadOnlyConfig(rest.filter((arg) => !CONFIG_SCOPE.test(arg)));
    default:
      return false;
  }
}

function isReadOnlyConfig([action, ...names]: readonly string[]): boolean {
  if (action === '--list' || action === '-l' || action === 'list') return names.length === 0;
  const isGet = action === '--get' || action === '--get-all' || action === 'get';
  return isGet && names.length === 1 && /^[A-Za-z]/.test(names[0] ?? '');
}
