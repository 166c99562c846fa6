/**
 * The parts of a start that do the work: first what was left open, then the turns, then intake.
 */
import { createSystemProcessTable } from '../adapters/instance/process-table';
import type { LifecyclePart } from '../lifecycle';
import { hasUpdateNote } from '../adapters/updates/note-there';
import { takeLastEntry } from '../adapters/instance/last-entry';
import { type Start, need } from './run';
import { loadEngine } from './start-parts';

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
      if (hasUpdateNote(options.dataDir)) {
        const { afterUpdateOf, endUpdate } = await import('./update-start');
        endUpdate(afterUpdateOf(start));
      }
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
