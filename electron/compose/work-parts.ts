/** The parts of a start that do the work: first what was left open, then the turns, then intake. */
import { createSystemProcessTable } from '../adapters/instance';
import type { LifecyclePart } from '../lifecycle';
import { need } from './run';
import { loadEngine, type Start } from './start';
import { takeLastEntry } from '../adapters/instance/last-entry';

export function restartMarkerPart({ options, run, clock, crashPoints }: Start): LifecyclePart {
  const processes = createSystemProcessTable();
  return {
    name: 'notices: restart marker',
    async start() {
      const { writeStartMarker } = await loadEngine();
      const { journal, reads } = need(run.rooms);
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
      await writeStopMarker({ ...rooms, crashPoints }, { startId, reason, restoreSkipped });
    },
  };
}

export function recoveryPart({ options, run, clock, crashPoints, events }: Start): LifecyclePart {
  return {
    name: 'recovery decisions',
    async start() {
      const { recover } = await loadEngine();
      await recover(options, run, clock, crashPoints, events);
    },
  };
}

/** Decided before the runners start: what was missed is in their queue in its order. */
export function catchUpPart({ run }: Start): LifecyclePart {
  return {
    name: 'catching up',
    async start() {
      await need(run.rooms).schedule.catchUp();
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
      need(run.rooms).delivery.start();
    },
    async stop() {
      await run.rooms?.delivery.stop();
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
      await Promise.all([run.rooms?.mcp.stop(graceMs), run.rooms?.browsers.stop(graceMs)]);
    },
  };
}

export function turnRunnersPart({ run }: Start): LifecyclePart {
  return {
    name: 'turn runners',
    start() {
      const { outage, trials, scheduler } = need(run.rooms);
      outage.room.start();
      trials.start();
      scheduler.start();
    },
    async stop(_reason, graceMs) {
      run.draining.abort();
      run.rooms?.outage.room.stop();
      run.rooms?.trials.stop();
      await run.rooms?.scheduler.stop(Math.max(0, graceMs - 1_500));
    },
  };
}

export function answersPart({ run }: Start): LifecyclePart {
  return {
    name: 'drain of accepted answers',
    start() {
      need(run.rooms).deliveries.flush();
    },
  };
}

/** Clients of other programs: from when turns run until the stop begins. */
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

export function intakePart({ options, run, events }: Start): LifecyclePart {
  return {
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
    async stop() {
      run.phase = 'stopping';
      const closed = run.rooms?.channels.stop();
      run.rooms?.wakes.stop();
      run.rooms?.schedule.stop();
      run.rooms?.sessions.close();
      events.emit('status.changed', undefined as never);
      await Promise.all([closed, options.desktop?.settlePages()]);
    },
  };
}
