import type Database from 'better-sqlite3';
import type { EventName } from '../../shared/contract';
import type { RestartNotice, StatusSnapshot } from '../../shared/model';
import type { HeldItem } from '../../shared/outage-model';
import { durationMs } from '../../shared/settings';
import { createBlobs, createHasher } from '../adapters/blobs';
import { createFetchTools } from '../adapters/fetch/fetch-tools';
import { createFileTools } from '../adapters/files/file-tools';
import { createSystemIds } from '../adapters/ids/system-ids';
import type { FileAudit, FileLog } from '../adapters/log';
import { createProviders } from '../adapters/providers';
import { createSecrets, resolveProviderKey } from '../adapters/secrets';
import type { KeySources } from '../adapters/secrets';
import { createLoginEnvironment } from '../adapters/shell/login-environment';
import { createShellTools, newRunId } from '../adapters/shell/shell-tools';
import { isFoldBehind } from '../adapters/sqlite/applied';
import { createGroupCommit, type GroupCommit } from '../adapters/sqlite/group-commit';
import { createPauseStore } from '../adapters/sqlite/pause-store';
import { createReads } from '../adapters/sqlite/reads';
import { createScheduleReads } from '../adapters/sqlite/reads-schedule';
import { createWorkReads } from '../adapters/sqlite/reads-work';
import type { ComposeOptions, Desktop } from '../compose-options';
import { handedBack } from '../engine/agents/adopt-plan';
import { createPracticeProvider } from '../engine/agents/practice';
import { createToolRegistry, questionAbout } from '../engine/agents/tool-registry';
import type { TurnRunDeps } from '../engine/agents/turn-run';
import { createTurnRunner, park } from '../engine/agents/turn-runner';
import {
  createTurnScheduler,
  type QueuedTurn,
  type TurnScheduler,
} from '../engine/agents/turn-scheduler';
import { taskCommand } from '../engine/schedule/chat-command';
import { isIdle } from '../engine/schedule/system-news';
import { createScheduleTools } from '../engine/schedule/tools';
import { createLeaseBook } from '../engine/work/lease-book';
import type { LeasePolicy } from '../engine/work/lease-model';
import { createRevisitTool } from '../engine/work/revisit-tool';
import { createWakes, type Wakes } from '../engine/work/wakes';
import { takeOver } from '../engine/recovery/take-over';
import type { ScheduleReads } from '../ports/journal-schedule';
import type { JsonValue } from '../ports/provider';
import type { WorkReads } from '../ports/journal-work';
import { createVerbs, type Handlers, type OuterVerb } from '../engine/holdfast';
import type { CrashPoints } from '../engine/kernel/crash-points';
import { HoldfastError, toHoldfastError } from '../engine/kernel/errors';
import type { Delivery } from '../engine/delivery/delivery';
import { createDeliveries, type Deliveries } from '../engine/notices/deliveries';
import { createDecisions } from '../engine/recovery/decisions';
import type { RecoveryPolicy } from '../engine/recovery/plan-resume';
import { createSessions, type SessionsRoom } from '../engine/sessions/intake';
import { statusModel } from '../engine/status/status-model';
import { createApprovals } from '../engine/work/approvals';
import type { Drafts } from '../engine/work/drafts';
import type { Blobs } from '../ports/blobs';
import type { Trials } from '../engine/breaker';
import type { Breakers } from '../ports/breakers';
import type { Clock } from '../ports/clock';
import type { Journal, JournalReads, TurnRow } from '../ports/journal';
import type { SettingsPort } from '../ports/settings';
import type { CallRisk } from '../ports/tools';
import type { Redactor } from '../../shared/redact';
import { createAdoptVerbs } from './adopt';
import { createAgentVerbs } from './agent-verbs';
import { createAgents, PRACTICE_AGENT, type Agents } from './agents';
import { createBreakersPart } from './breakers';
import { createTrialsPart } from './trials';
import { createChannelVerbs } from './channel-verbs';
import { createChannelsPart, type ChannelsPart } from './channels';
import { createCommandPart, type CommandPart } from './command-agents';
import { createOutsidePart } from './outside-agents';
import { createBrowsers, type Browsers } from './browser';
import { runDoctor } from './doctor';
import { createDeliveryPart, createDeliveryVerbs, deliveryStatus } from './delivery';
import { createDraftsPart } from './drafts';
import { followDueAnswers } from './due-answers';
import { guardedFetch } from './fetch-breaker';
import { createHistoryVerbs } from './history-verbs';
import { createMcp, type Mcp } from './mcp';
import { createGatewayPart, type GatewayPart } from './gateway';
import { createInbound } from './intake';
import { createSchedulePart, type SchedulePart } from './schedule';
import { createOutagePart, type OutagePart } from './outage';
import { commandIn, isSleepGuardOn } from './sleep-guard';
import { createSkills } from './skills';
import { createProviderVerbs, describeProvider } from './provider-verbs';

