import path from 'node:path';
import type { Rooms } from './rooms-type';
import type { Handlers } from '../engine/api/handlers';
import { need } from './run';
import { isReadRefusal } from '../adapters/sqlite/damage';
import { createConversations } from '../adapters/command/conversations';
import { watchDir } from '../data-dir';
import { sealRecords } from '../adapters/command/hook-records';
import { systemLeftProcesses } from '../adapters/shell/orphans';
import { questionAbout } from '../engine/turns/tool-registry';
import type { TurnScheduler } from '../engine/turns/scheduler';
import { createQuestionsPart } from './questions';
import type { LazyQuestions } from '../engine/replies/lazy-questions';
import { createReplies, type Replies } from '../engine/replies/replies';
import { createDecisions, type Decisions } from '../engine/recovery/decisions';
import { createLeftProcesses, type LeftProcessesRoom } from '../engine/recovery/left-processes';
import { createSessions, type SessionsRoom } from '../engine/sessions/intake';
import { createWakes, type Wakes } from '../engine/wakes/wakes';
import type { Breakers } from '../ports/breakers';
import type { TurnRow } from '../ports/journal/rows';
import { createAgents, type Agents } from '../engine/executors/agents';
import { describeProviders } from '../engine/api/providers';
import { createAgentFolders } from '../adapters/files/agent-folders';
import { describeProviderKey } from '../adapters/secrets/provider-key';
import { approvalsRoom, atHome } from './approvals';
import { createAwakePart } from './awake';
import { createBudgets, type Budgets } from '../engine/budgets/budgets';
import { createPayers } from '../engine/budgets/payers';
import { accountsBySettings } from '../engine/outage/account';
import { timeText } from '../engine/outage/views';
import { identifyAgent } from '../adapters/command/identify-agent';
import { computerZone } from '../adapters/clock/system-clock';
import { answerSeal, createChannelsPart } from './channels';
import type { Channels } from '../engine/replies/channels';
import { createDependencies, type Dependencies } from './dependencies';
import { createDraftsPart } from './drafts';
import { createFallbackPart } from './fallback';
import { createGatewayPart } from './gateway';
import { createCore, type Core, type CoreInput } from './core';
import { createInbound } from '../engine/sessions/inbound';
import { createHandlers } from './handlers';
import type { Conversations } from '../ports/conversations';
import { loginVariables } from '../adapters/shell/login-environment';
import { createSkillCatalog } from '../adapters/skills/skill-catalog';
import { createShareGate } from '../engine/sharing/share-gate';
import { createSharePart } from './share';
import { createSkills, type Skills } from '../engine/skills/skills';
import type { SkillRunsDeps } from '../engine/skills/runs';
import { createStatus, type StatusDeps } from '../engine/status/status';
import { createHostsPart } from './hosts';
import { createSearchPart } from './search';
import { scheduleRoom } from './schedule';
import { createTracesPart } from './traces';
import { createAdoption } from '../engine/executors/program/adopt';
import { createTerminalsPart } from './terminals';
import { createTools, type Tools } from './tools';
import { channelCheck, programCheck } from '../adapters/doctor/health-checks';
import { recordIdleBeats, replyRule, timedReplies } from '../engine/replies/timed-answers';
import {
  checked,
  createDependencyProbes,
  type BreakerProbe,
  type DependencyProbes,
} from '../engine/breaker/probes';
import { judgeGreeting } from '../engine/executors/program/agent-breaker';
import { createTurns, type Turns } from './turns';
import { createUpdatesPart } from './updates';

