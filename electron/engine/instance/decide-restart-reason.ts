import type { LeftBehind } from '../../ports/instance-lock';

/** The previous run's marker (`reeboot_state`), as the marker's owner reads it. Row S0-32. */
export interface PreviousRunMarker {
  readonly lastStartedAtMs: number;
  /** Null when no run ever stopped cleanly. */
  readonly lastCleanStopAtMs: number | null;
  /**
   * Instance ID of the run that stopped cleanly last. If it is known it decides alone, so a clock
   * that was set back between start and stop cannot turn a clean stop into a crash.
   */
  readonly cleanStopInstanceId: string | null;
  /** Reason given at that clean stop: `quit`, `takeover`, `os_shutdown`, `update`, ... */
  readonly lastStopReason: string | null;
  readonly bootId: string | null;
  readonly version: string;
  readonly instanceId: string;
  readonly machineId: string | null;
}

/** Facts about the previous run, known at startup. */
export interface RestartFacts {
  readonly marker: PreviousRunMarker | null;
  readonly current: {
    readonly bootId: string | null;
    readonly machineId: string | null;
    readonly version: string;
    readonly startedAtMs: number;
  };
  /** What `InstanceLock.acquire` found in the data directory. */
  readonly leftBehind: LeftBehind;
}

/** Since when nothing ran, and for how long, in ms; the length is never negative. */
export interface Downtime {
  readonly downSinceMs: number;
  readonly downMs: number;
}

/**
 * Why this start happens.
 *
 * - `crash`: the process died of its own error and left a note
 * - `kill`: it ended without a note while the computer kept running (SIGKILL, out of memory, native
 *   fault)
 * - `power_loss`: the computer restarted
 * - `stop_cut_off`: it was killed during a requested shutdown
 * - `data_copied`: the folder was last used on another computer
 */
export type RestartReason =
  | { readonly kind: 'first_start' }
  | ({
      readonly kind:
        | 'clean'
        | 'crash'
        | 'kill'
        | 'takeover'
        | 'os_shutdown'
        | 'power_loss'
        | 'stop_cut_off'
        | 'update'
        | 'data_copied';
      /** True if the previous run did not stop gracefully. */
      readonly isUnexpected: boolean;
      readonly previousVersion: string;
    } & Downtime);

function downtimeSince(downSinceMs: number, nowMs: number): Downtime {
  return { downSinceMs, downMs: Math.max(0, nowMs - downSinceMs) };
}

/** The last instant at which the previous run is known to have been alive. */
function lastLifeMs(facts: RestartFacts, marker: PreviousRunMarker): number {
  const { lastAliveAtMs, crashNote } = facts.leftBehind;
  const signs = [marker.lastStartedAtMs];
  // A heartbeat from the future or from before the run belongs to a copied or touched file.
  if (lastAliveAtMs !== null) signs.push(lastAliveAtMs);
  if (crashNote !== null && crashNote.instanceId === marker.instanceId) signs.push(crashNote.atMs);
  const credible = signs.filter((atMs) => atMs <= facts.current.startedAtMs);
  return credible.length === 0 ? facts.current.startedAtMs : Math.max(...credible);
}

function wasStoppedCleanly(marker: PreviousRunMarker): boolean {
  if (marker.lastCleanStopAtMs === null) return false;
  if (marker.cleanStopInstanceId !== null) return marker.cleanStopInstanceId === marker.instanceId;
  return marker.lastCleanStopAtMs >= marker.lastStartedAtMs;
}

function kindOfCleanStop(facts: RestartFacts, marker: PreviousRunMarker) {
  switch (marker.lastStopReason) {
    case 'takeover':
    case 'os_shutdown':
    case 'update':
      return marker.lastStopReason;
    default:
      return marker.version === facts.current.version ? ('clean' as const) : ('update' as const);
  }
}

function kindOfUncleanEnd(
  facts: RestartFacts,
  marker: PreviousRunMarker,
): Exclude<RestartReason['kind'], 'first_start'> {
  const { takeoverNote, crashNote, content } = facts.leftBehind;
  if (takeoverNote?.targetInstanceId === marker.instanceId) return 'takeover';
  if (crashNote?.instanceId === marker.instanceId) return 'crash';
  const { bootId } = facts.current;
  const isOtherBoot = bootId !== null && marker.bootId !== null && bootId !== marker.bootId;
  const record =
    content.kind === 'record' && content.record.instanceId === marker.instanceId
      ? content.record
      : undefined;
  if (!isOtherBoot) return record?.phase === 'stopping' ? 'stop_cut_off' : 'kill';
  return record?.stopReason === 'os_shutdown' ? 'os_shutdown' : 'power_loss';
}

/**
 * Why this start happens and how long nothing ran. Total; wrong clocks give a downtime of 0, never
 * a negative one. Rows S0-30, S0-31, S0-32.
 */
export function decideRestartReason(facts: RestartFacts): RestartReason {
  const { marker, current } = facts;
  if (marker === null) return { kind: 'first_start' };
  const previousVersion = marker.version;
  const isClean = wasStoppedCleanly(marker);
  const downSinceMs =
    isClean && marker.lastCleanStopAtMs !== null
      ? marker.lastCleanStopAtMs
      : lastLifeMs(facts, marker);
  const rest = {
    isUnexpected: !isClean,
    previousVersion,
    ...downtimeSince(downSinceMs, current.startedAtMs),
  };
  const isOtherMachine =
    marker.machineId !== null &&
    current.machineId !== null &&
    marker.machineId !== current.machineId &&
    // The same boot is the same computer, whatever ID a container reports.
    !(marker.bootId !== null && marker.bootId === current.bootId);
  if (isOtherMachine) return { kind: 'data_copied', ...rest };
  if (isClean) return { kind: kindOfCleanStop(facts, marker), ...rest };
  return { kind: kindOfUncleanEnd(facts, marker), ...rest };
}
