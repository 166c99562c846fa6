/**
 * Decides which shell commands need approval: those that delete, reach other computers, need more
 * privileges, or are unclear. Everything else that works in the workspace (builds, tests, edits)
 * runs without a question, so that users read the questions that come. It is advice, not a sandbox:
 * a program may do anything. Source: S3-06.
 */
import { gitRisk, runsByGit } from './git-risk';
import { commandsNamed, commandsOfValue } from './named-programs';
import { checkedProgram, PLAIN } from './read-only-programs';
import {
  actionOf,
  BY_VERB,
  classOfProgram,
  firstWords,
  MAY_RUN,
  SWALLOWS,
  type RiskClass,
} from './risk-by-program';
import { hasShellEffects } from './shell-effects';
import { shellLine, type ShellLine, type ShellPart } from './shell-parts';
import type { CallPart, CallRisk } from '../../ports/tool-call';
import { entryOf, table } from '../../../shared/table';
import type { Text } from './shell-words';

/** They only delete their arguments. */
const DELETERS = new Set(['rm', 'rmdir', 'unlink', 'shred', 'truncate']);

/** Options with which a program runs another one, or takes its settings from a file. */
const RUNS = /^(-e|-E|-F|-S|-K)/;
const RUNS_BY_SETTING = /^-\w*o(Proxy|Local|Permit|KnownHosts)/i;
const RUNS_BEHIND = /^-(o|c|u)$/;
const RUNS_VALUE = /^(ext|fd)::|^(Proxy|Local|PermitLocal)\w*[= ]|^core\.|^!/i;
/** The same by their names; a program accepts abbreviations. */
const RUNNING_NAMES = (
  'rsh exec shell script-shell node-options config userconfig globalconfig receive-pack upload-pack template ' +
  'exec-path config-env pre post use-compress-program to-command entrypoint privileged proxy-command'
).split(' ');
/** Options of single programs that write a file or take a program under another name. */
const RUNNING_NAMES_OF = table<readonly string[]>({
  git: ['output', 'open-files-in-pager', 'ext-diff', 'textconv', 'exec'],
  npm: ['git'],
  go: ['toolexec', 'vettool', 'exec'],
});

/** Options that change nothing about what a program runs; any other is not covered. */
const PLAIN_OPTION = table<RegExp>({
  ssh: /^-([46AaCfGgKkMNnqsTtVvXxYy]+|[pl].*)$/,
  scp: /^-([346BCpqrTv]+|[Pl].*)$/,
  sftp: /^-([46aCfpqrv]+|[PR].*)$/,
  rsync:
    /^(-[abcdghilmnopqrtuvxzACDHIKLNOPSUWXz0-9]+|--(?!rsh|rsync-path|log-file|daemon|files-from|config)[a-z-]{4,}(=.*)?)$/,
});

const SSH_SETTING =
  /^(StrictHostKeyChecking|BatchMode|ConnectTimeout|ServerAlive\w*|LogLevel|Port|User)\s*[= ]/i;

function mayRunByOption(name: string, arg: string): boolean {
  if (RUNS.test(arg) || RUNS_BY_SETTING.test(arg)) return true;
  const option = /^--?([a-z][\w-]*)/.exec(arg)?.[1];
  if (option === undefined) return false;
  const own = RUNNING_NAMES_OF[name] ?? [];
  // Options of go have one or two dashes, and no abbreviations.
  if (name === 'go') return own.includes(option);
  return (
    arg.startsWith('--') &&
    ([...RUNNING_NAMES, ...own].some((one) => one.startsWith(option)) ||
      // `--exec-batch`
      RUNNING_NAMES.some((one) => option.startsWith(`${one}-`)))
  );
}

/** For git: where it writes, or what the other side runs. */
const GIT_SHORT = table<RegExp>({
  clone: /^-[a-zA-Z]*[cu]/,
  'ls-remote': /^-[a-zA-Z]*u/,
  archive: /^-[a-zA-Z]*o/,
  'format-patch': /^-[a-zA-Z]*o/,
  grep: /^-[a-zA-Z]*O/,
});

