/**
 * Programs that run another program: `timeout 5 rm x` is an rm. One table for all checks of what a
 * command line runs: approvals, rules and the sleep guard. After an unlisted option, the position
 * of the wrapped program is unknown.
 */
import type { Text } from './shell-words';
import { table } from '../../../shared/table';

/** The content that a wrapper runs. */
type Unwrapped =
  /** These arguments, the program first. */
  | { readonly kind: 'program'; readonly words: readonly Text[] }
  /** A text for a shell. */
  | { readonly kind: 'line'; readonly line: Text }
  /** Lines of its standard input. */
  | { readonly kind: 'input' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unclear' };

interface Wrapper {
  /** Short options: without a value; with one attached or next; attached only. */
  readonly flags: string;
  readonly valued: string;
  readonly attached: string;
  /** Long options; those that take a value end in `=`. */
  readonly long: readonly string[];
  /** Number of the wrapper's own arguments before the program. */
  readonly own: number;
  /** Its own arguments are optional and look like this. */
  readonly ownLooks?: RegExp;
  /** The program comes after `--`; without it, where the program starts is unknown. */
  readonly behindDashes: boolean;
  /** Its options may also follow its own arguments. */
  readonly hasLateOptions: boolean;
  /** NAME=value may precede the program. */
  readonly assigns: boolean;
  /** The arguments are joined and passed to a shell. */
  readonly isLine: boolean;
  /** This option is followed by a text for a shell. */
  readonly lineOption: string;
  /** Changes neither the program, its privileges nor its search path. */
  readonly isPlain: boolean;
  /** Gives the program extra arguments, from its input or from a search. */
  readonly isFed: boolean;
}

const NO_WRAPPER: Wrapper = {
  flags: '',
  valued: '',
  attached: '',
  long: [],
  own: 0,
  behindDashes: false,
  hasLateOptions: false,
  assigns: false,
  isLine: false,
  lineOption: '',
  isPlain: false,
  isFed: false,
};

type Row = Partial<Omit<Wrapper, 'long'>> & { readonly long?: string };
const ENV: Row = {
  flags: 'i0v',
  valued: 'uC',
  long: 'ignore-environment null debug unset= chdir= default-signal ignore-signal block-signal',
  assigns: true,
  isPlain: true,
};
const TIMEOUT: Row = {
  flags: 'fpv',
  valued: 'ks',
  long: 'foreground preserve-status verbose kill-after= signal=',
  own: 1,
  isPlain: true,
};
const TIME: Row = {
  flags: 'apqvV',
  valued: 'fo',
  long: 'append portability quiet verbose format= output=',
};
/** Machine names that `setarch` accepts. */
const MACHINE =
  /^(linux(32|64)|i[3-6]86|x86_64|athlon|(ppc|sparc|mips|s390)\w*|arm\w*|aarch64|ia64|parisc\w*|alpha\w*|riscv\w*|loongarch\w*|uname26)$/;
const SU: Row = { flags: 'lmpPf', valued: 'gGsw', lineOption: 'c', long: 'login command=' };

const CONDA: Row = { valued: 'np', long: 'name= prefix= no-capture-output live-stream' };
const NPX: Row = {
  flags: 'yq',
  valued: 'p',
  long: 'yes no no-install quiet prefer-offline offline package=',
};
/** They take a command as arguments; their own options before it are not known here. */
const OTHERS =
  'linux32 linux64 i386 i486 i586 i686 x86_64 ppc ppc32 ppc64 sparc sparc32 sparc64 mips mips32 ' +
  'mips64 s390 s390x arm armv7l armv8l aarch64 uname26 uclampset setpgid runcon cgexec ' +
  'schroot systemd-nspawn abduco daemonize start-stop-daemon supervise softlimit chpst execlineb ' +
  'ifne zrun oneit cpulimit catchsegv torsocks torify tsocks proxychains proxychains4 ccache distcc ' +
  'sccache bear scan-build heaptrack multitime gdb lldb cgdb expect wine xterm konsole ' +
  'gnome-terminal kitty alacritty sandbox-exec env-cmd chruby-exec watchexec rush zargs noglob ' +
  'nocorrect not and or - uvx nocache hugectl schedtool pipesz aa-exec minijail0 landrun nsjail ' +
  'fakechroot dbus-launch foot st urxvt catatonit with-contenv box64 with-env ' +
  'lxc-attach lxc-execute';
/** The same after `exec` or `run`. */
const OTHERS_BY_VERB =
  'rbenv pyenv nodenv jenv goenv plenv phpenv mise asdf tox pixi micromamba lerna volta fnm devbox ' +
  'hatch op doppler infisical teller foreman honcho dotenvx';

const ROWS = table<Row>({
  command: { flags: 'p', isPlain: true },
  builtin: { isPlain: true },
  exec: { flags: 'cl', valued: 'a', isPlain: true },
  env: ENV,
  'cross-env': { assigns: true },
  'cross-env-shell': { assigns: true, isLine: true },
  dotenv: { valued: 'ef' },
  nice: { valued: 'n', long: 'adjustment=', isPlain: true },
  ionice: { flags: 't', valued: 'cn', long: 'ignore class= classdata=', isPlain: true },
  nohup: { isPlain: true },
  setsid: { flags: 'cfw', long: 'ctty fork wait', isPlain: true },
  stdbuf: { valued: 'ioe', long: 'input= output= error=', isPlain: true },
  timeout: TIMEOUT,
  gtimeout: TIMEOUT,
  time: TIME,
  chronic: { flags: 'ev', isPlain: true },
  unbuffer: { flags: 'p', isPlain: true },
  caffeinate: { flags: 'dimsu', valued: 'tw', isPlain: true },
  busybox: {},
  toybox: {},
  corepack: {},
  xargs: {
    flags: '0rtpxo',
    valued: 'adEILnPsJR',
    attached: 'eil',
    long: 'null no-run-if-empty verbose interactive exit open-tty process-slot-var= arg-file= delimiter= eof max-lines replace max-args= max-procs= max-chars= show-limits',
    isFed: true,
  },
  sudo: {
    flags: 'ABbEHKknPSisl',
    valued: 'CDghpRrtTuU',
    long: 'askpass background preserve-env set-home non-interactive preserve-groups stdin login shell user= group= prompt= close-from= chdir= host= role= type= command-timeout= chroot=',
    assigns: true,
  },
  doas: { flags: 'nsL', valued: 'Cu' },
  pkexec: { long: 'disable-internal-agent keep-cwd user=' },
  chroot: { long: 'userspec= groups= skip-chdir', own: 1 },
  watch: {
    flags: 'bcdegptwCr',
    valued: 'nq',
    long: 'beep color differences errexit chgexit precise no-title no-wrap no-color interval= equexit=',
    isLine: true,
  },
  flock: {
    flags: 'sexunoFv',
    valued: 'wE',
    lineOption: 'c',
    long: 'shared exclusive unlock nonblock nb wait= timeout= conflict-exit-code= close no-fork verbose command=',
    own: 1,
  },
  script: {
    flags: 'aefq',
    valued: 'EIBOTmo',
    lineOption: 'c',
    long: 'append flush quiet command=',
  },
  su: SU,
  runuser: { ...SU, valued: 'gGswu' },
  parallel: {
    flags: 'ktuXmq',
    valued: 'jNnP',
    long: 'jobs= keep-order dry-run bar halt= tag verbose will-cite no-notice max-procs=',
    isLine: true,
    isFed: true,
  },
  entr: { flags: 'acdnprxz', isFed: true },
  ssh: {
    flags: '46AaCfGgKkMNnqsTtVvXxYy',
    valued: 'BbcDEeFIiJLlmOopQRSWw',
    own: 1,
    hasLateOptions: true,
    isLine: true,
  },
  sshpass: { flags: 'evV', valued: 'pfdP' },
  taskset: { flags: 'ac', own: 1, isPlain: true },
  chrt: { flags: 'abdfiorRv', own: 1, isPlain: true },
  strace: { flags: 'cCdDfFhiknqrtTvwxyYzZ', valued: 'aAbeEIoOPpsSuX' },
  ltrace: { flags: 'cCfhiLrSttT', valued: 'aADeFlnopsuwx' },
  unshare: { flags: 'mupnUrifCTc', long: 'mount uts pid net user map-root-user ipc fork' },
  setarch: { flags: 'BFILRSTXZ3', own: 1, ownLooks: MACHINE, hasLateOptions: true },
  arch: {},
  'ld.so': {
    long: 'library-path= inhibit-cache preload= audit= argv0= inhibit-rpath= glibc-hwcaps-prepend= glibc-hwcaps-mask=',
  },
  xcrun: {},
  gtime: TIME,
  'flatpak-spawn': {},
  'toolbox run': {},
  'distrobox enter': { behindDashes: true },
  'systemd-cat': { valued: 'tp', long: 'identifier= priority= stderr-priority= level-prefix=' },
  eatmydata: {},
  'run-one': {},
  'run-this-one': {},
  tsp: {},
  choom: { valued: 'n', long: 'adjust=' },
  'ssh-agent': { flags: 'cDds', valued: 'aEPt' },
  sg: { lineOption: 'c', own: 1 },
  npx: NPX,
  bunx: NPX,
  'aws-vault exec': { own: 1 },
  'chamber exec': { own: 1 },
  'nvm exec': { own: 1, ownLooks: /^(v?\d|node$|stable|unstable|lts|iojs|system|default|current)/ },
  logsave: { own: 1 },
  setlock: { own: 1 },
  lckdo: { own: 1 },
  envdir: { own: 1 },
  envuidgid: { own: 1 },
  setuidgid: { own: 1 },
  repeat: { own: 1 },
  newgrp: { own: 1 },
  's6-envdir': { own: 1 },
  envchain: { own: 1 },
  'ip netns exec': { own: 1 },
  'lxc exec': { own: 1 },
  'incus exec': { own: 1 },
  'heroku run': {},
  'nx exec': {},
  'wezterm start': {},
  'zellij run': {},
  'coresched new': {},
  'guix shell': { behindDashes: true },
  'guix environment': { behindDashes: true },
  'cmake -E': {},
  'cmake -E env': { assigns: true },
  'cmake -E time': {},
  'cmake -E chdir': { own: 1 },
  sem: { isLine: true },
  'git submodule foreach': { flags: 'q', long: 'recursive quiet', isLine: true },
  fakeroot: { long: 'unknown-is-real' },
  faketime: { flags: 'fm', own: 1 },
  'xvfb-run': { flags: 'a', valued: 'ens', long: 'auto-servernum server-num= server-args=' },
  'dbus-run-session': {},
  'systemd-run': {
    flags: 'tPqdGrS',
    valued: 'pEHM',
    long: 'user system scope pty pipe quiet wait collect unit= property= setenv= slice= same-dir',
  },
  'systemd-inhibit': { long: 'what= who= why= mode=' },
  rlwrap: {},
  firejail: {},
  bwrap: {},
  proot: {},
  valgrind: {},
  numactl: {},
  nsenter: {},
  setpriv: {},
  prlimit: {},
  gosu: { own: 1 },
  'su-exec': { own: 1 },
  's6-setuidgid': { own: 1 },
  run0: {},
  tini: {},
  'dumb-init': {},
  hyperfine: { isLine: true },
  'perf stat': {},
  'perf record': {},
  'poetry run': {},
  'uv run': { flags: 'qv', long: 'with= python= no-sync frozen locked isolated' },
  'pipenv run': {},
  'pdm run': {},
  'rye run': {},
  'hatch run': {},
  'bundle exec': {},
  'pnpm exec': { flags: 'r' },
  'yarn exec': {},
  'yarn run': {},
  'asdf exec': {},
  'mise exec': { behindDashes: true },
  'mise x': { behindDashes: true },
  'direnv exec': { own: 1 },
  'rustup run': { own: 1, long: 'install' },
  'conda run': CONDA,
  'mamba run': CONDA,
  'opam exec': {},
  'stack exec': {},
  'cabal exec': {},
  'composer exec': {},
  'railway run': {},
  'lein shell': {},
  'mix cmd': { isLine: true },
  'podman unshare': {},
  'buildah unshare': {},
  'firebase emulators:exec': { long: 'only= project= import= ui', isLine: true },
  'launchctl asuser': { own: 1 },
  'launchctl submit': { behindDashes: true },
  'brew bundle exec': {},
});

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map(
  [
    ...OTHERS.split(' ').map((name): [string, Row] => [name, {}]),
    ...OTHERS_BY_VERB.split(' ').map((name): [string, Row] => [`${name} exec`, {}]),
    ...OTHERS_BY_VERB.split(' ').map((name): [string, Row] => [`${name} run`, {}]),
    ...Object.entries(ROWS),
  ].map(([name, row]) => [
    name,
    { ...NO_WRAPPER, ...row, long: (row.long ?? '').split(' ').filter(Boolean) },
  ]),
);

/** GNU's programs where the system has others: `gxargs`. Those that are the subject of rules. */
const GNU = new Set(
  'rm rmdir unlink shred truncate dd chmod chown chgrp kill find xargs env nice nohup stdbuf chroot split sort tar make'.split(
    ' ',
  ),
);

/** The name by which the tables know a program: without the ending that Windows adds. */
export const plainName = (given: string): string => {
  const name = given.replace(/\.(exe|cmd|bat)$/, '');
  if (/^g/.test(name) && !WRAPPERS.has(name) && GNU.has(name.slice(1))) return name.slice(1);
  return LOADER.test(name) ? 'ld.so' : name;
};

/** The program loader: `ld-linux-x86-64.so.2`, `ld-musl-aarch64.so.1`. */
const LOADER = /^ld(-[\w.-]+)?\.so(\.\d)?$/;

/** A call of a wrapper: how it was found, and what it runs. */
interface WrapperCall {
  readonly wrapper: Pick<Wrapper, 'isPlain' | 'isFed'>;
  readonly name: string;
  readonly runs: Unwrapped;
  /** NAME=value arguments that it sets for the program. */
  readonly assigned: readonly string[];
}

/** The wrapper that `words` start with; undefined if the program `name` is not a wrapper. */
export function wrapperCall(name: string, words: readonly Text[]): WrapperCall | undefined {
  // The longest first: `cmake -E env` is not `cmake -E`.
  const heads = [3, 2, 1].map((count) => [name, ...words.slice(1, count)].join(' '));
  const known = heads.find((head) => WRAPPERS.has(head)) ?? '';
  const wrapper = WRAPPERS.get(known);
  if (wrapper === undefined) return undefined;
  const assigned: string[] = [];
  const runs = unwrap(wrapper, name, words.slice(known.split(' ').length), assigned);
  // `ssh -N -L 1:h:2 h` only forwards.
  if (runs === INPUT && words.some((word) => /^-[46AaCfgKknqsTtvXxYy]*[NGOQV]/.test(word ?? '')))
    return { wrapper, name: known, runs: NOTHING, assigned };
  return { wrapper, name: known, runs, assigned };
}

const UNCLEAR: Unwrapped = { kind: 'unclear' };
const NOTHING: Unwrapped = { kind: 'nothing' };
const INPUT: Unwrapped = { kind: 'input' };
/** env accepts any name: bash takes functions from `BASH_FUNC_ls%%=`. */
const ASSIGNMENT = /^[^-=][^=]*=/;

function unwrap(
  wrapper: Wrapper,
  name: string,
  words: readonly Text[],
  assigned: string[],
): Unwrapped {
  let at = 0;
  for (; at < words.length; at += 1) {
    const option = words[at];
    if (option === undefined) return UNCLEAR;
    if (option === '--') {
      at += 1;
      break;
    }
    if (!option.startsWith('-') || (option === '-' && name !== 'env' && name !== 'su')) break;
    if (/^--(help|version)$/.test(option)) return NOTHING;
    const special = specialOption(name, wrapper, option, words.slice(at + 1));
    if (special !== undefined) return special;
    const taken = option === '-' ? 0 : valuesOf(option, wrapper);
    if (taken === undefined) return UNCLEAR;
    at += taken;
  }
  return behind(wrapper, name, words.slice(at), assigned);
}

function behind(
  wrapper: Wrapper,
  name: string,
  words: readonly Text[],
  assigned: string[],
): Unwrapped {
  if (wrapper.behindDashes) {
    const at = words.indexOf('--');
    return at < 0 || at === words.length - 1
      ? UNCLEAR
      : { kind: 'program', words: words.slice(at + 1) };
  }
  const [first] = words;
  if (wrapper.ownLooks !== undefined && first !== undefined && !wrapper.ownLooks.test(first))
    return behind({ ...NO_WRAPPER, ...wrapper, own: 0, ownLooks: /^/ }, name, words, assigned);
  let rest = words.slice(wrapper.own);
  if (wrapper.own > 0 && words.slice(0, wrapper.own).includes(undefined) && rest.length > 0)
    return UNCLEAR;
  while (wrapper.hasLateOptions && rest[0]?.startsWith('-') === true && rest[0] !== '--') {
    const taken = valuesOf(rest[0], wrapper);
    if (taken === undefined) return UNCLEAR;
    rest = rest.slice(1 + taken);
  }
  // `chamber exec service -- rm x`
  if (wrapper.own > 0 && rest[0] === '--') rest = rest.slice(1);
  if (wrapper.lineOption !== '') {
    // `flock FILE -c LINE`, `su USER -c LINE`
    const at = words.findIndex((word) => word === `-${wrapper.lineOption}` || word === '--command');
    if (at >= 0) return { kind: 'line', line: words[at + 1] };
    if (name !== 'flock') return UNCLEAR;
  }
  while (wrapper.assigns && rest[0] !== undefined && ASSIGNMENT.test(rest[0])) {
    assigned.push(rest[0]);
    rest = rest.slice(1);
  }
  if (rest.length === 0) return withoutProgram(name);
  if (!wrapper.isLine) return { kind: 'program', words: rest };
  const isKnown = rest.every((word) => word !== undefined);
  if (name === 'parallel') rest = rest.slice(0, endOf(rest));
  // Its arguments are the lines, or are in a file.
  if (rest.length === 0) return UNCLEAR;
  if (!isKnown) return { kind: 'line', line: undefined };
  return { kind: 'line', line: name === 'parallel' ? fedLine(rest.join(' ')) : rest.join(' ') };
}

/** An argument that is only known at run time replaces `{}`, or follows the line. */
function fedLine(line: string): string {
  const filled = line.replace(/\{[^{}\s,;]*\}/g, '"$FED"');
  return filled === line ? `${line} "$FED"` : filled;
}

/** `parallel rm ::: a b` */
function endOf(words: readonly Text[]): number {
  const at = words.findIndex((word) => word !== undefined && /^:::/.test(word));
  return at < 0 ? words.length : at;
}

/** Without a program these open a shell, which reads its commands. */
const OPENS_SHELL = new Set(
  (
    'ssh nsenter setarch linux32 linux64 i386 i486 i586 i686 x86_64 uname26 fakeroot fakechroot proot ' +
    'firejail schroot newgrp run0 toolbox aws-vault sshpass systemd-nspawn'
  ).split(' '),
);
function withoutProgram(name: string): Unwrapped {
  if (OPENS_SHELL.has(name)) return INPUT;
  return ['parallel', 'sudo', 'doas', 'chroot', 'unshare'].includes(name) ? UNCLEAR : NOTHING;
}

function specialOption(
  name: string,
  { lineOption }: Wrapper,
  option: string,
  rest: readonly Text[],
): Unwrapped | undefined {
  if (name === 'command' && /^-p?[vV]/.test(option)) return NOTHING;
  if (name === 'env' && /^(-[i0v]*S|--split-string|--split)/.test(option)) {
    const joined = option.replace(/^(-[i0v]*S|--split(-string)?=?)/, '');
    const [text, others] = joined === '' ? [rest[0], rest.slice(1)] : [joined, rest];
    if (text === undefined || /["'\\$#]/.test(text)) return UNCLEAR;
    return { kind: 'program', words: ['env', ...text.split(/\s+/).filter(Boolean), ...others] };
  }
  if (name === 'nice' && /^-?-\d+$/.test(option)) return undefined;
  if (name === 'watch' && /^(-x|--exec)$/.test(option)) return { kind: 'program', words: rest };
  if (lineOption === '') return undefined;
  if (option === `-${lineOption}` || option === '--command') return { kind: 'line', line: rest[0] };
  if (option.startsWith('--command=')) return { kind: 'line', line: option.slice(10) };
  return undefined;
}

/** Number of arguments after the option that are its value; undefined for an unknown option. */
function valuesOf(option: string, { flags, valued, attached, long }: Wrapper): number | undefined {
  if (/^-\d+$/.test(option) && !flags.includes('0') && !flags.includes('4'))
    return flags === '' && valued === 'n' ? 0 : undefined;
  if (option.startsWith('--')) {
    const [name = '', value] = option.slice(2).split('=', 2);
    const exact = long.filter((one) => one === name || one === `${name}=`);
    // GNU programs accept abbreviations.
    const meant = exact.length > 0 ? exact : long.filter((one) => one.startsWith(name));
    if (meant.length === 0) return undefined;
    if (value !== undefined) return 0;
    const takes = new Set(meant.map((one) => (one.endsWith('=') ? 1 : 0)));
    return takes.size === 1 ? [...takes][0] : undefined;
  }
  for (let at = 1; at < option.length; at += 1) {
    const letter = option[at] ?? '';
    if (attached.includes(letter)) return 0;
    if (valued.includes(letter)) return at === option.length - 1 ? 1 : 0;
    if (!flags.includes(letter)) return undefined;
  }
  return 0;
}
