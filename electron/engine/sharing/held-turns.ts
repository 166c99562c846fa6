import type { Basics } from '../kernel/basics';
import type { JournalEntry } from '../../ports/journal/entries';
import type { AppendAnswer, SharedStore } from '../../ports/shared-store';
import { HoldfastError, toHoldfastError } from '../kernel/errors';
import { decideLeaseStand, instantOf, isFresh, type Instant, type SharedLease } from './plan-lease';
import { travels, wireOf, writeWire, type WireEntry, type WireTexts } from './wire';

/** Delay between attempts while the store is unreachable. */
const RETRY_MS = 500;
const MAX_ENTRIES = 50;

/** Why this computer no longer owns a turn. */
export type Loss =
  /** The store rejected a write; the answer names the new owner. */
  | { readonly kind: 'fenced'; readonly answer: Extract<AppendAnswer, { kind: 'fenced' }> }
  /** The lease expired here without an answer from the store. */
  | { readonly kind: 'unreachable' };

interface Waiter {
  readonly upTo: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A turn that this computer owns. */
interface Held {
  readonly turnId: number;
  readonly uid: string;
  readonly epoch: number;
  /** Number of entries in the store. */
  inStore: number;
  /** Entries to send, in order. Waiters identify theirs by the running count. */
  queue: (() => Promise<WireEntry>)[];
  taken: number;
  sent: Instant;
  waiters: Waiter[];
  isPumping: boolean;
  /** The turn ended here: the next entry to send is its end. */
  isClosed: boolean;
  /** Its lease is being given back, with everything that happened. */
  isReturning: boolean;
  /** The end of the lease has been reported. */
  isOver: boolean;
  /** Resolves when this computer no longer owns the turn. */
  readonly gone: Promise<void>;
  readonly setGone: () => void;
}

interface HeldTurnsDeps extends Pick<Basics, 'clock' | 'crashPoints' | 'log'> {
  readonly store: SharedStore;
  readonly texts: WireTexts;
  /** State of the turn's files after this step, for the store. DW-20 */
  readonly filesAfter: (
    ended: Extract<JournalEntry, { kind: 'step.ended' }>,
  ) => (() => Promise<WireEntry>) | undefined;
  readonly lease: () => SharedLease;
  /**
   * Keeps the heartbeat of a run alive while it waits for the store; call the returned function to
   * stop.
   */
  readonly holdAlive: (turnId: number) => () => void;
  /** The run must end; after that another computer owns the turn. Never rejects. */
  readonly onLost: (turnId: number, loss: Loss) => void;
  /** The end of the turn is in the store. */
  readonly onEnded: (turnId: number) => void;
  /** The turn was given back with everything that happened. */
  readonly onReturned: (turnId: number) => void;
}

/** The turns that this computer owns, and the upload of their entries to the store. */
export interface HeldTurns {
  add(turn: {
    readonly turnId: number;
    readonly uid: string;
    readonly epoch: number;
    readonly inStore: number;
    readonly sent: Instant;
  }): void;
  has(turnId: number): boolean;
  /** False once the lease has ended on this computer. */
  isLive(turnId: number): boolean;
  list(): readonly { readonly turnId: number; readonly uid: string; readonly epoch: number }[];
  /** Queues the shared entries of a commit. Call right after each commit, in order. */
  follow(entries: readonly JournalEntry[]): void;
  queue(turnId: number, entry: () => Promise<WireEntry>): void;
  /**
   * Resolves when the store has everything queued so far, under a valid epoch and with enough of
   * the lease left to start something. @throws LEASE_LOST
   */
  settled(turnId: number): Promise<void>;
  /**
   * Renews leases that are due and ends those that expired. Returns the delay to the next check, in
   * ms.
   */
  tick(): Promise<number | undefined>;
  /** Gives the turn back with everything that happened. Call once its run has ended. */
  giveBack(turnId: number): Promise<void>;
  /** Stops waiting for the store; entries that are not there yet go with the next claim. */
  release(turnId: number): void;
  /** True while the turn's run waits for the store. */
  isWaiting(turnId: number): boolean;
  drop(turnId: number): void;
  /** Gives back an expired lease once its run has ended. */
  startReturn(turnId: number): void;
}

const lost = (turnId: number): HoldfastError =>
  new HoldfastError(
    'LEASE_LOST',
    `This computer has lost the lease of turn ${String(turnId)}: it no longer writes or runs anything.`,
    { hint: 'Nothing to do: the turn continues on the computer that has it.', facts: { turnId } },
  );

export function createHeldTurns(deps: HeldTurnsDeps): HeldTurns {
  const { store, clock, lease } = deps;
  const held = new Map<number, Held>();
  const now = (): Instant => instantOf(clock);

  const isOpen = (turn: Held): boolean => held.get(turn.turnId) === turn;

  const answerWaiters = (turn: Held): void => {
    const done = turn.waiters.filter(({ upTo }) => upTo <= turn.taken - turn.queue.length);
    turn.waiters = turn.waiters.filter((waiter) => !done.includes(waiter));
    for (const { resolve } of done) resolve();
  };

  const remove = (turn: Held): void => {
    if (held.get(turn.turnId) === turn) held.delete(turn.turnId);
    turn.setGone();
  };

  const lose = (turn: Held, loss: Loss): void => {
    if (!isOpen(turn)) return;
    turn.isOver = true;
    if (loss.kind === 'fenced') remove(turn);
    const { waiters } = turn;
    turn.waiters = [];
    deps.onLost(turn.turnId, loss);
    for (const { reject } of waiters) reject(lost(turn.turnId));
  };

  /** Appends the queued entries once. */
  const send = async (turn: Held, after: 'leased' | 'queued'): Promise<AppendAnswer> => {
    const batch = turn.queue.slice(0, MAX_ENTRIES);
    const wires = await Promise.all(batch.map((make) => make()));
    const isEnd = wires.some(({ k }) => k === 'close');
    const portable = deps.texts.portableOf(turn.turnId);
    const sent = now();
    deps.crashPoints.hit('share.append.before');
    const answer = await store.append({
      turn: turn.uid,
      epoch: turn.epoch,
      from: turn.inStore,
      bodies: wires.map((wire) => writeWire(portable, wire)),
      leaseMs: lease().leaseMs,
      after: isEnd ? 'done' : turn.queue.length > batch.length ? 'leased' : after,
      delayMs: 0,
      isProgress: wires.some((wire) => wire.k === 'end' && wire.end.state === 'completed'),
    });
    deps.crashPoints.hit('share.append.after');
    if (answer.kind !== 'appended') return answer;
    turn.queue.splice(0, batch.length);
    turn.inStore += batch.length;
    turn.sent = sent;
    if (isEnd) {
      remove(turn);
      deps.onEnded(turn.turnId);
    } else if (after === 'queued' && turn.queue.length === 0) {
      remove(turn);
      deps.onReturned(turn.turnId);
    }
    answerWaiters(turn);
    return answer;
  };

  /** Sends until the queue is empty, retrying through outages of the store. */
  const pump = async (turn: Held): Promise<void> => {
    if (turn.isPumping) return;
    turn.isPumping = true;
    try {
      while (isOpen(turn) && (turn.queue.length > 0 || turn.isReturning)) {
        try {
          const answer = await send(turn, turn.isReturning ? 'queued' : 'leased');
          if (answer.kind === 'fenced') lose(turn, { kind: 'fenced', answer });
          else if (answer.kind === 'gap') turn.inStore = await countOf(turn);
          else if (answer.kind === 'halted') await clock.sleep(RETRY_MS * 4);
        } catch (error) {
          const { code } = toHoldfastError(error);
          deps.log.warn('share.append.failed', { turnId: turn.turnId, code });
          await clock.sleep(RETRY_MS);
        }
      }
    } finally {
      turn.isPumping = false;
    }
  };

  /** Entries that the store has under our epoch count as sent. */
  const countOf = async (turn: Held): Promise<number> => {
    const there = await store.entries(turn.uid, 0);
    const arrived = there.length - turn.inStore;
    if (arrived > 0) turn.queue.splice(0, Math.min(arrived, turn.queue.length));
    answerWaiters(turn);
    return there.length;
  };

  const renew = async (): Promise<void> => {
    const all = [...held.values()].filter((turn) => !turn.isReturning);
    if (all.length === 0) return;
    const sent = now();
    const { kept } = await store.renew(
      all.map(({ uid: id, epoch }) => ({ id, epoch })),
      lease().leaseMs,
    );
    for (const turn of all) {
      if (kept.includes(turn.uid))
        turn.sent = sent.monotonicMs > turn.sent.monotonicMs ? sent : turn.sent;
      // The append carries its owner. A turn that has just ended is no longer held.
      else if (isOpen(turn) && !turn.isPumping)
        lose(turn, {
          kind: 'fenced',
          answer: { kind: 'fenced', epoch: turn.epoch + 1, state: 'leased', owner: '' },
        });
    }
  };

  const startReturn = (turnId: number): Held | undefined => {
    const turn = held.get(turnId);
    if (turn === undefined) return undefined;
    turn.isReturning = true;
    void pump(turn);
    return turn;
  };

  return {
    add({ turnId, uid, epoch, inStore, sent }) {
      let setGone = (): void => undefined;
      const gone = new Promise<void>((resolve) => (setGone = resolve));
      held.set(turnId, {
        turnId,
        uid,
        epoch,
        inStore,
        queue: [],
        taken: 0,
        sent,
        waiters: [],
        isPumping: false,
        isClosed: false,
        isReturning: false,
        isOver: false,
        gone,
        setGone: () => {
          setGone();
        },
      });
    },
    has: (turnId) => held.has(turnId),
    isLive(turnId) {
      const turn = held.get(turnId);
      if (turn === undefined || turn.isReturning || turn.isOver) return false;
      return turn.isClosed || decideLeaseStand(turn.sent, now(), lease()).kind !== 'over';
    },
    list: () => [...held.values()],
    follow(entries) {
      for (const entry of entries) {
        if (!travels(entry)) continue;
        const turn = held.get(entry.turnId);
        if (turn === undefined) continue;
        if (entry.kind === 'turn.closed') turn.isClosed = true;
        turn.queue.push(() => wireOf(deps.texts, entry));
        const filesNow = entry.kind === 'step.ended' ? deps.filesAfter(entry) : undefined;
        if (filesNow !== undefined) turn.queue.push(filesNow);
        turn.taken += filesNow === undefined ? 1 : 2;
        void pump(turn);
      }
    },
    queue(turnId, entry) {
      const turn = held.get(turnId);
      if (turn === undefined) return;
      turn.queue.push(entry);
      turn.taken += 1;
      void pump(turn);
    },
    async settled(turnId) {
      const turn = held.get(turnId);
      if (turn === undefined) return;
      const letGo = deps.holdAlive(turnId);
      try {
        for (;;) {
          // Nothing more starts in this turn; its end is sent automatically.
          if (turn.isClosed) return;
          if (turn.queue.length > 0)
            await new Promise<void>((resolve, reject) => {
              turn.waiters.push({ upTo: turn.taken, resolve, reject });
            });
          if (!isOpen(turn) || turn.isOver) throw lost(turnId);
          if (isFresh(turn.sent, now(), lease())) return;
          // The computer slept or the answer took too long, so ask the store whether the turn is
          // still ours.
          await renew().catch(() => clock.sleep(RETRY_MS));
        }
      } finally {
        letGo();
      }
    },
    async tick() {
      let nextMs: number | undefined;
      const at = (ms: number): void => {
        nextMs = Math.min(nextMs ?? Infinity, ms);
      };
      let isDue = false;
      for (const turn of held.values()) {
        if (turn.isReturning || turn.isOver || turn.isClosed) continue;
        const stand = decideLeaseStand(turn.sent, now(), lease());
        if (stand.kind === 'over') lose(turn, { kind: 'unreachable' });
        else if (stand.kind === 'holds') at(stand.renewInMs);
        else {
          isDue = true;
          at(stand.kind === 'ending' ? Math.min(RETRY_MS, stand.endsInMs) : RETRY_MS);
        }
      }
      // Not awaited: expired leases must end on time, whatever the network does.
      if (isDue) void renew().catch(() => undefined);
      return nextMs;
    },
    giveBack: async (turnId) => startReturn(turnId)?.gone,
    startReturn,
    isWaiting: (turnId) => (held.get(turnId)?.waiters.length ?? 0) > 0,
    release(turnId) {
      const turn = held.get(turnId);
      if (turn === undefined) return;
      const { waiters } = turn;
      turn.waiters = [];
      for (const { reject } of waiters) reject(lost(turnId));
    },
    drop(turnId) {
      const turn = held.get(turnId);
      if (turn !== undefined) remove(turn);
    },
  };
}
