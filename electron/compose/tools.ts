import path from 'node:path';
import { durationMs } from '../../shared/settings';
import { createDraftStore } from '../adapters/drafts/draft-store';
import { createDraftWorkspace } from '../adapters/drafts/draft-workspace';
import { compareLines } from '../adapters/drafts/line-diff';
import { createFetchTools } from '../adapters/fetch/fetch-tools';
import { fileNow } from '../adapters/files/file-now';
import { createFileTools } from '../adapters/files/file-tools';
import { createPathLeases, type PathLeases } from '../adapters/files/path-leases';
import { createShellTools, type ShellToolsDeps } from '../adapters/shell/shell-tools';
import { createToolRegistry, type ToolRegistry } from '../engine/turns/tool-registry';
import { createScheduleTools } from '../engine/schedule/tools';
import { createRecallTool } from '../engine/search/recall-tool';
import { createRevisitTool } from '../engine/wakes/revisit-tool';
import { createDraftClaims } from '../engine/drafts/claims';
import { createDrafts, type Drafts } from '../engine/drafts/drafts';
import type { Breakers } from '../ports/breakers';
import type { DraftWorkspace } from '../ports/drafts';
import type { RequestRow } from '../ports/journal/approvals';
import type { FileChange } from '../../shared/types/drafts';
import type { ToolHost } from '../ports/tools';
import { createBrowsers, type Browsers } from '../adapters/browser/browsers';
import { guardedFetch, type GuardedFetch } from '../engine/breaker/guarded-pages';
import type { Core } from './core';
import { createMcp, type Mcp } from '../adapters/mcp/mcp';
import { breakerNames } from '../engine/breaker/names';
import type { LazySearch } from '../engine/search/lazy-search';
import type { Wakes } from '../engine/wakes/wakes';
import type { Schedule } from '../engine/schedule/schedule';
import { createShellEffects, type ShellEffects } from '../engine/shell-policy/shell-verdicts';
import type { LeftProcessesRoom } from '../engine/recovery/left-processes';
import { lookAt } from '../adapters/fetch/look-at';

/** Files written as drafts: what the file tools see, and what the user does with them. */
export interface DraftsPart {
  readonly workspace: DraftWorkspace;
  readonly leases: PathLeases;
  readonly drafts: Drafts;
  changeOf(request: RequestRow): Promise<FileChange>;
}

export function createDraftsPart(core: Core): DraftsPart {
  const { journal } = core;
  const leases = createPathLeases();
  const root = path.join(core.dataDir, 'drafts');
  const store = createDraftStore({ ...core, root, leases });
  const parts = {
    ...core,
    store,
    claims: createDraftClaims(),
    newDraftId: () => journal.allocate('draft'),
    compare: compareLines,
  };
  return {
    leases,
    drafts: createDrafts({
      ...parts,
      isNew: (draftId) => !journal.isOfEarlier('draft', draftId),
    }),
    workspace: createDraftWorkspace(parts),
    changeOf: async (request) => {
      const { fileChangeOf } = await import('../engine/drafts/file-change');
      return fileChangeOf({ ...parts, fileNow }, request);
    },
  };
}

/** All tools of an agent, and the hosts with a life cycle. */
export interface Tools {
  readonly registry: ToolRegistry;
  readonly shell: ShellEffects;
  readonly mcp: Mcp;
  readonly browsers: Browsers;
  readonly pages: GuardedFetch;
}

interface ToolsDeps {
  readonly drafts: DraftsPart;
  readonly breakers: Breakers;
  readonly leftProcesses: LeftProcessesRoom;
  readonly search: Pick<LazySearch, 'find'>;
  /** Sources of wake-ups; created after the tools. */
  readonly wakes: () => Wakes;
  readonly schedule: () => Schedule;
  /** Servers that a current agent may use. */
  readonly serversOfAgent: (agent: string) => readonly string[];
}

export function createTools(core: Core, deps: ToolsDeps): Tools {
  const { version, crashPoints } = core;
  const { breakers, drafts, leftProcesses } = deps;
  const shell = createShellEffects({
    ...core,
    loadReaders: loadShellReaders,
  });
  const mcp = mcpServers(core, deps);
  const browsers = createBrowsers({
    ...core,
    world: core,
    breakers,
    endLeft: () => leftProcesses.endHelpers('browserOf'),
  });
  const reach = { version, allowLoopback: false };
  const pages = guardedFetch(createFetchTools(reach), breakers, (url, signal) =>
    lookAt(url, reach, signal),
  );
  const builtIn: readonly ToolHost[] = [
    createFileTools({ crashPoints, drafts: drafts.workspace, leases: drafts.leases }),
    shellTools(core, shell),
    pages.host,
    browsers.host,
    createRevisitTool({ ...core, wakes: deps.wakes }),
    createScheduleTools({ ...core, schedule: deps.schedule }),
    createRecallTool({ ...core, search: deps.search }),
    ...(core.compose.toolHosts ?? []),
  ];
  const registry = createToolRegistry(() => [...builtIn, ...mcp.hosts()]);
  return { registry, shell, mcp, browsers, pages };
}

const mcpServers = (core: Core, { breakers, leftProcesses, serversOfAgent }: ToolsDeps): Mcp =>
  createMcp({
    ...core,
    breakerOf: (name) => breakers.of(breakerNames.mcp(name), 'mcp'),
    attemptsOf: (name) => core.attempts(breakerNames.mcp(name)),
    serversOfAgent,
    onChange: core.changed,
    endLeft: () => leftProcesses.endHelpers('server'),
  });

/** The shell; `onOutput` gets what its running commands print, for the window by default. */
export function shellTools(
  core: Core,
  shell: ShellEffects,
  onOutput: ShellToolsDeps['onOutput'] = (step, text) => {
    core.live.take(step, text);
  },
): ToolHost {
  const { settings, reads, runId, loginEnvironment, ownEnvironment } = core;
  return createShellTools({
    instanceId: reads.databaseId(),
    runId,
    limits: () => ({
      timeoutMs: durationMs(settings.get('shell.timeout')),
      maxOutputBytes: settings.get('shell.max_output_kb') * 1024,
    }),
    stopping: core.draining,
    loginEnvironment,
    ownEnvironment,
    commandHasEffects: shell.hasEffects,
    commandRisk: shell.riskOf,
    namedRemote: shell.remoteIn,
    onOutput,
  });
}

async function loadShellReaders() {
  const [effects, risk, sleep, remote] = await Promise.all([
    import('../engine/shell-policy/shell-effects'),
    import('../engine/shell-policy/shell-risk'),
    import('../engine/shell-policy/sleep-guard'),
    import('../engine/shell-policy/git-remote'),
  ]);
  return { ...effects, ...risk, ...sleep, ...remote };
}
