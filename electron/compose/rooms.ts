import path from 'node:path';
import { createConversations } from '../adapters/command/conversations';
import { sealRecords } from '../adapters/command/hook-records';
import { createAgentFolders } from '../adapters/files/agent-folders';
import { loginVariables } from '../adapters/shell/login-environment';
import { systemLeftProcesses } from '../adapters/shell/orphans';
import { createSkillCatalog } from '../adapters/skills/skill-catalog';
import { isReadRefusal } from '../adapters/sqlite/damage';
import { watchDir } from '../data-dir';
import type { Handlers } from '../engine/api/handlers';
import { describeProviders } from '../engine/api/providers';
import { createAgents, type Agents } from '../engine/executors/agents';
import { createLeftProcesses, type LeftProcessesRoom } from '../engine/recovery/left-processes';
import { recordIdleBeats, replyRule } from '../engine/replies/timed-answers';
import { createSessions, type IntakeDeps, type SessionsRoom } from '../engine/sessions/intake';
import { createShareGate } from '../engine/sharing/share-gate';
import { createSkills, type Skills } from '../engine/skills/skills';
import type { SkillRunsDeps } from '../engine/skills/runs';
import { createStatus, type StatusDeps } from '../engine/status/status';
import { followTurnEnds } from '../engine/turns/run-ends';
import { createWakes } from '../engine/wakes/wakes';
import type { TurnRow } from '../ports/journal/rows';
import { answerSeal, createChannelsPart, createInboundPart, createRepliesPart } from './channels';
import { createCore, type Core, type CoreInput } from './core';
import {
  createDependencies,
  createFallbackPart,
  createProbesPart,
  type Dependencies,
} from './dependencies';
import { createTerminalsPart } from './executors';
import type { Outbox } from '../engine/outbox/outbox';
import { createSearchPart, createTracesPart, createUpkeepPart } from './followers';
import { createGatewayPart } from './gateway';
import { createHandlers } from './handlers';
import { createHostsPart } from './hosts';
import { createApprovalsPart, createDecisionsPart, createQuestionsPart } from './questions';
import type { Rooms } from './rooms-type';
import { createSchedulePart } from './schedule';
import { createSharePart } from './share';
import { createDraftsPart, createTools, type Tools } from './tools';
import { createAwakePart, createBudgetsPart, createTurns } from './turns';
import { createUpdatesPart } from './updates';

/** The engine of one start, from the core up. */
export function createRooms(options: CoreInput): Rooms {
  const core = createCore(options);
  followTurnEnds(core);
  recordIdleBeats(core);
  const work = createWork(core, { verbs: () => verbs, outbox: () => outbox });
  const { agents, channels, schedule, sessions, share, tools, wakes } = work;
  const { scheduler, quitWhenDone, commands, outside } = work.turns;
  const { breakers, outage } = work.dependencies;
  const inbound = createInboundPart(core, { sessions, schedule });
  const awake = createAwakePart(core, { scheduler, schedule });
  const updates = createUpdatesPart(core, { scheduler, quitWhenDone });
  const hosts = createHostsPart(core);
  const outbox = core.events.over(core.journal, core.reads, breakers.registry);
  const { answers, command } = work.questions;
  const rooms = {
    core,
    leftOpen: {
      agents,
      commands,
      drafts: work.drafts.drafts,
      hasReply: work.hasReply,
      leftProcesses: work.leftProcesses,
    },
    runners: {
      awake,
      budgets: work.budgets,
      fallback: work.fallback,
      outage,
      quitWhenDone,
      scheduler,
      share,
      terminals: work.terminals,
      trials: work.trials,
    },
    intake: { answers, channels, command, inbound, schedule, sessions, updates, wakes },
    outbound: { replies: work.replies, outbox },
    programs: { browsers: tools.browsers, mcp: tools.mcp },
    followers: {
      search: work.search,
      traces: createTracesPart(core),
      upkeep: createUpkeepPart(core, { drafts: work.drafts.drafts, browsers: tools.browsers }),
    },
    gateway: createGatewayPart(core, { ...work, scheduler }),
    hosts,
    ...statusPart(core, {
      awake,
      hosts,
      scheduler,
      quitWhenDone,
      outage,
      inbound,
      outbox,
      schedule,
      updates,
      share,
    }),
  };
  const verbs: Handlers = createHandlers(rooms, { ...work, outside });
  return { ...rooms, verbs };
}

/** Made after the rooms that process work. */
interface LaterRooms {
  readonly verbs: () => Handlers;
  readonly outbox: () => Pick<Outbox, 'tellSubjects'>;
}

/**
 * The rooms that process work. Each takes earlier rooms directly and later ones as functions, which
 * are called only once all rooms exist.
 */
