import { randomUUID } from 'node:crypto';
import path from 'node:path';
import Conf from 'conf';
import { version as ownVersion } from '../package.json';
import type Database from 'better-sqlite3';
import {
  EVENTS,
  type EventName,
  type EventPayload,
  type Verb,
  type VerbInput,
  type VerbOutput,
} from '../shared/contract';
import type { RestartNotice, StatusSnapshot } from '../shared/model';
import { createRedactor } from '../shared/redact';
import { durationMs } from '../shared/settings';
import { createSystemClock } from './adapters/clock';
import { createSettings } from './adapters/config';
import { createCronTicks } from './adapters/cron/cron-ticks';
import {
  createSystemInstanceLock,
  createSystemProcessTable,
  lockPaths,
  prepareDataDir,
  writeCrashNote,
} from './adapters/lock';
import { createAudit, createLog, type FileAudit, type FileLog } from './adapters/log';
import { endOrphan, findOrphans } from './adapters/shell/orphans';
import { checkIntegrity, pruneClosedTurns, usedBlobs, wipe } from './adapters/sqlite/maintenance';
import { openDatabase } from './adapters/sqlite/open-database';
import type { ComposeOptions, Composition, StopReason, StoreClass } from './compose-options';
import { createRooms, type Rooms } from './composition/rooms';
import { askHolder, controlSocketPath, controlTokenPath, createControlServer } from './control';
import type { CallOrigin, Holdfast } from './engine/facade';
import { callVerb } from './engine/holdfast';
import { noCrashPoints } from './engine/kernel/crash-points';
import { HoldfastError } from './engine/kernel/errors';
import { decideRestartReason, lockRules, type RestartReason } from './engine/lockfile';
import { restartSentence } from './engine/notices/restart-sentence';
import { recoverAtStart, type RecoveryReport } from './engine/recovery/recover-at-start';
import { createLifecycle, type LifecyclePart } from './lifecycle';
import type { Clock } from './ports/clock';
import type { HeldLock, LeftBehind } from './ports/instance-lock';
import type { JournalEntry, StartRow } from './ports/journal';
import type { SettingsPort } from './ports/settings';

export type { ComposeOptions, Composition } from './compose-options';

const ALIVE_EVERY_MS = 30_000;
/** Status events are computed at most this often. */
const STATUS_EVERY_MS = 100;
/** After the start the disk is left alone for a while. */
const FIRST_UPKEEP_MS = 60_000;
const DAILY = '17 3 * * *';

/** What one run of the process knows; filled by the parts in their order. */
interface Run {
  settings: SettingsPort | undefined;
  log: FileLog | undefined;
  audit: FileAudit | undefined;
  lock: HeldLock | undefined;
  leftBehind: LeftBehind | undefined;
  db: Database.Database | undefined;
  rooms: Rooms | undefined;
  phase: StatusSnapshot['phase'];
  startId: number;
  restartReason: RestartReason | undefined;
  isDraining: boolean;
}

/**
 * The composition root: the only place that constructs adapters and rooms, for the app, headless
 * and tests alike. Nothing happens until `lifecycle.start()`. Start order: S0-+06.
 */
