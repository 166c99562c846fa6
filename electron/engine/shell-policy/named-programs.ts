/**
 * Programs that another program may run: its arguments, its input or a variable name them, as in
 * `some-wrapper rm x`, `--on-end='rm x'`, `perl -e 'system "rm x"'`. No table can list all programs
 * that run others; a rule about one of those named may apply.
 */
import type { Text } from './shell-words';
import { plainName } from './wrapped-programs';

/** Their arguments are names of files, targets or topics, and text. */
const TAKE_NAMES: ReadonlySet<string> = new Set(
  (
    'mkdir touch cp mv ln tee install tar zip unzip gzip make gmake ninja just task rake node tsx ' +
    'ts-node python pypy perl ruby php awk gawk mawk nawk sed pytest jest vitest mocha eslint ' +
    'prettier ruff black mypy tsc man info whatis apropos tldr help hash ag ack zgrep less more bat ' +
    'nano vi vim nvim code open xdg-open export local declare typeset readonly read unset set ' +
    'journalctl getent pidof pushd patch apply_patch sponge base64 pbcopy xclip notify-send hg svn jj'
  ).split(' '),
);
/** Programs of this list and of the tables that run commands in a text. */
const EVALUATES =
  /^(?:g?make|node|tsx|ts-node|python|pypy|perl|ruby|php|[gmn]?awk|ex|n?vim?|view|psql|mysql|mongosh?|sqlcmd|[sl]?ftp|telnet|mailx?|mutt|deno|bun|mix)$/;
/** In their texts, backquotes, pipes and exclamation marks run nothing. */
const ONLY_CALLS = /^(?:i?python|pypy|pdb|node|nodejs|tsx|ts-node|deno|bun|zx)$/;

/** Options of any program that take a command. */
const COMMAND_OPTION =
  /^--?(?:[\w-]*[-_.])?(?:command|cmd|exec(?:ute)?|prog(?:ram)?|pager|editor|shell|rsh|runner|run[-_]under|wrapper|launcher|interpreter|speller|browser|executable|post-renderer|eval|passwordeval|auth-proxy|askpass|hook|on-[\w-]+)$/;
/** The same, if what follows has arguments of its own. */
const LINE_OPTION = /^(?:-[cCesxX]|--?(?:[\w-]+-)?(?:app|scripts?|filter|cmds?|commands))$/;
/** Verbs that another program follows. */
const RUNS_NEXT = /^(?:exec|cmd|sh|shell|ssh|unshare|run)$/;
/** Here `run` takes a script or a file of the project. */
const RUNS_OWN =
  /^(?:git|gh|glab|npm|pnpm|yarn|cargo|go|dotnet|dart|flutter|deno|docker|podman|kubectl)$/;

/** The value of an option or a variable, and text that a program runs. */
const VALUE = /^(?:-{0,2}[\w:.+-]*=(?:\\?[!|])?|\\?[!|])\s*(.+)$/s;
const NAME = String.raw`(?:\/(?:usr\/(?:local\/)?)?s?bin\/)?[A-Za-z][\w.+-]*`;
const PROGRAM = new RegExp(String.raw`^["'(]*(${NAME})["')]*(?=\s|$)`);

