import type { FilesMove } from '../moved-files';

/** Turns of the shared queue, as this computer's journal knows them. */
export type SharedEntry =
  /** The turn goes to the shared queue; in the commit of its message. */
  | {
      readonly kind: 'share.sent';
      readonly turnId: number;
      readonly uid: string;
      readonly ask: SharedAsk;
    }
  /** This computer owns the turn under this epoch; with the entries of its earlier owners. */
  | {
      readonly kind: 'share.claimed';
      readonly turnId: number;
      readonly uid: string;
      readonly epoch: number;
      /** The highest write of the store that was seen: a store that has less has lost data. */
      readonly mark: number;
      readonly origin: KeyOrigin;
      /** Its files, in a separate folder; absent: it works in its agent's folder. */
      readonly files?: FilesMove;
      /** The previous owner; absent if there was none. */
      readonly from?: string;
      /** The step at which it continues. */
      readonly atStep: number;
    }
  /** Another computer has the turn, or may claim it. */
  | {
      readonly kind: 'share.away';
      readonly turnId: number;
      readonly epoch: number;
      /** The computer that has it; empty for none. */
      readonly machine: string;
      readonly why: 'lease_lost' | 'unreachable' | 'given_back' | 'continued_there' | 'moved';
      /** The step at which it continues, as far as this computer knows. */
      readonly atStep?: number;
    }
  /** The turn's end is here and in the store. */
  | {
      readonly kind: 'share.ended';
      readonly turnId: number;
      /**
       * The computer on which it ended; empty for this one, absent if the store does not report it.
       */
      readonly machine?: string;
    };

/** The sender's requirements for a turn; a need `task:NAME` names the task that created it. */
export interface SharedAsk {
  readonly priority: 0 | 1 | 2;
  readonly needs: readonly string[];
  /** Only on the sender's computer. */
  readonly isHere: boolean;
  /** The same ID means the same turn, whichever computer sends it. */
  readonly messageId?: string;
  /** Its files, in a separate folder; absent: it works in its agent's folder. */
  readonly files?: FilesMove;
  /** Its agent takes files along, but this turn cannot: it stays on its computer. */
  readonly lacksFiles?: true;
}

/** Basis of idempotency keys: the same on every computer that runs the turn. */
export interface KeyOrigin {
  readonly databaseId: string;
  readonly turnId: number;
}

export interface SharedTurnRow {
  readonly turnId: number;
  readonly uid: string;
  /** 0 before it was claimed here. */
  readonly epoch: number;
  readonly state: 'away' | 'here' | 'over';
  readonly machine: string;
  readonly origin: KeyOrigin;
  /** For a turn that was sent from here, or that has its own files. */
  readonly ask: SharedAsk | undefined;
}

/** A move of a shared turn from one computer to another. */
export interface SharedMove {
  readonly atMs: number;
  readonly to: 'here' | 'there';
  /** The computer that had it, or has it. */
  readonly machine: string;
  readonly atStep: number | undefined;
}

/** Implemented by adapters/sqlite/tables/shared.ts. */
export interface SharedReads {
  sharedTurn(turnId: number): SharedTurnRow | undefined;
  sharedByUid(uid: string): SharedTurnRow | undefined;
  /** Turns whose end is not yet both here and in the store. */
  openShared(): readonly SharedTurnRow[];
  /** Turns that wait for the shared queue or another computer, and for nothing on this one. */
  countSharedAway(): number;
  /** Whether any turn was ever shared. */
  hasShared(): boolean;
  /** The computers that had a shared turn, oldest first; without waits in the queue. */
  sharedMoves(turnId: number): readonly SharedMove[];
  /** The highest write of the store that was ever seen. */
  sharedMark(): number;
  keyOrigin(turnId: number): KeyOrigin;
}
