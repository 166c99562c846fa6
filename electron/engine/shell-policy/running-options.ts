/** Options with which a program runs a text that is not checked. */
import { table } from '../../../shared/table';
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
/** Options with which other programs also run a command. */
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
  'cargo-watch': /^-[xs]|^--(exec|shell)/,
  cargo: /^--(shell|exec)$/,
  go: /^--?(exec|toolexec|vettool)\b/,
  gcc: /^-wrapper/,
  'g++': /^-wrapper/,
  cc: /^-wrapper/,
  mysql: /\\!|^--pager/,
  psql: /\\!|\bprogram\b/i,
  zip: /^-TT|^--unzip-command/,
  vim: RUNS_IN_VI,
  vi: RUNS_IN_VI,
  nvim: RUNS_IN_VI,
  gvim: RUNS_IN_VI,
  view: RUNS_IN_VI,
  ex: RUNS_IN_VI,
  sqlite3: /(?:^|\n)\s*\.s(?:h|y)|^-cmd$/,
  emacs: /^(-e|--eval|-f|--funcall|-l|--load)/,
  less: /^\+/,
  tcpdump: /^-\w*z/,
  fzf: /^--(preview|bind)/,
  make: /^(-E|--ev|SHELL=)/,
  gmake: /^(-E|--ev|SHELL=)/,
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
export const runsByOption = (name: string, args: readonly Text[]): boolean =>
  Object.hasOwn(RUNNING_OPTION, name) &&
  args.some((arg) => arg !== undefined && RUNNING_OPTION[name]?.test(arg) === true);