/** What the rooms are built over. */
export interface RoomsOptions {
  readonly compose: ComposeOptions;
  readonly db: Database.Database;
  readonly clock: Clock;
  readonly crashPoints: CrashPoints;
  readonly settings: SettingsPort;
  readonly log: FileLog;
  readonly audit: FileAudit;
  readonly redactor: Redactor;
  readonly assertOwner: () => void;
  readonly isReadOnly: boolean;
  readonly emit: (event: EventName, payload: never) => void;
  readonly phase: () => StatusSnapshot['phase'];
  readonly startedAtMs: number;
  readonly requestStop: (reason: 'stop' | 'takeover') => void;
  readonly isDraining: () => boolean;
  /** Ports on 127.0.0.1 that are listened on; nothing where nobody listens for this data. */
  readonly ports?: () => NonNullable<StatusSnapshot['ports']>;
}

/** The rooms of one start, wired. */
export interface Rooms {
  readonly journal: GroupCommit;
  readonly reads: JournalReads;
  readonly blobs: Blobs;
  readonly sessions: SessionsRoom;
  readonly inbound: ReturnType<typeof createInbound>;
  readonly scheduler: TurnScheduler;
  readonly deliveries: Deliveries;
  readonly delivery: Delivery;
  readonly drafts: Drafts;
  readonly wakes: Wakes;
  readonly schedule: SchedulePart;
  readonly workReads: WorkReads;
  readonly agents: Agents;
  readonly commands: CommandPart;
  readonly outage: OutagePart;
  readonly trials: Trials;
  readonly mcp: Mcp;
  readonly gateway: GatewayPart;
  readonly browsers: Browsers;
  readonly channels: ChannelsPart;
  readonly verbs: Handlers;
  readonly policy: () => RecoveryPolicy;
  readonly status: () => StatusSnapshot;
  /** Every outside call goes through one of these. */
  readonly breakers: Breakers;
  readonly runId: string;
  setRestart(notice: RestartNotice | undefined, restoreSkipped: boolean): void;
}

/**
 * Reads the recovery settings at the time of the decision (S0-12). A getter each: a step asks for
 * two of them, and reading a duration costs more than the rest of its bookkeeping.
 */
export function recoveryPolicy(settings: SettingsPort): RecoveryPolicy {
  return {
    get mode() {
      return settings.get('resilience.recovery.mode');
    },
    get sideEffectTools() {
      return settings.get('resilience.recovery.side_effect_tools');
    },
    get gateAllSideEffects() {
      return settings.get('resilience.recovery.gate_all_side_effects');
    },
    get maxAgeMs() {
      return durationMs(settings.get('resilience.recovery.max_age'));
    },
    get maxAttempts() {
      return settings.get('resilience.recovery.max_attempts');
    },
    get resumeDelayMs() {
      return durationMs(settings.get('resilience.recovery.resume_delay'));
    },
    get stepPolicy() {
      return settings.get('skill_resume.default');
    },
    get perSkill() {
      return settings.get('skill_resume.per_skill');
    },
    get worldDrift() {
      return settings.get('resume.world_drift');
    },
  };
}