function createWork(core: Core, { verbs, outbox }: LaterRooms) {
  const drafts = createDraftsPart(core);
  const dependencies = createDependencies(core, {
    channelNames: () => channels.names(),
    isPassive: (name) => trials.isPassive(name),
    onFree: () => turns.scheduler.lookAgain(),
  });
  const breakers = dependencies.breakers.registry;
  const leftProcesses = leftProcessesPart(core);
  const search = createSearchPart(core, () => ({ scheduler: turns.scheduler, sessions }));
  const first = { drafts, breakers, leftProcesses, search };
  const tools = createTools(core, {
    ...first,
    serversOfAgent: (name) => agents.mcpServersOf(name),
    wakes: () => wakes,
    schedule: () => schedule,
  });
  const { folders, describe, agents } = agentsPart(core, dependencies, tools);
  const seal = answerSeal(core);
  const channels = createChannelsPart(core, { breakers, seal }, () => replies.flush());
  const enqueue = (turn: TurnRow, delayMs = 0) => turns.scheduler.enqueue(turn, { delayMs });
  const approvals = createApprovalsPart(core, enqueue, () => share);
  const decisions = createDecisionsPart(core, { tools, leftProcesses }, enqueue);
  const asking = { approvals, decisions, channels, verbs, seal, dependencies };
  const questions = createQuestionsPart(core, asking);
  const replies = createRepliesPart(core, { breakers, channels, questions });
  const isRunning = (turnId: number): boolean => turns.scheduler.running().includes(turnId);
  const hasReply = replyRule({ ...core, channels: () => channels.list() });
  const skills = skillsPart(core, agents, { approvals, turns: { isRunning, enqueue, hasReply } });
  const conversations = createConversations({ ...core, watchDir: watchDir(core.dataDir) });
  const budgets = createBudgetsPart(core, () => turns.scheduler);
  const made = { conversations, dependencies, tools, agents, approvals, budgets, skills };
  const gate = createShareGate(core);
  const turns = createTurns(core, { ...made, tasks: () => schedule.tasks, hasReply, gate });
  const trials = createProbesPart(core, { ...made, ...turns, channels });
  const sessions = sessionsPart(core, { agents, outage: dependencies.outage, onAccepted: enqueue });
  const around = { channels, sessions, outbox, share: () => share };
  const schedule = createSchedulePart(core, { ...made, ...around });
  const wakes = createWakes({ ...core, sessions });
  const share = createSharePart(core, { ...made, gate, turns, sessions, hasReply });
  return {
    ...made,
    ...first,
    hasReply,
    ...createTerminalsPart(core, { ...made, ...turns, sessions }),
    fallback: createFallbackPart(core, { dependencies, describe, folders, agents }),
    folders,
    describe,
    channels,
    replies,
    questions,
    turns,
    trials,
    sessions,
    schedule,
    wakes,
    share,
    decisions,
  };
}

const leftProcessesPart = (core: Core): LeftProcessesRoom =>
  createLeftProcesses({
    ...core,
    processes: systemLeftProcesses(
      () => ({ instanceId: core.reads.databaseId(), runId: core.runId }),
      (turnId) => sealRecords(core.dataDir, turnId, core.crashPoints),
    ),
  });

function agentsPart(core: Core, { hostProviders }: Dependencies, tools: Tools) {
  const folders = createAgentFolders(core.dataDir);
  const describe = describeProviders(core.settings, core.viewKey);
  const agents = createAgents({
    settings: core.settings,
    folders,
    tools: tools.registry,
    extraProviders: hostProviders,
    describeProvider: describe,
  });
  return { folders, describe, agents };
}

const sessionsPart = (
  core: Core,
  rooms: Pick<IntakeDeps, 'agents' | 'outage' | 'onAccepted'>,
): SessionsRoom =>
  createSessions({ ...core, ...rooms, isRestoreSkipped: core.compose.flags.noRestore });

const statusPart = (core: Core, rooms: StatusDeps['rooms']): ReturnType<typeof createStatus> =>
  createStatus({
    ...core,
    self: core,
    readRefusal: {
      now: () => core.readFailures.refusal(),
      of: (error) => (isReadRefusal(error, core.db.name) ? core.readFailures.failed() : undefined),
    },
    rooms,
  });

function skillsPart(
  core: Core,
  agents: Agents,
  run: Pick<SkillRunsDeps, 'approvals' | 'turns'>,
): Skills {
  const { settings } = core;
  const catalog = createSkillCatalog({
    dataFolder: path.join(core.dataDir, 'skills'),
    folders: () => settings.get('skills.folders'),
    env: core.ownEnvironment,
    loginEnv: async () => loginVariables(await core.loginEnvironment()) ?? {},
  });
  return createSkills({
    settings,
    agents,
    runs: { ...core, ...run, catalog },
  });
}