const CALL =
  /\b(?:[A-Za-z_]*[Ss]ystem|[A-Za-z_]*exec\w*|[A-Za-z_]*[Ss]pawn\w*|p?open[23]|[Pp]open\w*|run\w*|call|check_\w+|get\w*output|[A-Za-z]*(?:[Cc]ommand|[Pp]ro(?:gram|cess)|PROGRAM)|sh|shell\w*|passthru|launch|fork|cmd)\s*[("'[{`<$]|\$`|\bgetline\b|\|&?\s*"|["']\s*\||\bopen\b[^;\n]{0,200}\||\brun-program\b|editor\s*=/;
const END = String.raw`(?=[\s"'\x60),;|&\]}]|$)`;
const IN_QUOTES = new RegExp(String.raw`(?:["'\x60]|\\"|(?:&&|[;|])[ \t]*)(${NAME})${END}`, 'g');
const IN_TEXT = new RegExp(
  String.raw`(?:[\x60|!]|[$%]\(|&&|;|(?:\bq[xw]|%x)[ \t]*[^\w\s]|\b(?:exec|spawn|system|shell|run|call|pager|sudo|xargs|env|nohup)[ \t])[ \t]*(${NAME})${END}`,
  'g',
);
/** Behind a name, the rest of its command is computed. */
const IS_COMPUTED = /^[^"'`\n]{0,100}[{$%]|^\s*["']\s*\]?\s*(?:[+.]|,\s*[[*]?\s*[A-Za-z_*])/;

const MAX_TEXT_CHARS = 20_000;
const MAX_WORDS = 12;
const MAX_CHARS_BEHIND = 120;
/** Words that are not known before the run. */
const UNKNOWN = '*';

/** `rm` and its words: `git push origin`, `git *`. */
function commandOf(path: string, words: readonly string[]): string {
  const name = plainName(path.slice(path.lastIndexOf('/') + 1).toLowerCase());
  const known = words.slice(0, MAX_WORDS);
  return [name, ...known, ...(words.length > MAX_WORDS ? [UNKNOWN] : [])].join(' ');
}

const wordsOf = (text: string): readonly string[] =>
  text.split(/[\s"'`,()[\]{};]+/).filter(Boolean);

const withoutVersion = (name: string): string => name.replace(/(?<=[a-z])[\d.]+$/, '');

export interface Named {
  readonly name: string;
  readonly args: readonly Text[];
  readonly input: Text;
}

/**
 * The commands that a program may run, each with its words. `isKnown`: a table has the program, so
 * its plain arguments are understood. Pure.
 */
export function commandsNamed({ name, args, input }: Named, isKnown: boolean): readonly string[] {
  const program = withoutVersion(name);
  const takesNames =
    TAKE_NAMES.has(program) ||
    (isKnown && (RUNS_OWN.test(name) || !args.some((arg) => RUNS_NEXT.test(arg ?? ''))));
  const found = new Set<string>();
  const words = args.map((arg) => (arg === undefined ? [UNKNOWN] : wordsOf(arg)));
  const add = (text: string, at: number): void => {
    const [, path = ''] = PROGRAM.exec(text) ?? [];
    if (path === '') return;
    const behind = words.slice(at + 1, at + 2 + MAX_WORDS).flat();
    found.add(commandOf(path, [...wordsOf(text.replace(PROGRAM, '')), ...behind]));
  };
  for (const [at, arg = ''] of args.entries()) {
    for (const value of valuesIn(arg)) add(value, at);
    const before = args[at - 1] ?? '';
    if (
      !takesNames ||
      COMMAND_OPTION.test(before) ||
      (LINE_OPTION.test(before) && !RUNS_OWN.test(name) && /\s/.test(arg))
    )
      add(arg, at);
  }
  if (EVALUATES.test(program) || !(isKnown || TAKE_NAMES.has(program)))
    for (const text of [...args, input]) {
      if (text === undefined || text.length > MAX_TEXT_CHARS) continue;
      for (const one of commandsIn(text, ONLY_CALLS.test(program))) found.add(one);
    }
  return [...found];
}

/** The programs that the value of a variable names: `CC='rm x'`, `GOFLAGS=-exec=rm`. Pure. */
export function commandsOfValue(value: string): readonly string[] {
  return [value, ...valuesIn(value)].flatMap((text) => {
    const [, path = ''] = PROGRAM.exec(text) ?? [];
    return path === '' ? [] : [commandOf(path, wordsOf(text.replace(PROGRAM, '')))];
  });
}

/** `--execute='askpass=rm'` has a value in its value, `--options='-e rm'` options. */
function valuesIn(arg: string): readonly string[] {
  const found: string[] = [];
  for (let text = VALUE.exec(arg)?.[1]; text !== undefined; text = VALUE.exec(text)?.[1]) {
    found.push(text);
    const [option, rest] = text.split(/\s+(.*)/s);
    if (option?.startsWith('-') === true && rest !== undefined) found.push(rest);
    if (found.length > MAX_WORDS) break;
  }
  return found;
}

/** Commands in the text of a program: `system("rm x")`, `!rm x`, `$(shell rm x)`. */
function commandsIn(text: string, onlyCalls: boolean): readonly string[] {
  const found: string[] = [];
  const search = (pattern: RegExp): void => {
    for (const match of text.matchAll(pattern)) {
      const [all, path = ''] = match;
      const rest = text.slice(match.index + all.length).slice(0, MAX_CHARS_BEHIND);
      found.push(commandOf(path, IS_COMPUTED.test(rest) ? [UNKNOWN] : wordsOf(rest)));
    }
  };
  if (CALL.test(text)) search(IN_QUOTES);
  if (!onlyCalls) search(IN_TEXT);
  return found;
}
