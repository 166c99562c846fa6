import { delimiter, isAbsolute, join } from 'node:path';
import type { McpServerSettings } from '../../../shared/settings/mcp';
import type { Preparation } from './mcp-server';
import { declaredNames, literalValues, planStart } from './server-state';
import {
  buildChildEnvironment,
  INSTANCE_MARKER,
  isSecretLooking,
  RUN_MARKER,
  SERVER_MARKER,
  type Environment,
} from '../shell/child-environment';
import {
  createLoginEnvironment,
  loginVariables,
  type FindSecrets,
  type LoginEnvironment,
} from '../shell/login-environment';
import { isRunnable } from '../shell/runnable';
import { isFolder } from '../../disk/missing-folders';

export interface McpEnvironmentDeps {
  readonly instanceId: string;
  readonly runId: string;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  /** The login shell's environment as queried first. */
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  readonly findSecrets: FindSecrets;
  /** Called with every secret that is passed to a server, so that logs can redact it. */
  readonly onSecret: (value: string) => void;
}

/** The environment for servers, as it is now. */
interface McpEnvironment {
  prepare(name: string, spec: McpServerSettings): Promise<Preparation>;
  /** Re-reads the login shell at the next start, because a variable may have been added. S2-52. */
  forget(): void;
  /** Variables that a server gets in addition to the basic ones, and whether they are set now. */
  declared(spec: McpServerSettings): readonly { readonly name: string; readonly isSet: boolean }[];
}

export function createMcpEnvironment(deps: McpEnvironmentDeps): McpEnvironment {
  let ask = deps.loginEnvironment;
  let login: Environment | undefined;
  const variable = (name: string): string | undefined => deps.ownEnvironment[name] ?? login?.[name];
  return {
    forget() {
      ask = createLoginEnvironment({ own: deps.ownEnvironment, secrets: deps.findSecrets });
    },
    declared: (spec) => {
      const own = literalValues(spec);
      const names = [...declaredNames(spec), ...Object.values(spec.headers_env ?? {})];
      return [...new Set(names)].map((name) => ({
        name,
        isSet: (own[name] ?? variable(name) ?? '') !== '',
      }));
    },
    async prepare(name, spec) {
      if (spec.enabled === false) return { kind: 'disabled' };
      const answer = await ask();
      login = loginVariables(answer);
      const { env } = buildChildEnvironment({
        login,
        secrets: answer.secrets,
        own: deps.ownEnvironment,
        declared: declaredNames(spec),
        markers: {
          ...literalValues(spec),
          [INSTANCE_MARKER]: deps.instanceId,
          [RUN_MARKER]: deps.runId,
          [SERVER_MARKER]: name,
        },
      });
      const programs = { path: env['PATH'] ?? '', extensions: env['PATHEXT'] };
      const plan = planStart(spec, {
        variable,
        hasProgram: (program) => findProgram(program, programs) !== undefined,
      });
      if (plan.kind !== 'starting') return plan;
      for (const declared of declaredNames(spec)) {
        const value = env[declared];
        if (value !== undefined && isSecretLooking(declared, value)) deps.onSecret(value);
      }
      if (spec.url !== undefined) {
        const headers: Record<string, string> = {};
        for (const [header, from] of Object.entries(spec.headers_env ?? {})) {
          const value = variable(from) ?? '';
          deps.onSecret(value);
          headers[header] = value;
        }
        return { kind: 'ready', target: { kind: 'http', url: spec.url, headers } };
      }
      const cwd = spec.cwd ?? env['HOME'] ?? env['USERPROFILE'] ?? '/';
      if (!isAbsolute(cwd) || !isFolder(cwd))
        return { kind: 'skipped', reason: `The folder ${cwd.slice(0, 300)} does not exist.` };
      const command = findProgram(spec.command ?? '', programs) ?? '';
      return { kind: 'ready', target: { kind: 'stdio', command, args: spec.args ?? [], cwd, env } };
    },
  };
}

/** The program on the server's own PATH, which may differ from ours. */
function findProgram(
  program: string,
  { path, extensions }: { readonly path: string; readonly extensions: string | undefined },
): string | undefined {
  if (isAbsolute(program)) return isRunnable(program) ? program : undefined;
  if (program.includes('/') || program === '') return undefined;
  const endings = ['', ...(extensions?.split(';') ?? [])];
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const found = endings.map((end) => join(folder, program + end)).find(isRunnable);
    if (found !== undefined) return found;
  }
  return undefined;
}