export function createRooms(options: RoomsOptions): Rooms {
  const { compose, clock, crashPoints, settings, log, audit } = options;
  const settingsOfRecovery = recoveryPolicy(settings);
  const policy = (): RecoveryPolicy => settingsOfRecovery;
  const ids = compose.ids ?? createSystemIds(clock);
  const events = createDeliveryPart({
    db: options.db,
    settings,
    clock,
    ids,
    crashPoints,
    audit,
    log,
    redactor: options.redactor,
    env: compose.env,
    emit: options.emit,
  });
  const journal = options.isReadOnly
    ? readOnlyJournal(options)
    : createGroupCommit({ ...options, together: events.together });
  const reads = createReads(options.db);
  const hasher = createHasher();
  const workReads = createWorkReads(options.db);
  const scheduleReads = createScheduleReads(options.db);
  const blobs = createBlobs({ dir: `${compose.dataDir}/blobs`, hasher, clock, crashPoints });
  const draftsPart = createDraftsPart({
    dataDir: compose.dataDir,
    journal,
    reads,
    hasher,
    crashPoints,
    audit,
  });
  const runId = newRunId();
  const loginEnvironment = createLoginEnvironment({ own: compose.env });
  const keys: KeySources = {
    env: compose.env,
    secrets: createSecrets({
      dir: `${compose.dataDir}/secrets`,
      keyring: compose.desktop?.keyring,
      log,
      redactor: options.redactor,
    }),
    redactor: options.redactor,
  };
  const extraProviders = [
    ...(compose.providers ?? []),
    createPracticeProvider({ clock, downUntilMs: () => outage.practiceDownUntilMs() }),
  ];
  const providers = createProviders({
    settings,
    secretsKey: (name, spec) => resolveProviderKey(name, spec, keys),
    extra: extraProviders,
    log,
    clock,
    version: compose.version,
  });
  const breakers = createBreakersPart({
    settings,
    journal,
    reads,
    clock,
    crashPoints,
    audit,
    isReadOnly: options.isReadOnly,
    extraProviders: (compose.providers ?? []).map(({ name }) => name),
    channels: () => channels.names(),
    waiting: (name) => outage.waitingBehind(name),
    isPassive: (name) => trials.isPassive(name),
    emit: options.emit,
  });
  const outage = createOutagePart({
    settings,
    journal,
    reads,
    breakers: breakers.book,
    providers,
    extraProviders: extraProviders.map((one) => one.name),
    clock,
    crashPoints,
    audit,
    log,
    onFree: () => {
      scheduler.lookAgain();
    },
    sourceOf: (turnId) => heldSource(scheduleReads, workReads, turnId),
    emit: options.emit,
    isReadOnly: options.isReadOnly,
  });
  const isGuardOn = (): boolean => isSleepGuardOn(settings.get('shell.sleep_guard'), compose.env);
  const shellEffects = createShellEffects({
    isGuardOn,
    onWait: (waitsSeconds) => {
      audit.record('sleep_allowed', { waitsSeconds });
    },
  });
  const mcp = createMcp({
    settings,
    reads,
    clock,
    log,
    audit,
    version: compose.version,
    runId,
    ownEnvironment: compose.env,
    loginEnvironment,
    learnSecret: (value) => {
      options.redactor.learn(value);
    },
    serversOfAgent: (name) => agents.mcpServersOf(name),
    isRunning: () => options.phase() === 'running',
    breakers: breakers.book,
    onChange: () => {
      options.emit('status.changed', undefined as never);
    },
  });
  const browsers = createBrowsers({
    dataDir: compose.dataDir,
    settings,
    reads,
    breakers: breakers.book,
    clock,
    crashPoints,
    log,
    audit,
    runId,
    ownEnvironment: compose.env,
    loginEnvironment,
  });
  const pages = guardedFetch(
    createFetchTools({ allowLoopback: false, version: compose.version }),
    breakers.book,
    { version: compose.version, allowLoopback: false },
  );
  const builtIn = [
    createFileTools({ crashPoints, drafts: draftsPart.desk, leases: draftsPart.leases }),
    createShellTools({
      instanceId: reads.databaseId(),
      runId,
      limits: () => ({
        timeoutMs: durationMs(settings.get('shell.timeout')),
        maxOutputBytes: settings.get('shell.max_output_kb') * 1024,
      }),
      loginEnvironment,
      ownEnvironment: compose.env,
      commandHasEffects: shellEffects.of,
      commandRisk: shellEffects.riskOf,
    }),
    pages.host,
    browsers.host,
    createRevisitTool({
      wakes: () => wakes,
      nowMs: () => clock.nowMs(),
      sessionOf: (turnId) => reads.turn(turnId)?.sessionId,
      wasAskedFor: (turnId, key) => workReads.wasAskedFor(turnId, key),
    }),
    createScheduleTools({
      tasks: () => schedule.tasks,
      timers: () => schedule.timers,
      heartbeats: () => schedule.heartbeats,
      reads: scheduleReads,
      turn: (id) => reads.turn(id),
      nowMs: () => clock.nowMs(),
      isOn: () => settings.get('extensions.core.scheduler_tool'),
    }),
    ...(compose.toolHosts ?? []),
  ];
  const tools = createToolRegistry(() => [...builtIn, ...mcp.hosts()]);
  const agents = createAgents({
    dataDir: compose.dataDir,
    settings,
    tools,
    extraProviders: compose.providers ?? [],
    describeProvider: (name) => describeProvider({ settings, keys }, name),
    providers,
  });
  const channels = createChannelsPart({
    dataDir: compose.dataDir,
    version: compose.version,
    settings,
    keys,
    journal,
    reads,
    clock,
    crashPoints,
    audit,
    log,
    breakers: () => breakers.book,
    loginEnvironment,
    ownEnvironment: compose.env,
    hostChannels: [
      ...(compose.channels ?? []),
      ...(compose.desktop === undefined ? [] : [compose.desktop.channel]),
    ],
    ports: options.ports?.() ?? {},
    onChange: () => {
      if (options.phase() === 'running') deliveries.flush();
      options.emit('status.changed', undefined as never);
    },
  });

  const enqueue = (turn: TurnRow, delayMs = 0): void => {
    scheduler.enqueue({
      turnId: turn.id,
      sessionId: turn.sessionId,
      notBeforeMs: delayMs === 0 ? 0 : clock.nowMs() + delayMs,
      hasBegun: turn.attempt > 0,
      ...sourceOf(workReads, turn.id),
    });
  };
  const deliveries = createDeliveries({
    journal,
    reads,
    blobs,
    clock,
    crashPoints,
    log,
    audit,
    breakers: breakers.book,
    channels: () => channels.list(),
    defaultChannel: () => channels.defaultName(),
    isSwallowed(turn, text) {
      const isNothing = isIdle(text) && scheduleReads.madeBy(turn.id)?.kind === 'heartbeat';
      if (isNothing) audit.record('reply_swallowed', { turnId: turn.id, text: text.trim() });
      return isNothing;
    },
  });
  const approvals = createApprovals({
    journal,
    reads,
    blobs,
    hasher,
    clock,
    crashPoints,
    audit,
    rules: () => ({
      mode: settings.get('approvals.mode'),
      tools: settings.get('approvals.tools'),
    }),
    setRule: async (tool, rule) => {
      await settings.set('approvals.tools', { ...settings.get('approvals.tools'), [tool]: rule });
    },
    onQueued: enqueue,
  });
  const skills = createSkills({
    dataDir: compose.dataDir,
    settings,
    journal,
    reads,
    blobs,
    hasher,
    clock,
    crashPoints,
    audit,
    approvals,
    policy,
    ownEnvironment: compose.env,
    loginEnvironment,
    defaultAgent: () => agents.defaultName(),
    practice: { agent: PRACTICE_AGENT, folder: agents.practiceFolder },
    isRunning: (turnId) => scheduler.running().includes(turnId),
    onQueued: enqueue,
  });
  /** What a tool of another program that was declared as a shell may not run. */
  const refusedCommand = (tool: string, args: JsonValue): string | undefined => {
    const isGuarded = settings.get('shell.guarded_tools').includes(tool);
    const command = isGuarded ? commandIn(args) : undefined;
    return command === undefined ? undefined : shellEffects.riskOf(command).refused;
  };
  const runnerDeps: TurnRunDeps = {
    journal,
    reads,
    blobs,
    hasher,
    clock,
    crashPoints,
    audit,
    providers,
    breakers: breakers.book,
    retries: breakers.retryPolicy,
    contacts: outage.room,
    outages: outage.room,
    tools,
    approvals,
    refusedCommand,
    skills: skills.runs,
    commandAnswer: (text) => taskCommand(text, scheduleReads, clock.nowMs()),
    policy,
    limits: () => ({
      steps: settings.get('limits.turn_steps'),
      timeMs: durationMs(settings.get('limits.turn_time')),
      costUsd: settings.get('limits.turn_cost_usd'),
    }),
    frameOf: async (name) => skills.frame(name, agents.frameOf(name)),
    requeue: () => ({
      delayMs: durationMs(settings.get('work.requeue_delay')),
      maxDelayMs: durationMs(settings.get('work.requeue_max_delay')),
      maxRequeues: settings.get('work.max_requeues'),
    }),
    random: () => ids.random(),
    isDraining: options.isDraining,
    onText: (turnId, text) => {
      options.emit('turn.delta', { turnId, text, isWithdrawn: false } as never);
    },
    onTextWithdrawn: (turnId) => {
      options.emit('turn.delta', { turnId, text: '', isWithdrawn: true } as never);
    },
  };
  const runner = createTurnRunner(runnerDeps);
  // What both executors of other programs need.
  const ofPrograms = {
    run: runnerDeps,
    compose,
    settings,
    runId,
    log,
    loginEnvironment,
    shell: {
      hasEffects: shellEffects.of,
      riskOf: shellEffects.riskOf,
      refusedIn: refusedCommand,
    },
  };
  const commands = createCommandPart({
    ...ofPrograms,
    commandOf: (name) => agents.commandOf(name),
  });
  const outside = createOutsidePart({ ...ofPrograms, acpOf: (name) => agents.acpOf(name) });
  const trials = createTrialsPart({
    breakers: breakers.book,
    clock,
    mcp: (name) => mcp.check(name),
    browser: (sessionId) => browsers.check(sessionId),
    host: (place) => pages.check(place),
    acpOf: (name) => agents.acpOf(name),
    greet: (name, spec) => outside.greet(name, spec),
  });
  const leasePolicy = (): LeasePolicy => ({
    renewMs: durationMs(settings.get('work.lease_renew')),
    staleMs: durationMs(settings.get('work.lease_stale')),
  });
  const scheduler = createTurnScheduler({
    leases: createLeaseBook({
      monotonicMs: () => clock.monotonicMs(),
      newId: () => ids.newId(),
      instance: runId,
      policy: leasePolicy,
    }),
    leasePolicy,
    gate: outage.room,
    takeOver: (lost) => takeOver({ journal, reads, clock, crashPoints, audit, policy }, lost),
    clock,
    reads,
    log,
    pauseStore: createPauseStore(options.db, crashPoints),
    cap: () => settings.get('limits.max_running_turns'),
    run: async (turn, signal, lease) => {
      await shellEffects.loaded();
      // One place at a time: a conversation that a terminal has is not gone on with here.
      const away = handedBack(reads.outsideSession(turn.sessionId, turn.agent));
      if (away !== undefined) return park(runnerDeps, turn, away, []);
      if (agents.commandOf(turn.agent) !== undefined) {
        const ended = await commands.run(turn, signal, lease);
        if (ended.kind === 'closed') deliveries.flush();
        return ended;
      }
      if (agents.acpOf(turn.agent) !== undefined) {
        const ended = await outside.run(turn, signal, lease);
        if (ended.kind === 'closed') deliveries.flush();
        return ended;
      }
      await mcp.ready(turn, signal);
      const end = await runner.run(turn, signal, lease);
      if (end.kind === 'closed') deliveries.flush();
      return end;
    },
    onCrash: (turn, error) => parkAfterError(journal, turn, error),
    onChange: () => {
      options.emit('status.changed', undefined as never);
    },
  });
  journal.onCommitted((entries) => {
    for (const entry of entries) {
      if (entry.kind === 'turn.closed') void blobs.release(entry.turnId);
    }
  });
  const { desktop } = compose;
  if (desktop !== undefined) {
    followDueAnswers({
      journal,
      reads,
      scheduleReads,
      blobs,
      log,
      tell: (answer) => desktop.answered(answer),
    });
  }
  const delivery = events.over(journal, reads, breakers.book);
  const sessions = createSessions({
    journal,
    reads,
    blobs,
    crashPoints,
    audit,
    hasAgent: (name) => agents.has(name),
    defaultAgent: () => agents.defaultName(),
    onAccepted: enqueue,
    isFull: (agent) => outage.isFull(agent),
  });
  const schedule = createSchedulePart({
    journal,
    reads,
    scheduleReads,
    blobs,
    clock,
    crashPoints,
    audit,
    log,
    settings,
    sessions: () => sessions,
    hasAgent: (name) => agents.has(name),
    defaultAgent: () => agents.defaultName(),
    channels: () => channels.names(),
    defaultChannel: () => channels.defaultName(),
    isGuardOn,
    clockwork: compose.clockwork,
    guard: async (command) => {
      const { judgeSleep } = await import('../engine/agents/sleep-guard');
      return judgeSleep(command);
    },
  });
  const wakes = createWakes({
    journal,
    reads: workReads,
    clock,
    crashPoints,
    audit,
    log,
    newId: () => ids.newId(),
    accept: (wake, text) => sessions.acceptWake(wake, text),
  });
  if (!options.isReadOnly) {
    settings.onChange((changed) => {
      if (changed.some((key) => key.startsWith('work.lease'))) scheduler.lookAtLeases();
    });
  }
  const decisions = createDecisions({
    journal,
    reads,
    blobs,
    hasher,
    clock,
    crashPoints,
    audit,
    policy,
    hasStatusCheck: (tool) => tools.findQualified(tool)?.spec.hasStatusCheck === true,
    questionAbout: (tool, args) => questionAbout(tools.findQualified(tool)?.spec, args),
    onQueued: enqueue,
  });

  const inbound = createInbound({ sessions, audit, reads });

  let restart: RestartNotice | undefined;
  let restoreSkipped = false;
  const status = (): StatusSnapshot => {
    const item = restart?.inboxId === undefined ? undefined : reads.inboxItem(restart.inboxId);
    return statusModel({
      phase: options.phase(),
      version: compose.version,
      pid: process.pid,
      dataDir: compose.dataDir,
      startedAtMs: options.startedAtMs,
      nowMs: clock.nowMs(),
      // What really runs, not what the rows of an unrestored turn still say.
      states: { ...reads.countByState(), running: scheduler.running().length },
      retrying: workReads.countRetrying(),
      outside: outage.outside(),
      paused: scheduler.paused(),
      inbound: inbound.counts(),
      mode: settings.get('resilience.recovery.mode'),
      sideEffectTools: settings.get('resilience.recovery.side_effect_tools'),
      restoreSkipped,
      restart:
        restart === undefined
          ? undefined
          : { ...restart, isDismissed: item?.settledAtMs !== undefined },
      seq: journal.seq(),
      appliedSeq: journal.appliedSeq(),
      refusal: journal.refusal(),
      ...openPorts(options.ports?.()),
      configProblems: settings.problems(),
      delivery: deliveryStatus(delivery),
      schedule: schedule.outlook(),
      kept: reads.keptSince(new Date(clock.nowMs()).setHours(0, 0, 0, 0)),
    });
  };

  const gateway = createGatewayPart({
    dataDir: compose.dataDir,
    version: compose.version,
    settings,
    keys,
    journal,
    reads,
    clock,
    crashPoints,
    audit,
    log,
    breakers: breakers.book,
    retries: breakers.retryPolicy,
    contacts: () => runnerDeps.contacts,
    random: () => ids.random(),
    status,
    ports: options.ports?.() ?? {},
    onChange: () => {
      options.emit('status.changed', undefined as never);
    },
  });
  const outer: Handlers<OuterVerb> = {
    ...createAgentVerbs({
      agents,
      settings,
      reads,
      schedule: scheduleReads,
      work: workReads,
      audit,
      endHeartbeat: (sessionId) => schedule.heartbeats.stop(sessionId, 'agent removed'),
    }),
    'agents.detect': () => outside.detect(),
    'agents.hook': (report) => commands.hook(report),
    ...createAdoptVerbs({
      dataDir: compose.dataDir,
      env: compose.env,
      loginEnvironment,
      settings,
      agents,
      sessions,
      journal,
      reads,
      clock,
      audit,
      processes: async () => (await import('../adapters/lock')).createSystemProcessTable(),
      askAgent: (name, spec, ref) => outside.conversations(name, spec, ref),
    }),
    ...skills.verbs,
    ...createProviderVerbs({
      settings,
      keys,
      providers,
      agents: () => agents,
      testOutside: (name, spec) => outside.test(name, spec),
      onKeyChanged: (name) => {
        outage.room.mended(name);
      },
      breakers: breakers.book,
      clock,
      audit,
    }),
    ...mcp.verbs,
    ...breakers.verbs,
    ...gateway.verbs,
    ...createChannelVerbs({
      part: channels,
      deliveries,
      reads,
      breakers: breakers.book,
      clock,
      audit,
      isRunning: () => options.phase() === 'running',
    }),
    ...schedule.verbs,
    ...createDeliveryVerbs(delivery, () => clock.nowMs()),
    ...outage.verbs,
    ...draftsPart.verbs((ref) => sessions.find(ref).id),
    'doctor.run': ({ full = false }) =>
      runDoctor(
        {
          dataDir: compose.dataDir,
          version: compose.version,
          journal,
          reads,
          settings,
          loginEnvironment,
          browser: browsers.find(),
          isRunning: options.phase() === 'running',
          ports: options.ports?.(),
        },
        full,
      ),
    'logs.tail': async ({ lines = 100 }) => ({
      path: log.path,
      lines: [...(await log.tail(lines))],
    }),
    ...createHistoryVerbs({
      dataDir: compose.dataDir,
      db: options.db,
      reads,
      clock,
      log,
      audit,
      redactor: options.redactor,
      isAlive: () => options.phase() !== 'stopped',
    }),
    'practice.kill': () => {
      audit.record('practice_kill', {});
      // After the answer is on its way: the point is that nothing of this process runs on.
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50);
      return Promise.resolve({ ok: true });
    },
    'instance.stop': ({ reason }) => {
      const willResume = scheduler.running().length;
      options.requestStop(reason);
      return Promise.resolve({ ok: true, willResume });
    },
    ...desktopVerbs(compose.desktop),
  };
  const verbs = createVerbs({
    journal,
    reads,
    blobs,
    clock,
    crashPoints,
    audit,
    settings,
    tools,
    scheduler,
    sessions,
    decisions,
    wakes,
    work: workReads,
    drafts: (sessionId) => draftsPart.drafts.stagedDrafts(sessionId),
    approvals,
    policy,
    status,
    outer,
  });
  return {
    journal,
    reads,
    blobs,
    sessions,
    inbound,
    scheduler,
    drafts: draftsPart.drafts,
    deliveries,
    delivery,
    wakes,
    schedule,
    workReads,
    agents,
    commands,
    outage,
    trials,
    mcp,
    gateway,
    browsers,
    channels,
    verbs,
    policy,
    status,
    breakers: breakers.book,
    runId,
    setRestart(notice, skipped) {
      restart = notice;
      restoreSkipped = skipped;
    },
  };
}