export function compose(options: ComposeOptions): Composition {
  const clock = options.clock ?? createSystemClock();
  const crashPoints = options.crashPoints ?? noCrashPoints;
  const startedAtMs = clock.nowMs();
  const redactor = createRedactor();
  const run: Run = {
    settings: undefined,
    log: undefined,
    audit: undefined,
    lock: undefined,
    leftBehind: undefined,
    db: undefined,
    rooms: undefined,
    phase: 'starting',
    startId: 0,
    restartReason: undefined,
    isDraining: false,
  };
  const events = createEvents(clock, () => run.rooms?.status());
  const holdfast = createFacade(run, events, () =>
    startingSnapshot(options, run, startedAtMs, clock),
  );
  const socketPath = controlSocketPath(options.dataDir, options.env, process.platform);
  const tokenPath = controlTokenPath(options.dataDir, process.platform);
  const processes = createSystemProcessTable();

  const parts: LifecyclePart[] = [
    {
      name: 'data directory and instance lock',
      async start() {
        const paths = prepareDataDir(options.dataDir);
        run.log = createLog({
          dir: path.join(paths.dataDir, 'logs'),
          level: 'info',
          clock,
          redactor,
        });
        run.settings = createSettings({
          path: path.join(paths.dataDir, 'config.json'),
          storeClass: options.desktop?.storeClass ?? (Conf as unknown as StoreClass),
          overrides: options.overrides ?? {},
          env: options.env,
          crashPoints,
          watch: true,
        });
        const conflict = run.settings.get('instance.on_conflict');
        const lock = createSystemInstanceLock({ rules: lockRules, clock, crashPoints });
        const acquired = await lock.acquire({
          dataDir: options.dataDir,
          mode: options.mode === 'app' ? 'gui' : 'headless',
          takeover: options.flags.takeover,
          // The helper that starts the app again must not disturb whoever owns D by now.
          onConflict: options.flags.afterCrash ? 'refuse' : conflict === 'auto' ? null : conflict,
          version: options.version,
          socketPath,
          tokenPath,
          argvMarker: argvMarker(),
          beganAtMs: startedAtMs,
          askHolder,
        });
        if (acquired.kind === 'handed_over') return { kind: 'handed_over' };
        run.lock = acquired.lock;
        run.leftBehind = acquired.leftBehind;
        run.audit = createAudit({
          dir: path.join(paths.dataDir, 'audit'),
          clock,
          log: run.log,
          redactor,
        });
        run.audit.record('start', {
          version: options.version,
          mode: options.mode,
          pid: process.pid,
        });
        return { kind: 'started' };
      },
      async stop(reason) {
        run.audit?.record('stopped', { reason });
        await run.audit?.close();
        run.settings?.stop();
        run.lock?.release();
        run.log?.close();
        run.phase = 'stopped';
      },
    },
    crashNotePart(options, run, clock),
    {
      name: 'control socket',
      async start() {
        const server = createControlServer({
          socketPath,
          tokenPath,
          holdfast,
          log: need(run.log),
          version: options.version,
        });
        this.stop = () => server.stop();
        need(run.lock).announce(await server.start());
      },
    },
    {
      name: 'database: version check, backup, migration',
      async start() {
        const lock = need(run.lock);
        lock.setPhase('migrating');
        run.db = await openDatabase({
          dataDir: options.dataDir,
          isReadOnly: false,
          newId: randomUUID,
          nowMs: clock.nowMs(),
          crashPoints,
        });
        lock.setPhase('starting');
      },
      stop() {
        run.db?.close();
      },
    },
    {
      name: 'rooms and adapters',
      start() {
        run.rooms = createRooms({
          compose: options,
          db: need(run.db),
          clock,
          crashPoints,
          settings: need(run.settings),
          log: need(run.log),
          audit: need(run.audit),
          redactor,
          assertOwner: () => {
            need(run.lock).assertStillOwner();
          },
          isReadOnly: false,
          emit: events.emit,
          phase: () => run.phase,
          startedAtMs,
          requestStop: (reason) => {
            // After the answer to the caller is on its way.
            setImmediate(() => void lifecycle.stop(reason));
          },
          isDraining: () => run.isDraining,
        });
        events.follow(run.rooms);
        const settings = need(run.settings);
        need(run.log).setLevel(settings.get('log.level'));
        settings.onChange((keys) => {
          need(run.log).setLevel(settings.get('log.level'));
          events.emit('config.changed', { keys: [...keys] } as never);
          events.emit('status.changed', undefined as never);
        });
      },
      async stop() {
        run.rooms?.deliveries.stop();
        await run.rooms?.journal.close();
      },
    },
    {
      name: 'light integrity check',
      start() {
        const rooms = need(run.rooms);
        if (rooms.journal.appliedSeq() === rooms.journal.seq() || isOnlyFloor(need(run.db))) return;
        const rows = rooms.journal.refold();
        need(run.audit).record('tables_rebuilt', { rows });
      },
    },
    {
      name: 'notices: restart marker',
      async start() {
        await writeStartMarker(options, run, clock, crashPoints, await processes.machine());
      },
      async stop(reason) {
        await writeStopMarker(run, reason, crashPoints);
      },
    },
    {
      name: 'recovery decisions',
      async start() {
        await recover(options, run, clock, crashPoints, events);
      },
    },
    {
      name: 'sign of life',
      start() {
        const timer = setInterval(() => {
          try {
            need(run.lock).touchAlive();
          } catch (error) {
            need(run.log).error('lock.lost', { error });
            void lifecycle.stop('crash');
          }
        }, ALIVE_EVERY_MS);
        timer.unref();
        need(run.lock).touchAlive();
        this.stop = () => {
          clearInterval(timer);
        };
      },
    },
    upkeepPart(options, run, clock, crashPoints),
    {
      name: 'turn runners',
      start() {
        need(run.rooms).scheduler.start();
      },
      async stop(_reason, graceMs) {
        run.isDraining = true;
        await run.rooms?.scheduler.stop(Math.max(0, graceMs - 1_500));
      },
    },
    {
      name: 'drain of accepted answers',
      start() {
        need(run.rooms).deliveries.flush();
      },
    },
    {
      name: 'intake',
      start() {
        const rooms = need(run.rooms);
        rooms.sessions.open();
        for (const channel of rooms.channels) {
          channel.start?.({
            accept: async ({ peer, text, session, agent }) => {
              const { turn } = await rooms.sessions.accept({
                text,
                channel: channel.name,
                peer,
                ...(session === undefined ? {} : { session }),
                ...(agent === undefined ? {} : { agent }),
              });
              return { turnId: turn.id };
            },
          });
        }
        run.phase = 'running';
        need(run.lock).setPhase('running');
        events.emit('status.changed', undefined as never);
      },
      stop(reason) {
        run.phase = 'stopping';
        try {
          run.lock?.setPhase('stopping', reason);
        } catch {
          // robbed of the lock: the new owner's record stays as it is
        }
        for (const channel of run.rooms?.channels ?? []) channel.stop?.();
        run.rooms?.sessions.close();
        events.emit('status.changed', undefined as never);
      },
    },
  ];

  const lifecycle = createLifecycle({
    parts,
    clock,
    log: () => run.log,
    audit: () => run.audit,
    graceMs: () =>
      run.settings === undefined ? 5_000 : durationMs(run.settings.get('shutdown.grace')),
    beforeStop: () => {
      options.desktop?.disarmComeBack();
    },
  });
  return { holdfast, lifecycle };
}

