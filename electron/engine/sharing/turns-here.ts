import type { JournalReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { SettingsPort } from '../../ports/settings';

/** The scheduler of this computer, as far as shared turns use it. */
export interface SchedulerHere {
  enqueue(turn: TurnRow, wait: { readonly delayMs: number; readonly isAlone: boolean }): void;
  fence(turnId: number): Promise<void>;
  isQueued(turnId: number): boolean;
  running(): readonly number[];
  paused(): object | undefined;
  leaseOf(
    sessionId: number,
  ): { readonly lease: { readonly turnId: number; atWork(): () => void } } | undefined;
}

interface TurnsHereDeps {
  readonly settings: Pick<SettingsPort, 'get'>;
  readonly reads: Pick<JournalReads, 'turn' | 'openShared'>;
  readonly scheduler: SchedulerHere;
  /** A quit is waiting for running turns: nothing more is claimed. */
  readonly isHeldBack: () => boolean;
}

/** Turns of this computer: it runs them, and has room for more or not. */
export interface TurnsHere extends Pick<SchedulerHere, 'enqueue' | 'fence'> {
  /** The lease of the turn's run counts as renewed until the returned function is called. */
  holdAlive(turnId: number): () => void;
  /** How many more turns may be claimed. */
  free(): number;
}

export function createTurnsHere({
  settings,
  reads,
  scheduler,
  isHeldBack,
}: TurnsHereDeps): TurnsHere {
  return {
    enqueue: (turn, wait) => {
      scheduler.enqueue(turn, wait);
    },
    fence: (turnId) => scheduler.fence(turnId),
    holdAlive(turnId) {
      const turn = reads.turn(turnId);
      const held = turn === undefined ? undefined : scheduler.leaseOf(turn.sessionId);
      return held?.lease.turnId === turnId ? held.lease.atWork() : () => undefined;
    },
    free() {
      if (scheduler.paused() !== undefined || isHeldBack()) return 0;
      const queued = reads
        .openShared()
        .filter(({ turnId, state }) => state === 'here' && scheduler.isQueued(turnId)).length;
      return settings.get('limits.max_running_turns') - scheduler.running().length - queued;
    },
  };
}
