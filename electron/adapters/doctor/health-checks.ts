import { kindOf, type ChannelSettings } from '../../../shared/settings/channels';
import { loginVariables, type LoginEnvironment } from '../shell/login-environment';
import { lookAt } from '../fetch/look-at';

type Check = (signal: AbortSignal) => ReturnType<typeof lookAt>;

/** Where programs are looked for. */
interface ProgramSearch {
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
}

/**
 * Checks that a program exists and is executable, without running it. @throws if it could not be
 * started
 */
export function programCheck(program: string, search: ProgramSearch): Check {
  return async () => {
    const { findProgram } = await import('../shell/program-there');
    const { PATH } = loginVariables(await search.loginEnvironment()) ?? search.ownEnvironment;
    if ((await findProgram(program, PATH, process.cwd())) !== undefined) return 'ok';
    throw new Error(`${program} was not found, or cannot be run.`);
  };
}

/** Checks that a channel's service is reachable; sends no message and no secret. */
export function channelCheck(
  spec: ChannelSettings | undefined,
  deps: ProgramSearch & { readonly version: string },
): Check | undefined {
  const at =
    spec === undefined || spec.enabled === false ? undefined : kindOf(spec).lightCheck(spec);
  if (at === undefined) return undefined;
  if ('program' in at) return programCheck(at.program, deps);
  const first = `${new URL(at.url).origin}/`;
  return (signal) => lookAt(first, { version: deps.version, allowLoopback: true }, signal);
}
