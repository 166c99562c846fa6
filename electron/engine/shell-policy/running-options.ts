/** Options with which a program runs a text that is not checked. */
import { entryOf, table } from '../../../shared/table';
import type { Text } from './shell-words';

const SED_PATTERN = String.raw`\/(?:[^\/\n\\]|\\.)*\/[IM]*`;
const SED_START = String.raw`(?:^|[;{\n]|^-\w*e|^--e\w*=)\s*`;
const SED_END = String.raw`(?:,\s*(?:[\d$+~]+|${SED_PATTERN})\s*)?(?:!\s*)*`;
const SED_TEXT = String.raw`(?:\\.|(?!\2)[^\\])*`;
/**
 * A line of a sed script: `1!e rm x`, `\,a,e rm x`, `/a/,/b/e rm x`; or the flag of a replacement.
 * A file may have a name like `/a/each`, so there the letter must stand alone.
 */
const RUNS_IN_SED = new RegExp(
  [
    String.raw`${SED_START}(?:[\d$][\d$~]*|\\(.)[^\n]{0,200}?\1I?)\s*${SED_END}e`,
    String.raw`${SED_START}(?:${SED_PATTERN}\s*${SED_END})?e(?:\s|$)`,
    String.raw`${SED_START}(?:(?:[\d$~,+]*|${SED_PATTERN})\s*${SED_END})?s(.)(?:${SED_TEXT}\2){2}[gpiImM\d]*e`,
  ].join('|'),
  's',
);

/** Also after other letters: `ex -sc '!rm x'`. */
const RUNS_IN_VI = /^(-[a-zA-Z]*[cS]|--cmd|\+)/;
/** Commands of its prompt, and files that are pipes. */
const RUNS_IN_SQLITE =
  /(?:^|[\n;])\s*\.(?:s(?:h|y)|excel|www|lo(?!g)|[a-z]+[^\n]*\|)|\bedit\s*\(|^-cmd$/;
const RUNS_IN_MYSQL = /\\!|^--pager|(?:^|[;\n])\s*(?:system|pager)\s/i;
/** A setting that names a program. */
const NPM_SETTING = /^(?:script-shell|shell|editor|viewer|browser|git|node-options)(?:=|$)/;
/** Options that let settings or a text name what is run, and a makefile that is read from a pipe. */
const RUNS_IN_MAKE =
  /^(?:-E|--ev|SHELL=|\.?SHELLFLAGS|(?:GNU)?MAKEFLAGS=|[^=]*!=|(?:-f)?-$|--(?:make)?file=-$)|\$[({]shell\b|(?:^|\/|=|-f)(?:stdin|fd\/\d+)$/;
const RUNS_IN_RPM = /%\(|%\{lua:|^--pipe/;

/** Options with which other programs also run a command; of a program, or of one of its commands. */
const RUNNING_OPTION = table<RegExp>({
  split: /^--fi/,
  sort: /^--co/,
  rg: /^--(pre|hostname-bin)\b/,
  man: /^(-[a-zA-Z]*[PH]|--(p|ht))/,
  sed: RUNS_IN_SED,
  bfs: /^-(exec|ok)/,
  capsh: /^--$/,
  powershell: /^-(c|e|f)/i,
  tar: /^(-[a-zA-Z]*[IF]|[cxtruA][a-zA-Z]*[IF][a-zA-Z]*$|--(us|to-c|checkpoint-|info|new-v|rs|rm))/,
  bsdtar: /^--use-/,
  nodemon: /^(-x|--exec)/,
  'cargo-watch': /^-[xs]|^--(exec|shell)?$/,
  'cargo watch': /^-s|^--(shell|$)/,
  cargo: /^--(shell|exec)$/,
  go: /^--?(exec|toolexec|vettool)\b/,
  gcc: /^-wrapper/,
  'g++': /^-wrapper/,
  cc: /^-wrapper/,
  mysql: RUNS_IN_MYSQL,
  mariadb: RUNS_IN_MYSQL,
  psql: /\\!|\bprogram\b|\\[a-z]+[^\n]*\||^(?:-o|--output=)?\|/i,
  zip: /^-TT|^--unzip-command/,
  vim: RUNS_IN_VI,
  vi: RUNS_IN_VI,
  nvim: RUNS_IN_VI,
  gvim: RUNS_IN_VI,
  view: RUNS_IN_VI,
  ex: RUNS_IN_VI,
  sqlite3: RUNS_IN_SQLITE,
  duckdb: RUNS_IN_SQLITE,
  emacs: /^(-e|--eval|-f|--funcall|-l|--load)/,
  less: /^\+/,
  tcpdump: /^-\w*z/,
  fzf: /^--(preview|bind)/,
  make: RUNS_IN_MAKE,
  gmake: RUNS_IN_MAKE,
  rpm: RUNS_IN_RPM,
  rpmbuild: RUNS_IN_RPM,
  rpmspec: RUNS_IN_RPM,
  strace: /^(?:-\w*o)?[|!]/,
  ltrace: /^(?:-\w*o)?[|!]/,
  ag: /^--pager/,
  ack: /^--pager/,
  bat: /^--pager/,
  nano: /^(?:-[a-zA-Z]*s|--sp)/,
  just: /^(?:-c|--command|--shell|--chooser)/,
  'npm config set': NPM_SETTING,
  'npm c set': NPM_SETTING,
  'npm set': NPM_SETTING,
  'pnpm config set': NPM_SETTING,
  'yarn config set': NPM_SETTING,
  'aws configure set': /credential_process/,
  'deno task': /^--eval$/,
  osascript: /^-e/,
  concurrently: /./,
  'start-server-and-test': /./,
  onchange: /./,
  chokidar: /^(-c|--command)/,
  pee: /./,
  mispipe: /./,
  machinectl: /^shell$/,
  sops: /^exec-/,
  rr: /^record$/,
  rvm: /^do$/,
});

/** True if an argument makes the program run a text that is not checked. */
export function runsByOption(name: string, args: readonly Text[]): boolean {
  const verbs = args.filter((arg) => arg === undefined || /^[^-+]/.test(arg));
  return [0, 1, 2].some((count) => {
    const key = [name, ...verbs.slice(0, count)].join(' ');
    const option = entryOf(RUNNING_OPTION, key);
    return option !== undefined && args.some((arg) => arg !== undefined && option.test(arg));
  });
}
