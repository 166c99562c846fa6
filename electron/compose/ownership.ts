import path from 'node:path';
import { createSettings, lazyConf, refuseWrongOverrides } from '../adapters/config';
import { createSystemInstanceLock, prepareDataDir } from '../adapters/instance';
import { createAudit } from '../adapters/log/audit';
import { createLog } from '../adapters/log/log';
import { lockRules } from '../engine/instance';
import type { LifecyclePart } from '../lifecycle';
import type { AcquireResult } from '../ports/instance-lock';
import type { Log } from '../ports/log';
import { argvMarker, need } from './run';
import type { Start } from './start';

/** Whose D is: log and settings first, then the lock, or the instance that has it does the work. */
export function ownershipPart(start: Start): LifecyclePart {
  const { options, run } = start;
  return {
    name: 'data directory and instance lock',
    async start() {
      const { dataDir } = prepareDataDir(options.dataDir);
      openLogAndSettings(start, dataDir);
      const acquired = await acquireLock(start);
      if (acquired.kind === 'handed_over') return { kind: 'handed_over' };
      run.lock = acquired.lock;
      run.leftBehind = acquired.leftBehind;
      noteWhoWasHere(need(run.log), acquired);
      const audit = createAudit({
        dir: path.join(dataDir, 'audit'),
        clock: start.clock,
        log: need(run.log),
        redactor: start.redactor,
      });
      run.audit = audit;
      audit.record('start', { version: options.version, mode: options.mode, pid: process.pid });
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

/** Whom this start replaced, or whose lock lay here although nobody held it any more. S2-41, S2-44 */
function noteWhoWasHere(log: Log, acquired: Extract<AcquireResult, { kind: 'acquired' }>): void {
  const { replaced, leftBehind } = acquired;
  if (replaced !== null) {
    const { pid, version, how, waitedMs } = replaced;
    log.warn('lock.taken_over', { pid, version, how, waitedMs });
    return;
  }
  const { content } = leftBehind;
  switch (content.kind) {
    case 'absent':
      return;
    case 'record': {
      const { pid, phase, startedAtMs } = content.record;
      log.warn('lock.stale', { content: content.kind, pid, phase, startedAtMs });
      return;
    }
    case 'bare_pid':
      log.warn('lock.stale', { content: content.kind, pid: content.pid });
      return;
    case 'unreadable':
      log.warn('lock.stale', { content: content.kind, reason: content.reason });
  }
}

function openLogAndSettings(start: Start, dataDir: string): void {
  const { options, run, clock, crashPoints, redactor } = start;
  const overrides = options.overrides ?? {};
  refuseWrongOverrides(overrides);
  run.log = createLog({ dir: path.join(dataDir, 'logs'), level: 'info', clock, redactor });
  run.settings = createSettings({
    path: path.join(dataDir, 'config.json'),
    storeClass: options.desktop?.storeClass ?? lazyConf,
    overrides,
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
    // The helper that starts the app again must not disturb whoever owns D by now.
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

function handToDesktop({ options, run, holdfast }: Start): void {
  options.desktop?.owned({
    holdfast,
    settings: need(run.settings),
    log: need(run.log),
    audit: need(run.audit),
    woke() {
      if (run.phase !== 'running' || run.rooms === undefined) return;
      run.rooms.schedule.loop.resumed();
      run.rooms.outage.room.nudge(true);
    },
    tellAnswers() {
      if (run.phase === 'running') run.rooms?.deliveries.flush();
    },
  });
}
