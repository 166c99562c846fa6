import type {
  ConfigProblem,
  RestartNotice,
  StatusSnapshot,
  TurnState,
} from '../../../shared/types';
import type { DiskRefusal } from '../../ports/journal/journal';

/** Absent facts are left out of the snapshot. */
type Facts<Name extends keyof StatusSnapshot> = {
  readonly [Key in Name]?: StatusSnapshot[Key] | undefined;
};

/** Facts that modules report about themselves, as displayed. */
export type RoomFacts = Facts<
  | 'awake'
  | 'hosts'
  | 'update'
  | 'paused'
  | 'outside'
  | 'limits'
  | 'delivery'
  | 'schedule'
  | 'shared'
  | 'quitsBehind'
  | 'programChanged'
> &
  Pick<StatusSnapshot, 'inbound'>;

/** The facts behind a snapshot. */
export interface StatusFacts {
  readonly phase: StatusSnapshot['phase'];
  readonly nowMs: number;
  /** The process that holds the data. */
  readonly self: Pick<StatusSnapshot, 'version' | 'dataDir' | 'startedAtMs'> &
    Facts<'pid' | 'ports'>;
  readonly turns: {
    readonly states: Readonly<Partial<Record<TurnState, number>>>;
    /** How many of the waiting turns retry automatically, without a decision (S3-12). */
    readonly retrying?: number;
    /**
     * Turns that are open as running on disk, and that this process neither runs nor will (S4-29).
     */
    readonly cutOff?: number;
    /** Turns that lost their run and have no new one yet (S3-18). */
    readonly lostRuns?: number;
  };
  readonly rooms: RoomFacts;
  readonly recovery: StatusSnapshot['recovery'];
  readonly restart: RestartNotice | undefined;
  readonly journal: {
    readonly seq: number;
    readonly appliedSeq: number;
    readonly refusal: DiskRefusal | undefined;
  };
  readonly configProblems: readonly ConfigProblem[];
  readonly kept: { readonly steps: number; readonly savedUsd: number };
}