function need<T>(value: T | undefined): T {
  if (value === undefined)
    throw new HoldfastError('STARTING', 'Holdfast is still starting.', { retryable: true });
  return value;
}

/** Text in our own command line by which a later start knows the process. */
function argvMarker(): string {
  return process.argv[1] ?? process.execPath;
}

/** After a reset the sequence goes on above an empty journal; that is not a mismatch. */
function isOnlyFloor(db: Database.Database): boolean {
  const top = Number(db.prepare('SELECT coalesce(max(seq), 0) FROM journal').pluck().get());
  const applied = Number(db.prepare('SELECT applied_seq FROM fold').pluck().get());
  return top === applied && Number(db.prepare('SELECT count(*) FROM starts').pluck().get()) > 0;
}

function crashNotePart(options: ComposeOptions, run: Run, clock: Clock): LifecyclePart {
  const onError = (error: unknown): void => {
    run.log?.error('process.crashed', { error });
    const summary = error instanceof Error ? (error.stack ?? error.message) : String(error);
    writeCrashNote(options.dataDir, {
      instanceId: run.lock?.instanceId ?? '',
      atMs: clock.nowMs(),
      summary,
    });
    process.exit(70);
  };
  return {
    name: 'crash note',
    start() {
      process.on('uncaughtException', onError);
      process.on('unhandledRejection', onError);
    },
    stop() {
      process.off('uncaughtException', onError);
      process.off('unhandledRejection', onError);
    },
  };
}

