/** Shared work, connected: one store, joined with the rooms of this computer. */
import { durationMs } from '../../../shared/settings';
import type { Blobs, Hasher } from '../../ports/blobs';
import type { Ids } from '../../ports/ids';
import type { ScheduleReads } from '../../ports/journal/schedule';
import type { TurnRow } from '../../ports/journal/rows';
import type { Log } from '../../ports/log';
import type { MovedFiles } from '../../ports/moved-files';
import type { SettingsPort } from '../../ports/settings';
import type { SharedStore } from '../../ports/shared-store';
import type { Budgets } from '../budgets/budgets';
import { settle } from '../inbox/entries';
import type { Outage } from '../outage/outage';
import type { Approvals } from '../permissions/approvals';
import type { RecoverDeps } from '../recovery/recover-at-start';
import type { SessionsRoom } from '../sessions/intake';
import { createCommonLimits } from './common-limits';
import { createCommonNames, type CommonNamesDeps } from './common-names';
import { needOfAgent, offersOf, whyNotShared, type OfferedAgents } from './offers';
import { createRepositories } from './repositories';
import { createShare, type Share } from './share';
import { createTurnsHere, type SchedulerHere } from './turns-here';
import type { WireTexts } from './wire';

const POLL_MS = 15_000;

interface AgentsHere extends OfferedAgents {
  /** @throws if the agent or its folder is not here */
  frameOf(name: string): { readonly workspace: string };
}

/** The rooms of this computer that shared turns use. */
export interface RoomsOfShare {
  readonly sessions: SessionsRoom;
  readonly scheduler: SchedulerHere;
  readonly agents: AgentsHere;
  readonly approvals: Approvals;
  readonly budgets: Budgets;
  readonly outage: Outage;
  readonly hasReply: (turn: TurnRow) => boolean;
  /** A quit is waiting for running turns: nothing more is claimed. */
  readonly isHeldBack: () => boolean;
}

interface OpenShareDeps {
  readonly core: Omit<RecoverDeps, 'hasReply'> & {
    readonly settings: SettingsPort;
    readonly scheduleReads: ScheduleReads;
    readonly blobs: Blobs;
    readonly hasher: Hasher;
    readonly ids: Ids;
    readonly log: Log;
    readonly portableIn: WireTexts['portableIn'];
  };
  readonly rooms: RoomsOfShare;
  readonly self: {
    readonly version: string;
    readonly platform: string;
    readonly name: () => string;
  };
  readonly store: SharedStore;
  /** The server runs when this resolves, if it is our own. @throws SHARE_SERVER */
  readonly ensure: () => Promise<void>;
  readonly files: MovedFiles;
  readonly accounts: Pick<CommonNamesDeps, 'keyOf' | 'originOf'>;
  readonly onChange: () => void;
}

function workspaceOf(agents: AgentsHere, agent: string): string | undefined {
  try {
    return agents.frameOf(agent).workspace;
  } catch {
    return undefined; // it is not here, or its folder is not
  }
}

function textsOf({ core, rooms }: OpenShareDeps, store: SharedStore, files: MovedFiles): WireTexts {
  const { blobs, hasher, portableIn, reads } = core;
  const workspaces = new Map<number, string>();
  const workspaceOfFrame = (frameId: number): string => {
    const workspace = workspaces.get(frameId) ?? reads.frame(frameId)?.workspace ?? '';
    workspaces.set(frameId, workspace);
    return workspace;
  };
  return {
    blobs,
    hasher,
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
      return portableIn(turn === undefined ? '' : (workspaceOf(rooms.agents, turn.agent) ?? ''));
    },
  };
}

/** The share, which follows our journal from here on. */
export function openShare(deps: OpenShareDeps): Share {
  const { core, rooms, self } = deps;
  const { settings, reads, scheduleReads, hasher, ids } = core;
  const { agents, approvals } = rooms;
  const store: SharedStore = {
    ...deps.store,
    // The first call of each connection: a server that has died is started again with the next.
    async hello(caller) {
      await deps.ensure();
      return deps.store.hello(caller);
    },
  };
  const repositories = createRepositories({
    files: deps.files,
    hasher,
    folderOf: (agent) => workspaceOf(agents, agent),
    onFound: () => share.look(),
  });
  const { files } = repositories;
  const share: Share = createShare({
    store,
    texts: textsOf(deps, store, files),
    recovery: { ...core, hasReply: rooms.hasReply },
    sessions: rooms.sessions,
    self: {
      key: reads.databaseId(),
      life: ids.newId(),
      version: self.version,
      name: self.name,
      caps: () =>
        offersOf({
          agents,
          settings,
          platform: self.platform,
          tasks: scheduleReads.sharedTasks(),
          repositories: (places) => repositories.offersOf(places),
        }),
      newId: () => ids.newId(),
    },
    turns: createTurnsHere({ ...core, ...rooms }),
    agents: {
      files,
      workspaceOf: (agent) => workspaceOf(agents, agent),
      whyNot: (agent) => whyNotShared(agents, agent),
      needOf: (agent) => needOfAgent(agents, agent),
      taskTarget: (name) => scheduleReads.sharedTasks().find((task) => task.name === name),
    },
    limits: createCommonLimits({
      outage: rooms.outage,
      budgets: rooms.budgets,
      names: createCommonNames({ ...core, ...deps.accounts }),
      clock: core.clock,
    }),
    policy: () => ({
      leaseMs: durationMs(settings.get('share.lease')),
      maxWaitMs: durationMs(settings.get('share.max_wait')),
      pollMs: POLL_MS,
      keepMs: settings.get('resilience.recovery.retention_days') * 86_400_000,
    }),
    answers: {
      approvals,
      clearing: (turn) => [
        ...approvals.clearing(turn, 'share'),
        ...reads.openInboxesOfTurn(turn.id).map(({ id }) => settle(id, 'elsewhere')),
      ],
    },
    log: core.log,
    onChange: deps.onChange,
  });
  core.journal.onCommitted((entries) => {
    share.follow(entries);
  });
  return share;
}
