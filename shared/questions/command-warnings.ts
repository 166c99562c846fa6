/**
 * Parts of a command line that a reader should check before allowing it: `-rf`, `--force`, `sudo`,
 * `> file`, `curl | sh`. A reading aid, not a verdict: a line without any is not known to be
 * harmless. Pure; linear in the length of the line.
 */

type WarningKind =
  | 'deletes'
  | 'deletesUnasked'
  | 'unasked'
  | 'forcePush'
  | 'force'
  | 'discards'
  | 'root'
  | 'overwrites'
  | 'pipe';

/** A part of the text, from `start` to before `end`. */
interface CommandWarning {
  readonly kind: WarningKind;
  readonly start: number;
  readonly end: number;
}

interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** One command of the line; `isPiped`: the one before it feeds it. */
interface Part {
  readonly words: readonly Word[];
  readonly isPiped: boolean;
}

const LONGEST = 20_000;
const SEPARATOR = /^(?:\|\||&&|\|&|[|;&\n(){}])/;
const WORD = /^(?:\\[\s\S]|"(?:\\[\s\S]|[^"\\])*"?|'[^']*'?|[^\s"'\\|;&(){}<>])+/;
const REDIRECT = /^(?:\d|&)?>{1,2}(?:\|)?(?:&[\d-]?)?/;
const BLANK = /^[^\S\n]+|^#[^\n]*/;

interface Scan {
  readonly parts: readonly Part[];
  /** Redirections that replace a file. */
  readonly writes: readonly Word[];
}

function scan(line: string): Scan {
  const parts: { words: Word[]; isPiped: boolean }[] = [{ words: [], isPiped: false }];
  const writes: Word[] = [];
  let at = 0;
  while (at < line.length) {
    const rest = line.slice(at, at + 4096);
    const blank = BLANK.exec(rest)?.[0];
    const redirect = REDIRECT.exec(rest)?.[0];
    const separator = SEPARATOR.exec(rest)?.[0];
    if (blank !== undefined && (blank.charAt(0) !== '#' || isWordStart(line, at)))
      at += blank.length;
    else if (redirect !== undefined) {
      const gap = /^[^\S\n]*/.exec(line.slice(at + redirect.length, at + 4096))?.[0] ?? '';
      const target = WORD.exec(line.slice(at + redirect.length + gap.length))?.[0] ?? '';
      const end = at + redirect.length + gap.length + target.length;
      const replaces = /^(?:\d|&)?>\|?$/.test(redirect);
      if (replaces && target !== '' && !/^\/dev\/(null|stdout|stderr|tty)$/.test(target))
        writes.push({ text: target, start: at, end });
      at = Math.max(end, at + 1);
    } else if (separator !== undefined) {
      parts.push({ words: [], isPiped: separator === '|' || separator === '|&' });
      at += separator.length;
    } else {
      const word = WORD.exec(rest)?.[0] ?? rest.charAt(0);
      parts.at(-1)?.words.push({ text: unquoted(word), start: at, end: at + word.length });
      at += word.length;
    }
  }
  return { parts: parts.filter(({ words }) => words.length > 0), writes };
}

