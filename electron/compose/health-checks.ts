import type { ChannelSettings } from '../../shared/settings/channels';
import { loginVariables, type LoginEnvironment } from '../adapters/shell/login-environment';
import { lookAt } from '../adapters/fetch/look-at';
import type { Check } from '../engine/breaker/probes';

/** Where programs are looked for. */
interface ProgramSearch {
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
}

/** A program is there and may be run; nothing of it is. @throws where it could not be started */
export function programCheck(program: string, search: ProgramSearch): Check {
  return async () => {
    const { findProgram } = await import('../adapters/shell/program-there');
    const { PATH } = loginVariables(await search.loginEnvironment()) ?? search.ownEnvironment;
    if ((await findProgram(program, PATH, process.cwd())) !== undefined) return 'ok';
    throw new Error(`${program} is not there, or may not be run.`);
  };
}

/** Whoever a channel speaks to is there: nothing is told to anybody, no secret goes out. */
export function channelCheck(
  spec: ChannelSettings | undefined,
  deps: ProgramSearch & { readonly version: string },
): Check | undefined {
  if (spec === undefined || spec.enabled === false) return undefined;
  const look = (url: string): Check => {
    const first = `${new URL(url).origin}/`;
    return (signal) => lookAt(first, { version: deps.version, allowLoopback: true }, signal);
  };
  switch (spec.kind) {
    case 'webhook':
      return spec.url === undefined ? undefined : look(spec.url);
    case 'telegram':
      return look(spec.base_url ?? 'https://api.telegram.org');
    case 'command':
      return programCheck(spec.command, deps);
  }
}
