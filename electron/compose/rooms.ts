import type { Rooms } from './rooms-type';
import { isLlmAgent } from '../../shared/settings';
import { systemLeftProcesses } from '../adapters/shell/orphans';
import { questionAbout } from '../engine/turns/tool-registry';
import type { TurnScheduler } from '../engine/turns/scheduler';
import { turnsOfClient } from '../engine/gateway/turns-of-client';
import { createReplies, type Replies } from '../engine/replies/replies';
import { createDecisions, type Decisions } from '../engine/recovery/decisions';
import { createLeftProcesses, type LeftProcessesRoom } from '../engine/recovery/left-processes';
import { createSessions } from '../engine/sessions/intake';
import { createApprovals, type Approvals } from '../engine/permissions/approvals';
import { createWakes } from '../engine/wakes/wakes';
import type { Breakers } from '../ports/breakers';
import type { TurnRow } from '../ports/journal/rows';
import { createAgents, PRACTICE_AGENT, type Agents } from './agents';
import { createChannelsPart, type ChannelsPart } from './channels';
import { createDependencies, type Dependencies } from './dependencies';
import { createDraftsPart } from './drafts';
import { createGatewayPart, type GatewayPart } from './gateway';
import { createGround, type Ground, type RoomsOptions } from './ground';
import { createInbound } from './intake';
import { createHandlers } from './handlers';
import { describeProvider } from './provider-verbs';
import { schedulePart } from './schedule';
import { createSkills } from './skills';
import { createStatus } from './status';
import { createTools, type Tools } from './tools';
import { channelCheck, programCheck } from './health-checks';
import { askedFor, isBeatForNobody, maker, recordIdleBeats, replyRule } from './timed-answers';
import { createTrialsPart } from './breaker-probes';
import { queuedTurn } from './turn-source';
import { createTurns, type Turns } from './turns';

/**
 * The house, from the ground up: each part takes what stands before it, and `later` for what is only
 * asked once all of it stands.
 */
export function createRooms(options: RoomsOptions): Rooms {
  const ground = createGround(options);
  const { journal, reads, clock } = ground;
  const later = (): Rooms => rooms;

  const drafts = createDraftsPart(ground);
  const dependencies = createDependencies(ground, later);
  const { outage } = dependencies;
  const breakers = dependencies.breakers.book;
  const tools = createTools(ground, { drafts, breakers }, later);
  const agents = agentsPart(ground, dependencies, tools);
  const channels = channelsPart(ground, breakers, later);
  const deliveries = deliveriesRoom(ground, breakers, channels);

  const enqueue = (turn: TurnRow, delayMs = 0): void => {
    const notBeforeMs = delayMs === 0 ? 0 : clock.nowMs() + delayMs;
    later().scheduler.enqueue(queuedTurn(ground.workReads, turn, notBeforeMs));
  };
  const approvals = approvalsRoom(ground, enqueue);
  const skills = createSkills({
    ...ground,
    approvals,
    defaultAgent: () => agents.defaultName(),
    practice: { agent: PRACTICE_AGENT, folder: agents.practiceFolder },
    isRunning: (turnId) => later().scheduler.running().includes(turnId),
    onQueued: enqueue,
  });
  const turns = createTurns(ground, {
    dependencies,
    tools,
    agents,
    approvals,
    skills,
    tasks: () => later().schedule.tasks,
    hasReply: replyRule({ channels: () => channels.list(), scheduleReads: ground.scheduleReads }),
    onAnswered: () => {
      deliveries.flush();
    },
  });
  const trials = trialsPart({ ground, breakers, tools, agents, turns, channels });
  followJournal(ground);
  const delivery = ground.events.over(journal, reads, breakers);
  const sessions = createSessions({
    ...ground,
    hasAgent: (name) => agents.has(name),
    defaultAgent: () => agents.defaultName(),
    onAccepted: enqueue,
    isFull: (agent) => outage.isFull(agent),
    behindTurn: lastTurnBefore(ground),
  });
  const schedule = schedulePart({ ground, sessions, agents, channels });
  const wakes = createWakes({
    ...ground,
    reads: ground.workReads,
    newId: () => ground.ids.newId(),
    accept: (wake, text) => sessions.acceptWake(wake, text),
  });
  const leftProcesses = createLeftProcesses({ ...ground, processes: systemLeftProcesses });
  const decisions = decisionsRoom(ground, tools, leftProcesses, enqueue);
  const inbound = createInbound({ ...ground, sessions });

  const { scheduler, quitWhenDone, commands, outside } = turns;
  const { status, setRestart } = createStatus(ground, {
    scheduler,
    quitWhenDone,
    outage,
    inbound,
    delivery,
    schedule,
  });
  const gateway = gatewayPart(ground, dependencies, scheduler);
  const parts = {
    sessions,
    inbound,
    scheduler,
    quitWhenDone,
    deliveries,
    delivery,
    wakes,
    schedule,
    agents,
    commands,
    outage,
    trials,
    mcp: tools.mcp,
    browsers: tools.browsers,
    gateway,
    channels,
  };
  const verbs = createHandlers(ground, {
    ...parts,
    status,
    approvals,
    decisions,
    leftProcesses,
    dependencies,
    drafts,
    outside,
    skills,
    tools,
    wakes,
  });
  const rooms: Rooms = {
    ...parts,
    journal,
    reads,
    readSense: ground.readSense,
    blobs: ground.blobs,
    workReads: ground.workReads,
    drafts: drafts.drafts,
    verbs,
    leftProcesses,
    policy: ground.policy,
    status,
    breakers,
    runId: ground.runId,
    setRestart,
  };
  return rooms;
}

