/**
 * Programs with risks that require approval, by name and first arguments. Tables only;
 * `shell-risk.ts` reads them.
 */
import type { Text } from './shell-words';
import { entryOf, table } from '../../../shared/table';

export type RiskClass = 'deletes' | 'network' | 'publishes' | 'rights' | 'unclear';

const words = (text: string): readonly string[] => text.split(' ');
const all = (kind: RiskClass, text: string): readonly (readonly [string, RiskClass])[] =>
  words(text).map((name) => [name, kind] as const);

/** Programs for which every call needs approval. */
const BY_PROGRAM: ReadonlyMap<string, RiskClass> = new Map([
  ...all(
    'deletes',
    'rm rmdir unlink shred srm wipe del truncate dd mkfs wipefs fdisk sfdisk parted cryptsetup lvremove vgremove ' +
      'pvremove dropdb dropuser trash trash-put rimraf',
  ),
  ...all(
    'network',
    'curl wget ssh scp sftp rsync ftp nc ncat netcat telnet socat ping dig nslookup host whois ' +
      'docker podman kubectl helm aws gcloud az terraform ansible heroku flyctl vercel netlify ' +
      'apt apt-get yum dnf brew snap pip pip3 pipx gem npx bunx uvx http https mail mailx sendmail ' +
      'mutt msmtp psql mysql mongosh redis-cli aria2c lftp rclone s3cmd gsutil autossh mosh nats ' +
      'pacman apk zypper emerge flatpak conda mamba nix nix-shell nix-env guix nerdctl buildah skopeo ' +
      'docker-compose podman-compose ansible-playbook composer cpan cpanm luarocks opam port nmap masscan traceroute xh httpie lynx w3m links elinks yt-dlp ' +
      'youtube-dl createdb createuser pg_dump pg_restore mysqldump sqlcmd mongo ssh-copy-id',
  ),
  ...all('publishes', 'gh glab hub twine np semantic-release release-it vsce ovsx'),
  ...all(
    'rights',
    'sudo su doas pkexec runuser chown chmod chgrp chattr setfacl setcap mount umount kill pkill killall ' +
      'systemctl service launchctl loginctl crontab at batch run0 shutdown reboot halt poweroff iptables nft ufw useradd ' +
      'usermod userdel groupadd passwd chsh visudo insmod modprobe sysctl swapoff hostnamectl ' +
      'timedatectl gsettings dconf defaults chroot nsenter unshare systemd-run update-alternatives',
  ),
  ...all(
    'unclear',
    'eval source . trap alias enable compgen complete bind fc emulate sched zmodload zle tmux screen dtach',
  ),
]);

/**
 * Those whose first arguments tell the action: the number of words, or one word and a second one
 * after one of these nouns.
 */
const ACTION_WORDS = new Map<string, number | ReadonlySet<string>>([
  ...words('gcloud az').map((name) => [name, 6] as const),
  ...words('gh glab aws flyctl heroku vercel netlify').map((name) => [name, 2] as const),
  ...words('docker podman nerdctl').map(
    (name) =>
      [
        name,
        new Set(
          words(
            'builder buildx checkpoint compose config container context image machine manifest network ' +
              'node plugin pod secret service stack swarm system trust volume',
          ),
        ),
      ] as const,
  ),
  ['kubectl', new Set(words('auth certificate config create plugin rollout set top'))],
  ['helm', new Set(words('dependency get plugin registry repo search show'))],
  ['terraform', new Set(words('providers state workspace'))],
  ...words('conda mamba').map((name) => [name, new Set(['env'])] as const),
  ['brew', new Set(words('services bundle'))],
  ...words(
    'apt apt-get yum dnf snap pip pip3 pipx gem npx bunx uvx apk zypper flatpak nix guix skopeo buildah ' +
      'rclone s3cmd gsutil systemctl loginctl launchctl gsettings defaults trash semantic-release vsce ovsx',
  ).map((name) => [name, 1] as const),
]);

/** Arguments that do not change the action. */
const SAYS_NOTHING = /^(-y|--yes|-q|--quiet)$/;

/**
 * The action of such a program, by its first words: `docker rm`, `gh pr merge`. Empty if other
 * arguments come before them; only the name for every other program.
 */
export function actionOf(name: string, args: readonly Text[]): string {
  const nouns = ACTION_WORDS.get(name);
  if (nouns === undefined) return name;
  const said: string[] = [];
  for (const arg of args) {
    if (arg !== undefined && said.length === 0 && SAYS_NOTHING.test(arg)) continue;
    if (arg === undefined || !/^[\w@][\w.:@/-]*$/.test(arg)) break;
    said.push(arg);
    if (typeof nouns === 'number' ? said.length >= nouns : !nouns.has(said.join(' '))) break;
  }
  return said.length === 0 ? '' : `${name} ${said.join(' ')}`;
}

