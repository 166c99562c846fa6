import type { CallTarget, NamedRemote } from '../../ports/tools';
import type { Environment } from './child-environment';
import { runCommand } from './run-command';

/** Git reads two small files for this; where it takes longer something is wrong with it. */
const TIMEOUT_MS = 2_000;
const CAP_BYTES = 256 * 1024;
const MAX_ADDRESS_CHARS = 500;

/**
 * The URL of a remote as git would use it now, rewriting rules and all. Git is asked, so that it is
 * what the call will use; nothing is reached. Undefined where git cannot say. Never throws.
 */
export async function gitRemoteUrl(
  asked: NamedRemote,
  cwd: string,
  env: Environment,
): Promise<CallTarget | undefined> {
  const git = (...args: readonly string[]): Promise<string | undefined> => ask(args, cwd, env);
  const name = asked.remote ?? (await ownRemote(git, asked.isPush));
  if (name === undefined) return undefined;
  const urls = await git('remote', 'get-url', ...(asked.isPush ? ['--push'] : []), '--all', name);
  const address = (urls ?? '')
    .split('\n')
    .filter((url) => url !== '')
    .map(withoutSecret)
    .join(', ');
  return address === '' || address.length > MAX_ADDRESS_CHARS ? undefined : { address, name };
}

async function ownRemote(
  git: (...args: readonly string[]) => Promise<string | undefined>,
  isPush: boolean,
): Promise<string | undefined> {
  const branch = (await git('symbolic-ref', '--short', '-q', 'HEAD'))?.trim() ?? '';
  const listed = await git('config', '--list', '-z');
  return listed === undefined ? undefined : remoteOf(settingsIn(listed), branch, isPush);
}

/** Later values win, as in git. */
function settingsIn(listed: string): ReadonlyMap<string, string> {
  return new Map(
    listed.split('\0').map((entry) => {
      const at = entry.indexOf('\n');
      return at === -1 ? [entry, ''] : [entry.slice(0, at), entry.slice(at + 1)];
    }),
  );
}

/**
 * The remote of a command that names none, as git chooses it: for a push the branch's own one and
 * that of all pushes, then the branch's upstream, the only one there is, `origin`. Pure.
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

/** A URL without what may be a password or a token in it: it is shown and kept. Pure. */
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