/** curl options that only change the request's form or the output's display. */
const CURL_OPTION = new RegExp(
  '^(?:-[sSfLvIikgGNj0146#]*(?:[sSfLvIikgGNj0146#]|[XHAemdubw].*)|' +
    '--(?:silent|show-error|fail|fail-with-body|location|verbose|head|include|insecure|globoff|get|compressed|' +
    'no-buffer|no-progress-meter|http1\\.1|http2|ipv4|ipv6|max-time|connect-timeout|retry|retry-delay|' +
    'request|header|user-agent|referer|data|data-raw|data-urlencode|json|user|url|write-out))$',
  's',
);
const WGET_OPTION =
  /^(-[qvSc46]*(O-?)?|-[Tt]\d*|--(quiet|spider|server-response|output-document=-|timeout=\d+|tries=\d+|header=.*|method=\w+|user-agent=.*))$/s;

/** True if an approval for the program, or for it and its verb, covers this call. Pure. */
function isCoverable(part: ShellPart): boolean {
  const { name, args } = part;
  if (name === undefined) return false;
  if (SWALLOWS.has(name)) return part.isBare;
  const known = args.filter((arg) => arg !== undefined);
  if (known.some(isOutside)) return false;
  if (DELETERS.has(name)) return part.isBareButFed;
  if (!part.isBare || known.length < args.length) return false;
  if (name === 'find') return !known.some((arg) => /^-(exec|ok|f)/.test(arg));
  if (name === 'curl') return isPlainCurl(known);
  if (name === 'wget') return isPlainWget(known);
  if (name === 'git' && known.some((arg) => arg === 'foreach' || isShortOfGit(known, arg)))
    return false;
  const plain = PLAIN_OPTION[name];
  if (plain !== undefined)
    return known.every(
      (arg, at) =>
        !arg.startsWith('-') ||
        plain.test(arg) ||
        (arg.startsWith('-o') &&
          SSH_SETTING.test(arg === '-o' ? (known[at + 1] ?? '') : arg.slice(2))),
    );
  return known.every((arg, at) => {
    if (RUNS_VALUE.test(arg)) return false;
    // For curl, ssh and similar programs, the value of -o is a file or a setting.
    return (
      !mayRunByOption(name, arg) && !(RUNS_BEHIND.test(known[at - 1] ?? '') && /[:=!]/.test(arg))
    );
  });
}

const isShortOfGit = (args: readonly string[], arg: string): boolean =>
  args.some((verb) => Object.hasOwn(GIT_SHORT, verb) && GIT_SHORT[verb]?.test(arg) === true);

function isPlainCurl(args: readonly string[]): boolean {
  // `name@file` is read from there.
  if (args.some((arg, at) => args[at - 1] === '--data-urlencode' && arg.includes('@')))
    return false;
  return args.every((arg) =>
    arg.startsWith('-')
      ? CURL_OPTION.test(arg) && !/^-\w*[Hdbw]@|%output/.test(arg)
      : !arg.startsWith('@') && !arg.includes('%output') && isWebAddress(arg),
  );
}

/** Fetches from a server on this computer and sends it nothing; usually the agent's own server. */
function isReadFromHere({ name, args, isBare }: ShellPart): boolean {
  if (name !== 'curl' || !isBare) return false;
  const known = args.filter((arg) => arg !== undefined);
  const addresses = known.filter(
    (arg, at) => !arg.startsWith('-') && !isValueOfCurl(known[at - 1]),
  );
  return (
    known.length === args.length &&
    addresses.length > 0 &&
    addresses.every((one) => LOOPBACK.test(one)) &&
    known.every((arg) => !arg.startsWith('-') || CURL_READS.test(arg)) &&
    isPlainCurl(known)
  );
}