const openPorts = (ports: StatusSnapshot['ports'] = {}): Pick<StatusSnapshot, 'ports'> =>
  Object.keys(ports).length === 0 ? {} : { ports: { ...ports } };

const UNREAD: CallRisk = { isRisky: true, reason: 'Nobody has read it yet.', covers: '' };

/** What woke the session for this turn, and how urgent it is (S3-23). */
export function sourceOf(
  reads: WorkReads,
  turnId: number,
): Pick<QueuedTurn, 'priority' | 'source'> {
  const wake = reads.wakeOfTurn(turnId);
  return wake === undefined ? {} : { priority: wake.priority, source: 'queued_wake' };
}

/** What made a turn that waits for its provider: time, the session itself, or a person. */
function heldSource(
  schedule: ScheduleReads,
  work: WorkReads,
  turnId: number,
): Pick<HeldItem, 'source' | 'merged'> {
  const made = schedule.madeBy(turnId)?.kind;
  if (made === 'task' || made === 'heartbeat')
    return {
      source: made === 'task' ? 'schedule' : 'heartbeat',
      merged: schedule.mergedInto(turnId),
    };
  const isWake = made === 'timer' || work.wakeOfTurn(turnId) !== undefined;
  return { source: isWake ? 'wake' : 'user', merged: 0 };
}