/** `gh pr list`, `gh run view`: these have no effect that others can see. */
const LOOKS_ONLY =
  /^(?:gh|glab) (?:search |[a-z-]+ (?:list|view|status|diff|checks|watch|download|checkout|clone)(?: |$))/;

/** `docker --version`: any classified program only answers these. */
const isAboutItself = (args: readonly Text[]): boolean =>
  args.length === 1 && (args[0] === '--version' || args[0] === '--help');

/** The class of a program by its name, or by what it does; undefined if it has none. */
export function classOfProgram(name: string, args: readonly Text[]): RiskClass | undefined {
  const known = BY_PROGRAM.get(name) ?? (name.startsWith('mkfs.') ? 'deletes' : undefined);
  if (known !== undefined && known !== 'unclear' && isAboutItself(args)) return undefined;
  return known === 'publishes' && LOOKS_ONLY.test(actionOf(name, args)) ? 'network' : known;
}

/** Approving these would approve anything they run. */
export const SWALLOWS = new Set(['sudo', 'doas', 'pkexec', 'eval', 'trap']);

/** The same for the programs they run; the call itself must be plain too. */
export const CARRIES = new Set(['npx', 'bunx', 'uvx', 'git', 'heroku']);

/** Settings and options with which ssh, scp and sftp run a local program. */
const RUNS_OF_SSH =
  /^-[46AaCGgKkMNnqTtVvXxYy]*[SF]|^-[46ACGKMNqTVXY]*o(?!$|(?:StrictHostKeyChecking|BatchMode|ConnectTimeout|ServerAlive\w*|LogLevel|Port|User)[ =])|^(?:Proxy|KnownHosts|Local|PermitLocal)Command|^PKCS11/i;

/** Verbs with which classified programs run any other program; all verbs if none is listed. */
export const MAY_RUN: ReadonlyMap<string, RegExp> = new Map([
  ...words('docker podman nerdctl buildah').map(
    (name) => [name, /^(run|exec|compose|machine)$/] as const,
  ),
  ...words('docker-compose podman-compose').map((name) => [name, /^(run|exec)$/] as const),
  ...words('kubectl helm').map((name) => [name, /^(exec|run|debug|plugin)$/] as const),
  [
    'git',
    /^(foreach|filter-branch|filter-repo|--(upl|recei).*|--exe(c(-path)?)?(=.*)?|--ext-d.*|--textc.*|--filters|ext::.*)$/s,
  ],
  ['rsync', /^(-[a-zA-Z]*[eM]|--rs|--remote-o)/],
  ...words('ssh scp').map((name) => [name, RUNS_OF_SSH] as const),
  ['sftp', new RegExp(`${RUNS_OF_SSH.source}|^-[46AaCfpqrNv]*D`, 'i')],
  ['pipx', /^run$/],
  ['nix', /^(run|shell|develop)$/],
  ['flatpak', /^run$/],
  ['gh', /^(alias|extension|codespace)$/],
  ['vagrant', /^ssh$/],
  ...words('lima limactl wsl multipass').map((name) => [name, /^/] as const),
  ...words('npm pnpm yarn bun').map((name) => [name, /^(exec|x|dlx)$/] as const),
  ...words('at batch crontab socat ncat nc netcat mosh autossh nix-shell ansible lftp').map(
    (name) => [name, /^/] as const,
  ),
]);

/** How to find the argument that selects a program's action (the verb). */
export interface Verbs {
  /** Options before the verb that take the next argument as their value. */
  readonly valued: ReadonlySet<string>;
  /** Options before the verb that take no value; any other may take one. */
  readonly flags: ReadonlySet<string>;
  readonly classes: Readonly<Record<string, RiskClass>>;
  /** Other spellings of a verb. */
  readonly aliases: Readonly<Record<string, string>>;
  /** True if an abbreviation counts as the whole verb. */
  readonly isAbbreviated: boolean;
  /** Verbs followed by another verb, with the number of arguments in between. */
  readonly through: Readonly<Record<string, number>>;
}

const verbs = (row: {
  readonly valued?: string;
  readonly flags?: string;
  readonly classes: Readonly<Record<string, RiskClass>>;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly isAbbreviated?: boolean;
  readonly through?: Readonly<Record<string, number>>;
}): Verbs => ({
  valued: new Set(words(row.valued ?? '')),
  flags: new Set(words(row.flags ?? '')),
  classes: row.classes,
  aliases: row.aliases ?? {},
  isAbbreviated: row.isAbbreviated ?? false,
  through: row.through ?? {},
});

