import type { SessionsRoom } from '../engine/sessions/intake';
import type { createInbound } from '../engine/sessions/inbound';
import type { Budgets } from '../engine/budgets/budgets';
import type { Awake } from '../engine/awake/awake';
import type { TurnScheduler } from '../engine/turns/scheduler';
import type { QuitWhenDone } from '../engine/turns/quit-when-done';
import type { Replies } from '../engine/replies/replies';
import type { Outbox } from '../engine/outbox/outbox';
import type { Drafts } from '../engine/drafts/drafts';
import type { Wakes } from '../engine/wakes/wakes';
import type { Schedule } from '../engine/schedule/schedule';
import type { Agents } from '../engine/executors/agents';
import type { Core } from './core';
import type { Upkeep } from '../engine/upkeep/upkeep';
import type { LazyCommands } from '../engine/executors/command/lazy-commands';
import type { Outage } from '../engine/outage/outage';
import type { DependencyProbes } from '../engine/breaker/probes';
import type { Mcp } from '../adapters/mcp/mcp';
import type { LazyFallback } from '../engine/fallback/lazy-fallback';
import type { LazyTerminals } from '../engine/executors/program/lazy-terminals';
import type { GatewayRoom } from '../engine/gateway/gateway';
import type { LazyHosts } from '../engine/hosts/lazy-hosts';
import type { LazySearch } from '../engine/search/lazy-search';
import type { LazyTraces } from '../engine/traces/lazy-traces';
import type { LazyUpdates } from '../engine/updates/lazy-updates';
import type { ShareRoom } from '../engine/sharing/share-room';
import type { Browsers } from '../adapters/browser/browsers';
import type { Channels } from '../engine/replies/channels';
import type { createPhoneCommands } from '../engine/replies/phone-commands';
import type { QuestionAnswers } from '../engine/replies/question-answers';
import type { Handlers } from '../engine/api/handlers';
import type { RecoverDeps } from '../engine/recovery/recover-at-start';
import type { LeftProcessesRoom } from '../engine/recovery/left-processes';
import type { StatusSnapshot, RestartNotice } from '../../shared/types';

/** What the last life left open is settled in these, before anything runs. */
interface LeftOpen {
  readonly agents: Agents;
  readonly commands: LazyCommands;
  readonly drafts: Drafts;
  readonly hasReply: RecoverDeps['hasReply'];
  readonly leftProcesses: LeftProcessesRoom;
}

/** Runs the turns, and decides when one may run. */
interface Runners {
  readonly awake: Awake;
  readonly budgets: Budgets;
  readonly fallback: LazyFallback;
  readonly outage: Outage;
  readonly quitWhenDone: QuitWhenDone;
  readonly scheduler: TurnScheduler;
  readonly share: ShareRoom;
  readonly terminals: LazyTerminals;
  readonly trials: DependencyProbes;
}

/** Where work comes from: closed first when Holdfast stops. */
interface Intake {
  readonly answers: QuestionAnswers;
  readonly channels: Channels;
  readonly command: ReturnType<typeof createPhoneCommands>;
  readonly inbound: ReturnType<typeof createInbound>;
  readonly schedule: Schedule;
  readonly sessions: SessionsRoom;
  readonly updates: LazyUpdates;
  readonly wakes: Wakes;
}

/** What goes out: answers and questions to channels, events to the broker. */
interface Outbound {
  readonly replies: Replies;
  readonly outbox: Outbox;
}

/** Programs that serve tools. */
interface Programs {
  readonly browsers: Browsers;
  readonly mcp: Mcp;
}

/** What runs behind the work. */
interface Followers {
  readonly search: LazySearch;
  readonly traces: LazyTraces;
  readonly upkeep: Upkeep;
}

/** One start, wired: the base of all parts, and the rooms in the groups in which they start and stop. */
export interface Rooms {
  readonly core: Core;
  readonly leftOpen: LeftOpen;
  readonly runners: Runners;
  readonly intake: Intake;
  readonly outbound: Outbound;
  readonly programs: Programs;
  readonly followers: Followers;
  readonly gateway: GatewayRoom;
  readonly hosts: LazyHosts;
  readonly verbs: Handlers;
  readonly status: () => StatusSnapshot;
  readonly setRestart: (notice: RestartNotice | undefined, restoreSkipped: boolean) => void;
}
