/**
 * A push or fetch to the addresses that were read before, even if the settings of the repository
 * have changed when git reads them. Pure. Source: S3-06; security F3.
 *
 * Git combines the addresses of a remote from all its settings and rewrites each once by the
 * longest matching rule, so neither can be replaced from outside. So the command gets a separate
 * remote, under a name and an address that cannot be known before, and the rule that turns this
 * address into the approved one. The real remote's ref settings are copied.
 */
import { quoted } from '../../../shared/shell-quoted';
import type { NamedRemote } from '../../ports/tool-call';
import type { Environment } from './child-environment';
import { valueOf, type GitSetting } from './git-settings';

/** Facts read from the repository. */
export interface RemoteFacts {
  readonly asked: NamedRemote;
  readonly name: string;
  /** As git would use them, including any secrets in them. */
  readonly urls: readonly string[];
  readonly settings: readonly GitSetting[];
  /** Empty if there is none. */
  readonly branch: string;
  /** The default remote of a fetch. */
  readonly upstream: string;
  readonly isBranch: (name: string) => Promise<boolean>;
}

export interface Pinned {
  readonly command: string;
  readonly env: Environment;
  /** The output with the temporary remote's name and address replaced by the real ones. */
  readonly spoken: (output: string) => string;
}

const COPIED = /^(fetch|push|mirror|prune|prunetags|tagopt|skipdefaultupdate|serveroption)$/;

/** Undefined if the command cannot be rewritten without changing its meaning. */
export async function pin(
  command: string,
  facts: RemoteFacts,
  env: Environment,
  random: string,
): Promise<Pinned | undefined> {
  const own = `${facts.name}-${random}`;
  const line = await lineOf(command, facts, own);
  if (line === undefined) return undefined;
  const { settings, branch, name, asked, urls } = facts;
  const token = (at: number): string => `holdfast-${random}-${String(at)}:`;
  const ofRemote = `remote.${name}.`;
  const entries: (readonly [string, string])[] = [
    [`remote.${own}.url`, token(0)],
    ...urls.flatMap((url, at): (readonly [string, string])[] => [
      // A separate push address: rules for pushes alone do not apply to it.
      ...(asked.isPush ? ([[`remote.${own}.pushurl`, token(at)]] as const) : []),
      [`url.${url}.insteadOf`, token(at)],
    ]),
    ...settings
      .filter(({ key }) => key.startsWith(ofRemote) && COPIED.test(key.slice(ofRemote.length)))
      .map(({ key, value }) => [`remote.${own}.${key.slice(ofRemote.length)}`, value] as const),
    [`remote.${own}.followRemoteHEAD`, 'never'],
    ...(branch !== '' && facts.upstream === name
      ? ([[`branch.${branch}.remote`, own]] as const)
      : []),
    ...(env['GIT_SSH'] === undefined
      ? ([['core.sshCommand', valueOf(settings, 'core.sshcommand') ?? 'ssh']] as const)
      : []),
    ['submodule.recurse', 'false'],
    [
      'push.recurseSubmodules',
      valueOf(settings, 'push.recursesubmodules') === 'check' ? 'check' : 'no',
    ],
    ['push.autoSetupRemote', 'false'],
  ];
  const spoken = (output: string): string => output.replaceAll(own, name);
  return { command: line, env: withEntries(env, entries), spoken };
}

function withEntries(
  env: Environment,
  entries: readonly (readonly [string, string])[],
): Environment {
  const before = Number(env['GIT_CONFIG_COUNT'] ?? 0) || 0;
  return {
    ...env,
    GIT_CONFIG_COUNT: String(before + entries.length),
    ...Object.fromEntries(
      entries.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${String(before + at)}`, key],
        [`GIT_CONFIG_VALUE_${String(before + at)}`, value],
      ]),
    ),
  };
}

/** The same command for the temporary remote; its records are redirected to the real one. */
async function lineOf(
  command: string,
  facts: RemoteFacts,
  own: string,
): Promise<string | undefined> {
  const isBoth = /\s2>&1\s*$/.test(command);
  const words = command
    .replace(/\s2>&1\s*$/, '')
    .trim()
    .split(/[ \t]+/);
  const [git = '', sub = '', ...rest] = words;
  const at = rest.findIndex((word) => !word.startsWith('-'));
  const flags = rest.filter((word) => word.startsWith('-'));
  const isNoting = flags.some((flag) => flag === '--set-upstream' || /^-\w*u/.test(flag));
  const refs = at < 0 ? [] : rest.slice(at + 1).filter((word) => !word.startsWith('-'));
  const note = facts.asked.isPush ? await noteOf(facts, isNoting, flags, refs) : [];
  if (note === undefined) return undefined;
  const kept = flags
    .filter((flag) => flag !== '--set-upstream')
    .map((flag) => (/^-\w+$/.test(flag) && isNoting ? flag.replaceAll('u', '') : flag))
    .filter((flag) => flag !== '-');
  const shown = note.length > 0 && refs.length === 0 ? [facts.branch] : refs;
  const recurse = facts.asked.isPush ? [] : ['--no-recurse-submodules'];
  const line = [git, sub, ...kept, ...recurse, own, ...shown].map(quoted).join(' ');
  return [isBoth ? `${line} 2>&1` : line, ...note].join(' && ');
}

/**
 * What `-u` (or `push.autoSetupRemote`) would write into the settings, for the real remote.
 * Undefined if the command does not show it.
 */
async function noteOf(
  facts: RemoteFacts,
  isNoting: boolean,
  flags: readonly string[],
  refs: readonly string[],
): Promise<readonly string[] | undefined> {
  const { settings, branch, name } = facts;
  const isByItself =
    refs.length === 0 &&
    branch !== '' &&
    /^(true|yes|on|1)$/i.test(valueOf(settings, 'push.autosetupremote') ?? '') &&
    valueOf(settings, `branch.${branch}.merge`) === undefined;
  if (!isNoting && !isByItself) return [];
  if (isNoting && refs.length === 0 && !isByItself) return undefined;
  if (flags.some((flag) => /^(--dry-run|--delete|--mirror|-\w*[nd]\w*)$/.test(flag)))
    return isByItself ? undefined : [];
  const commands: string[] = [];
  for (const ref of refs.length === 0 ? [branch] : refs) {
    const [from = '', to = from] = ref.replace(/^\+/, '').split(':');
    const local = from === 'HEAD' ? branch : from.replace(/^refs\/heads\//, '');
    const there = (to === 'HEAD' ? branch : to).replace(/^refs\/heads\//, '');
    if (local === '' || there === '' || there.startsWith('refs/')) return undefined;
    if (!(await facts.isBranch(local))) continue;
    commands.push(
      ['git', 'config', `branch.${local}.remote`, name].map(quoted).join(' '),
      ['git', 'config', `branch.${local}.merge`, `refs/heads/${there}`].map(quoted).join(' '),
    );
  }
  return commands;
}
