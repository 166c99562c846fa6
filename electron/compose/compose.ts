import path from 'node:path';
import { createRedactor } from '../../shared/redact';
import { durationMs } from '../../shared/settings';
import { createSystemClock } from '../adapters/clock/system-clock';
import { sweepLeftOver } from '../adapters/instance/data-dir';
import { withDamageNamedAtStart } from '../adapters/sqlite/damage';
import { tellReadError } from '../adapters/sqlite/read-failures';
import type { ComposeOptions, Composition } from './options';
import { createEvents } from '../engine/api/events';
import { createFacade, startingSnapshot } from '../engine/api/create-facade';
import { need, newRun, type Start } from './run';
import {
  adaptersPart,
  controlPart,
  crashNotePart,
  databasePart,
  heartbeatPart,
  lightCheckPart,
  observabilityPart,
  ownershipPart,
  roomsPart,
} from './start-parts';
import { intakePart, recoveryPart, restartMarkerPart, turnRunnersPart } from './work-parts';
import { controlSocketPath, controlTokenPath } from '../control/address';
import { noCrashPoints } from '../engine/kernel/crash-points';
import { createLifecycle, type LifecyclePart } from '../lifecycle';
import { createCounters, type Counters } from '../observability/counters';

export type { ComposeOptions, Composition } from './options';

/**
 * The composition root: the only place that constructs adapters and rooms, for the app, headless
 * and tests alike. Nothing happens until `lifecycle.start()`. Start order: S0-+06.
 */
export function compose(options: ComposeOptions): Composition {
  const clock = options.clock ?? createSystemClock();
  const crashPoints = options.crashPoints ?? noCrashPoints;
  const startedAtMs = clock.nowMs();
  const run = newRun();
  const events = createEvents(clock, () => run.rooms?.status());
  const holdfast = createFacade({
    phase: () => run.phase,
    rooms: () => run.rooms,
    starting: () =>
      startingSnapshot(
        {
          phase: run.phase,
          version: options.version,
          pid: process.pid,
          dataDir: options.dataDir,
          startedAtMs,
          nowMs: clock.nowMs(),
        },
        options.flags.noRestore,
      ),
    on: events.on,
    loadContract: async () => (await import('../../shared/contract')).VERBS,
    named: (error) =>
      tellReadError(error, run.db?.name ?? 'the database', run.rooms?.core.readFailures),
  });
  const counters = createCounters({
    monotonicMs: () => clock.monotonicMs(),
    agentOf: (turnId) => run.rooms?.core.reads.turn(turnId)?.agent,
  });
  const start: Start = {
    options,
    run,
    clock,
    crashPoints,
    redactor: createRedactor(),
    events,
    holdfast,
    startedAtMs,
    socketPath: controlSocketPath(options.dataDir, options.env, process.platform),
    tokenPath: controlTokenPath(options.dataDir, process.platform),
    stop: (reason) => void lifecycle.stop(reason),
  };

  const lifecycle = createLifecycle({
    parts: startOrder(start, counters),
    clock,
    log: () => run.log,
    audit: () => run.audit,
    graceMs: () =>
      run.settings === undefined ? 5_000 : durationMs(run.settings.get('shutdown.grace')),
    beforeStop: (reason) => {
      options.desktop?.disarmRelaunch();
      try {
        // First of all, so that the next start recognizes an interrupted stop.
        run.lock?.setPhase('stopping', reason);
      } catch {
        // robbed of the lock, or of the disk: the record stays as it is
      }
    },
  });
  return {
    holdfast,
    lifecycle: {
      ...lifecycle,
      // A newcomer without a socket to ask sends SIGTERM, which carries no reason: its note does.
      // It waits 5 s, so this stop has a takeover's time limit and counts as one. S2-42, R15
      stop: (reason) =>
        lifecycle.stop(reason === 'stop' && run.lock?.takeoverNote() != null ? 'takeover' : reason),
      start: () =>
        lifecycle.start().catch((error: unknown) => {
          throw withDamageNamedAtStart(error, path.join(options.dataDir, 'holdfast.db'));
        }),
    },
  };
}

/**
 * Lifecycle parts in start order; stopped in reverse. A part that does more than call a room is in
 * start-parts.ts or work-parts.ts.
 */
function startOrder(start: Start, counters: Counters): readonly LifecyclePart[] {
  const { options, run, clock } = start;
  const rooms = () => need(run.rooms);
  return [
    ownershipPart(start),
    crashNotePart(start),
    controlPart(start),
    observabilityPart(start, counters),
    databasePart(start),
    roomsPart(start),
    lightCheckPart(start),
    adaptersPart(start, counters),
    restartMarkerPart(start),
    recoveryPart(start),
    // Before the runners: missed runs enter the queue in order.
    { name: 'catching up', start: () => rooms().intake.schedule.catchUp() },
    heartbeatPart(start),
    {
      name: 'upkeep',
      start() {
        void sweepLeftOver(options.dataDir, clock.nowMs());
        rooms().followers.upkeep.start();
      },
      stop: () => run.rooms?.followers.upkeep.stop(),
    },
    {
      // They follow the journal from afar: entries go in while no turn runs, spans are sent.
      name: 'search index, traces',
      start: () => rooms().followers.search.start(),
      async stop() {
        run.rooms?.followers.search.stop();
        await run.rooms?.followers.traces.stop();
      },
    },
    {
      // Connects in the background: a broker that is down holds up no start. It stops after the turns, whose last
      // events go out or stay on disk.
      name: 'event delivery',
      start: () => rooms().outbound.outbox.start(),
      stop: () => run.rooms?.outbound.outbox.stop(),
    },
    {
      // Servers start when the engine runs, or with the first turn that needs one, browsers with a call.
      name: 'MCP servers, browsers',
      async stop(_reason, graceMs) {
        const programs = run.rooms?.programs;
        await Promise.all([programs?.mcp.stop(graceMs), programs?.browsers.stop(graceMs)]);
      },
    },
    turnRunnersPart(start),
    { name: 'drain of accepted answers', start: () => rooms().outbound.replies.flush() },
    {
      // External clients: open from when turns run until the shutdown starts.
      name: 'gateway',
      start: () => rooms().gateway.start(),
      stop: () => run.rooms?.gateway.stop(),
    },
    intakePart(start),
  ];
}
