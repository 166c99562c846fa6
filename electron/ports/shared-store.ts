import type { HostOutlook, ShareStage } from '../../shared/types/share';
/** Turns in the store: their owners, entries and questions. */
interface SharedTurns {
  /** Durable when it resolves. Idempotent by `dedupe` across all computers. */
  send(turn: NewSharedTurn): Promise<{ readonly id: string; readonly isNew: boolean }>;
  claim(ask: ClaimAsk): Promise<ClaimAnswer>;
  /** Renews the leases of these turns. Any turn that is not in `kept` is lost. */
  renew(held: readonly HeldTurn[], leaseMs: number): Promise<{ readonly kept: readonly string[] }>;
  append(batch: EntryBatch): Promise<AppendAnswer>;
  /** Entries after the first `from`, in order. */
  entries(turn: string, from: number): Promise<readonly StoredEntry[]>;
  /**
   * The last entry of each computer, if that is a refusal: a list of turns does not read what they
   * did.
   */
  refusals(turn: string): Promise<readonly Pick<StoredEntry, 'machine' | 'body'>[]>;
  /** Earlier turns of its session, oldest first. */
  earlier(
    turn: string,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly body: string }[]>;
  /** One small query: whether there is work, and the state of turns that this computer knows. */
  look(turns: readonly string[], factsFrom?: number): Promise<LookAnswer>;
  /**
   * A question of one of this computer's turns. False: it is not its turn, or the store is too old.
   */
  ask(question: SharedQuestion): Promise<boolean>;
  /** The first answer counts, from any computer, and only while the epoch is valid. */
  answer(
    answer: Omit<SharedQuestion, 'body'> & { readonly answer: string; readonly by: string },
  ): Promise<
    | { readonly kind: 'taken' }
    | { readonly kind: 'answered'; readonly by: string }
    /** Another run has the turn, or the question is no longer open. */
    | { readonly kind: 'stale' }
  >;
  putText(hash: string, body: string): Promise<void>;
  getText(hash: string): Promise<string | undefined>;
  /** Ends a turn that a user canceled, whichever computer has it. False if it was already over. */
  cancel(turn: string, body: string): Promise<boolean>;
  /**
   * Does not grant a turn of this computer to it again for that time, once it is given back; others
   * may have it. Ends with this start. False: it is not its turn, or the store is too old.
   */
  pass(wanted: {
    readonly turn: string;
    readonly epoch: number;
    readonly forMs: number;
  }): Promise<boolean>;
  /** Lets any computer run a turn that was pinned to one. False if it was not pinned. */
  release(turn: string): Promise<boolean>;
  /**
   * Removes requests, steps and texts of turns that ended this long ago, a few at a time. False:
   * there may be more.
   */
  prune(keepMs: number): Promise<boolean>;
}

/** The computers of the store, and the connection to it. */
interface SharedMachines {
  /**
   * Registers this computer and its capabilities; ends claims of an earlier start of this computer.
   */
  hello(self: MachineSelf): Promise<HelloAnswer>;
  /**
   * This computer's facts about limits; each replaces the previous one on the same subject.
   * `isAll`: other facts from this computer are no longer valid. False if the store is too old for
   * facts.
   */
  putFacts(facts: readonly SharedFact[], isAll: boolean): Promise<boolean>;
  /** From here on no more turns are granted to this computer. */
  drain(): Promise<void>;
  machines(): Promise<readonly MachineRow[]>;
  waiting(limit: number): Promise<readonly WaitingRow[]>;
  /** The highest write that was seen. */
  mark(): number;
  /** Called when there may be work, or a turn is over. Only a hint: it may never be called. */
  onNews(listener: () => void): void;
  close(): Promise<void>;
}

/**
 * A queue of turns that several computers share. The store alone decides who owns a turn: each
 * grant
 * raises its epoch, and every write of an owner is accepted or rejected under that epoch, in one
 * statement. Every call is idempotent: repeating it has the same effect and answer.
 *
 * All of them reject with SHARE_UNREACHABLE if the outcome is unknown, SHARE_REFUSED if the store
 * does not admit this computer, and SHARE_VERSION if either side is too old.
 * Implemented by adapters/shared-store/postgres-store.ts.
 */
