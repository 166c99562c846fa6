/** Shared work, connected: loaded where this computer has joined a store. */
import { addressOf } from '../adapters/shared-store/invitation';
import { createPostgresStore, type StoreAddress } from '../adapters/shared-store/postgres-store';
import { createMovedFiles } from '../adapters/git-workspace';
import { decideBaseUrl } from '../adapters/providers/base-url';
import { resolveProviderKey } from '../adapters/secrets/provider-key';
import { settle } from '../engine/inbox/entries';
import { createCommonLimits } from '../engine/sharing/common-limits';
import { createCommonNames } from '../engine/sharing/common-names';
import { needOfAgent, offersOf, whyNotShared } from '../engine/sharing/offers';
import { createRepositories } from '../engine/sharing/repositories';
import type { WireTexts } from '../engine/sharing/wire';
import { createShare, type Share } from '../engine/sharing/share';
import type { OpenedStore } from '../engine/sharing/share-room';
import type { Budgets } from '../engine/budgets/budgets';
import type { Outage } from '../engine/outage/outage';
import type { Approvals } from '../engine/permissions/approvals';
import type { SessionsRoom } from '../engine/sessions/intake';
import type { TurnScheduler } from '../engine/turns/scheduler';
import type { Agents } from '../engine/executors/agents';
import { durationMs } from '../../shared/settings';
import type { TurnRow } from '../ports/journal/rows';
import type { MovedFiles } from '../ports/moved-files';
import type { SharedStore } from '../ports/shared-store';
import type { Core } from './core';

const TIMEOUT_MS = 5_000;
const POLL_MS = 15_000;

export interface LiveDeps {
  readonly sessions: SessionsRoom;
  readonly scheduler: TurnScheduler;
  readonly agents: Agents;
  readonly approvals: Approvals;
  readonly budgets: Budgets;
  readonly outage: Outage;
  readonly hasReply: (turn: TurnRow) => boolean;
  /** A quit is waiting for running turns: nothing more is claimed. */
  readonly isHeldBack: () => boolean;
}

function workspaceOf(agents: Pick<Agents, 'frameOf'>, agent: string): string | undefined {
  try {
    return agents.frameOf(agent).workspace;
  } catch {
    return undefined; // it is not here, or its folder is not
  }
}

/** What the share asks of the agents of this computer. */
function agentsOf(
  core: Core,
  { agents }: LiveDeps,
  files: MovedFiles,
): Parameters<typeof createShare>[0]['agents'] {
  return {
    files,
    workspaceOf: (agent) => workspaceOf(agents, agent),
    whyNot: (agent) => whyNotShared(agents, agent),
    needOf: (agent) => needOfAgent(agents, agent),
    taskTarget: (name) => core.disk.scheduleReads.sharedTasks().find((task) => task.name === name),
  };
}

function textsOf(
  core: Core,
  { agents }: LiveDeps,
  store: SharedStore,
  files: MovedFiles,
): WireTexts {
  const { portableIn } = core;
  const { blobs, reads } = core.disk;
  const workspaces = new Map<number, string>();
  const workspaceOfFrame = (frameId: number): string => {
    const workspace = workspaces.get(frameId) ?? reads.frame(frameId)?.workspace ?? '';
    workspaces.set(frameId, workspace);
    return workspace;
  };
  return {
    blobs,
    hasher: core.world.hasher,
    store,
    frame: (id) => reads.frame(id),
    purityOf: ({ turnId, step }) => reads.steps(turnId).find((one) => one.step === step)?.purity,
    portableIn,
    portableOf(turnId) {
      const turn = reads.turn(turnId);
      if (turn?.frameId !== undefined) return portableIn(workspaceOfFrame(turn.frameId));
      // It has not run here.
      const row = reads.sharedTurn(turnId);
      const moved = row?.ask?.files;
      if (row !== undefined && moved !== undefined)
        return portableIn(files.placeOf(row.uid, moved.prefix));
      return portableIn(turn === undefined ? '' : (workspaceOf(agents, turn.agent) ?? ''));
    },
  };
}

function storeOf(core: Core, address: StoreAddress, ensure: () => Promise<void>): SharedStore {
  const opened = createPostgresStore({
    address,
    timeoutMs: TIMEOUT_MS,
    seen: core.disk.reads.sharedMark(),
    log: core.records.log,
  });
  return {
    ...opened,
    // The first call of each connection: one that dies is started with the next.
    async hello(self) {
      await ensure();
      return opened.hello(self);
    },
  };
}