type Machine = Awaited<ReturnType<ReturnType<typeof createSystemProcessTable>['machine']>>;

async function writeStartMarker(
  options: ComposeOptions,
  run: Run,
  clock: Clock,
  crashPoints: ComposeOptions['crashPoints'],
  machine: Machine,
): Promise<void> {
  const rooms = need(run.rooms);
  const [last] = rooms.reads.starts(1);
  const lastStopped = last?.stoppedAtMs === undefined ? undefined : last;
  const reason = decideRestartReason({
    marker: last === undefined ? null : previousRun(last, lastStopped),
    current: {
      bootId: machine.bootId,
      machineId: machine.machineId,
      version: options.version,
      startedAtMs: clock.nowMs(),
    },
    leftBehind: need(run.leftBehind),
  });
  run.restartReason = reason;
  run.startId = rooms.journal.allocate('start');
  crashPoints?.hit('marker.started.before');
  await rooms.journal.commit([
    {
      kind: 'marker.started',
      startId: run.startId,
      reason: reason.kind,
      ...(reason.kind === 'first_start' ? {} : { downSinceMs: reason.downSinceMs }),
      bootId: machine.bootId ?? '',
      instanceId: need(run.lock).instanceId,
      machineId: machine.machineId ?? '',
      version: options.version,
    },
  ]);
  crashPoints?.hit('marker.started.after');
}

function previousRun(
  last: StartRow,
  stopped: StartRow | undefined,
): Parameters<typeof decideRestartReason>[0]['marker'] {
  return {
    lastStartedAtMs: last.startedAtMs,
    lastCleanStopAtMs: stopped?.stoppedAtMs ?? null,
    cleanStopInstanceId: stopped?.instanceId ?? null,
    lastStopReason: stopped?.stopReason ?? null,
    bootId: last.bootId === '' ? null : last.bootId,
    version: last.version,
    instanceId: last.instanceId,
    machineId: last.machineId === '' ? null : last.machineId,
  };
}

async function writeStopMarker(
  run: Run,
  reason: StopReason,
  crashPoints: ComposeOptions['crashPoints'],
): Promise<void> {
  const rooms = run.rooms;
  if (rooms === undefined || run.startId === 0 || reason === 'crash') return;
  const interrupted = rooms.reads.openTurns().filter((turn) => turn.state === 'running');
  const entries: JournalEntry[] = interrupted.map((turn) => ({
    kind: 'turn.state',
    turnId: turn.id,
    state: 'running',
    reason: 'Interrupted by shutdown; goes on at the next start.',
  }));
  crashPoints?.hit('marker.stopped.before');
  const note = run.lock?.takeoverNote();
  await rooms.journal.commit([
    ...entries,
    { kind: 'marker.stopped', startId: run.startId, reason: note == null ? reason : 'takeover' },
  ]);
  crashPoints?.hit('marker.stopped.after');
}