const LOOPBACK =
  /^(https?:\/\/)?(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?([/?][^@[\]{}]*)?$/i;
const CURL_READS =
  /^(-[sSfvikgIN]+|-m\d*|--(silent|show-error|fail|fail-with-body|verbose|head|include|insecure|compressed|no-buffer|no-progress-meter|max-time|connect-timeout))$/;
const isValueOfCurl = (before: string | undefined): boolean =>
  /^(-m|--max-time|--connect-timeout)$/.test(before ?? '');

/** A web address, or text that is no address at all. */
const isWebAddress = (text: string): boolean =>
  /^https?:\/\//i.test(text) || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text);

/** True if it prints; otherwise it writes a file whose name the server influences. */
function isPlainWget(args: readonly string[]): boolean {
  const outputs = args.flatMap((arg, at) => {
    const [, attached] = /^(?:-[qvSc46]*O|--output-document=)(.*)$/s.exec(arg) ?? [];
    return attached === undefined ? [] : [attached === '' ? (args[at + 1] ?? '') : attached];
  });
  const prints = outputs.length > 0 || args.includes('--spider');
  return (
    prints &&
    outputs.every((output) => output === '-') &&
    args.every((arg) => !arg.startsWith('-') || arg === '-' || WGET_OPTION.test(arg))
  );
}

/**
 * Whether an argument points outside the workspace, as far as the text shows; also after an option
 * or a name.
 */
function isOutside(word: Text): boolean {
  if (word === undefined) return true;
  if (/^\/dev\/(null|stdout|stderr)$/.test(word)) return false;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return false;
  // `--mount=type=bind,src=/,dst=/h`
  if (word.includes(',') && word.split(',').some((part) => isOutside(part.replace(/^[\w-]+=/, ''))))
    return true;
  const path = word.replace(/^(-\w|--[\w-]+=|[\w.@-]+[=:])(?=[~/.])/, '');
  if (path.split('/').includes('..')) return true;
  return path.startsWith('/tmp/') ? false : path.startsWith('/') || path.startsWith('~');
}

const REASONS: Readonly<Record<RiskClass, string>> = {
  deletes: 'It deletes.',
  network: 'It connects to other computers.',
  publishes: 'It publishes: others will see it.',
  rights: 'It changes permissions, other programs or the system.',
  unclear: 'The command does not show what it would run.',
};

/** Pure; never throws. */
export function shellRisk(command: string): CallRisk {
  // Few lines have rules, so the parts of a line without a risk are computed only when needed.
  let line: ShellLine | undefined;
  const lineOf = (): ShellLine => (line ??= shellLine(command));
  const found = hasShellEffects(command) ? classify(lineOf(), command) : undefined;
  const risk: CallRisk =
    found === undefined
      ? { isRisky: false, reason: '', covers: '' }
      : {
          isRisky: true,
          reason: REASONS[found.class],
          covers: found.covers,
          ...(found.leaves ? { leaves: true } : {}),
        };
  return Object.defineProperty(risk, 'parts', { get: () => callParts(lineOf()) });
}

interface FoundRisk {
  readonly class: RiskClass;
  /** It reaches beyond this computer. */
  readonly leaves: boolean;
  /** `git push`: what a session approval would cover; empty if only this command. */
  readonly covers: string;
}

const foundAs = (kind: RiskClass, covers: string): FoundRisk => ({
  class: kind,
  covers,
  leaves: kind === 'network' || kind === 'publishes',
});

function classify(line: ShellLine, command: string): FoundRisk | undefined {
  const found: FoundRisk[] = [];
  for (const part of line.parts) {
    const isHere = !line.isShifted && isReadFromHere(part);
    const one = part.isSwallowed || isHere ? undefined : ofPart(part);
    if (one !== undefined) found.push(one);
  }
  if (line.writes.some(isOutside)) found.push(foundAs('rights', ''));
  if (line.connects) found.push(foundAs('network', ''));
  if (line.isUnclear && found.length === 0) found.push(foundAs('unclear', ''));
  const [first] = found;
  if (first === undefined) return undefined;
  return {
    class: first.class,
    leaves: found.some((one) => one.leaves),
    covers: isCovered(line, first.covers, found) ? first.covers : command,
  };
}

/** An approval of a name covers a line in which only that name has effects. */
function isCovered(line: ShellLine, name: string, found: readonly FoundRisk[]): boolean {
  if (name === '' || line.isShifted || line.connects || line.writes.some(isWritten)) return false;
  if (!found.every((one) => one.covers === name)) return false;
  if (line.isOpenlyUnclear) return false;
  return line.parts.every(
    (part) => isFree(part) || (ofPart(part)?.covers === name && isCoverable(part)),
  );
}

const isWritten = (target: string | undefined): boolean =>
  target === undefined || !/^\/dev\/(null|stdout|stderr)$/.test(target);

/** Needs no approval. */
const isFree = (part: ShellPart): boolean =>
  part.isSwallowed || isReadOnlyPart(part) || (part.isWrapper && ofPart(part) === undefined);

function isReadOnlyPart({ name, args, isBare }: ShellPart): boolean {
  if (name === undefined || !isBare) return false;
  if (PLAIN.has(name)) return true;
  const known = args.filter((arg) => arg !== undefined);
  return known.length === args.length && checkedProgram(name)?.isReadOnly(known) === true;
}

/** The risk of one part, regardless of the rest of the line. */
function ofPart(part: ShellPart): FoundRisk | undefined {
  const { name, args } = part;
  if (name === undefined) return foundAs('unclear', '');
  // Also by its program's full name: `git-push`.
  if (name.startsWith('git-'))
    return ofPart({ ...part, name: 'git', args: [name.slice(4), ...args] });
  const direct = classOfProgram(name, args);
  if (direct !== undefined) return foundAs(direct, actionOf(name, args));
  if (writesOutside(name, args)) return foundAs('rights', '');
  switch (name) {
    case 'find':
      return args.some((arg) => arg !== undefined && /^-(delete|exec|ok)/.test(arg))
        ? foundAs('deletes', 'find')
        : undefined;
    case 'tee':
      return args.some((arg) => arg === undefined || (!arg.startsWith('-') && isOutside(arg)))
        ? foundAs('rights', '')
        : undefined;
    case 'dpkg':
    case 'rpm':
      return args.some((arg) => arg === undefined || INSTALLS.test(arg))
        ? foundAs('rights', name)
        : undefined;
    case 'cp':
    case 'mv':
    case 'ln':
    case 'install':
      return writesSystem(args) ? foundAs('rights', '') : undefined;
    case 'git': {
      const risk = gitRisk(args, firstWords(name, args));
      return risk === undefined ? undefined : foundAs(risk.class, risk.covers);
    }
    default:
      return ofVerb(name, args);
  }
}

/** Changes to system packages; everything else these programs do is to report about them. */
const INSTALLS =
  /^-[a-zA-Z]*[irPUeF](?![a-zA-Z]*q)|^--(?:install|remove|purge|erase|upgrade|freshen|unpack|configure|import|set)/;

/** The last operand, or the named folder, is among the files that the system or the shell reads. */
function writesSystem(args: ShellPart['args']): boolean {
  const targets = [
    args.at(-1),
    ...valuesOf(args, /^(?:-[a-zA-Z]*t(?=$|[~/.])|--target(?:-directory)?(?:=|$))(.*)$/s),
  ];
  return targets.some(
    (arg) =>
      arg !== undefined &&
      /^(~|\/(etc|usr|bin|sbin|lib|boot|root|opt)\b)|(^|\/)\.\.(\/|$)/.test(arg),
  );
}

/** Values of an option, attached or in the next argument. */
const valuesOf = (args: ShellPart['args'], option: RegExp): ShellPart['args'] =>
  args.flatMap((arg, at) => {
    const value = option.exec(arg ?? '')?.[1];
    return value === undefined ? [] : [value === '' ? args[at + 1] : value];
  });

/** Options that say where a program writes, with the place in the option itself or behind it. */
const WRITES_TO = table<RegExp>({
  tar: /^(?:-C|--dir(?:ectory)?(?:=|$))(.*)$/s,
  bsdtar: /^-C(.*)$/s,
  unzip: /^-d(.*)$/s,
  '7z': /^-o(.*)$/s,
  find: /^-f(?:print0?|printf|ls)()$/,
  sort: /^(?:-[a-zA-Z]*o|--o(?:utput)?(?:=|$))(.*)$/s,
  git: /^(?:-o|--output(?:-directory)?(?:=|$))(.*)$/s,
});
const EDITS_IN_PLACE = /^(?:-[a-zA-Z]*i|--in-place)/;

/** A file outside of the workspace is written: by an option, or because files are edited where they are. */
function writesOutside(name: string, args: ShellPart['args']): boolean {
  const isPacking = name === 'tar' && !/^(?:-?[a-zA-Z]*x|--ext|--get)/.test(args[0] ?? '');
  const option = isPacking ? undefined : WRITES_TO[name];
  if (option !== undefined && valuesOf(args, option).some(isOutside)) return true;
  return (
    /^(?:sed|perl|ruby)$/.test(name) &&
    args.some((arg) => EDITS_IN_PLACE.test(arg ?? '')) &&
    args.some((arg) => arg !== undefined && /^[/~.]/.test(arg) && isOutside(arg))
  );
}

function ofVerb(name: string, args: ShellPart['args']): FoundRisk | undefined {
  const known = BY_VERB.get(name);
  if (known === undefined) return undefined;
  const { verbs, isOpen } = firstWords(name, args);
  for (const verb of verbs) {
    const kind = entryOf(known.classes, verb);
    if (kind !== undefined) return foundAs(kind, `${name} ${verb}`);
  }
  return isOpen ? foundAs('unclear', '') : undefined;
}

const mayRun = (program: string, args: ShellPart['args']): boolean => {
  if (program === 'git' && runsByGit(args, firstWords(program, args))) return true;
  const verbs = MAY_RUN.get(program);
  return verbs !== undefined && ['', ...args].some((arg) => arg !== undefined && verbs.test(arg));
};

/** Commands that a program may run according to its arguments and its input. */
function runsOf({ name = '', args, isWrapper, input }: ShellPart): Pick<CallPart, 'mayRun'> {
  if (PLAIN.has(name) || checkedProgram(name) !== undefined) return {};
  const isKnown = BY_VERB.has(name) || classOfProgram(name, []) !== undefined;
  const named = commandsNamed({ name, args: isWrapper ? [] : args, input }, isKnown);
  return named.length === 0 ? {} : { mayRun: named };
}

/** The same parts in the form that rules are matched with. */
function callParts(line: ShellLine): readonly CallPart[] {
  const parts: CallPart[] = line.parts.map((part) => {
    const { name, args } = part;
    if (name === undefined) return { names: [], mayBe: '', isPlain: false };
    // `git-push` is git, and `poetry run` poetry.
    const isGit = name.startsWith('git-');
    const [program = ''] = isGit ? ['git'] : part.isWrapper ? name.split(' ') : [name];
    const words = isGit ? [name.slice(4), ...args] : args;
    const { verbs, isOpen } = firstWords(program, words);
    const risk = ofPart(part);
    const names = new Set([
      ...(risk === undefined || risk.covers === '' ? [] : [risk.covers]),
      ...(part.isWrapper ? [name] : []),
      ...verbs.map((verb) => `${program} ${verb}`),
      program,
    ]);
    return {
      names: [...names],
      // A rule that allows pushes does not allow one that can lose commits of others.
      isPlain: !line.isShifted && isCoverable(part) && !/^git push -/.test(risk?.covers ?? ''),
      ...(isFree(part) ? { isFree: true } : {}),
      ...(isOpen ? { mayBe: `${program} ` } : {}),
      // An alias, or a file that is run as a script: they may run anything.
      ...((risk?.class === 'unclear' && !SWALLOWS.has(name)) || mayRun(program, words)
        ? { mayBe: '' }
        : {}),
      ...runsOf(part),
    };
  });
  const named = line.values.flatMap(commandsOfValue);
  if (named.length > 0) parts.push({ names: [], mayRun: named, isPlain: true, isFree: true });
  const isMore = line.connects || line.isShifted || line.writes.some(isWritten);
  if (line.isUnclear)
    parts.push({
      names: [],
      mayBe: '',
      isPlain: false,
      ...(line.isOpenlyUnclear ? {} : { isFree: true }),
    });
  if (isMore) parts.push({ names: [], isPlain: false });
  return parts;
}
