import { entryOf, table } from '../../../shared/table';
/**
 * Programs that are known to only read, and their safe arguments. A program is listed if its manual
 * shows no way to write, run or connect with the accepted arguments, and if no file in the
 * workspace decides what it does: a program that takes its version or settings from its folder
 * (most git commands, cargo, npm, version manager shims) would run what that folder says. Options
 * must be spelled out here: GNU programs accept `--pre` for `--preserve-date`, and the next version
 * of a program may give a new option any meaning.
 */

/**
 * Read-only with any argument, even one from a variable: no option of any known version of them
 * writes, runs or connects.
 */
export const PLAIN: ReadonlySet<string> = new Set(
  (
    'ls cat head tail grep egrep fgrep pwd echo wc stat which whereis type true false : basename ' +
    'dirname realpath readlink du cut tr nl rev paste comm join cmp cksum md5sum ' +
    'sha1sum sha224sum sha256sum sha384sum sha512sum uname whoami id groups printenv ps ' +
    'pgrep uptime nproc free lsblk lscpu jq od hexdump column seq expr fold fmt expand ' +
    'unexpand cd sleep exit break continue tty locale'
  ).split(' '),
);

const CHECKS_SUMS = /^-[btwz]*c|^--c/;
/** Options with which those open files that another file lists: it may list a device. */
const OPENS_LISTED = table<RegExp>({
  wc: /^--f/,
  du: /^--f/,
  cksum: CHECKS_SUMS,
  md5sum: CHECKS_SUMS,
  sha1sum: CHECKS_SUMS,
  sha224sum: CHECKS_SUMS,
  sha256sum: CHECKS_SUMS,
  sha384sum: CHECKS_SUMS,
  sha512sum: CHECKS_SUMS,
});