export interface SharedStore extends SharedTurns, SharedMachines {}
/** Version of the `entry.body` format in the store; since 2 without local paths. */
export const SHARED_JOURNAL_VERSION = 2;

export interface MachineSelf {
  /** Identifies the data directory, never the computer. */
  readonly key: string;
  readonly name: string;
  /** Identifies this start. */
  readonly life: string;
  readonly version: string;
  readonly caps: readonly string[];
  readonly clockMs: number;
}

export interface HelloAnswer {
  readonly machine: string;
  readonly state: 'asking' | 'admitted';
  readonly incarnation: string;
  /** Why no computer may claim; empty if none is blocked. */
  readonly halted: string;
}

export interface NewSharedTurn {
  readonly id: string;
  readonly session: string;
  /** 0 has the highest priority. */
  readonly priority: 0 | 1 | 2;
  readonly dedupe: string | undefined;
  readonly needs: readonly string[];
  /** Only this computer may run it. */
  readonly isHere: boolean;
  readonly body: string;
}

interface ClaimAsk {
  /** A new ID for each wanted turn; the same ID again to get a lost answer. */
  readonly request: string;
  readonly leaseMs: number;
  /** Maximum time that a turn waits behind newer work. */
  readonly maxWaitMs: number;
}

export interface GrantedTurn {
  readonly kind: 'granted';
  readonly id: string;
  readonly session: string;
  readonly epoch: number;
  /** Ends without progress on any computer. */
  readonly lives: number;
  readonly entries: number;
  readonly body: string;
  /** The computer that it came from. */
  readonly sender: string;
  /** The computer whose lease expired; empty if no computer had it. */
  readonly took: string;
}

/** Why the store grants this computer nothing. */
export type ClaimRefusal =
  /** The store has lost data, and a person must decide. */
  | 'halted'
  /** This computer has been admitted again as another one since. */
  | 'incarnation'
  /** A newer start with the same data directory exists. */
  | 'superseded';

export type ClaimAnswer =
  | GrantedTurn
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly why: ClaimRefusal };

interface HeldTurn {
  readonly id: string;
  readonly epoch: number;
}

export interface EntryBatch {
  readonly turn: string;
  readonly epoch: number;
  /** Number of entries that the turn has before these. */
  readonly from: number;
  readonly bodies: readonly string[];
  readonly leaseMs: number;
  /** What happens to the turn: kept, given back, or over. */
  readonly after: 'leased' | 'queued' | 'done';
  /** For a turn that is given back: minimum delay from now. */
  readonly delayMs: number;
  /** A step was finished, which resets the count of ends without progress. */
  readonly isProgress: boolean;
}

export type AppendAnswer =
  | { readonly kind: 'appended' }
  /** Another computer has the turn, or it is over: nothing was written. */
  | {
      readonly kind: 'fenced';
      readonly epoch: number;
      readonly state: 'queued' | 'leased' | 'done' | 'gone';
      readonly owner: string;
    }
  | { readonly kind: 'gap'; readonly entries: number }
  | { readonly kind: 'halted' };

interface StoredEntry {
  readonly n: number;
  readonly epoch: number;
  readonly machine: string;
  readonly body: string;
}

export interface LookAnswer {
  readonly refused: ClaimRefusal | undefined;
  readonly hasWork: boolean;
  /** Time until another computer's first lease ends, as known now. */
  readonly nextLeaseMs: number | undefined;
  readonly turns: readonly KnownTurn[];
  /** Facts from others after `factsFrom`, oldest first. */
  readonly facts: readonly ToldFact[];
  /** The next `factsFrom`. */
  readonly factsUpTo: number;
  /** Questions of the requested turns, and answers to questions of this computer. */
  readonly questions: readonly ToldQuestion[];
}

/** A question of a turn, bound to its exact bytes. DW-23 */
interface SharedQuestion {
  readonly turn: string;
  readonly epoch: number;
  readonly id: string;
  readonly body: string;
}

export interface ToldQuestion extends SharedQuestion {
  /** Absent while it is open. */
  readonly answer?: string | null;
  /** The person who answered, and where. */
  readonly by?: string | null;
}

