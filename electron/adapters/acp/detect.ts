import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { OutsideAgentId } from '../../ports/outside-agent';
import { inertLine } from '../files/tool-host';
import { buildChildEnvironment, type Environment } from '../shell/child-environment';
import type { LoginEnvironment } from '../shell/login-environment';
import { runCommand } from '../shell/run-command';
import { KNOWN_AGENTS, type KnownAgent } from './known-agents';

const ASK_MS = 20_000;
const ASK_BYTES = 64 * 1024;

/** One known agent on this computer. */
interface DetectedAgent {
  readonly id: OutsideAgentId;
  readonly name: string;
  readonly isInstalled: boolean;
  /** Where its program is. */
  readonly path?: string;
  readonly version?: string;
  /** What to add it with: `holdfast agents add NAME --acp '<command>'`. */
  readonly command?: string;
  /** What has to be done first. */
  readonly missing?: string;
}

/**
 * Looks for the known agents on the PATH of the login shell and asks each for its version, with
 * the environment that it would be run with. Nothing is installed, nothing is changed.
 */
export async function detectAgents(deps: {
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
}): Promise<readonly DetectedAgent[]> {
  const login = await deps.loginEnvironment();
  const { env } = buildChildEnvironment({
    login: login.kind === 'login' ? login.env : undefined,
    own: deps.ownEnvironment,
    declared: [],
    markers: { NO_COLOR: '1' },
  });
  const ask = async (path: string, args: readonly string[]): Promise<string | undefined> => {
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
  return Promise.all(KNOWN_AGENTS.map((agent) => detectOne(agent, env, ask)));
}

async function detectOne(
  agent: KnownAgent,
  env: Environment,
  ask: (path: string, args: readonly string[]) => Promise<string | undefined>,
): Promise<DetectedAgent> {
  const { id, name } = agent;
  for (const start of agent.starts) {
    const path = await onPath(env, start.program);
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
  const marker = agent.marker === undefined ? undefined : await onPath(env, agent.marker);
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
async function geminiArgs(
  path: string,
  ask: (path: string, args: readonly string[]) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const help = (await ask(path, ['--help'])) ?? '';
  return !/--acp\b/.test(help.replaceAll('--experimental-acp', '')) &&
    help.includes('--experimental-acp')
    ? ['--experimental-acp']
    : ['--acp'];
}

/** The first thing in a text that looks like a version. Pure. */
export function versionIn(text: string | undefined): string | undefined {
  const found = /\d+\.\d+(?:\.\d+)?[\w.+-]{0,40}/.exec(text ?? '')?.[0];
  return found === undefined ? undefined : inertLine(found);
}

async function onPath(env: Environment, program: string): Promise<string | undefined> {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  for (const folder of folders) {
    const path = join(folder, program);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // not there
    }
  }
  return undefined;
}
