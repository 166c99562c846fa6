import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { createRedactor } from '../shared/redact';
import { durationMs } from '../shared/settings';
import { createSystemClock } from './adapters/clock';
import { createSettings, lazyConf } from './adapters/config';
import {
  createSystemInstanceLock,
  createSystemProcessTable,
  prepareDataDir,
} from './adapters/lock';
import { createAudit, createLog } from './adapters/log';
import type { ComposeOptions, Composition } from './compose-options';
import { crashNotePart } from './composition/crash-note';
import { createEvents, createFacade, startingSnapshot } from './composition/events';
import { argvMarker, need, type Run } from './composition/run';
import type { OpenedData } from './composition/stopped-data';
import { observabilityPart } from './composition/observability';
import type * as tryOut from './composition/try-out';
import { upkeepPart } from './composition/upkeep';
import { controlSocketPath, controlTokenPath } from './control/address';
import { noCrashPoints } from './engine/kernel/crash-points';
import { lockRules } from './engine/lockfile';
import { createTally } from './observability/tally';
import { createLifecycle, type LifecyclePart } from './lifecycle';

export type { OpenedData } from './composition/stopped-data';
export type { ComposeOptions, Composition } from './compose-options';

const ALIVE_EVERY_MS = 30_000;

/** The engine's code. Loaded when D is ours: tray and window appear without waiting for it. */
const loadHouse = () => import('./composition/house');
const loadStoppedData = () => import('./composition/stopped-data');

export const openReadOnly = async (dataDir: string): Promise<OpenedData> =>
  (await loadStoppedData()).openReadOnly(dataDir);
type TryOut = typeof tryOut;
const loadTryOut = (): Promise<TryOut> => import('./composition/try-out');

export const trySchedule: TryOut['trySchedule'] = async (input, nowMs) =>
  (await loadTryOut()).trySchedule(input, nowMs);
export const tryGuard: TryOut['tryGuard'] = async (command, env) =>
  (await loadTryOut()).tryGuard(command, env);
export const openForDecision = async (dataDir: string): Promise<OpenedData> =>
  (await loadStoppedData()).openForDecision(dataDir);