async function recover(
  options: ComposeOptions,
  run: Run,
  clock: Clock,
  crashPoints: NonNullable<ComposeOptions['crashPoints']>,
  events: Events,
): Promise<void> {
  const rooms = need(run.rooms);
  const reason = need(run.restartReason);
  const { noRestore } = options.flags;
  const report: RecoveryReport = noRestore
    ? { resumed: [], held: [], parked: [], stale: [], discarded: [] }
    : await recoverAtStart(
        {
          journal: rooms.journal,
          reads: rooms.reads,
          clock,
          crashPoints,
          audit: need(run.audit),
          policy: rooms.policy,
        },
        {
          startId: run.startId,
          isUnexpected: reason.kind !== 'first_start' && reason.isUnexpected,
        },
      );
  await tidyOrphans(run, rooms, report);
  if (!noRestore) {
    for (const { turn, delayMs } of report.resumed) {
      rooms.scheduler.enqueue({
        turnId: turn.id,
        sessionId: turn.sessionId,
        notBeforeMs: delayMs === 0 ? 0 : clock.nowMs() + delayMs,
      });
    }
    const resumed = new Set(report.resumed.map(({ turn }) => turn.id));
    for (const turn of rooms.reads.openTurns()) {
      if (turn.state !== 'queued' || resumed.has(turn.id)) continue;
      rooms.scheduler.enqueue({ turnId: turn.id, sessionId: turn.sessionId, notBeforeMs: 0 });
    }
  }
  await openUnanswered(rooms);
  await announceRestart(run, rooms, reason, report, noRestore, clock, events);
}

/** What an earlier run left behind: ended where its step will run again, shown otherwise. */
async function tidyOrphans(run: Run, rooms: Rooms, report: RecoveryReport): Promise<void> {
  if (report.resumed.length + report.held.length + report.parked.length + report.stale.length === 0)
    return;
  const scan = await findOrphans({ instanceId: rooms.reads.databaseId(), runId: rooms.runId });
  const resumed = new Set(report.resumed.map(({ turn }) => turn.id));
  for (const orphan of scan.orphans) {
    const facts = { pid: orphan.pid, turnId: orphan.turnId, step: orphan.step };
    if (orphan.turnId !== undefined && resumed.has(orphan.turnId)) {
      const end = await endOrphan(orphan);
      need(run.audit).record('orphan_ended', { ...facts, end });
      continue;
    }
    need(run.audit).record('orphan_found', facts);
    await rooms.journal.commit([
      {
        kind: 'inbox.opened',
        inboxId: rooms.journal.allocate('inbox'),
        item: 'problem',
        ...(orphan.turnId === undefined ? {} : { turnId: orphan.turnId }),
        title: `A command of turn ${String(orphan.turnId ?? 0)} still runs after the restart`,
        detail: `Process ${String(orphan.pid)} was started before the restart and is still at work. Look at what it does before you let the turn go on.`,
      },
    ]);
  }
}

async function openUnanswered(rooms: Rooms): Promise<void> {
  const known = new Set(
    rooms.reads
      .inbox({ includeSettled: false, limit: 1000 })
      .filter((item) => item.item === 'unanswered')
      .map((item) => item.sessionId),
  );
  const entries = rooms.reads
    .unansweredSessions(200)
    .filter((session) => !known.has(session.sessionId))
    .map((session): JournalEntry => ({
      kind: 'inbox.opened',
      inboxId: rooms.journal.allocate('inbox'),
      item: 'unanswered',
      sessionId: session.sessionId,
      title: `A message in ${session.key} has no answer`,
      detail: session.text.kind === 'inline' ? session.text.text.slice(0, 120) : '',
    }));
  if (entries.length > 0) await rooms.journal.commit(entries);
}

async function announceRestart(
  run: Run,
  rooms: Rooms,
  reason: RestartReason,
  report: RecoveryReport,
  restoreSkipped: boolean,
  clock: Clock,
  events: Events,
): Promise<void> {
  if (reason.kind === 'first_start') {
    rooms.setRestart(undefined, restoreSkipped);
    return;
  }
  const notice: RestartNotice = {
    reason: reason.kind,
    startedAtMs: clock.nowMs(),
    downSinceMs: reason.downSinceMs,
    downMs: reason.downMs,
    resumedTurns: report.resumed.map(({ turn }) => turn.id),
    heldTurns: [...report.held],
    parkedTurns: [...report.parked],
    staleTurns: [...report.stale],
    restoreSkipped,
    isDismissed: false,
  };
  const text = restartSentence(notice);
  const isWorthALine = reason.isUnexpected || report.resumed.length + report.held.length > 0;
  if (isWorthALine) {
    const inboxId = rooms.journal.allocate('inbox');
    await rooms.journal.commit([
      {
        kind: 'inbox.opened',
        inboxId,
        item: 'restart_notice',
        title: text.slice(0, 300),
        detail: '',
      },
    ]);
    rooms.setRestart({ ...notice, inboxId }, restoreSkipped);
  } else rooms.setRestart(notice, restoreSkipped);
  events.emit('restart.noticed', notice as never);
  // Delivery must not hold up the start and may fail without harm: the inbox has the record.
  rooms.deliveries.restartNotice(run.startId, text);
}

