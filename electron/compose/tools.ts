import { durationMs } from '../../shared/settings';
import { createFetchTools } from '../adapters/fetch/fetch-tools';
import { createFileTools } from '../adapters/files/file-tools';
import { createShellTools } from '../adapters/shell/shell-tools';
import { createToolRegistry, type ToolRegistry } from '../engine/turns/tool-registry';
import { createScheduleTools } from '../engine/schedule/tools';
import { createRevisitTool } from '../engine/wakes/revisit-tool';
import type { Breakers } from '../ports/breakers';
import type { ToolHost } from '../ports/tools';
import { createBrowsers, type Browsers } from './browser';
import type { DraftsPart } from './drafts';
import { guardedFetch, type GuardedFetch } from './fetch-breaker';
import type { Ground } from './ground';
import { createMcp, type Mcp } from './mcp';
import type { Rooms } from './rooms-type';
import { createShellEffects, type ShellEffects } from './shell-effects';

/** Everything that an agent can call, and the hosts that have a life of their own. */
export interface Tools {
  readonly registry: ToolRegistry;
  readonly shell: ShellEffects;
  readonly mcp: Mcp;
  readonly browsers: Browsers;
  readonly pages: GuardedFetch;
}

export function createTools(
  ground: Ground,
  made: { readonly drafts: DraftsPart; readonly breakers: Breakers },
  later: () => Rooms,
): Tools {
  const { crashPoints, version } = ground;
  const { breakers, drafts } = made;
  const shell = createShellEffects(ground);
  const mcp = createMcp({
    ...ground,
    breakers,
    learnSecret: (value) => {
      ground.redactor.learn(value);
    },
    serversOfAgent: (name) => later().agents.mcpServersOf(name),
    onChange: ground.changed,
  });
  const browsers = createBrowsers({ ...ground, breakers });
  const reach = { version, allowLoopback: false };
  const pages = guardedFetch(createFetchTools(reach), breakers, reach);
  const builtIn: readonly ToolHost[] = [
    createFileTools({ crashPoints, drafts: drafts.desk, leases: drafts.leases }),
    shellTools(ground, shell),
    pages.host,
    browsers.host,
    ...toolsOfTime(ground, later),
    ...(ground.compose.toolHosts ?? []),
  ];
  const registry = createToolRegistry(() => [...builtIn, ...mcp.hosts()]);
  return { registry, shell, mcp, browsers, pages };
}

function shellTools(ground: Ground, shell: ShellEffects): ToolHost {
  const { settings, reads, runId, loginEnvironment, ownEnvironment } = ground;
  return createShellTools({
    instanceId: reads.databaseId(),
    runId,
    limits: () => ({
      timeoutMs: durationMs(settings.get('shell.timeout')),
      maxOutputBytes: settings.get('shell.max_output_kb') * 1024,
    }),
    stopping: ground.draining,
    loginEnvironment,
    ownEnvironment,
    commandHasEffects: shell.of,
    commandRisk: shell.riskOf,
    namedRemote: shell.remoteIn,
  });
}

/** By these an agent has its own session woken again. */
function toolsOfTime(ground: Ground, later: () => Rooms): readonly ToolHost[] {
  const { settings, clock, reads, workReads, scheduleReads } = ground;
  return [
    createRevisitTool({
      wakes: () => later().wakes,
      nowMs: () => clock.nowMs(),
      sessionOf: (turnId) => reads.turn(turnId)?.sessionId,
      wasAskedFor: (turnId, key) => workReads.wasAskedFor(turnId, key),
    }),
    createScheduleTools({
      tasks: () => later().schedule.tasks,
      timers: () => later().schedule.timers,
      heartbeats: () => later().schedule.heartbeats,
      reads: scheduleReads,
      turn: (id) => reads.turn(id),
      nowMs: () => clock.nowMs(),
      isOn: () => settings.get('extensions.core.scheduler_tool'),
    }),
  ];
}