export function openShare(
  core: Core,
  deps: LiveDeps & {
    readonly name: () => string;
    /** The server runs when this resolves, where it is one of ours. @throws SHARE_SERVER */
    readonly ensure: () => Promise<void>;
  },
  secret: string,
  shown: string,
): OpenedStore {
  const { settings } = core;
  const { reads } = core.disk;
  const { clock } = core.world;
  const address = addressOf(shown, secret);
  core.secrets.redactor.learn(address.password);
  const store = storeOf(core, address, deps.ensure);
  const { crashPoints, hasher, ownEnvironment: env } = core.world;
  const repositories = createRepositories({
    files: createMovedFiles({ dataDir: core.dataDir, env, crashPoints }),
    hasher,
    folderOf: (agent) => workspaceOf(deps.agents, agent),
    onFound: () => share.look(),
  });
  const { files } = repositories;
  const share: Share = createShare({
    store,
    texts: textsOf(core, deps, store, files),
    recovery: { ...core.world, ...core.disk, ...core.records, policy: core.policy },
    sessions: deps.sessions,
    self: {
      key: reads.databaseId(),
      life: core.world.ids.newId(),
      version: core.version,
      name: deps.name,
      caps: () =>
        offersOf({
          agents: deps.agents,
          settings,
          platform: process.platform,
          tasks: core.disk.scheduleReads.sharedTasks(),
          repositories: (places) => repositories.offersOf(places),
        }),
      newId: () => core.world.ids.newId(),
    },
    turns: turnsOf(core, deps),
    agents: agentsOf(core, deps, files),
    limits: createCommonLimits({
      outage: deps.outage,
      budgets: deps.budgets,
      names: commonNamesOf(core),
      clock,
    }),
    policy: () => ({
      leaseMs: durationMs(settings.get('share.lease')),
      maxWaitMs: durationMs(settings.get('share.max_wait')),
      pollMs: POLL_MS,
      keepMs: settings.get('resilience.recovery.retention_days') * 86_400_000,
    }),
    answers: {
      approvals: deps.approvals,
      hasReply: deps.hasReply,
      clearing: (turn) => [
        ...deps.approvals.clearing(turn, 'share'),
        ...reads.openInboxesOfTurn(turn.id).map(({ id }) => settle(id, 'elsewhere')),
      ],
    },
    log: core.records.log,
    onChange: core.told.changed,
  });
  core.disk.journal.onCommitted((entries) => {
    share.follow(entries);
  });
  return { store, share };
}

/** What providers and external agents are called on every computer of the store. */
const commonNamesOf = ({ settings, secrets, world }: Core) =>
  createCommonNames({
    ...world,
    settings,
    keyOf: (name, spec) =>
      resolveProviderKey(name, spec, secrets.keys).then(
        (found) => found?.key,
        () => undefined,
      ),
    originOf(name, spec) {
      try {
        const { url, isLoopback } = decideBaseUrl(name, spec);
        // A model on this computer is down on this computer alone.
        return isLoopback ? undefined : new URL(url).origin;
      } catch {
        return undefined; // it is refused where it is used
      }
    },
  });

function turnsOf(core: Core, { scheduler, isHeldBack }: LiveDeps) {
  const { settings } = core;
  const { reads } = core.disk;
  return {
    enqueue(
      turn: TurnRow,
      { delayMs, isAlone }: { readonly delayMs: number; readonly isAlone: boolean },
    ) {
      scheduler.enqueue(turn, { delayMs, isAlone });
    },
    fence: (turnId: number) => scheduler.fence(turnId),
    holdAlive(turnId: number) {
      const turn = reads.turn(turnId);
      const held = turn === undefined ? undefined : scheduler.leaseOf(turn.sessionId);
      return held?.lease.turnId === turnId ? held.lease.atWork() : () => undefined;
    },
    free() {
      if (scheduler.paused() !== undefined || isHeldBack()) return 0;
      const queued = reads
        .openShared()
        .filter(({ turnId, state }) => state === 'here' && scheduler.isQueued(turnId)).length;
      return settings.get('limits.max_running_turns') - scheduler.running().length - queued;
    },
  };
}