/** Looked up at the first message, which is after all that was there before this start. */
function lastTurnBefore({ compose, reads }: Ground): () => number | undefined {
  let last: number | undefined;
  return () =>
    compose.flags.noRestore ? (last ??= reads.turns({ limit: 1 })[0]?.id ?? 0) : undefined;
}

function agentsPart(ground: Ground, dependencies: Dependencies, tools: Tools): Agents {
  return createAgents({
    ...ground,
    tools: tools.registry,
    extraProviders: dependencies.hostProviders,
    describeProvider: (name) => describeProvider(ground, name),
    providers: dependencies.providers,
  });
}

function channelsPart(ground: Ground, breakers: Breakers, later: () => Rooms): ChannelsPart {
  const { desktop, channels = [] } = ground.compose;
  return createChannelsPart({
    ...ground,
    breakers: () => breakers,
    hostChannels: [...channels, ...(desktop === undefined ? [] : [desktop.channel])],
    ports: ground.ports ?? {},
    onChange: () => {
      if (ground.isRunning()) later().deliveries.flush();
      ground.changed();
    },
  });
}

/** Characters of what nobody was told that the audit has. */
const MOST_SWALLOWED = 500;

function deliveriesRoom(ground: Ground, breakers: Breakers, channels: ChannelsPart): Replies {
  const { audit, scheduleReads } = ground;
  return createReplies({
    ...ground,
    breakers,
    channels: () => channels.list(),
    defaultChannel: () => channels.defaultName(),
    isSwallowed(turn, text) {
      const isNothing = isBeatForNobody(scheduleReads.madeBy(turn.id), turn, text);
      const said = (text.trim() || turn.reason).slice(0, MOST_SWALLOWED);
      if (isNothing) audit.record('reply_swallowed', { turnId: turn.id, text: said });
      return isNothing;
    },
    askedFor: (item) => askedFor(ground, item, channels.defaultName()),
    madeBy: (turnId) => maker(scheduleReads, turnId),
  });
}

