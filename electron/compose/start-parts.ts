/** The first parts of a start: lock, socket, metrics, database, rooms, heartbeat. */
import path from 'node:path';
import { firstSettingsOf, tellFirstSettings } from '../adapters/config/first-settings';
import { createSettings } from '../adapters/config/settings';
import { lazyConf } from '../adapters/config/lazy-conf';
import { refuseWrongOverrides } from '../adapters/config/settings-changes';
import { problemTeller } from '../adapters/config/tell-problems';
import { argvMarker, createSystemInstanceLock } from '../adapters/instance/instance-lock';
import { prepareDataDir } from '../adapters/instance/data-dir';
import { createCrashNote } from '../adapters/instance/crash-note';
import { createOwnerHeartbeat } from '../adapters/instance/owner-heartbeat';
import { createAudit } from '../adapters/log/audit';
import { createLog } from '../adapters/log/log';
import { ownerBefore } from '../engine/instance/owner-before';
import { lockRules } from '../engine/instance/decide-lock';
import type { LifecyclePart } from '../lifecycle';
import { randomUUID } from 'node:crypto';
import type { Counters } from '../observability/counters';
import { hasUpdateNote } from '../adapters/updates/note-there';
import { fileInPlace } from '../adapters/sqlite/file-in-place';
import { letGo } from '../adapters/sqlite/read-probe';
import { writeForThisRunSync } from '../disk/durable-file';
import { writePortFile } from '../disk/port-file';
import { createObservability } from '../observability/observability';
import { type Run, type Start, need } from './run';

/** The engine's code. Loaded when D is ours: tray and window appear without waiting for it. */
export const loadEngine = () => import('./load-engine');

