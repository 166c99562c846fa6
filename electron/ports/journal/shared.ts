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
      /** The highest write of the store that was seen: one that has less has lost data. */
      readonly mark: number;
      readonly origin: KeyOrigin;
      /** It works in these, in a folder of its own; absent: where its agent works. */
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
  /** The end of the turn is here and in the store. */
  | {
      readonly kind: 'share.ended';
      readonly turnId: number;
      /** The computer that it ended on; empty for this one, absent where the store does not say. */
      readonly machine?: string;
    };

/** How the sender of a turn wants it to run; a need `task:NAME` says which task made it. */
export interface SharedAsk {
  readonly priority: 0 | 1 | 2;
  readonly needs: readonly string[];
  /** On its own computer alone. */
  readonly isHere: boolean;
  /** The same ID means the same turn, whichever computer sends it. */
  readonly messageId?: string;
  /** It works in these, in a folder of its own; absent: where its agent works. */
  readonly files?: FilesMove;
  /** Its agent takes files along, and this turn cannot: it stays with its computer. */
  readonly lacksFiles?: true;
}

/** What idempotency keys are made of: the same on every computer that runs the turn. */
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
  /** Of a turn that was sent here, or that has files of its own. */
  readonly ask: SharedAsk | undefined;
}

/** A shared turn that went from one computer to another. */
export interface SharedMove {
  readonly atMs: number;
  readonly to: 'here' | 'there';
  /** The computer that had it, or has it. */
  readonly machine: string;
  readonly atStep: number | undefined;
}

export interface SharedReads {
  sharedTurn(turnId: number): SharedTurnRow | undefined;
  sharedByUid(uid: string): SharedTurnRow | undefined;
  /** Those whose end is not yet both here and in the store. */
  openShared(): readonly SharedTurnRow[];
  /** Turns that wait for the shared queue or another computer, and for nothing on this one. */
  countSharedAway(): number;
  /** Whether any turn was ever shared. */
  hasShared(): boolean;
  /** Where a shared turn went, oldest first; without waits in the queue. */
  sharedMoves(turnId: number): readonly SharedMove[];
  /** The highest write of the store that was ever seen. */
  sharedMark(): number;
  keyOrigin(turnId: number): KeyOrigin;
}
