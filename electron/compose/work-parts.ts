/**
 * The parts of a start that do the work: first what was left open, then the turns, then intake; and
 * upkeep.
 */
import { createSystemProcessTable } from '../adapters/instance';
import { sweepLeftOver } from '../adapters/instance/data-dir';
import { every } from '../adapters/cron/cron-ticks';
import { openItem } from '../engine/inbox/entries';
import { damageFound, isMaintenanceDue } from '../engine/journal/maintenance';
import type { LifecyclePart } from '../lifecycle';
import { takeLastEntry } from '../adapters/instance/last-entry';
import type { ComposeOptions } from './options';
import type { Clock } from '../ports/clock';
import type { JournalEntry } from '../ports/journal/entries';
import { watchDir } from '../data-dir';

import { type Run, type Start, need } from './run';
import { hasUpdateNote, loadEngine } from './start-parts';

export function restartMarkerPart({ options, run, clock, crashPoints }: Start): LifecyclePart {
  const processes = createSystemProcessTable();
  return {
    name: 'notices: restart marker',
    async start() {
      const { writeStartMarker } = await loadEngine();
      const { journal, reads } = need(run.rooms).core.disk;
      const marker = await writeStartMarker(
        { journal, reads, clock, crashPoints },
        {
          machine: await processes.machine(),
          version: options.version,
          instanceId: need(run.lock).instanceId,
          leftBehind: need(run.leftBehind),
          lastEntryAtMs: takeLastEntry(options.dataDir),
        },
      );
      run.restartReason = marker.reason;
      run.startId = marker.startId;
    },
    async stop(reason) {
      const { rooms, startId } = run;
      if (rooms === undefined || startId === 0 || reason === 'crash') return;
      const { writeStopMarker } = await loadEngine();
      const { restoreSkipped } = rooms.status().recovery;
      await writeStopMarker(
        { ...rooms.core.disk, ...rooms.core.world },
        { startId, reason, restoreSkipped },
      );
    },
  };
}

export function recoveryPart({ options, run, events }: Start): LifecyclePart {
  return {
    name: 'recovery decisions',
    async start() {
      const { recover } = await loadEngine();
      await recover(options, run, events);
    },
  };
}

/** Runs before the runners start: missed runs enter the queue in order. */
export function catchUpPart({ run }: Start): LifecyclePart {
  return {
    name: 'catching up',
    async start() {
      await need(run.rooms).intake.schedule.catchUp();
    },
  };
}

/**
 * Connects in the background: a broker that is down holds up no start. It stops after the turns,
 * whose last events go out or stay on disk.
 */
export function deliveryPart({ run }: Start): LifecyclePart {
  return {
    name: 'event delivery',
    start() {
      need(run.rooms).outbound.delivery.start();
    },
    async stop() {
      await run.rooms?.outbound.delivery.stop();
    },
  };
}

/**
 * Servers start when the engine runs, or with the first turn that needs one, browsers with a call;
 * they stop when the turns have stopped.
 */
export function toolProgramsPart({ run }: Start): LifecyclePart {
  return {
    name: 'MCP servers, browsers',
    async stop(_reason, graceMs) {
      const programs = run.rooms?.programs;
      await Promise.all([programs?.mcp.stop(graceMs), programs?.browsers.stop(graceMs)]);
    },
  };
}

export function turnRunnersPart({ run }: Start): LifecyclePart {
  return {
    name: 'turn runners',
    start() {
      const { awake, budgets, fallback, outage, terminals, trials, scheduler } = need(
        run.rooms,
      ).runners;
      outage.room.start();
      trials.start();
      scheduler.start();
      awake.start();
      budgets.start();
      fallback.start();
      terminals.start();
    },
    async stop(_reason, graceMs) {
      run.draining.abort();
      const runners = run.rooms?.runners;
      runners?.share.beginStop();
      runners?.outage.room.stop();
      runners?.trials.stop();
      await runners?.scheduler.stop(Math.max(0, graceMs - 1_500));
      await runners?.share.stop(1_500);
      runners?.awake.stop();
      runners?.terminals.stop();
    },
  };
}

export function answersPart({ run }: Start): LifecyclePart {
  return {
    name: 'drain of accepted answers',
    start() {
      need(run.rooms).outbound.deliveries.flush();
    },
  };
}

/** External clients: open from when turns run until the shutdown starts. */
export function gatewayPart({ run }: Start): LifecyclePart {
  return {
    name: 'gateway',
    start() {
      need(run.rooms).gateway.start();
    },
    async stop() {
      await run.rooms?.gateway.stop();
    },
  };
}