/** Whose D is: log and settings first, then the lock, or the instance that has it does the work. */
export function ownershipPart(start: Start): LifecyclePart {
  const { options, run } = start;
  return {
    name: 'data directory and instance lock',
    async start() {
      const { dataDir } = prepareDataDir(options.dataDir);
      const written = firstSettingsOf(options.firstSettings?.values, dataDir);
      openLogAndSettings(start, dataDir, written);
      const acquired = await acquireLock(start);
      if (acquired.kind === 'handed_over') return { kind: 'handed_over' };
      run.lock = acquired.lock;
      run.leftBehind = acquired.leftBehind;
      const before = ownerBefore(acquired);
      if (before !== undefined) run.log?.warn(before.event, before.facts);
      const audit = createAudit({
        dir: path.join(dataDir, 'audit'),
        clock: start.clock,
        log: need(run.log),
        redactor: start.redactor,
      });
      run.audit = audit;
      audit.record('start', { version: options.version, mode: options.mode, pid: process.pid });
      tellFirstSettings(written, {
        settings: need(run.settings),
        audit,
        onWritten: (key) => options.firstSettings?.onWritten(key),
      });
      handToDesktop(start);
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
  };
}

function openLogAndSettings(
  start: Start,
  dataDir: string,
  initial: Readonly<Record<string, unknown>> | undefined,
): void {
  const { options, run, clock, crashPoints, redactor } = start;
  const overrides = options.overrides ?? {};
  refuseWrongOverrides(overrides);
  run.log = createLog({ dir: path.join(dataDir, 'logs'), level: 'info', clock, redactor });
  run.settings = createSettings({
    path: path.join(dataDir, 'config.json'),
    storeClass: options.desktop?.storeClass ?? lazyConf,
    overrides,
    ...(initial === undefined ? {} : { initial }),
    env: options.env,
    crashPoints,
    watch: true,
  });
}

function acquireLock({ options, run, clock, crashPoints, ...start }: Start) {
  const conflict = need(run.settings).get('instance.on_conflict');
  const lock = createSystemInstanceLock({ rules: lockRules, clock, crashPoints });
  return lock.acquire({
    dataDir: options.dataDir,
    mode: options.mode === 'app' ? 'gui' : 'headless',
    takeover: options.flags.takeover,
    // The restart helper must not disturb the current owner of the data directory.
    onConflict: options.flags.afterCrash ? 'refuse' : conflict === 'auto' ? null : conflict,
    version: options.version,
    socketPath: start.socketPath,
    tokenPath: start.tokenPath,
    argvMarker: argvMarker(),
    beganAtMs: start.startedAtMs,
    async askHolder(address, token, verb, timeoutMs) {
      const { askHolder } = await import('../control/ask-holder');
      return askHolder(address, token, verb, timeoutMs, options.link);
    },
  });
}

function handToDesktop({ options, run, holdfast, redactor }: Start): void {
  options.desktop?.owned({
    holdfast,
    settings: need(run.settings),
    log: need(run.log),
    audit: need(run.audit),
    hideSecrets: (text) => redactor.redactText(text),
    woke() {
      if (run.phase !== 'running' || run.rooms === undefined) return;
      run.rooms.intake.schedule.loop.resumed();
      run.rooms.runners.outage.probeSoon(true);
    },
    tellAnswers() {
      if (run.phase === 'running') run.rooms?.outbound.replies.flush();
    },
  });
}

export function crashNotePart({ options, run, clock, redactor }: Start): LifecyclePart {
  const note = createCrashNote({
    dataDir: options.dataDir,
    instanceId: () => run.lock?.instanceId,
    clock,
    log: () => run.log,
    hideSecrets: (text) => redactor.redactText(text),
  });
  return { name: 'crash note', ...note };
}

export function controlPart({ options, run, ...start }: Start): LifecyclePart {
  return {
    name: 'control socket',
    async start() {
      const { createControlServer } = await loadEngine();
      const server = createControlServer({
        socketPath: start.socketPath,
        tokenPath: start.tokenPath,
        holdfast: start.holdfast,
        log: need(run.log),
        version: options.version,
      });
      this.stop = () => server.stop();
      need(run.lock).announce(await server.start());
    },
  };
}

export function databasePart(start: Start): LifecyclePart {
  const { options, run, clock, crashPoints } = start;
  return {
    name: 'database: version check, backup, migration',
    async start() {
      const { openDatabase } = await loadEngine();
      const lock = need(run.lock);
      if (hasUpdateNote(options.dataDir)) {
        const { afterUpdateOf, beginAfterUpdate } = await import('./update-start');
        await beginAfterUpdate(afterUpdateOf(start));
      }
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
      // Later queries get what is known without the database.
      run.rooms = undefined;
      const { db } = run;
      db?.close();
      if (db !== undefined) letGo(db.name);
    },
  };
}

export function roomsPart(start: Start): LifecyclePart {
  const { options, run } = start;
  let isEnding = false;
  return {
    name: 'rooms',
    async start() {
      const { createRooms } = await loadEngine();
      const assertInPlace = fileInPlace(need(run.db));
      run.rooms = createRooms({
        compose: options,
        settings: need(run.settings),
        db: need(run.db),
        clock: start.clock,
        crashPoints: start.crashPoints,
        redactor: start.redactor,
        records: { log: need(run.log), audit: need(run.audit) },
        life: {
          assertOwner: () => {
            try {
              need(run.lock).assertStillOwner();
              assertInPlace();
            } catch (error) {
              // Nothing can be written from here on: end now, not at the next heartbeat. S2-47
              if (!isEnding) endWithoutLock(start, error);
              isEnding = true;
              throw error;
            }
          },
          isReadOnly: false,
          phase: () => run.phase,
          pid: process.pid,
          startedAtMs: start.startedAtMs,
          requestStop: (reason) => {
            // After the answer to the caller is on its way.
            setImmediate(() => {
              start.stop(reason);
            });
          },
          draining: run.draining.signal,
          ports: run.ports,
        },
        emit: start.events.emit,
      });
    },
    async stop() {
      run.rooms?.outbound.replies.stop();
      await run.rooms?.core.journal.close();
    },
  };
}

export function lightCheckPart({ run }: Start): LifecyclePart {
  return {
    name: 'light integrity check',
    async start() {
      const { isFoldBehind } = await loadEngine();
      if (!isFoldBehind(need(run.db))) return;
      const rows = need(run.rooms).core.journal.refold();
      need(run.audit).record('tables_rebuilt', { rows });
    },
  };
}

/** Adapters that follow the journal and the settings from here on. */
export function adaptersPart({ run, events }: Start, counters: Counters): LifecyclePart {
  return {
    name: 'adapters',
    start() {
      const { core, intake } = need(run.rooms);
      const { journal, reads } = core;
      const settings = need(run.settings);
      const log = need(run.log);
      const tellProblems = problemTeller(settings, need(run.audit));
      tellProblems();
      events.follow({ journal, reads, schedule: intake.schedule });
      if (settings.get('observability.enabled')) {
        journal.onCommitted((entries) => {
          counters.take(entries);
        });
      }
      log.setLevel(settings.get('log.level'));
      settings.onChange((keys) => {
        log.setLevel(settings.get('log.level'));
        tellProblems();
        events.emit('config.changed', { keys: [...keys] });
        events.emit('status.changed', undefined);
      });
    },
  };
}

function endWithoutLock({ run, stop }: Start, error: unknown): void {
  run.log?.error('lock.lost', { error });
  // The caller of the write gets its error first.
  setImmediate(() => {
    stop('crash');
  });
}

export function heartbeatPart(start: Start): LifecyclePart {
  const heartbeat = createOwnerHeartbeat({
    lock: () => need(start.run.lock),
    onLost: (error) => {
      endWithoutLock(start, error);
    },
  });
  return { name: 'owner heartbeat', ...heartbeat };
}

export function observabilityPart(start: Start, counters: Counters): LifecyclePart {
  const { options, run, events, holdfast } = start;
  const observability = createObservability({
    version: options.version,
    dataDir: options.dataDir,
    settings: () => need(run.settings),
    log: () => need(run.log),
    counters,
    status: () => holdfast.status(),
    engine: () => run.rooms && { ...run.rooms.core, ...run.rooms.intake, verbs: run.rooms.verbs },
    agents: () => agentsOf(run),
    loadLoopback: async () =>
      (await import('../adapters/loopback/read-only-server')).readOnlyServer(),
    writePrivately: writeForThisRunSync,
    publish: (which, port) => writePortFile(options.dataDir, which, port),
    ports: run.ports,
    onListening: () => {
      events.emit('status.changed', undefined);
    },
  });
  return { name: 'health and metrics', ...observability };
}

/** How many can take a turn now. */
const agentsOf = ({ phase, rooms }: Run): number =>
  phase === 'running' ? (rooms?.leftOpen.agents.names().length ?? 0) : 0;
