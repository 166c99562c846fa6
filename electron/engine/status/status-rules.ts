import type { QuitStep } from '../../../shared/quit-words';
import type {
  ConfigProblem,
  RestartNotice,
  StatusSnapshot,
  TrayState,
  TurnState,
} from '../../../shared/types';
import type { DiskRefusal } from '../../ports/journal/journal';

/** The facts behind a snapshot. */
export interface StatusFacts {
  readonly phase: StatusSnapshot['phase'];
  readonly version: string;
  readonly pid: number | undefined;
  readonly dataDir: string;
  readonly startedAtMs: number;
  readonly nowMs: number;
  readonly states: Readonly<Partial<Record<TurnState, number>>>;
  /** How many of the waiting turns retry automatically, without a decision (S3-12). */
  readonly retrying?: number;
  /**
   * Turns that are open as running on disk, and that this process neither runs nor will (S4-29).
   */
  readonly cutOff?: number;
  /** Turns that lost their run and have no new one yet (S3-18). */
  readonly lostRuns?: number;
  readonly outside?: StatusSnapshot['outside'];
  readonly limits?: StatusSnapshot['limits'];
  /** What a quit waits for; undefined if no quit is requested. */
  readonly quitsBehind?: readonly QuitStep[] | undefined;
  readonly awake?: StatusSnapshot['awake'];
  readonly update?: StatusSnapshot['update'];
  readonly paused: { readonly untilMs?: number } | undefined;
  readonly inbound: StatusSnapshot['inbound'];
  readonly mode: StatusSnapshot['recovery']['mode'];
  readonly sideEffectTools: readonly string[];
  readonly restoreSkipped: boolean;
  readonly restart: RestartNotice | undefined;
  readonly seq: number;
  readonly appliedSeq: number;
  readonly refusal: DiskRefusal | undefined;
  readonly ports?: StatusSnapshot['ports'];
  readonly delivery?: StatusSnapshot['delivery'];
  readonly schedule?: StatusSnapshot['schedule'];
  readonly shared?: StatusSnapshot['shared'];
  readonly configProblems: readonly ConfigProblem[];
  readonly kept: { readonly steps: number; readonly savedUsd: number };
}

/** The one truth for tray, windows and CLI. Pure. */
export function statusModel(facts: StatusFacts): StatusSnapshot {
  const count = (state: TurnState): number => facts.states[state] ?? 0;
  const counts = {
    needsYou:
      count('held') +
      count('parked') +
      count('requires_action') +
      count('waiting') -
      (facts.retrying ?? 0),
    running: count('running'),
    queued: count('queued'),
    waiting: count('waiting'),
    parked: count('parked'),
  };
  return {
    phase: facts.phase,
    version: facts.version,
    ...(facts.pid === undefined ? {} : { pid: facts.pid }),
    dataDir: facts.dataDir,
    startedAtMs: facts.startedAtMs,
    nowMs: facts.nowMs,
    tray: trayState(facts, counts),
    counts,
    ...(facts.awake === undefined ? {} : { awake: facts.awake }),
    ...(facts.update === undefined ? {} : { update: facts.update }),
    ...(facts.paused === undefined ? {} : { paused: facts.paused }),
    ...(facts.quitsBehind === undefined ? {} : { quitsBehind: [...facts.quitsBehind] }),
    inbound: facts.inbound,
    recovery: {
      mode: facts.mode,
      sideEffectTools: [...facts.sideEffectTools],
      restoreSkipped: facts.restoreSkipped,
    },
    ...(facts.restart === undefined ? {} : { restart: facts.restart }),
    ...((facts.cutOff ?? 0) === 0 ? {} : { cutOff: facts.cutOff }),
    ...((facts.lostRuns ?? 0) === 0 ? {} : { lostRuns: facts.lostRuns }),
    ...(facts.outside === undefined ? {} : { outside: facts.outside }),
    ...(facts.limits === undefined ? {} : { limits: facts.limits }),
    journal: {
      seq: facts.seq,
      appliedSeq: facts.appliedSeq,
      ...(facts.refusal === undefined ? {} : { refusal: facts.refusal }),
    },
    ...(facts.ports === undefined ? {} : { ports: facts.ports }),
    ...(facts.delivery === undefined ? {} : { delivery: facts.delivery }),
    ...(facts.schedule === undefined ? {} : { schedule: facts.schedule }),
    ...(facts.shared === undefined ? {} : { shared: facts.shared }),
    configProblems: [...facts.configProblems],
    kept: { stepsReusedToday: facts.kept.steps, savedUsdToday: facts.kept.savedUsd },
  };
}

/** Down, or just recovering. */
const DOWN: ReadonlySet<string> = new Set(['down', 'trying', 'recovering']);

/** The first match wins. A failed disk is the most important state. */
function trayState(facts: StatusFacts, counts: StatusSnapshot['counts']): TrayState {
  if (facts.phase !== 'running') return 'stopped';
  if (counts.needsYou > 0) return 'attention';
  const providers = facts.outside?.providers ?? [];
  if (providers.some(({ state }) => DOWN.has(state))) return 'outage';
  const { delivery } = facts;
  if (delivery?.broker === 'down') return 'outage';
  if (facts.refusal !== undefined) return 'degraded';
  if ((delivery?.deadLetters ?? 0) > 0 || delivery?.isNearlyFull === true) return 'degraded';
  if ((facts.lostRuns ?? 0) > 0) return 'degraded';
  if (providers.some(({ state }) => state === 'key')) return 'degraded';
  // A hint is about a file that works as it is written.
  if (facts.configProblems.some(({ line, level }) => line !== undefined && level !== 'hint'))
    return 'degraded';
  if (counts.running > 0) return 'working';
  if (facts.paused !== undefined) return 'paused';
  return 'idle';
}