export function intakePart(start: Start): LifecyclePart {
  const { options, run, events } = start;
  return {
    name: 'intake',
    async start() {
      const { intake, programs, runners } = need(run.rooms);
      intake.sessions.open();
      intake.channels.start((name) => ({
        ...intake.inbound.of(name),
        press: (press) => intake.answers.press(name, press),
        answer: (signed) => intake.answers.signed(name, signed),
        look: (signed) => intake.answers.look(name, signed),
        command: (command) => intake.command(name, command),
      }));
      intake.wakes.start();
      intake.schedule.start();
      run.phase = 'running';
      need(run.lock).setPhase('running');
      programs.mcp.start();
      runners.share.start();
      // The last stage of a start: a new version is up.
      if (hasUpdateNote(options.dataDir)) (await import('./update-start')).endUpdate(start);
      intake.updates.start();
      need(run.rooms).hosts.start();
      events.emit('status.changed', undefined as never);
    },
    async stop() {
      run.phase = 'stopping';
      const intake = run.rooms?.intake;
      intake?.updates.stop();
      run.rooms?.hosts.stop();
      const closed = intake?.channels.stop();
      intake?.wakes.stop();
      intake?.schedule.stop();
      intake?.sessions.close();
      events.emit('status.changed', undefined as never);
      await Promise.all([closed, options.desktop?.settlePages()]);
    },
  };
}

/** What follows the journal from afar: search takes its entries in while no turn runs, traces are sent. */
export function followersPart({ run }: Start): LifecyclePart {
  return {
    name: 'search index, traces',
    start() {
      need(run.rooms).followers.search.start();
    },
    async stop() {
      run.rooms?.followers.search.stop();
      await run.rooms?.followers.traces.stop();
    },
  };
}

/** After the start the disk is left alone for a while. */
const FIRST_MAINTENANCE_MS = 60_000;
/**
 * The scheduler skips late runs: a daily run would never happen on a computer that sleeps at night.
 */
const HOURLY = '17 * * * *';

/** Retention, unreferenced large results, and the full integrity check, while idle. */
export function maintenancePart(
  options: ComposeOptions,
  run: Run,
  clock: Clock,
  crashPoints: NonNullable<ComposeOptions['crashPoints']>,
): LifecyclePart {
  const abort = new AbortController();
  const upkeep = async (): Promise<void> => {
    const maintenance = await import('../adapters/sqlite/maintenance');
    const { createSessionErasure } = await import('../adapters/sqlite/erase-sessions');
    const db = need(run.db);
    const { core, leftOpen, programs } = need(run.rooms);
    const { blobs, journal, reads } = core.disk;
    const days = need(run.settings).get('resilience.recovery.retention_days');
    const old = {
      beforeMs: clock.nowMs() - days * 86_400_000,
      commit: (entries: readonly JournalEntry[]) => journal.commit(entries),
      crashPoints,
      pause: () => clock.sleep(20, abort.signal).catch(() => undefined),
      signal: abort.signal,
    };
    const pruned = await maintenance.pruneClosedTurns(db, old);
    // What a crash left of a deleted session.
    await createSessionErasure(db, old.commit).erase();
    await maintenance.pruneOutages(db, old);
    await maintenance.pruneBreakers(db, old);
    await maintenance.giveBackSpace(db, old);
    const isUsed = await maintenance.usedBlobs(db, old);
    if (abort.signal.aborted) return;
    const swept = await blobs.sweep(
      {
        isUsed,
        isOver: (turnId) => reads.turn(turnId)?.endedAtMs !== undefined,
      },
      100,
    );
    await leftOpen.drafts.sweep(clock.nowMs() - days * 86_400_000);
    const { pruneWatched } = await import('../adapters/command/watched');
    await pruneWatched(watchDir(options.dataDir), clock.nowMs() - days * 86_400_000);
    await programs.browsers.prune(clock.nowMs() - days * 86_400_000);
    const integrity = await maintenance.checkIntegrity(options.dataDir);
    need(run.audit).record('upkeep', { pruned, swept, isOk: integrity.isOk });
    if (integrity.isOk) return;
    await journal.commit([openItem(journal.allocate('inbox'), 'problem', damageFound(integrity))]);
  };
  const guarded = (): void => {
    upkeep().catch((error: unknown) => {
      if (!abort.signal.aborted) run.log?.error('upkeep.failed', { error });
    });
  };
  return {
    name: 'upkeep',
    start() {
      void sweepLeftOver(options.dataDir, clock.nowMs());
      let tick: { stop(): void } | undefined;
      let lastMs = clock.nowMs();
      const look = (): void => {
        const nowMs = clock.nowMs();
        if (!isMaintenanceDue({ lastMs, nowMs, hour: new Date(nowMs).getHours() })) return;
        lastMs = nowMs;
        guarded();
      };
      const first = setTimeout(() => {
        guarded();
        tick = every(HOURLY, look);
      }, FIRST_MAINTENANCE_MS);
      first.unref();
      this.stop = () => {
        abort.abort();
        clearTimeout(first);
        tick?.stop();
      };
    },
  };
}