const NPM = table<RiskClass>({
  publish: 'publishes',
  unpublish: 'publishes',
  deprecate: 'publishes',
  'dist-tag': 'publishes',
  owner: 'publishes',
  access: 'publishes',
  team: 'publishes',
  install: 'network',
  i: 'network',
  ci: 'network',
  add: 'network',
  update: 'network',
  exec: 'network',
  x: 'network',
  dlx: 'network',
  create: 'network',
  init: 'network',
  audit: 'network',
  'install-test': 'network',
  'install-ci-test': 'network',
  login: 'rights',
  logout: 'rights',
  adduser: 'rights',
  token: 'rights',
  profile: 'rights',
});
const NPM_ALIASES = Object.fromEntries([
  ...words('in ins inst insta instal isnt isnta isntal isntall').map((one) => [one, 'install']),
  ...words('clean-install ic install-clean isntall-clean').map((one) => [one, 'ci']),
  ...words('up upgrade udpate').map((one) => [one, 'update']),
  ...[
    ['add-user', 'adduser'],
    ['it', 'install-test'],
    ['cit', 'install-ci-test'],
    ['innit', 'init'],
  ],
]) as Readonly<Record<string, string>>;

/** Goals that may precede the one that counts. */
const BUILDS = Object.fromEntries(
  words('clean validate compile build assemble check test package verify install site').map(
    (one) => [one, 0] as const,
  ),
);
const MVN = verbs({
  valued: '-f -pl -P -s',
  flags: '-q -B -o -U',
  classes: { deploy: 'publishes', 'deploy:deploy': 'publishes', 'release:perform': 'publishes' },
  through: BUILDS,
});
const GRADLE = verbs({
  valued: '-p -b -x',
  classes: {
    publish: 'publishes',
    publishPlugins: 'publishes',
    publishToSonatype: 'publishes',
    uploadArchives: 'publishes',
  },
  through: BUILDS,
});

/** Verbs of programs that deploy to other people's servers, and remove from them. */
const DEPLOYS = verbs({
  classes: {
    ...Object.fromEntries(
      words('deploy publish up release submit upload sync promote push login import ssh').map(
        (one) => [one, 'publishes'] as const,
      ),
    ),
    ...Object.fromEntries(
      words('destroy delete remove rm down rollback').map((one) => [one, 'deletes'] as const),
    ),
  },
  through: Object.fromEntries(
    words('apps app stack pages hosting functions compute services update').map(
      (one) => [one, 0] as const,
    ),
  ),
});

