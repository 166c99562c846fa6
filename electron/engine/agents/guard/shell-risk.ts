/**
 * Tells which shell commands a person is asked about before they run: what deletes, what reaches
 * other computers, what needs more rights, and what cannot be told. Everything else that works in
 * the workspace (builds, tests, edits) runs without a question, so that the questions that come are
 * read. It is advice to a person, not a wall: a program may do anything. Source: S3-06.
 */
import { parse, walk } from './shell-walk';
import { hasShellEffects } from './shell-effects';
import type { CallRisk } from '../../../ports/tools';

const MAX_COMMAND_CHARS = 20_000;

type Class = 'deletes' | 'network' | 'publishes' | 'rights' | 'unclear';

const REASONS: Readonly<Record<Class, string>> = {
  deletes: 'It deletes.',
  network: 'It reaches other computers.',
  publishes: 'It publishes: others will see it.',
  rights: 'It changes rights, other programs or the system.',
  unclear: 'What it would run cannot be told from the command.',
};

const words = (text: string): readonly string[] => text.split(' ');
const BY_PROGRAM: ReadonlyMap<string, Class> = new Map([
  ...words('rm rmdir unlink shred truncate dd mkfs wipefs fdisk parted trash').map(
    (name) => [name, 'deletes'] as const,
  ),
  ...words(
    'curl wget ssh scp sftp rsync ftp nc ncat netcat telnet socat ping dig nslookup host whois ' +
      'docker podman kubectl helm aws gcloud az terraform ansible heroku flyctl vercel netlify ' +
      'apt apt-get yum dnf brew snap pip pip3 pipx gem npx bunx uvx http https mail mailx sendmail ' +
      'mutt msmtp psql mysql mongosh redis-cli',
  ).map((name) => [name, 'network'] as const),
  ...words('gh glab hub twine').map((name) => [name, 'publishes'] as const),
  ...words(
    'sudo su doas pkexec chown chmod chgrp chattr mount umount kill pkill killall systemctl ' +
      'service launchctl crontab at shutdown reboot halt poweroff iptables ufw useradd usermod ' +
      'userdel passwd visudo insmod modprobe sysctl swapoff hostnamectl timedatectl gsettings defaults',
  ).map((name) => [name, 'rights'] as const),
  ...words('eval source . exec trap alias').map((name) => [name, 'unclear'] as const),
]);

/** Subcommands that make a program that mostly works here reach out or delete. */
const BY_SUBCOMMAND: Readonly<Record<string, Readonly<Record<string, Class>>>> = {
  git: {
    push: 'publishes',
    'send-email': 'publishes',
    fetch: 'network',
    pull: 'network',
    clone: 'network',
    'ls-remote': 'network',
    submodule: 'network',
    clean: 'deletes',
    rm: 'deletes',
    gc: 'deletes',
    prune: 'deletes',
    'filter-branch': 'deletes',
    credential: 'rights',
  },
  npm: npmLike(),
  pnpm: npmLike(),
  yarn: npmLike(),
  bun: npmLike(),
  cargo: { publish: 'publishes', install: 'network', login: 'rights', owner: 'publishes' },
  go: { get: 'network', install: 'network' },
  poetry: { publish: 'publishes', add: 'network', install: 'network' },
  uv: { publish: 'publishes', add: 'network', pip: 'network', sync: 'network' },
};

function npmLike(): Readonly<Record<string, Class>> {
  return {
    publish: 'publishes',
    unpublish: 'publishes',
    deprecate: 'publishes',
    install: 'network',
    i: 'network',
    ci: 'network',
    add: 'network',
    update: 'network',
    exec: 'network',
    dlx: 'network',
    create: 'network',
    login: 'rights',
    token: 'rights',
  };
}

/** They run what comes after them: the words behind decide. */
const WRAPPERS = new Set(
  words('env nohup nice ionice time timeout stdbuf xargs watch setsid command builtin'),
);
const SHELLS = new Set(words('bash sh zsh dash ksh'));

/** Pure; never throws. */
export function shellRisk(command: string): CallRisk {
  if (!hasShellEffects(command)) return { isRisky: false, reason: '', covers: '' };
  const found = classify(command, 0);
  if (found === undefined) return { isRisky: false, reason: '', covers: '' };
  const risk = { isRisky: true, reason: REASONS[found.class], covers: found.covers };
  return found.leaves ? { ...risk, leaves: true } : risk;
}