/** Retention, large results nobody names any more, and the full integrity check, when it is quiet. */
function upkeepPart(
  options: ComposeOptions,
  run: Run,
  clock: Clock,
  crashPoints: NonNullable<ComposeOptions['crashPoints']>,
): LifecyclePart {
  const abort = new AbortController();
  const upkeep = async (): Promise<void> => {
    const db = need(run.db);
    const rooms = need(run.rooms);
    const days = need(run.settings).get('resilience.recovery.retention_days');
    const pruned = await pruneClosedTurns(db, {
      beforeMs: clock.nowMs() - days * 86_400_000,
      commit: (entries) => rooms.journal.commit(entries),
      crashPoints,
      pause: () => clock.sleep(20, abort.signal).catch(() => undefined),
      signal: abort.signal,
    });
    if (abort.signal.aborted) return;
    const swept = await rooms.blobs.sweep(usedBlobs(db), 100);
    const integrity = await checkIntegrity(options.dataDir);
    need(run.audit).record('upkeep', { pruned, swept, isOk: integrity.isOk });
    if (integrity.isOk) return;
    await rooms.journal.commit([
      {
        kind: 'inbox.opened',
        inboxId: rooms.journal.allocate('inbox'),
        item: 'problem',
        title: 'The database is damaged',
        detail: `${integrity.problems.join('; ').slice(0, 600)}. Run "holdfast doctor --full".`,
      },
    ]);
  };
  const guarded = (): void => {
    upkeep().catch((error: unknown) => {
      if (!abort.signal.aborted) run.log?.error('upkeep.failed', { error });
    });
  };
  return {
    name: 'upkeep',
    start() {
      const tick = createCronTicks().every(DAILY, guarded);
      const first = setTimeout(guarded, FIRST_UPKEEP_MS);
      first.unref();
      this.stop = () => {
        abort.abort();
        clearTimeout(first);
        tick.stop();
      };
    },
  };
}

interface Events {
  readonly emit: (event: EventName, payload: never) => void;
  readonly on: Holdfast['on'];
  follow(rooms: Rooms): void;
}

/** Events after their commit; the status is computed at most ten times a second, and only if heard. */
function createEvents(clock: Clock, status: () => StatusSnapshot | undefined): Events {
  const listeners = new Map<EventName, Set<(payload: never) => void>>();
  let isStatusDue = false;
  const send = (event: EventName, payload: unknown): void => {
    for (const listener of listeners.get(event) ?? []) listener(payload as never);
  };
  const isHeard = (event: EventName): boolean => (listeners.get(event)?.size ?? 0) > 0;
  const sendStatusSoon = (): void => {
    if (isStatusDue || !isHeard('status.changed')) return;
    isStatusDue = true;
    void clock.sleep(STATUS_EVERY_MS).then(() => {
      isStatusDue = false;
      const snapshot = status();
      if (snapshot !== undefined) send('status.changed', snapshot);
    });
  };
  const emit = (event: EventName, payload: never): void => {
    if (event === 'status.changed') sendStatusSoon();
    else if (isHeard(event)) send(event, payload);
  };
  return {
    emit,
    on(event, listener) {
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set);
      const mine = (payload: never): void => {
        listener(payload);
      };
      set.add(mine);
      return () => set.delete(mine);
    },
    follow(rooms) {
      rooms.journal.onCommitted((entries) => {
        if (listeners.size === 0) return;
        publish(rooms, entries, isHeard, send);
        sendStatusSoon();
      });
    },
  };
}

