import type { CallTarget, NamedRemote } from '../../ports/tool-call';
import type { Environment } from './child-environment';
import type { RemoteFacts } from './git-pin';
import { settingsIn, steeredBy } from './git-settings';
import { runCommand } from './run-command';

/** Git reads two small files for this; if it takes longer, something is wrong. */
const TIMEOUT_MS = 2_000;
const CAP_BYTES = 256 * 1024;
const MAX_ADDRESS_CHARS = 500;

/** The destination of a push or fetch, or why it is unknown. */
export type RemoteLookUp =
  | { readonly kind: 'known'; readonly target: CallTarget; readonly facts: RemoteFacts }
  | { readonly kind: 'unknown'; readonly why: string };

const unknown = (why: string): RemoteLookUp => ({ kind: 'unknown', why });

/**
 * The addresses that git would use for a remote now, including rewrite rules: every one that it
 * pushes to, or that it fetches from. The query uses git itself, so that the result matches the
 * call; there is no network access. Never throws.
 */
export async function lookUpRemote(
  asked: NamedRemote,
  cwd: string,
  env: Environment,
): Promise<RemoteLookUp> {
  const git = (...args: readonly string[]): Promise<string | undefined> => ask(args, cwd, env);
  const listed = await git('config', '--list', '--show-scope', '-z');
  if (listed === undefined || listed.length >= CAP_BYTES) return unknown(UNREAD);
  const settings = settingsIn(listed);
  const byKey = new Map(settings.map(({ key, value }) => [key, value]));
  const branch = (await git('symbolic-ref', '--short', '-q', 'HEAD'))?.trim() ?? '';
  const name = asked.remote ?? remoteOf(byKey, branch, asked.isPush);
  const steered = steeredBy(
    settings,
    { isPush: asked.isPush, isNamed: asked.remote !== undefined },
    name,
  );
  if (steered !== undefined) return unknown(steered);
  if (!asked.isPush && (await hasSubmodules(git)))
    return unknown('the repository has submodules, and git may also fetch those');
  const which = asked.isPush ? ['--push', '--all'] : [];
  const urls = ((await git('remote', 'get-url', ...which, name)) ?? '')
    .split('\n')
    .filter((url) => url !== '');
  const address = urls.map(withoutSecret).join(', ');
  if (address === '') return unknown(`${name.slice(0, 80)} is not set here`);
  if (address.length > MAX_ADDRESS_CHARS) return unknown('its addresses are too long to be shown');
  const facts: RemoteFacts = {
    asked,
    name,
    urls,
    settings,
    branch,
    upstream: remoteOf(byKey, branch, false),
    isBranch: async (one) =>
      (await git('rev-parse', '--quiet', '--verify', `refs/heads/${one}`)) !== undefined,
  };
  return { kind: 'known', target: { address, name }, facts };
}

const UNREAD = 'git could not read its settings here in time';

/** A fetch recurses into existing submodules, and into those that a new commit brings. */
async function hasSubmodules(
  git: (...args: readonly string[]) => Promise<string | undefined>,
): Promise<boolean> {
  const inIndex = await git('-c', 'core.fsmonitor=false', 'ls-files', '--stage', '--', ':(top)');
  if (inIndex === undefined || inIndex.length >= CAP_BYTES || /^160000 /m.test(inIndex))
    return true;
  const kept = await git('config', '--get-regexp', '^submodule\\..*\\.(url|active)$');
  return kept !== undefined && kept !== '';
}

/**
 * The default remote, as git chooses it: for a push the branch's own push remote and the default
 * for all pushes, then the branch's upstream, the only existing remote, `origin`. Pure.
 */
export function remoteOf(
  settings: ReadonlyMap<string, string>,
  branch: string,
  isPush: boolean,
): string {
  const ofPush = settings.get(`branch.${branch}.pushremote`) ?? settings.get('remote.pushdefault');
  const remotes = [...settings.keys()].filter((key) => /^remote\..+\.url$/.test(key));
  const only =
    remotes.length === 1 ? remotes[0]?.slice('remote.'.length, -'.url'.length) : undefined;
  const upstream = settings.get(`branch.${branch}.remote`) ?? only ?? 'origin';
  return (isPush ? ofPush : undefined) ?? upstream;
}

/** A URL without a possible password or token, because it is shown and stored. Pure. */
export function withoutSecret(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)([^/\s]*)@/i, (_all, scheme: string, who: string) =>
    scheme.toLowerCase() === 'ssh://' ? `${scheme}${who.split(':', 1)[0] ?? ''}@` : scheme,
  );
}

async function ask(
  args: readonly string[],
  cwd: string,
  env: Environment,
): Promise<string | undefined> {
  let printed = '';
  const end = await runCommand({
    argv: ['git', ...args],
    cwd,
    env,
    timeoutMs: TIMEOUT_MS,
    capBytes: CAP_BYTES,
    signal: new AbortController().signal,
    onChunk: (from, chunk) => {
      if (from === 'stdout' && printed.length < CAP_BYTES) printed += chunk.toString('utf8');
      return [];
    },
  });
  return end.kind === 'exited' && end.code === 0 ? printed : undefined;
}
