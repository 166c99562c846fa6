/**
 * Variables that change what the programs of a line do, and all the ways in which a command sets
 * one: `A=x`, `export A=x`, `read A`, `printf -v A`.
 */
import type { Command } from 'unbash';
import { textOf, type Text } from './shell-words';

/** Variables that shells and loaders read, and those that name a program. */
const MEANT_VARIABLE =
  /^(PATH|LD_.*|DYLD_.*|BASH.*|ENV|IFS|SHELLOPTS|PS[0-9]|PROMPT_COMMAND|GIT_(?!AUTHOR_|COMMITTER_|TERMINAL_PROMPT).*|.*(COMMAND|EDITOR|PAGER|ASKPASS|VISUAL|BROWSER|SHELL|_DIFF|OPEN|CLOSE|OPTS|OPTIONS|PRELOAD|STARTUP|RUSTC_WRAPPER)|.*_PROXY|.*_proxy|HOME|XDG_.*|npm_config_.*|PYTHON.*|PERL.*|RUBY.*|NODE_.*|CURL_.*|GCONV_PATH|LOCPATH)$/;

/** Variables whose text is run or names a program to run, with their harmless values. */
const RUN_VARIABLES: readonly (readonly [name: RegExp, harmless: RegExp])[] = [
  [
    /(COMMAND|EDITOR|PAGER|ASKPASS|VISUAL|BROWSER|_DIFF|LESSOPEN|LESSCLOSE)$|^(BASH_ENV|BASH_FUNC_.*|BASH_CMDS|BASH_ALIASES|ZDOTDIR|(GIT|SVN|CVS|RSYNC|BORG)_(SSH|RSH)|VIMINIT|EXINIT|FCEDIT|TAR_OPTIONS|MANOPT|PERL5DB|RSYNC_CONNECT_PROG|CARGO_.*_RUNNER|GIT_(CONFIG.*|EXEC_PATH|PROXY_COMMAND|TEMPLATE_DIR))$/,
    /^(cat|less|more|true|false|none|:)?$/,
  ],
  [/^npm_config_(script_shell|shell|editor|git|viewer|browser)$/i, /^$/],
  // A file that a shell reads at startup; in most projects, the name of a stage.
  [/^ENV$/, /^(dev(elopment)?|test(ing)?|stag(e|ing)|prod(uction)?|local|ci)?$/],
  [/^PS\d$/, /^[^$`\\]*$/],
  [/(^|_)SHELL$/, /^(\/(usr\/(local\/)?)?bin\/)?(ba|z|da|k|fi)?sh$/],
  [
    /^(GNU)?(MAKEFLAGS|MFLAGS)$/,
    /^((-?j|-j |--jobs=)"?(\d*|\$\(nproc\))"?|-?[kBinsSwqtr]+|--[a-z]+(-[a-z]+)*| )*$/,
  ],
  [
    /^NODE_OPTIONS$/,
    /^(?![^]*(-r\b|-e\b|-p\b|--(require|import|loader|experimental-loader|eval|print)))/,
  ],
  [/JAVA_(TOOL_)?OPT(ION)?S$|^(MAVEN|GRADLE|SBT)_OPTS$/, /^(?![^]*(OnError|OnOutOf|agent|Agent))/],
  [/^(RUBYOPT|PERL5OPT)$/, /^(-[wW]\S*| )*$/],
  [/^LESS$/, /^[^!+]*$/],
  [/^FZF_DEFAULT_OPTS$/, /^(?![^]*(preview|bind|execute))/],
  [/^PYTHONBREAKPOINT$/, /^0?$/],
];

/**
 * Program folders, including those of a project; a relative one may contain anything under any
 * name.
 */
const PROGRAM_FOLDER =
  /^(~|\/(?!\/|\.|((var|usr)\/)?tmp\b|dev\b|proc\b)|\$(?!PWD\/*$)|(\.\/)?(node_modules\/\.bin|\.?venv\/bin)\/*$)/;

/** Variables that change no program. */
const HARMLESS_VARIABLE =
  /^(LC_[A-Z]+|LANG|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|CI|GIT_TERMINAL_PROMPT)$/;

/** Variables of the environment, by how their names are usually written. */
const FOR_PROGRAMS = /^([A-Z][A-Z0-9_]*|npm_config_\w+)$/;

export const isForPrograms = (name: string): boolean => FOR_PROGRAMS.test(name);
export const isHarmless = (name: string): boolean => HARMLESS_VARIABLE.test(name);
export const isMeant = (name: string): boolean => MEANT_VARIABLE.test(name);

/** A variable that a command sets. */
export interface SetVariable {
  /** Undefined if known only at run time. */
  readonly name: Text;
  /** The value, or its text; undefined if it comes from elsewhere. */
  readonly value: Text;
}

/** Whether its text may be run, or name something that is. Pure. */
export function mayRun({ name, value }: SetVariable): boolean {
  if (name === undefined) return true;
  if (name === 'PATH') return value === undefined || !isPlainPath(value);
  const row = RUN_VARIABLES.find(([names]) => names.test(name));
  return (
    row !== undefined && (value === undefined || !row[1].test(value.replace(/^"([^"]*)"$/, '$1')))
  );
}

function isPlainPath(value: string): boolean {
  const folders = value
    .replace(/["']/g, '')
    .replace(/\$\{(\w+)[^}]*\}/g, '$$$1')
    .replace(/\$\([^()]*\)|`[^`]*`/g, (call) => (/^..?pwd\b/.test(call) ? '$PWD' : '$X'));
  return folders.split(':').every((one) => PROGRAM_FOLDER.test(one));
}

const DECLARES = new Set('export declare typeset local readonly integer float'.split(' '));
/** They set the variables that their arguments name. */
const NAMES = new Set('read mapfile readarray getopts wait setenv set'.split(' '));

/** The variables that a command's arguments set, without assignments before the command. */
export function variablesSetBy({ name, args }: Command): readonly SetVariable[] {
  const words = [...(name === undefined ? [] : [name]), ...args];
  const at = words.findIndex((word) => {
    const text = word.type === 'Word' ? textOf(word) : '';
    return text === undefined || !/^(builtin|command|-.*)$/.test(text);
  });
  const first = words[at];
  const builtin = first?.type === 'Word' ? (textOf(first) ?? '') : '';
  const rest = words.slice(at + 1);
  if (DECLARES.has(builtin)) return declared(builtin, rest);
  const texts = rest.map((word) => (word.type === 'Word' ? textOf(word) : word.text));
  if (builtin === 'printf') {
    const [option, next] = texts;
    if (option === undefined || !option.startsWith('-v')) return [];
    return [named(option === '-v' ? next : option.slice(2))];
  }
  if (!NAMES.has(builtin)) return [];
  return texts.flatMap((text, index) => {
    if (text !== undefined) return named(text.replace(/^-[a-zA-Z]/, ''));
    const isName = builtin === 'read' && !/^-\w*[adinNptu]$/.test(texts[index - 1] ?? '');
    return isName ? named(undefined) : [];
  });
}

const named = (text: Text): SetVariable => ({
  name: text?.replace(/\[[^]*$/, ''),
  value: undefined,
});

/** `export A=x`; after `declare -n A=B`, a value for A goes to B. */
function declared(builtin: string, args: Command['args']): readonly SetVariable[] {
  const found: SetVariable[] = [];
  let isReference = false;
  for (const arg of args) {
    const text = arg.type === 'Word' ? textOf(arg) : arg.text;
    if (/^-\w*n/.test(text ?? '') && builtin !== 'export') isReference = true;
    const source = text ?? (arg.type === 'Word' ? arg.text : '');
    const [, name, isAdded, value = ''] =
      /^([A-Za-z_]\w*)(?:\[[^]*?\])?(\+)?=([^]*)$/.exec(source) ?? [];
    if (name === undefined) {
      if (text === undefined) found.push(named(undefined));
      continue;
    }
    const known = arg.type === 'Word' || arg.value.type !== 'Word' ? value : textOf(arg.value);
    found.push({ name, value: valueOf(name, known ?? value, isAdded !== undefined) });
    if (isReference) found.push(named(known));
  }
  return found;
}

/** A value that is appended to a path starts after an existing folder. */
export const valueOf = (name: string, value: string, isAdded: boolean): string =>
  isAdded && name === 'PATH' ? `$PATH${value}` : value;