/** The parser of shell commands is large: it is loaded before the first turn, not at the start. */
function createShellEffects(guard: {
  readonly isGuardOn: () => boolean;
  readonly onWait: (waitsSeconds: number) => void;
}): {
  readonly of: (command: string) => boolean;
  readonly riskOf: (command: string) => CallRisk;
  readonly loaded: () => Promise<void>;
} {
  let loading: Promise<void> | undefined;
  // A command that nobody has looked at counts as one with effects.
  let of = (_command: string): boolean => true;
  let riskOf = (_command: string): CallRisk => UNREAD;
  const load = async (): Promise<void> => {
    const [effects, risk, sleep] = await Promise.all([
      import('../engine/agents/shell-effects'),
      import('../engine/agents/shell-risk'),
      import('../engine/agents/sleep-guard'),
    ]);
    of = effects.hasShellEffects;
    riskOf = (command) => {
      const found = risk.shellRisk(command);
      if (!guard.isGuardOn()) return found;
      const verdict = sleep.judgeSleep(command);
      if (verdict.blocked) return { ...found, refused: sleep.sleepRefusal(verdict) };
      if (verdict.waitsSeconds !== undefined) guard.onWait(verdict.waitsSeconds);
      return found;
    };
  };
  return {
    of: (command) => of(command),
    riskOf: (command) => riskOf(command),
    loaded: () => (loading ??= load()),
  };
}