function publish(
  rooms: Rooms,
  entries: readonly JournalEntry[],
  isHeard: (event: EventName) => boolean,
  send: <E extends EventName>(event: E, payload: EventPayload<E>) => void,
): void {
  const turns = new Set<number>();
  let isInboxChanged = false;
  for (const entry of entries) {
    if ('turnId' in entry && entry.turnId !== undefined) turns.add(entry.turnId);
    if (entry.kind === 'inbox.opened' || entry.kind === 'inbox.settled') isInboxChanged = true;
    if (entry.kind === 'session.created' || entry.kind === 'session.interrupted') {
      if (isHeard('session.changed'))
        send('session.changed', { sessionId: entry.sessionId, seq: rooms.journal.seq() });
    }
  }
  if (turns.size > 0 && (isHeard('turn.changed') || isHeard('session.changed'))) {
    for (const turnId of turns) {
      const turn = rooms.reads.turn(turnId);
      if (turn === undefined) continue;
      send('turn.changed', { turnId, state: turn.state, sessionId: turn.sessionId });
      send('session.changed', { sessionId: turn.sessionId, seq: rooms.journal.seq() });
    }
  }
  if (isInboxChanged && isHeard('inbox.changed')) {
    send('inbox.changed', {
      open: rooms.reads.inbox({ includeSettled: false, limit: 1000 }).length,
    });
  }
}

function createFacade(run: Run, events: Events, starting: () => StatusSnapshot): Holdfast {
  return {
    async call<V extends Verb>(
      verb: V,
      input: VerbInput<V>,
      origin: CallOrigin,
    ): Promise<VerbOutput<V>> {
      const { rooms } = run;
      if (rooms === undefined) {
        if (verb === 'status.get') return starting() as VerbOutput<V>;
        throw new HoldfastError('STARTING', 'Holdfast is still starting.', {
          hint: 'Nothing was done. Try again in a moment.',
          retryable: true,
        });
      }
      return callVerb(rooms.verbs, verb, input, origin);
    },
    status: () => run.rooms?.status() ?? starting(),
    on: (event, listener) => {
      if (!Object.hasOwn(EVENTS, event))
        throw new HoldfastError('VERB_UNKNOWN', `There is no event "${String(event)}".`);
      return events.on(event, listener);
    },
  };
}

function startingSnapshot(
  options: ComposeOptions,
  run: Run,
  startedAtMs: number,
  clock: Clock,
): StatusSnapshot {
  return {
    phase: run.phase,
    version: options.version,
    pid: process.pid,
    dataDir: options.dataDir,
    startedAtMs,
    nowMs: clock.nowMs(),
    tray: 'stopped',
    counts: { needsYou: 0, running: 0, queued: 0, waiting: 0, parked: 0 },
    recovery: { mode: 'safe_only', sideEffectTools: [], restoreSkipped: options.flags.noRestore },
    journal: { seq: 0, appliedSeq: 0 },
    configProblems: [],
    kept: { stepsReusedToday: 0, savedUsdToday: 0 },
  };
}

/** An opened data directory of an instance that does not run. */
export interface OpenedData {
  readonly holdfast: Holdfast;
  close(): Promise<void>;
}

/**
 * Query verbs while nothing runs: opens the database read-only, takes no lock, writes nothing.
 * @throws DATABASE_UNKNOWN where there is no data yet, DATABASE_NEWER, DATABASE_CORRUPT
 */
export async function openReadOnly(dataDir: string): Promise<OpenedData> {
  return openStopped(dataDir, {
    isReadOnly: true,
    assertOwner: () => undefined,
    release: () => undefined,
  });
}

/**
 * The same with the instance lock held, so that decisions and settings can be recorded while
 * nothing runs; turns do not run. @throws LOCK_HELD
 */