interface Found {
  readonly class: Class;
  /** It reaches beyond this computer. */
  readonly leaves: boolean;
  /** `git push`: what leave for the session would cover; empty where only this command can be. */
  readonly covers: string;
}

const foundAs = (kind: Class, covers: string): Found => ({
  class: kind,
  covers,
  leaves: kind === 'network' || kind === 'publishes',
});
const unclear = (command: string): Found => foundAs('unclear', command);

function classify(command: string, depth: number): Found | undefined {
  if (command.length > MAX_COMMAND_CHARS || depth > 3) return unclear(command);
  const script = parse(command);
  if (script === undefined) return unclear(command);
  const found: Found[] = [];
  walk(script, {
    command: (name, args) => {
      const one = name === undefined ? unclear(command) : ofWords([name, ...args], command, depth);
      if (one !== undefined) found.push(one);
    },
    writes: (target) => {
      if (target === undefined || isOutside(target)) found.push(foundAs('rights', command));
    },
  });
  if (found.length <= 1) return found[0];
  // Several kinds in one line: leave for one of them must not cover the others.
  const isSame = found.every((one) => one.covers === found[0]?.covers);
  const leaves = found.some((one) => one.leaves);
  return isSame ? found[0] : { class: found[0]?.class ?? 'unclear', covers: command, leaves };
}

/** `undefined` stands for a word that is not known before it runs. */
function ofWords(
  all: readonly (string | undefined)[],
  command: string,
  depth: number,
): Found | undefined {
  const [first, ...rest] = all;
  if (first === undefined) return unclear(command);
  const name = first.slice(first.lastIndexOf('/') + 1);
  if (WRAPPERS.has(name)) {
    const at = rest.findIndex((word) => word === undefined || isProgram(word));
    return at === -1 ? undefined : ofWords(rest.slice(at), command, depth);
  }
  if (SHELLS.has(name)) {
    const at = rest.findIndex((word) => word === '-c' || word === '-lc');
    if (at === -1) return undefined;
    const inner = rest[at + 1];
    return inner === undefined ? unclear(command) : classify(inner, depth + 1);
  }
  const direct = BY_PROGRAM.get(name);
  if (direct !== undefined) return foundAs(direct, name);
  if (name === 'find') return ofFind(rest);
  const subcommands = Object.hasOwn(BY_SUBCOMMAND, name) ? BY_SUBCOMMAND[name] : undefined;
  if (subcommands === undefined) return undefined;
  const sub = subcommandOf(name, rest);
  if (sub === undefined) return undefined;
  if (name === 'git' && sub === 'reset' && rest.includes('--hard'))
    return foundAs('deletes', 'git reset --hard');
  if (
    name === 'git' &&
    (sub === 'checkout' || sub === 'restore') &&
    (rest.includes('.') || rest.includes('--'))
  )
    return foundAs('deletes', `git ${sub}`);
  if (name === 'git' && (sub === 'branch' || sub === 'tag' || sub === 'stash'))
    return rest.some((word) => word !== undefined && /^(-[dD]|--delete|drop|clear)$/.test(word))
      ? foundAs('deletes', `git ${sub} -d`)
      : undefined;
  const kind = Object.hasOwn(subcommands, sub) ? subcommands[sub] : undefined;
  return kind === undefined ? undefined : foundAs(kind, `${name} ${sub}`);
}

function ofFind(args: readonly (string | undefined)[]): Found | undefined {
  const acts = args.some(
    (word) => word !== undefined && /^-(delete|exec|execdir|ok|okdir)$/.test(word),
  );
  return acts ? foundAs('deletes', 'find') : undefined;
}

/** The first word that is no option; options of git that take a value are passed over with it. */
function subcommandOf(name: string, args: readonly (string | undefined)[]): string | undefined {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) return undefined;
    if (name === 'git' && (word === '-C' || word === '-c')) {
      at += 1;
      continue;
    }
    if (!word.startsWith('-')) return word;
  }
  return undefined;
}

const isProgram = (word: string): boolean =>
  !word.startsWith('-') && !/^[A-Za-z_]\w*=/.test(word) && !/^\d+(\.\d+)?[smhd]?$/.test(word);

/** Written outside the workspace, as far as the words tell. */
function isOutside(target: string): boolean {
  if (/^\/dev\/(null|stdout|stderr)$/.test(target)) return false;
  if (target.startsWith('/tmp/')) return false;
  return target.startsWith('/') || target.startsWith('~') || target.split('/').includes('..');
}
