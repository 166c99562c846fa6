import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import {
  isLlmAgent,
  type AcpAgentSettings,
  type AgentSettings,
  type CommandAgentSettings,
} from '../../../shared/settings';
import type { AgentSetup } from '../../../shared/types';
import type { DetectedAgent } from '../../../shared/types/agents';
import { inertLine } from '../tools/tool-host';
import type { Environment } from '../shell/child-environment';
import type { LoginEnvironment } from '../shell/login-environment';
import { findProgram } from '../shell/program-there';
import { runCommand } from '../shell/run-command';
import { KNOWN_AGENTS, type KnownAgent } from './known-agents';
import { childEnvironment } from '../shell/login-environment';

const ASK_MS = 20_000;
const ASK_BYTES = 64 * 1024;

interface DetectDeps {
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  /** Working directory for the version query. */
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/**
 * Searches the PATH of the login shell for known agents and queries the version of each, in the
 * environment in which it would run. Installs and changes nothing.
 */
export async function detectAgents(deps: DetectDeps): Promise<readonly DetectedAgent[]> {
  const { env } = await environmentOf(deps, []);
  const ask = asking(deps, env);
  return Promise.all(KNOWN_AGENTS.map((agent) => detectOne(agent, env, ask)));
}

/**
 * What an agent would find here: its program's path by the PATH and folder that it is started with,
 * and the names of the variables that it gets and that are withheld. Only a known program is run to
 * query its version. Row S2-+05.
 */
export async function lookAtAgent(
  deps: DetectDeps,
  agent: {
    /** Undefined if Holdfast runs it itself. */
    readonly program: string | undefined;
    readonly workspace: string;
    readonly declared: readonly string[];
  },
): Promise<{
  readonly path?: string;
  readonly version?: string;
  readonly env: readonly { readonly name: string; readonly isSet: boolean }[];
  readonly withheld: readonly string[];
}> {
  const { env, withheld } = await environmentOf(deps, agent.declared);
  const { program } = agent;
  const path =
    program === undefined ? undefined : await findProgram(program, env['PATH'], agent.workspace);
  const version =
    path !== undefined && TELLS_VERSION.has(basename(path))
      ? versionIn(await asking(deps, env)(path, ['--version']))
      : undefined;
  return {
    ...(path === undefined ? {} : { path }),
    ...(version === undefined ? {} : { version }),
    env: agent.declared.map((name) => ({ name, isSet: (env[name] ?? '') !== '' })),
    withheld,
  };
}

/** The same for an agent as it is set; without one, what any agent would get here. */
export async function setupOf(
  deps: DetectDeps,
  spec: AgentSettings | undefined,
): Promise<Omit<AgentSetup, 'agent'>> {
  const own = spec === undefined || isLlmAgent(spec) ? undefined : spec;
  const { env, withheld, ...found } = await lookAtAgent(deps, {
    program: own?.command,
    workspace: spec?.workspace ?? tmpdir(),
    declared: spec?.env ?? [],
  });
  return {
    ...(own === undefined ? {} : { program: { name: own.command, line: lineOf(own), ...found } }),
    env: [...env],
    withheld: withheld.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME)),
  };
}

const lineOf = ({ command, args = [] }: AcpAgentSettings | CommandAgentSettings): string =>
  [command, ...args].join(' ').slice(0, 4_096);

/** More than any environment has; the contract allows no more. */
const MAX_NAMES = 1_000;
const MAX_NAME = 200;

const TELLS_VERSION = new Set(
  KNOWN_AGENTS.flatMap(({ starts, marker }) => [
    ...starts.map(({ program }) => program),
    ...(marker === undefined ? [] : [marker]),
  ]),
);

const environmentOf = (deps: DetectDeps, declared: readonly string[]) =>
  childEnvironment(deps, declared, { NO_COLOR: '1' });

type Ask = (path: string, args: readonly string[]) => Promise<string | undefined>;

const asking =
  (deps: DetectDeps, env: Environment): Ask =>
  async (path, args) => {
    const end = await runCommand({
      argv: [path, ...args],
      cwd: deps.cwd,
      env,
      timeoutMs: ASK_MS,
      capBytes: ASK_BYTES,
      signal: deps.signal,
    });
    return end.kind === 'exited' && end.code === 0 ? end.output : undefined;
  };

async function detectOne(agent: KnownAgent, env: Environment, ask: Ask): Promise<DetectedAgent> {
  const { id, name } = agent;
  for (const start of agent.starts) {
    const path = await findProgram(start.program, env['PATH']);
    if (path === undefined) continue;
    const version = versionIn(await ask(path, ['--version']));
    const args = id === 'gemini' ? await geminiArgs(path, ask) : start.args;
    return {
      id,
      name,
      isInstalled: true,
      path,
      ...(version === undefined ? {} : { version }),
      command: [start.program, ...args].join(' '),
    };
  }
  const marker =
    agent.marker === undefined ? undefined : await findProgram(agent.marker, env['PATH']);
  if (marker === undefined || agent.missing === undefined) {
    const program = agent.marker ?? agent.starts[0]?.program ?? name;
    return { id, name, isInstalled: false, missing: `${program} is not on your PATH.` };
  }
  const version = versionIn(await ask(marker, ['--version']));
  return {
    id,
    name,
    isInstalled: false,
    path: marker,
    ...(version === undefined ? {} : { version }),
    missing: agent.missing,
  };
}

/** Older releases know the switch under a longer name only. */
async function geminiArgs(path: string, ask: Ask): Promise<readonly string[]> {
  const help = (await ask(path, ['--help'])) ?? '';
  return !/--acp\b/.test(help.replaceAll('--experimental-acp', '')) &&
    help.includes('--experimental-acp')
    ? ['--experimental-acp']
    : ['--acp'];
}

/** The first part of a text that looks like a version. Pure. */
export function versionIn(text: string | undefined): string | undefined {
  const found = /\d+\.\d+(?:\.\d+)?(?:[\w.+-]{0,40}\w)?/.exec(text ?? '')?.[0];
  return found === undefined ? undefined : inertLine(found);
}