function approvalsRoom(ground: Ground, onQueued: (turn: TurnRow) => void): Approvals {
  const { settings } = ground;
  return createApprovals({
    ...ground,
    rules: () => ({
      mode: settings.get('approvals.mode'),
      tools: settings.get('approvals.tools'),
    }),
    setRule: async (tool, rule) => {
      await settings.setEntry('approvals.tools', tool, rule);
    },
    onQueued,
  });
}

function trialsPart(house: {
  readonly ground: Ground;
  readonly breakers: Breakers;
  readonly tools: Tools;
  readonly agents: Agents;
  readonly turns: Turns;
  readonly channels: ChannelsPart;
}): Rooms['trials'] {
  const { ground, breakers, tools, agents, turns, channels } = house;
  const { loginEnvironment, compose, reads } = ground;
  const search = { loginEnvironment, ownEnvironment: compose.env };
  return createTrialsPart({
    breakers,
    clock: ground.clock,
    mcp: (name) => tools.mcp.check(name),
    browser: (sessionId) => tools.browsers.check(sessionId),
    host: (place) => tools.pages.check(place),
    command: (name) => {
      const spec = agents.commandOf(name);
      return spec === undefined ? undefined : programCheck(spec.command, search);
    },
    channel: (name) =>
      reads.pendingChannels().some(({ channel }) => channel === name)
        ? undefined
        : channelCheck(channels.spec(name), { ...search, version: compose.version }),
    acpOf: (name) => agents.acpOf(name),
    greet: (name, spec) => turns.outside.greet(name, spec),
  });
}

/** What is let go, and told, when the end of a turn is on disk. */
function followJournal(ground: Ground): void {
  const { journal, blobs, audit } = ground;
  journal.onCommitted(
    (entries) => {
      for (const entry of entries) {
        if (entry.kind !== 'turn.closed') continue;
        void blobs.release(entry.turnId);
        // Without its end the audit told of every turn how it went, and of none what came of it (S4-33).
        audit.record('turn_ended', { turnId: entry.turnId, state: entry.state });
      }
    },
    { skipsSteps: true },
  );
  recordIdleBeats(ground);
}

function decisionsRoom(
  ground: Ground,
  tools: Tools,
  leftProcesses: LeftProcessesRoom,
  onQueued: (turn: TurnRow) => void,
): Decisions {
  const specOf = (tool: string) => tools.registry.findQualified(tool)?.spec;
  return createDecisions({
    ...ground,
    hasStatusCheck: (tool) => specOf(tool)?.hasStatusCheck === true,
    keyIn(tool) {
      const spec = specOf(tool);
      return spec === undefined ? undefined : (spec.carriesKey ?? 'none');
    },
    questionAbout: (tool, args) => questionAbout(specOf(tool), args),
    processesOf: (turnId) => leftProcesses.ofTurn(turnId),
    onQueued,
  });
}

function gatewayPart(
  ground: Ground,
  { breakers, outage }: Dependencies,
  scheduler: Pick<TurnScheduler, 'running'>,
): GatewayPart {
  return createGatewayPart({
    ...ground,
    breakers: breakers.book,
    retries: breakers.retryPolicy,
    outage: () => outage,
    random: () => ground.ids.random(),
    ports: ground.ports ?? {},
    turnsOf: (client) =>
      turnsOfClient(client, runningOutside(ground, scheduler), (name) =>
        Object.hasOwn(ground.settings.get('agents'), name),
      ),
    onChange: ground.changed,
  });
}

/** Turns at work whose agent is another program: those may ask the gateway. */
function runningOutside(
  { reads, settings }: Ground,
  scheduler: Pick<TurnScheduler, 'running'>,
): readonly TurnRow[] {
  const agents = settings.get('agents');
  return scheduler.running().flatMap((turnId) => {
    const turn = reads.turn(turnId);
    const agent = turn === undefined ? undefined : agents[turn.agent];
    return turn === undefined || agent === undefined || isLlmAgent(agent) ? [] : [turn];
  });
}