export const resetData = async (dataDir: string): Promise<{ readonly backupPath?: string }> =>
  (await loadStoppedData()).resetData(dataDir);

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
    ports: {},
  };
  const events = createEvents(clock, () => run.rooms?.status());
  const holdfast = createFacade(run, events, () =>
    startingSnapshot(options, run, startedAtMs, clock),
  );
  const tally = createTally({
    monotonicMs: () => clock.monotonicMs(),
    agentOf: (turnId) => run.rooms?.reads.turn(turnId)?.agent,
  });
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
          storeClass: options.desktop?.storeClass ?? lazyConf,
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
          async askHolder(address, token, verb, timeoutMs) {
            const { askHolder } = await import('./control/ask-holder');
            return askHolder(address, token, verb, timeoutMs, options.link);
          },
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
        const { settings, log, audit } = run;
        options.desktop?.owned({
          holdfast,
          settings,
          log,
          audit,
          woke() {
            if (run.phase !== 'running' || run.rooms === undefined) return;
            run.rooms.schedule.loop.resumed();
            run.rooms.outage.room.nudge(true);
          },
          tellAnswers() {
            if (run.phase === 'running') run.rooms?.deliveries.flush();
          },
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
        const { createControlServer } = await loadHouse();
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
    observabilityPart(options, {
      run,
      clock,
      tally,
      status: () => holdfast.status(),
      onChange: () => {
        events.emit('status.changed', undefined as never);
      },
    }),
    {
      name: 'database: version check, backup, migration',
      async start() {
        const { openDatabase } = await loadHouse();
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
        // Who still asks is told what is known without the database.
        run.rooms = undefined;
        run.db?.close();
      },
    },
    {
      name: 'rooms',
      async start() {
        const { createRooms } = await loadHouse();
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
          ports: run.ports,
        });
      },
      async stop() {
        run.rooms?.deliveries.stop();
        await run.rooms?.journal.close();
      },
    },
    {
      name: 'light integrity check',
      async start() {
        const rooms = need(run.rooms);
        const { isFoldBehind } = await loadHouse();
        if (!isFoldBehind(need(run.db))) return;
        const rows = rooms.journal.refold();
        need(run.audit).record('tables_rebuilt', { rows });
      },
    },
    {
      name: 'adapters',
      start() {
        events.follow(need(run.rooms));
        const settings = need(run.settings);
        if (settings.get('observability.enabled')) {
          need(run.rooms).journal.onCommitted((entries) => {
            tally.take(entries);
          });
        }
        need(run.log).setLevel(settings.get('log.level'));
        settings.onChange((keys) => {
          need(run.log).setLevel(settings.get('log.level'));
          events.emit('config.changed', { keys: [...keys] } as never);
          events.emit('status.changed', undefined as never);
        });
      },
    },
    {
      name: 'notices: restart marker',
      async start() {
        const { writeStartMarker } = await loadHouse();
        await writeStartMarker(options, run, clock, crashPoints, await processes.machine());
      },
      async stop(reason) {
        const { writeStopMarker } = await loadHouse();
        await writeStopMarker(run, reason, crashPoints);
      },
    },
    {
      name: 'recovery decisions',
      async start() {
        const { recover } = await loadHouse();
        await recover(options, run, clock, crashPoints, events);
      },
    },
    {
      // Decided before the runners start: what was missed is in their queue in its order.
      name: 'catching up',
      async start() {
        await need(run.rooms).schedule.loop.catchUp();
      },
    },
    {
      name: 'sign of life',
      start() {
        const beat = (): void => {
          need(run.lock)
            .touchAlive()
            .catch((error: unknown) => {
              need(run.log).error('lock.lost', { error });
              void lifecycle.stop('crash');
            });
        };
        const timer = setInterval(beat, ALIVE_EVERY_MS);
        timer.unref();
        beat();
        this.stop = () => {
          clearInterval(timer);
        };
      },
    },
    upkeepPart(options, run, clock, crashPoints),
    {
      // Connects in the background: a broker that is down holds up no start. It stops after the turns,
      // whose last events go out or stay on disk.
      name: 'event delivery',
      start() {
        need(run.rooms).delivery.start();
      },
      async stop() {
        await run.rooms?.delivery.stop();
      },
    },
    {
      // Servers start when the engine runs, or with the first turn that needs one, browsers with a
      // call; they stop when the turns have stopped.
      name: 'MCP servers, browsers',
      async stop(_reason, graceMs) {
        await Promise.all([run.rooms?.mcp.stop(graceMs), run.rooms?.browsers.stop(graceMs)]);
      },
    },
    {
      name: 'turn runners',
      start() {
        need(run.rooms).outage.room.start();
        need(run.rooms).trials.start();
        need(run.rooms).scheduler.start();
      },
      async stop(_reason, graceMs) {
        run.isDraining = true;
        run.rooms?.outage.room.stop();
        run.rooms?.trials.stop();
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
      // Clients of other programs: from when turns run until the stop begins.
      name: 'gateway',
      start() {
        need(run.rooms).gateway.start();
      },
      async stop() {
        await run.rooms?.gateway.stop();
      },
    },
    {
      name: 'intake',
      start() {
        const rooms = need(run.rooms);
        rooms.sessions.open();
        rooms.channels.start((name) => rooms.inbound.of(name));
        rooms.wakes.start();
        rooms.schedule.start();
        run.phase = 'running';
        need(run.lock).setPhase('running');
        rooms.mcp.start();
        events.emit('status.changed', undefined as never);
      },
      stop(reason) {
        run.phase = 'stopping';
        try {
          run.lock?.setPhase('stopping', reason);
        } catch {
          // robbed of the lock: the new owner's record stays as it is
        }
        const closed = run.rooms?.channels.stop();
        run.rooms?.wakes.stop();
        run.rooms?.schedule.stop();
        run.rooms?.sessions.close();
        events.emit('status.changed', undefined as never);
        return closed;
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
