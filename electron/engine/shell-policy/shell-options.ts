/**
 * The options of a shell before its text or its script. One reader for all checks, because the text
 * that runs is what matters, and a misread option makes it look like a file name.
 */
import { table } from '../../../shared/table';
import type { Text } from './shell-words';

interface ShellOptions {
  /** Short options without a value. */
  readonly flags: string;
  /** Short options with a value. */
  readonly valued: string;
  /** Short options whose value is a text to run. */
  readonly texts: string;
  /**
   * A value may be attached: `-opipefail`. Otherwise each such letter takes one of the next
   * arguments, wherever the letter is: `-oc pipefail`.
   */
  readonly isAttached: boolean;
  /** Long options; those that take a value end in `=`. */
  readonly long: ReadonlySet<string>;
}

const NO_OPTIONS = { valued: 'o', texts: '', isAttached: false, long: '' };
type Row = Partial<Omit<ShellOptions, 'long'>> & { readonly flags: string; readonly long?: string };

const POSIX = 'abcCefhiklmnpstuvx';
const BASH: Row = {
  flags: `${POSIX}rBDEHPT`,
  valued: 'oO',
  long: 'debug debugger dump-po-strings dump-strings init-file= login noediting noprofile norc posix pretty-print protected rcfile= restricted verbose wordexp',
};
const DASH: Row = { flags: `${POSIX}EIVq` };
const KSH: Row = { flags: `${POSIX}rBDEGHP`, isAttached: true };
const CSH: Row = { flags: 'cdefFilmnqstvVxX', valued: '' };
const ROWS = table<Row>({
  bash: BASH,
  rbash: BASH,
  sh: BASH,
  dash: DASH,
  ash: DASH,
  hush: DASH,
  ksh: KSH,
  rksh: KSH,
  mksh: KSH,
  lksh: KSH,
  pdksh: KSH,
  oksh: KSH,
  yash: { flags: POSIX, valued: '' },
  zsh: {
    flags: `${POSIX.replace('b', '')}dgrwyABCDEFGHIJKLMNOPRSTUVWXYZ`,
    isAttached: true,
    long: 'emulate= no-rcs no-global-rcs login interactive',
  },
  fish: {
    flags: 'ilnNPv',
    valued: 'dDfop',
    texts: 'cC',
    isAttached: true,
    long: 'command= init-command= debug= debug-output= debug-stack-frames= features= profile= profile-startup= interactive login no-config no-execute print-debug-categories print-rusage-self private',
  },
  csh: CSH,
  tcsh: CSH,
  posh: DASH,
  osh: BASH,
  nu: { flags: 'cil', valued: '' },
  elvish: { flags: 'ci', valued: '' },
  xonsh: { flags: 'cil', valued: '' },
  pwsh: { flags: '', valued: '' },
});

const SHELLS: ReadonlyMap<string, ShellOptions> = new Map(
  Object.entries(ROWS).map(([name, row]) => [
    name,
    { ...NO_OPTIONS, ...row, long: new Set((row.long ?? '').split(' ').filter(Boolean)) },
  ]),
);

/** What a shell runs by its arguments. */
export interface ShellCall {
  /** Texts of `-c` and similar options. */
  readonly texts: readonly Text[];
  /** Without a text: standard input, a script file, nothing, or known only at run time. */
  readonly reads: 'text' | 'input' | 'script' | 'nothing' | 'unknown';
  /** An option is unknown, or shells read it in different ways. */
  readonly isUnclear: boolean;
}

/** `zsh-5.9`, `ksh93`, `bash-static` */
const withoutVersion = (name: string): string => name.replace(/[-_.]?(?:static|\d[\d.]*)$/, '');

/** Standard input as a file, however its path is spelled. */
export const isInput = (word: Text): boolean => /(?:^|\/)(?:stdin|fd\/+\d+)$/.test(word ?? '');

/** Undefined if the program is not a shell. Pure. */
export function shellCall(program: string, args: readonly Text[]): ShellCall | undefined {
  const name = SHELLS.has(program) ? program : withoutVersion(program);
  const options = SHELLS.get(name);
  if (options === undefined) return undefined;
  const texts: Text[] = [];
  let flags = '';
  let isUnclear = false;
  let at = 0;
  for (; at < args.length; at += 1) {
    const option = args[at];
    if (option === undefined || !/^[-+]/.test(option)) break;
    if (option === '--' || option === '-') {
      at += 1;
      break;
    }
    if (/^--(version|help)$/.test(option)) return { texts, reads: 'nothing', isUnclear };
    const read = readOption(options, option, args.slice(at + 1));
    texts.push(...read.texts);
    flags += read.flags;
    isUnclear ||= read.isUnclear || (name === 'sh' && /o./i.test(option.replace(/^--.*/, '')));
    at += read.taken;
  }
  const operand = args[at];
  if (flags.includes('c')) texts.push(operand);
  if (texts.length > 0) return { texts, reads: 'text', isUnclear };
  if (at >= args.length || flags.includes('s')) return { texts, reads: 'input', isUnclear };
  if (operand === undefined) return { texts, reads: 'unknown', isUnclear: true };
  const isFile = !isInput(operand);
  return { texts, reads: isFile ? 'script' : 'input', isUnclear: isUnclear || !isFile };
}

interface ReadOption {
  readonly flags: string;
  readonly texts: readonly Text[];
  /** Number of following arguments that are its values. */
  readonly taken: number;
  readonly isUnclear: boolean;
}

function readOption(options: ShellOptions, option: string, next: readonly Text[]): ReadOption {
  // Bash also accepts its long options with one dash.
  const dashes = options.isAttached ? /^--/ : /^--?/;
  const [long = '', joined] = dashes.test(option) ? option.replace(dashes, '').split(/=(.*)/s) : [];
  if (options.long.has(long)) return { flags: '', texts: [], taken: 0, isUnclear: false };
  if (options.long.has(`${long}=`)) {
    const value = joined ?? next[0];
    const texts = /command$/.test(long) ? [value] : [];
    return {
      flags: '',
      texts,
      taken: joined === undefined ? 1 : 0,
      isUnclear: value === undefined,
    };
  }
  return readLetters(options, option, next);
}

function readLetters(
  { flags, valued, texts, isAttached }: ShellOptions,
  option: string,
  next: readonly Text[],
): ReadOption {
  const found = { flags: '', texts: [] as Text[], taken: 0, isUnclear: false };
  for (let at = 1; at < option.length; at += 1) {
    const letter = option[at] ?? '';
    const isText = texts.includes(letter);
    if (!isText && !valued.includes(letter)) {
      found.flags += letter;
      found.isUnclear ||= !flags.includes(letter);
      continue;
    }
    const rest = isAttached ? option.slice(at + 1) : '';
    const value = rest === '' ? next[found.taken] : rest;
    if (rest === '') found.taken += 1;
    if (isText) found.texts.push(value);
    // An unknown value may turn out to be several arguments, or none.
    found.isUnclear ||= value === undefined && found.taken <= next.length;
    if (isAttached) break;
  }
  return found;
}