/** The engine of one start, from the core up. */
export function createRooms(options: CoreInput): Rooms {
  const core = createCore(options);
  followJournal(core);
  const made: { verbs?: Handlers } = {};
  const work = createWork(core, () => need(made.verbs));
  const { agents, channels, schedule, sessions, share, tools, wakes } = work;
  const { scheduler, quitWhenDone, commands, outside } = work.turns;
  const { breakers, outage } = work.dependencies;
  const inbound = inboundPart(core, work);
  const awake = createAwakePart(core, { scheduler, schedule });
  const updates = createUpdatesPart(core, { scheduler, quitWhenDone });
  const hosts = createHostsPart(core);
  const outbox = core.disk.events.over(core.disk.journal, core.disk.reads, breakers.registry);
  const { answers, command } = work.questions;
  const rooms = {
    core,
    leftOpen: {
      agents,
      commands,
      drafts: work.drafts.drafts,
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
    followers: { search: work.search, traces: createTracesPart(core) },
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
  const verbs = createHandlers(rooms, { ...work, outside });
  made.verbs = verbs;
  return { ...rooms, verbs };
}

const inboundPart = (core: Core, { sessions, schedule }: ReturnType<typeof createWork>) =>
  createInbound({
    ...core.world,
    ...core.disk,
    ...core.records,
    sessions,
    offerToTasks: (channel, message) => schedule.triggers.offer(channel, message),
  });

/**
 * The rooms that process work. Each takes earlier rooms directly and later ones as functions, which
 * are called only once all rooms exist.
 */
function createWork(core: Core, verbs: () => Handlers) {
  const drafts = createDraftsPart(core);
  const dependencies = createDependencies(core, {
    channelNames: () => channels.names(),
    isPassive: (name) => trials.isPassive(name),
    onFree: () => turns.scheduler.lookAgain(),
  });
  const breakers = dependencies.breakers.registry;
  const leftProcesses = leftProcessesRoom(core);
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
  const enqueue = (turn: TurnRow, delayMs = 0): void => {
    turns.scheduler.enqueue(turn, { delayMs });
  };
  const approvals = approvalsRoom(core, enqueue, () => share);
  const decisions = decisionsRoom(core, tools, leftProcesses, enqueue);
  const asking = { approvals, decisions, channels, verbs, seal, dependencies };
  const questions = createQuestionsPart(core, asking);
  const replies = repliesRoom(core, { breakers, channels, questions });
  const isRunning = (turnId: number): boolean => turns.scheduler.running().includes(turnId);
  const skills = skillsPart(core, agents, { approvals, scheduler: { isRunning, enqueue } });
  const conversations = createConversations({ ...core.world, watchDir: watchDir(core.dataDir) });
  const hasReply = replyRule({ ...core.disk, channels: () => channels.list() });
  const budgets = budgetsRoom(core, () => turns.scheduler);
  const made = { conversations, dependencies, tools, agents, approvals, budgets, skills };
  const gate = createShareGate(core.disk);
  const turns = createTurns(core, { ...made, tasks: () => schedule.tasks, hasReply, gate });
  const trials = trialsPart({ core, breakers, tools, agents, turns, channels });
  const sessions = sessionsRoom(core, { agents, outage: dependencies.outage, enqueue });
  const schedule = scheduleRoom(core, { sessions, agents, channels, tools, share: () => share });
  const wakes = wakesRoom(core, sessions);
  const share = createSharePart(core, { ...made, gate, turns, sessions, hasReply });
  return {
    ...made,
    ...first,
    ...terminalParts(core, { ...made, sessions, turns }),
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

/** Conversations that began in terminals. */
function terminalParts(
  core: Core,
  rooms: {
    readonly agents: Agents;
    readonly conversations: Conversations;
    readonly sessions: SessionsRoom;
    readonly turns: Turns;
  },
) {
  const { outside } = rooms.turns;
  const askAgent: typeof outside.conversations = (...asked) => outside.conversations(...asked);
  const adoption = createAdoption({
    ...core.world,
    ...core.disk,
    ...core.records,
    settings: core.settings,
    ...rooms,
    askAgent,
  });
  return { adoption, terminals: createTerminalsPart(core, { ...rooms, adoption }) };
}

function budgetsRoom(core: Core, scheduler: () => TurnScheduler): Budgets {
  const { settings } = core;
  const { reads, scheduleReads } = core.disk;
  const { clock } = core.world;
  return createBudgets({
    ...core.world,
    ...core.disk,
    ...core.records,
    settings,
    zone: computerZone,
    time: (atMs) => timeText(atMs, clock.nowMs()),
    payers: createPayers({
      accounts: accountsBySettings({ settings, identify: identifyAgent }),
      settings,
      scheduleReads,
      identify: identifyAgent,
    }),
    goOn(turnId) {
      const turn = reads.turn(turnId);
      if (turn === undefined || turn.state !== 'waiting') return;
      if (!scheduler().runNowIfWaiting(turnId)) scheduler().enqueue(turn);
    },
    onChange: core.told.changed,
  });
}

const leftProcessesRoom = (core: Core): LeftProcessesRoom =>
  createLeftProcesses({
    ...core.world,
    ...core.disk,
    ...core.records,
    ...core.life,
    processes: systemLeftProcesses(
      () => ({ instanceId: core.disk.reads.databaseId(), runId: core.world.runId }),
      (turnId) => sealRecords(core.dataDir, turnId, core.world.crashPoints),
    ),
  });

function agentsPart(core: Core, { hostProviders }: Dependencies, tools: Tools) {
  const folders = createAgentFolders(core.dataDir);
  const describe = describeProviders(core.settings, (name, spec) =>
    describeProviderKey(name, spec, core.secrets.keys),
  );
  const agents = createAgents({
    settings: core.settings,
    folders,
    tools: tools.registry,
    extraProviders: hostProviders,
    describeProvider: describe,
  });
  return { folders, describe, agents };
}

const sessionsRoom = (
  core: Core,
  rooms: {
    readonly agents: Agents;
    readonly outage: Dependencies['outage'];
    readonly enqueue: (turn: TurnRow) => void;
  },
): SessionsRoom =>
  createSessions({
    ...core.world,
    ...core.disk,
    ...core.records,
    hasAgent: (name) => rooms.agents.has(name),
    defaultAgent: () => rooms.agents.defaultName(),
    onAccepted: rooms.enqueue,
    isFull: (agent) => rooms.outage.isFull(agent),
    placeOf: (agent) => rooms.agents.placeOf(agent),
    behindTurn: lastTurnBefore(core),
  });

const wakesRoom = (core: Core, sessions: SessionsRoom): Wakes =>
  createWakes({
    ...core.world,
    ...core.disk,
    ...core.records,
    reads: core.disk.workReads,
    newId: () => core.world.ids.newId(),
    isSessionThere: (id) => core.disk.reads.session({ id })?.isDeleted === false,
    accept: (wake, text) => sessions.acceptWake(wake, text),
  });

const statusPart = (core: Core, rooms: StatusDeps['rooms']): ReturnType<typeof createStatus> =>
  createStatus({
    ...core.world,
    ...core.disk,
    ...core.life,
    settings: core.settings,
    self: {
      version: core.version,
      dataDir: core.dataDir,
      pid: core.life.pid,
      startedAtMs: core.life.startedAtMs,
      ports: core.life.ports,
    },
    readRefusal: {
      now: () => core.disk.readFailures.refusal(),
      of: (error) =>
        isReadRefusal(error, core.disk.db.name) ? core.disk.readFailures.failed() : undefined,
    },
    rooms,
  });

/** Looked up at the first message, which is after all that was there before this start. */
function lastTurnBefore({ compose, disk: { reads } }: Core): () => number | undefined {
  let last: number | undefined;
  return () =>
    compose.flags.noRestore ? (last ??= reads.turns({ limit: 1 })[0]?.id ?? 0) : undefined;
}

function repliesRoom(
  core: Core,
  {
    breakers,
    channels,
    questions,
  }: {
    readonly breakers: Breakers;
    readonly channels: Channels;
    readonly questions: Pick<LazyQuestions, 'lanes'>;
  },
): Replies {
  return createReplies({
    ...core.world,
    ...core.disk,
    ...core.records,
    breakers,
    channels,
    questions: questions.lanes,
    timed: timedReplies({ ...core.disk, ...core.records, channels }),
  });
}

function skillsPart(
  core: Core,
  agents: Agents,
  run: Pick<SkillRunsDeps, 'approvals' | 'scheduler'>,
): Skills {
  const { settings } = core;
  const catalog = createSkillCatalog({
    dataFolder: path.join(core.dataDir, 'skills'),
    folders: () => settings.get('skills.folders'),
    env: core.world.ownEnvironment,
    loginEnv: async () => loginVariables(await core.world.loginEnvironment()) ?? {},
  });
  return createSkills({
    settings,
    agents,
    runs: { ...core.world, ...core.disk, ...core.records, policy: core.policy, ...run, catalog },
  });
}

function trialsPart(parts: {
  readonly core: Core;
  readonly breakers: Breakers;
  readonly tools: Tools;
  readonly agents: Agents;
  readonly turns: Turns;
  readonly channels: Channels;
}): DependencyProbes {
  const { core, breakers, tools, agents, turns, channels } = parts;
  const { compose } = core;
  const { reads } = core.disk;
  const { loginEnvironment } = core.world;
  const search = { loginEnvironment, ownEnvironment: compose.env };
  // A command would do its work: it is only looked for. One that speaks can be greeted.
  const agentProbe = (name: string): BreakerProbe | undefined => {
    const acp = agents.acpOf(name);
    if (acp !== undefined) return async () => judgeGreeting(await turns.outside.greet(name, acp));
    const command = agents.commandOf(name)?.command;
    return command === undefined ? undefined : checked(programCheck(command, search));
  };
  return createDependencyProbes({
    breakers,
    clock: core.world.clock,
    mcp: (name) => tools.mcp.check(name),
    browser: (sessionId) => tools.browsers.check(sessionId),
    host: (place) => tools.pages.check(place),
    channel: (name) =>
      reads.pendingChannels().some(({ channel }) => channel === name)
        ? undefined
        : channelCheck(channels.spec(name), { ...search, version: compose.version }),
    agent: agentProbe,
  });
}

/** Releases resources and sends notifications once a turn's end is on disk. */
function followJournal(core: Core): void {
  const { journal, blobs } = core.disk;
  const { audit } = core.records;
  journal.onCommitted(
    (entries) => {
      for (const entry of entries) {
        if (entry.kind !== 'turn.closed') continue;
        void blobs.release(entry.turnId);
        // Without this entry the audit would show each turn's steps but not its result (S4-33).
        audit.record('turn_ended', { turnId: entry.turnId, state: entry.state });
      }
    },
    { skipsSteps: true },
  );
  recordIdleBeats({ ...core.disk, ...core.records });
}

function decisionsRoom(
  core: Core,
  tools: Tools,
  leftProcesses: LeftProcessesRoom,
  onQueued: (turn: TurnRow) => void,
): Decisions {
  const specOf = (tool: string) => tools.registry.findQualified(tool)?.spec;
  return createDecisions({
    ...core.world,
    ...core.disk,
    ...core.records,
    policy: core.policy,
    tools: {
      hasStatusCheck: (tool) => specOf(tool)?.hasStatusCheck === true,
      keyIn(tool) {
        const spec = specOf(tool);
        return spec === undefined ? undefined : (spec.carriesKey ?? 'none');
      },
      questionAbout: (tool, args) => questionAbout(specOf(tool), args),
    },
    processesOf: (turnId) => leftProcesses.ofTurn(turnId),
    shownFolder: atHome,
    onQueued,
  });
}