/** An error that nobody expected ends the run, not the turn: a person can go on with it. */
async function parkAfterError(journal: Journal, turn: TurnRow, error: unknown): Promise<void> {
  const known = toHoldfastError(error);
  const reason = `Stopped by an error: ${known.message}`.slice(0, 500);
  try {
    await journal.commit([
      {
        kind: 'turn.abandoned',
        turnId: turn.id,
        attempt: turn.attempt + 1,
        why: 'wake_failed',
        message: reason,
        crashes: turn.crashes,
      },
      { kind: 'turn.state', turnId: turn.id, state: 'parked', reason },
      {
        kind: 'inbox.opened',
        inboxId: journal.allocate('inbox'),
        item: 'replay_decision',
        turnId: turn.id,
        sessionId: turn.sessionId,
        title: turn.promptStart,
        detail: reason,
        facts: { decision: 'parked' },
      },
    ]);
  } catch {
    // The disk refuses: the turn stays open there and the next start judges it.
  }
}

function desktopVerbs(
  desktop: Desktop | undefined,
): Pick<
  Handlers<OuterVerb>,
  | 'app.info'
  | 'app.remind'
  | 'app.openFolder'
  | 'app.openSettings'
  | 'app.testNotification'
  | 'instance.focus'
> {
  const none = (): never => {
    throw new HoldfastError('VERB_UNKNOWN', 'This Holdfast runs without windows.', {
      hint: 'Nothing was done. Start the app to use windows.',
    });
  };
  const via = <V extends Parameters<Desktop['handle']>[0]>(verb: V): Handlers<V>[V] =>
    ((input: never, origin: never) =>
      desktop === undefined
        ? Promise.resolve().then(none)
        : desktop.handle(verb, input, origin)) as never;
  return {
    'app.info': via('app.info'),
    'app.remind': via('app.remind'),
    'app.openFolder': via('app.openFolder'),
    'app.openSettings': via('app.openSettings'),
    'app.testNotification': via('app.testNotification'),
    'instance.focus': via('instance.focus'),
  };
}

/** For reading while nothing runs: knows the state and refuses to write. */
function readOnlyJournal(options: RoomsOptions): GroupCommit {
  const read = (query: string): number => Number(options.db.prepare(query).pluck().get() ?? 0);
  const refuse = (): HoldfastError =>
    new HoldfastError('NOT_RUNNING', 'Holdfast is not running: this only reads.', {
      hint: 'Nothing was changed. Start Holdfast and try again.',
    });
  return {
    commit: () => Promise.reject(refuse()),
    run: () => Promise.reject(refuse()),
    allocate: () => {
      throw refuse();
    },
    seq: () => read('SELECT max(seq) FROM journal'),
    appliedSeq: () =>
      read(
        isFoldBehind(options.db) ? 'SELECT applied_seq FROM fold' : 'SELECT max(seq) FROM journal',
      ),
    refusal: () => undefined,
    onCommitted: () => () => undefined,
    refold: () => 0,
    close: () => Promise.resolve(),
  };
}
