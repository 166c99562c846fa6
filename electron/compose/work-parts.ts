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
      // Of engine/instance/restart-marker.ts.
      const { writeStartMarker } = await loadEngine();
      const { journal, reads } = need(run.rooms).core;
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
      await writeStopMarker(rooms.core, { startId, reason, restoreSkipped });
    },
  };
}

export function recoveryPart({ options, run }: Start): LifecyclePart {
  return {
    name: 'recovery decisions',
    async start() {
      // Of engine/recovery/recover-at-start.ts and engine/replies/restart-notice.ts.
      const { recoverAtStart, announceRestart } = await loadEngine();
      const { core, leftOpen, runners, outbound, setRestart } = need(run.rooms);
      const { startId } = run;
      const reason = need(run.restartReason);
      const restoreSkipped = options.flags.noRestore;
      const report = await recoverAtStart(
        { ...core, hasReply: leftOpen.hasReply },
        {
          ...leftOpen,
          scheduler: runners.scheduler,
          settlesItself: (agent) => leftOpen.agents.acpOf(agent) !== undefined,
        },
        {
          startId,
          isUnexpected: reason.kind !== 'first_start' && reason.isUnexpected,
          restoreSkipped,
        },
      );
      await announceRestart(
        { ...core, replies: outbound.replies, setRestart },
        { startId, reason, report, restoreSkipped },
      );
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
      outage.start();
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
      runners?.outage.stop();
      runners?.trials.stop();
      await runners?.scheduler.stop(Math.max(0, graceMs - 1_500));
      await runners?.share.stop(1_500);
      runners?.awake.stop();
      runners?.terminals.stop();
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
      events.emit('status.changed', undefined);
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
      events.emit('status.changed', undefined);
      await Promise.all([closed, options.desktop?.settlePages()]);
    },
  };
}