/** Programs classified by their verb. */
export const BY_VERB: ReadonlyMap<string, Verbs> = new Map([
  [
    'git',
    verbs({
      valued: '-C -c --git-dir --work-tree --namespace --super-prefix --attr-source --config-env',
      flags:
        '-p --paginate -P --no-pager --bare --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice',
      classes: {
        push: 'publishes',
        'send-email': 'publishes',
        'send-pack': 'publishes',
        'http-push': 'publishes',
        'imap-send': 'publishes',
        svn: 'network',
        p4: 'network',
        fetch: 'network',
        'fetch-pack': 'network',
        pull: 'network',
        clone: 'network',
        'ls-remote': 'network',
        submodule: 'network',
        lfs: 'network',
        daemon: 'network',
        clean: 'deletes',
        rm: 'deletes',
        gc: 'deletes',
        prune: 'deletes',
        'filter-branch': 'deletes',
        'filter-repo': 'deletes',
        credential: 'rights',
      },
    }),
  ],
  [
    'npm',
    verbs({
      valued:
        '-w --workspace -C --prefix --registry --tag --userconfig --globalconfig --cache --loglevel --otp --access --scope',
      flags:
        '-g --global -s --silent -q --quiet -d --verbose --json --dry-run -y --yes --workspaces -ws --no-audit --no-fund --offline',
      classes: NPM,
      aliases: NPM_ALIASES,
      isAbbreviated: true,
    }),
  ],
  [
    'pnpm',
    verbs({
      valued: '-F --filter -C --dir --reporter --loglevel --registry',
      flags: '-r --recursive -w --workspace-root -s --silent',
      classes: NPM,
      aliases: NPM_ALIASES,
      through: { recursive: 0, multi: 0, m: 0 },
    }),
  ],
  [
    'yarn',
    verbs({
      valued: '--cwd --registry',
      flags: '-s --silent --json --verbose',
      classes: NPM,
      through: { npm: 0, workspace: 1, workspaces: 0, foreach: 0, global: 0, plugin: 0 },
    }),
  ],
  ['bun', verbs({ valued: '--cwd --filter -F', classes: NPM, through: { pm: 0 } })],
  [
    'cargo',
    verbs({
      valued: '-C --config -Z --color --manifest-path',
      flags: '-v -vv -q --verbose --quiet --frozen --locked --offline',
      classes: {
        publish: 'publishes',
        yank: 'publishes',
        owner: 'publishes',
        release: 'publishes',
        install: 'network',
        binstall: 'network',
        fetch: 'network',
        update: 'network',
        add: 'network',
        login: 'rights',
        logout: 'rights',
      },
    }),
  ],
  [
    'go',
    verbs({
      valued: '-C',
      classes: { get: 'network', install: 'network', download: 'network' },
      through: { mod: 0 },
    }),
  ],
  [
    'poetry',
    verbs({
      valued: '-C --directory -P --project',
      flags: '-q -v -vv -n --no-interaction',
      classes: { publish: 'publishes', add: 'network', install: 'network', update: 'network' },
    }),
  ],
  [
    'uv',
    verbs({
      valued: '--directory --project --config-file --cache-dir -p --python',
      flags: '-q -v -n --offline --no-cache --quiet --verbose',
      classes: {
        publish: 'publishes',
        add: 'network',
        pip: 'network',
        sync: 'network',
        tool: 'network',
      },
    }),
  ],
  [
    'deno',
    verbs({ classes: { publish: 'publishes', add: 'network', install: 'network', x: 'network' } }),
  ],
  ['jsr', verbs({ classes: { publish: 'publishes', add: 'network' } })],
  ...words('mvn mvnw mvnd').map((name) => [name, MVN] as const),
  ...words('gradle gradlew').map((name) => [name, GRADLE] as const),
  ...words('lerna changeset hatch flit pdm rye').map(
    (name) => [name, verbs({ classes: { publish: 'publishes' } })] as const,
  ),
  ...words('dart flutter').map(
    (name) => [name, verbs({ classes: { publish: 'publishes' }, through: { pub: 0 } })] as const,
  ),
  ...words(
    'fly wrangler firebase railway serverless sls cdk sam eas fastlane pulumi vagrant doctl zfs zpool',
  ).map((name) => [name, DEPLOYS] as const),
  ['sbt', verbs({ classes: { publish: 'publishes' }, through: BUILDS })],
  ['lein', verbs({ classes: { deploy: 'publishes' }, through: { do: 0, ...BUILDS } })],
  ['mix', verbs({ classes: { 'hex.publish': 'publishes', 'deps.get': 'network' } })],
  ...words('cabal stack').map(
    (name) =>
      [
        name,
        verbs({ classes: { upload: 'publishes', install: 'network', update: 'network' } }),
      ] as const,
  ),
  ...words('rustup nvm pyenv rbenv nodenv asdf mise volta fnm').map(
    (name) =>
      [
        name,
        verbs({
          classes: { install: 'network', update: 'network', upgrade: 'network', fetch: 'network' },
          through: { toolchain: 0 },
        }),
      ] as const,
  ),
  ['openssl', verbs({ classes: { s_client: 'network', s_server: 'network', ocsp: 'network' } })],
  [
    'dotnet',
    verbs({
      classes: { push: 'publishes', add: 'network', restore: 'network' },
      through: { nuget: 0 },
    }),
  ],
  ['nuget', verbs({ classes: { push: 'publishes', delete: 'publishes', install: 'network' } })],
  ['gio', verbs({ classes: { trash: 'deletes', remove: 'deletes', mount: 'rights' } })],
]);

const NO_VERBS: Verbs = verbs({ classes: {} });

/** The possible verbs of a call, and whether the run may produce more. */
export interface FirstWords {
  /** As in the table. More than one if an unknown option may consume the next argument. */
  readonly verbs: readonly string[];
  /** An unknown argument may be the verb. */
  readonly isOpen: boolean;
  /** Where the arguments after the first of `verbs` start. */
  readonly at: number;
}

/** Reads the options before a verb. `name` need not be in the table. */
export function firstWords(name: string, args: readonly Text[]): FirstWords {
  const options = BY_VERB.get(name) ?? NO_VERBS;
  const found: string[] = [];
  let first = args.length;
  let mayBeValue = false;
  let skip = 0;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) return { verbs: found, isOpen: true, at: first };
    if (word === '' || (name === 'cargo' && word.startsWith('+'))) continue;
    if (word.startsWith('-')) {
      if (options.valued.has(word)) at += 1;
      else mayBeValue = !options.flags.has(word) && !word.includes('=');
      continue;
    }
    if (skip > 0) {
      skip -= 1;
      continue;
    }
    const verb = named(options, word);
    const behind = entryOf(options.through, verb);
    if (behind !== undefined) {
      skip = behind;
      continue;
    }
    if (found.length === 0) first = at + 1;
    found.push(verb);
    if (!mayBeValue) break;
    mayBeValue = false;
  }
  return { verbs: found, isOpen: false, at: first };
}

function named({ classes, aliases, isAbbreviated }: Verbs, word: string): string {
  const alias = entryOf(aliases, word);
  if (alias !== undefined) return alias;
  if (Object.hasOwn(classes, word) || !isAbbreviated) return word;
  return Object.keys(classes).find((one) => one.length > 2 && one.startsWith(word)) ?? word;
}