/** A fact that counts on every computer: a limit, an outage, spending. DW-25 */
export interface SharedFact {
  readonly kind: string;
  /** Its subject. */
  readonly key: string;
  readonly body: string;
  /** Valid for this long from now; 0: no longer valid. */
  readonly forMs: number;
}

export interface ToldFact extends Omit<SharedFact, 'forMs'> {
  readonly machine: string;
  /** The other computer's name. */
  readonly name: string;
  readonly leftMs: number;
}

export interface KnownTurn {
  readonly id: string;
  readonly epoch: number;
  readonly state: 'queued' | 'leased' | 'done';
  readonly ownerName: string;
  /** This start owns it. */
  readonly isHere: boolean;
  /** This computer owns it or has ended it, in any start. */
  readonly isOurs: boolean;
  readonly entries: number;
  /** Why it is not granted to this computer while it is queued. */
  readonly waits: '' | 'place' | 'needs' | 'version' | 'turn';
}

export interface MachineRow {
  readonly id: string;
  readonly name: string;
  readonly state: 'invited' | 'asking' | 'admitted' | 'revoked';
  readonly isThis: boolean;
  readonly version: string;
  readonly isDraining: boolean;
  readonly caps: readonly string[];
  /** Its clock minus the store's clock. */
  readonly clockOffsetMs: number;
  readonly contactAgoMs: number | undefined;
  readonly leases: number;
}

export interface WaitingRow {
  readonly id: string;
  readonly session: string;
  readonly priority: number;
  readonly needs: readonly string[];
  readonly waitsMs: number;
  /** The computer that it is pinned to; empty for any. */
  readonly place: string;
  /** Needs that no computer can meet. */
  readonly unmet: readonly string[];
  /** An earlier turn of its session has not ended. */
  readonly isBehind: boolean;
  /** Needs of the earlier turns of its session; absent if the store has an earlier version. */
  readonly earlierNeeds?: readonly string[];
  /** Computers that earlier turns of its session are pinned to. */
  readonly earlierPlaces?: readonly string[];
  /** Computers that may not have the earlier turns of its session, and so not this one. */
  readonly strangers?: readonly string[];
}

/**
 * Operations of the store's owner. Each call uses one connection.
 * Implemented by adapters/shared-store/owner.ts.
 */
export interface StoreOwner {
  /** Creates or updates the schema. @throws SHARE_VERSION, SHARE_UNREACHABLE, SHARE_REFUSED */
  open(): Promise<void>;
  /** Upgrades an earlier schema to this version. @throws SHARE_UNREACHABLE, SHARE_REFUSED */
  upgrade(): Promise<void>;
  /** Creates a separate role for one more computer; its password is stored nowhere else. */
  invite(
    name: string,
    forMs: number,
  ): Promise<{ readonly role: string; readonly password: string }>;
  machines(): Promise<readonly { readonly id: string; readonly role: string }[]>;
  /** False if it has not asked to join. */
  admit(machine: string): Promise<boolean>;
  /** Its connections end, and its turns go to other computers. */
  revoke(machine: string): Promise<boolean>;
  /** Continues with a store that has lost data. */
  acceptLoss(): Promise<void>;
}

/**
 * Our own PostgreSQL that holds a store on this computer, if there is one.
 * Implemented by adapters/shared-store/server/share-host.ts.
 */
export interface StoreServer {
  /**
   * Creates or adopts the server and starts it. `mayFetch`: downloads PostgreSQL if no installed
   * version fits.
   * `tell`: reports what takes time.
   *
   * @returns the address of its owner
   * @throws SHARE_SERVER, INPUT_INVALID
   */
  make(
    listen: string | undefined,
    mayFetch: boolean,
    tell: (stage: ShareStage) => void,
  ): Promise<string>;
  /** How it could be created; changes nothing. */
  outlook(): Promise<HostOutlook>;
  /** Call before the store at this address is used. Undefined if the server is not ours. */
  serverOf(address: string): Promise<{ ensure(): Promise<void> } | undefined>;
  /**
   * Address for other computers; undefined if the store is not ours, or was not used in this start.
   */
  listens(): string | undefined;
  /** Removes leftovers of an earlier start if no store is joined. */
  sweep(): void;
  stop(waitMs: number): Promise<void>;
}