const isWordStart = (line: string, at: number): boolean => /^$|\s/.test(line.charAt(at - 1));
const unquoted = (word: string): string => word.replace(/["']|\\(?=[\s\S])/g, '');
const programOf = (word: Word | undefined): string =>
  (word?.text ?? '').slice((word?.text ?? '').lastIndexOf('/') + 1);

const ROOT = new Set(['sudo', 'doas', 'pkexec', 'su', 'run0']);
const FETCH = new Set(['curl', 'wget']);
const INTERPRETER = /^(?:(?:ba|z|da|k|fi|c|tc)?sh|python[\d.]*|node|perl|ruby|php)$/;
/** Programs that run the words after them. */
const WRAPPER = new Set(['env', 'nohup', 'time', 'nice', 'exec', 'command', 'xargs', 'timeout']);

/** All parts to check, from left to right, without overlaps. */
export function commandWarnings(command: string): readonly CommandWarning[] {
  const line = command.slice(0, LONGEST);
  const { parts, writes } = scan(line);
  const found: CommandWarning[] = writes.map(({ start, end }) => ({
    kind: 'overwrites',
    start,
    end,
  }));
  let fetchedFrom: number | undefined;
  for (const part of parts) {
    const words = withoutPrefix(part.words, found);
    const [first] = words;
    const program = programOf(first);
    if (!part.isPiped) fetchedFrom = undefined;
    if (FETCH.has(program)) fetchedFrom = first?.start;
    else if (part.isPiped && fetchedFrom !== undefined && INTERPRETER.test(program)) {
      found.push({ kind: 'pipe', start: fetchedFrom, end: first?.end ?? fetchedFrom });
      fetchedFrom = undefined;
    }
    found.push(...ofPart(program, words.slice(1)));
  }
  return withoutOverlap(found);
}

/** The words after assignments, wrappers and `sudo`, which is noted. */
function withoutPrefix(words: readonly Word[], found: CommandWarning[]): readonly Word[] {
  let at = 0;
  for (;;) {
    const word = words[at];
    if (word === undefined) return [];
    const program = programOf(word);
    const isRoot = ROOT.has(program);
    if (isRoot) found.push({ kind: 'root', start: word.start, end: word.end });
    if (!isRoot && !WRAPPER.has(program) && !/^\w+=/.test(word.text)) return words.slice(at);
    at += 1;
    while (words[at]?.text.startsWith('-') === true) at += 1;
  }
}

function ofPart(program: string, args: readonly Word[]): readonly CommandWarning[] {
  switch (program) {
    case 'rm':
      return ofRemove(args);
    case 'git':
      return ofGit(args);
    default:
      return args
        .filter(({ text }) => text === '--force')
        .map(({ start, end }) => ({ kind: 'force', start, end }));
  }
}

function ofRemove(args: readonly Word[]): readonly CommandWarning[] {
  return args.flatMap(({ text, start, end }): readonly CommandWarning[] => {
    const isShort = /^-[a-zA-Z]+$/.test(text);
    const isDeep = (isShort && /[rR]/.test(text)) || text === '--recursive';
    const isForced = (isShort && text.includes('f')) || text === '--force';
    if (!isDeep && !isForced) return [];
    const kind = isDeep ? (isForced ? 'deletesUnasked' : 'deletes') : 'unasked';
    return [{ kind, start, end }];
  });
}

const FORCE_PUSH = /^(?:-[a-zA-Z]*f[a-zA-Z]*|--for[a-z-]*(?:=.*)?|--mirror|\+.+)$/;

function ofGit(args: readonly Word[]): readonly CommandWarning[] {
  const verb = args.findIndex(
    ({ text }, at) => !text.startsWith('-') && !/^-[cC]$/.test(args[at - 1]?.text ?? ''),
  );
  const rest = args.slice(verb + 1);
  const marked = (pattern: RegExp, kind: WarningKind): readonly CommandWarning[] =>
    rest.filter(({ text }) => pattern.test(text)).map(({ start, end }) => ({ kind, start, end }));
  switch (args[verb]?.text) {
    case 'push':
      return marked(FORCE_PUSH, 'forcePush');
    case 'reset':
      return marked(/^--hard$/, 'discards');
    case 'clean':
      return marked(/^(?:-[a-zA-Z]*f[a-zA-Z]*|--force)$/, 'discards');
    default:
      return marked(/^--force$/, 'force');
  }
}

function withoutOverlap(found: readonly CommandWarning[]): readonly CommandWarning[] {
  const kept: CommandWarning[] = [];
  for (const one of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (last === undefined || one.start >= last.end) kept.push(one);
  }
  return kept;
}

/** A line that is exactly one push, with words that every shell takes literally. */
const PUSH = /^[ \t]*git[ \t]+push((?:[ \t]+[\w@%+=:,./^-]+)*)[ \t]*$/;
/** They push something other than one branch. */
const NOT_PLAIN =
  /^(?:-[a-zA-Z]*d[a-zA-Z]*|--(?:all|branches|delete|mirror|prune|tags|dry-run).*|-n|-o|--push-option.*|--repo.*|--exec.*|--receive-pack.*)$/;

/** Describes a push; undefined for anything but one plain push of one branch. */
export function pushIn(
  command: string,
): { readonly kind: 'push' | 'forcePush'; readonly branch: string | undefined } | undefined {
  const words = PUSH.exec(command.slice(0, LONGEST))?.[1]
    ?.split(/[ \t]+/)
    .filter((word) => word !== '');
  if (words === undefined || command.length > LONGEST) return undefined;
  const options = words.filter((word) => word.startsWith('-'));
  const [, ...refs] = words.filter((word) => !word.startsWith('-'));
  if (options.some((option) => NOT_PLAIN.test(option)) || refs.length > 1) return undefined;
  const [ref] = refs;
  if (ref?.replace('+', '').startsWith(':') === true) return undefined;
  const isForced = [...options, ...refs].some((word) => FORCE_PUSH.test(word));
  const branch = ref?.replace(/^\+/, '').split(':').at(-1);
  return { kind: isForced ? 'forcePush' : 'push', branch };
}