/** True if the program may open files that the line does not name. */
export const opensListed = (name: string, args: readonly string[]): boolean => {
  const option = entryOf(OPENS_LISTED, name);
  return option !== undefined && args.some((arg) => option.test(arg) || /^[^-]*\{/.test(arg));
};

/** Accepted only with a version flag: programs that no known version manager wraps. */
const VERSIONED: ReadonlySet<string> = new Set('gcc g++ make bash sh git curl wget tar'.split(' '));

/** True for exactly `PROGRAM --version`. */
export const isVersionCall = (name: string, args: readonly string[]): boolean =>
  args.length === 1 &&
  VERSIONED.has(name) &&
  (args[0] === '--version' || (name === 'curl' && args[0] === '-V'));

/** Accepted forms of an argument: known text, or also a pattern that starts with known text. */
type ArgumentKind = 'known' | 'pattern';

interface CheckedProgram {
  readonly isReadOnly: (args: readonly string[]) => boolean;
  readonly takes: ArgumentKind;
}

interface Options {
  /** Short options without a value, in any cluster. */
  readonly short: string;
  /** Short options with a value, attached or as the next argument. */
  readonly valued?: string;
  /** Long options; a value follows `=`. */
  readonly long?: string;
  /** Other accepted arguments that start with a dash. */
  readonly also?: RegExp;
}

/**
 * True if every argument that starts with a dash is a listed option. Its position does not matter:
 * a dash is checked after `--` and as another option's value too. So it is irrelevant how a version
 * of the program interprets each one.
 */
function onlyWith({ short, valued = '', long = '', also }: Options): CheckedProgram['isReadOnly'] {
  const names = new Set(long.split(' '));
  const cluster = new RegExp(
    `^-[${short}]*(?:[${short}]${valued === '' ? '' : `|[${valued}].*`})$`,
    's',
  );
  return (args) =>
    args.every((arg) => {
      if (!arg.startsWith('-') || arg === '-') return true;
      if (also?.test(arg) === true) return true;
      if (arg === '--') return true;
      return arg.startsWith('--')
        ? names.has(arg.slice(2).split('=', 1)[0] ?? '')
        : cluster.test(arg);
    });
}

/** Prints, deletes from the output or stops; everything else in sed can write or run. */
const PLAIN_SED = /^(\d+|\$)?(,(\d+|\$|\+\d+))?!?[pdq=]$/;

/**
 * `%n` of the shell's own printf assigns a variable, so every directive must be a known one, and no
 * escape may produce the percent sign.
 */
const PLAIN_FORMAT =
  /^(?:[^%\\]|\\[abefnrtv\\"']|\\(?:033|x1[bB])\[|%%|%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?[sdiouxXcbqeEfgG])*$/;

const isOneOf =
  (...allowed: readonly RegExp[]) =>
  (arg: string): boolean =>
    allowed.some((pattern) => pattern.test(arg));

/**
 * The second operand of uniq is a file that it writes; old spellings of options are operands too.
 */
function isReadOnlyUniq(args: readonly string[]): boolean {
  const isOption = isOneOf(
    /^-[cdDiuz]+$/,
    /^-[fsw]\d+$/,
    /^--(count|repeated|all-repeated|unique|ignore-case|zero-terminated)$/,
  );
  const operands = args.filter((arg) => !isOption(arg));
  return operands.length <= 1 && operands.every((arg) => arg === '-' || /^[^-+]/.test(arg));
}

/** An operand without a plus sets the clock, and so does what follows an option that is the value of another. */
function isReadOnlyDate(args: readonly string[]): boolean {
  const isOption = isOneOf(
    /^-(u|R|I(date|hours|minutes|seconds|ns)?)$/,
    /^--(utc|universal|rfc-email|iso-8601|iso-8601=\w+|rfc-3339=\w+|date=.*|reference=.*)$/s,
  );
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg.startsWith('+') || isOption(arg)) continue;
    at += 1;
    if (!/^(-u?d|-r|--date|--reference)$/.test(arg) || !/^([^-]|-\d)/.test(args[at] ?? ''))
      return false;
  }
  return true;
}

/** Every argument must be known text; none may come from a variable. */
const known = (isReadOnly: CheckedProgram['isReadOnly']): CheckedProgram => ({
  isReadOnly,
  takes: 'known',
});
/** The same, plus file name patterns, for programs whose further operands are just more files. */
const manyFiles = (isReadOnly: CheckedProgram['isReadOnly']): CheckedProgram => ({
  isReadOnly,
  takes: 'pattern',
});

/** -v and -R evaluate the subscript of a name, and that can run a command. */
const isReadOnlyTest = (args: readonly string[]): boolean =>
  !args.some((arg) => arg === '-v' || arg === '-R' || arg.includes('['));

/**
 * Tests and output actions; the rest of find runs, deletes, writes or reads its starting points
 * from a file.
 */
const FIND_WORDS = new RegExp(
  '^-(?:' +
    'H|L|P|O[0-3]|E|x|s|X|' +
    'a?(?:min|newer|time)|c(?:min|newer|time)|m(?:min|time)|newer[aBcmt][aBcmt]|used|daystart|' +
    '(?:i|l|il)?name|i?path|i?wholename|i?regex|regextype|' +
    'x?type|size|empty|perm|user|group|uid|gid|nouser|nogroup|links|inum|samefile|fstype|' +
    'readable|writable|executable|true|false|not|and|or|a|o|' +
    'maxdepth|mindepth|depth|d|mount|xdev|prune|follow|noleaf|quit|warn|nowarn|' +
    'print|print0|printf|ls|' +
    // Values that start with a dash: "less than N", "all of these permissions".
    '\\d+[bcwkMGsmhd]?|[ugoa]+[+=][rwxst]+' +
    ')$',
);

const RG_LONG =
  'after-context before-context context case-sensitive color colors column count count-matches ' +
  'crlf encoding files files-with-matches files-without-match fixed-strings follow glob ' +
  'glob-case-insensitive heading no-heading hidden no-hidden iglob ignore-case include-zero ' +
  'invert-match json line-number no-line-number line-regexp max-columns max-count max-depth ' +
  'max-filesize multiline multiline-dotall no-filename no-ignore no-ignore-dot no-ignore-parent ' +
  'no-ignore-vcs no-messages null null-data one-file-system only-matching passthru pcre2 pretty ' +
  'quiet regexp replace smart-case sort sortr stats text threads trim type type-not type-list ' +
  'unrestricted vimgrep with-filename word-regexp version help';

const CHECKED: Readonly<Record<string, CheckedProgram>> = {
  // macOS runs a program that follows.
  arch: known((args) => args.length === 0),
  env: known((args) => args.length === 0),
  hostname: known((args) => args.length === 0),
  // A specification is the name of a program that getconf runs.
  getconf: known((args) => args.every((arg) => /^[A-Za-z_/]/.test(arg))),
  command: known((args) => args[0] === '-v' || args[0] === '-V'),
  printf: known((args) => PLAIN_FORMAT.test(args[0] ?? '') && !(args[0] ?? '').startsWith('-')),
  test: known(isReadOnlyTest),
  '[': known(isReadOnlyTest),
  // --sync writes pending data to disk.
  df: manyFiles(
    onlyWith({
      short: 'ahHiklPTm',
      valued: 'txB',
      long: 'all human-readable si inodes local portability print-type total type exclude-type output block-size',
    }),
  ),
  // The rest starts a program that unpacks, writes a compiled file or changes the times of what it
  // reads.
  file: manyFiles(
    onlyWith({
      short: 'bihLkrNnE0v',
      long: 'brief mime mime-type mime-encoding dereference no-dereference keep-going raw print0 no-pad version help',
    }),
  ),
  // After an option with a value, tree treats further letters as options, and -o writes.
  tree: manyFiles(
    onlyWith({
      short: 'adfispughDFCntrcUxlNQqJX',
      also: /^-[adfispughDFCntrcUxlNQqJX]*(?:[LPI]|L\d+)$/,
      long: 'dirsfirst filesfirst noreport gitignore prune du si inodes device ignore-case matchdirs filelimit sort timefmt version help',
    }),
  ),
  diff: manyFiles(
    onlyWith({
      short: 'abBcdeiEHnNpqrstTuvwyZ0-9',
      valued: 'CFIUWx',
      long:
        'brief report-identical-files context unified ed normal rcs side-by-side width left-column ' +
        'suppress-common-lines show-c-function show-function-line label expand-tabs initial-tab ' +
        'recursive no-dereference new-file unidirectional-new-file ignore-case ignore-tab-expansion ' +
        'ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines ' +
        'ignore-matching-lines exclude text strip-trailing-cr minimal color speed-large-files version help',
    }),
  ),
  // An operand @FILE holds options.
  strings: manyFiles((args) =>
    args.every(isOneOf(/^[^-@]/, /^-$/, /^-[anotx0-9]+$/, /^--(all|bytes=\d+)$/)),
  ),
  // Merging, a small buffer, and a folder or program for overflow write files during the run.
  sort: manyFiles(
    onlyWith({
      short: 'bcCdfghiMnrRsuVz',
      long:
        'ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ' +
        'ignore-nonprinting month-sort numeric-sort reverse random-sort stable unique version-sort ' +
        'zero-terminated check sort key field-separator version help',
      also: /^-[bcCdfghiMnrRsuVz]*(k[\d.,bdfghiMnrRV]*|t[^a-zA-Z]?)$/,
    }),
  ),
  uniq: known(isReadOnlyUniq),
  date: known(isReadOnlyDate),
  find: manyFiles((args) => args.every((arg) => !arg.startsWith('-') || FIND_WORDS.test(arg))),
  // The rest runs a program on each file, to unpack it or for the host name.
  rg: manyFiles(
    onlyWith({ short: 'acFHhiIlLnNopPqsSuUvwx0V', valued: 'ABCmdegtTMrjE', long: RG_LONG }),
  ),
  sed: manyFiles((args) => {
    const rest = args.filter((arg) => arg !== '-n' && arg !== '-E' && arg !== '-r');
    return PLAIN_SED.test(rest[0] ?? '') && rest.slice(1).every((arg) => !arg.startsWith('-'));
  }),
  git: known(isReadOnlyGit),
};

/** The program whose arguments have to be looked at; undefined for one that is not known. */
export const checkedProgram = (name: string): CheckedProgram | undefined => entryOf(CHECKED, name);

/** Arguments of `git rev-parse` that read no repository object. */
const REV_PARSE =
  /^(HEAD|--(show-toplevel|git-dir|git-common-dir|absolute-git-dir|show-cdup|show-prefix|is-inside-work-tree|is-inside-git-dir|is-bare-repository|abbrev-ref|verify|quiet))$/;
const CONFIG_SCOPE = /^--(local|global|system|worktree|show-origin|show-scope|name-only|null)$/;

/**
 * Only commands that git answers from its own settings and names. A repository's settings can name
 * programs (`core.fsmonitor`, filters and textconv of any name, `gpg.program`, the transport of a
 * partial clone that fetches a missing object), so `status`, `diff`, `log`, `show` and most others
 * may run programs that a cloned folder names.
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