export async function openForDecision(dataDir: string): Promise<OpenedData> {
  const lock = await acquireQuietly(dataDir);
  return openStopped(dataDir, {
    isReadOnly: false,
    assertOwner: () => {
      lock.assertStillOwner();
    },
    release: () => {
      lock.release();
    },
  });
}

async function acquireQuietly(dataDir: string): Promise<HeldLock> {
  const clock = createSystemClock();
  prepareDataDir(dataDir);
  const lock = createSystemInstanceLock({ rules: lockRules, clock, crashPoints: noCrashPoints });
  const acquired = await lock.acquire({
    dataDir,
    mode: 'headless',
    takeover: false,
    onConflict: 'refuse',
    version: '',
    socketPath: null,
    tokenPath: null,
    argvMarker: argvMarker(),
    beganAtMs: clock.nowMs(),
    askHolder,
  });
  if (acquired.kind === 'acquired') return acquired.lock;
  throw new HoldfastError('LOCK_HELD', 'Holdfast is running on this data.', {
    hint: 'Use the running one.',
  });
}

async function openStopped(
  dataDir: string,
  access: {
    readonly isReadOnly: boolean;
    readonly assertOwner: () => void;
    readonly release: () => void;
  },
): Promise<OpenedData> {
  const clock = createSystemClock();
  const redactor = createRedactor();
  const log = createLog({ dir: path.join(dataDir, 'logs'), level: 'warn', clock, redactor });
  const audit = createAudit({ dir: path.join(dataDir, 'audit'), clock, log, redactor });
  try {
    const db = await openDatabase({
      dataDir,
      isReadOnly: access.isReadOnly,
      newId: randomUUID,
      nowMs: clock.nowMs(),
      crashPoints: noCrashPoints,
    });
    const settings = createSettings({
      path: path.join(dataDir, 'config.json'),
      storeClass: Conf as unknown as StoreClass,
      overrides: {},
      env: process.env,
      crashPoints: noCrashPoints,
      watch: false,
    });
    const rooms = createRooms({
      compose: {
        dataDir,
        mode: 'headless',
        flags: { noRestore: true, hidden: true, takeover: false, afterCrash: false },
        version: ownVersion,
        env: process.env,
      },
      db,
      clock,
      crashPoints: noCrashPoints,
      settings,
      log,
      audit,
      redactor,
      assertOwner: access.assertOwner,
      isReadOnly: access.isReadOnly,
      emit: () => undefined,
      phase: () => 'stopped',
      startedAtMs: lastStartedAtMs(db, clock),
      requestStop: () => undefined,
      isDraining: () => false,
    });
    return {
      holdfast: {
        call: (verb, input, origin) => callVerb(rooms.verbs, verb, input, origin),
        status: rooms.status,
        on: () => () => undefined,
      },
      async close() {
        await rooms.journal.close();
        db.close();
        await audit.close();
        settings.stop();
        access.release();
        log.close();
      },
    };
  } catch (error) {
    await audit.close();
    access.release();
    log.close();
    throw error;
  }
}

/** When the last run started: what a stopped status can say. */
function lastStartedAtMs(db: Database.Database, clock: Clock): number {
  return Number(db.prepare('SELECT max(started_at) FROM starts').pluck().get() ?? clock.nowMs());
}

/**
 * Wipes the work in flight after a dated backup; audit, settings and markers stay. S4-30.
 * @throws LOCK_HELD while Holdfast runs, NOTHING_TO_RESET on a folder without data
 */
export async function resetData(dataDir: string): Promise<{ readonly backupPath?: string }> {
  const lock = await acquireQuietly(dataDir);
  try {
    const clock = createSystemClock();
    const db = await openDatabase({
      dataDir,
      isReadOnly: false,
      newId: randomUUID,
      nowMs: clock.nowMs(),
      crashPoints: noCrashPoints,
    });
    try {
      return { backupPath: await wipe(db, { dataDir, nowMs: clock.nowMs() }) };
    } finally {
      db.close();
    }
  } finally {
    lock.release();
  }
}

export { lockPaths };
