import { because, reasonText, type Reason } from '../../../shared/reason';
import type { JournalEntry } from '../../ports/journal/entries';
import type { SharedTurnRow } from '../../ports/journal/shared';
import type { TurnRow } from '../../ports/journal/rows';
import type { KnownTurn, SharedStore } from '../../ports/shared-store';
import type { RecoverDeps } from '../recovery/recover-at-start';
import type { HeldTurns, Loss } from './held-turns';
import { readWire, turnBodyOf, type WireTexts } from './wire';

/** How long to wait for a fenced run to end. */
const FENCE_WAIT_MS = 5_000;

interface AwayTurnsDeps {
  readonly store: SharedStore;
  readonly texts: WireTexts;
  readonly recovery: RecoverDeps;
  readonly held: HeldTurns;
  readonly name: () => string;
  /** The capability that a computer must offer to run turns of this agent. */
  readonly needOf: (agent: string) => string;
  /** Ends a turn's run; resolves when the run is over. */
  readonly fence: (turnId: number) => Promise<void>;
  readonly clearing: (turn: TurnRow) => readonly JournalEntry[];
  /** `machine` is the computer the turn ended on; empty for this one. */
  readonly followEnd: (row: SharedTurnRow, machine: string) => Promise<void>;
  /** Polls the store now. */
  readonly look: () => void;
}

const PROMPT_MISSING = because('reason.errorHint', {
  text: 'The prompt of this turn is missing on the disk.',
  what: 'Nothing was sent instead. Cancel the turn and send the prompt again.',
});

const TASK = 'task:';
const taskIn = ({ ask }: SharedTurnRow): { readonly task?: string } => {
  const need = ask?.needs.find((one) => one.startsWith(TASK));
  return need === undefined ? {} : { task: need.slice(TASK.length) };
};

const lacksFiles = (agent: string): Reason =>
  because('reason.errorHint', {
    text: `Agent "${agent}" moves its files with each shared turn (runs_on). A task cannot.`,
    what: 'Nothing was sent. Set another runs_on, and cancel this turn: the next run of the task is sent.',
  });

type AwayFacts = Pick<Extract<JournalEntry, { kind: 'share.away' }>, 'epoch' | 'machine' | 'why'>;

/** Shared turns that this computer knows and does not own. */
interface AwayTurns {
  /** Journal entries for a turn that another computer has or may claim. */
  away(turn: TurnRow, facts: AwayFacts): readonly JournalEntry[];
  lose(turnId: number, loss: Loss): Promise<void>;
  /** Acts on what the store reports about a turn. @throws SHARE_UNREACHABLE */
  follow(row: SharedTurnRow, known: KnownTurn | undefined): Promise<void>;
  /**
   * Resolves when the turn is in the store, unless its prompt is missing here. @throws
   * SHARE_UNREACHABLE
   */
  send(row: SharedTurnRow, turn: TurnRow): Promise<void>;
}

export function createAwayTurns(deps: AwayTurnsDeps): AwayTurns {
  const { store, recovery, held } = deps;
  const { journal, reads, audit } = recovery;

  const away = (turn: TurnRow, facts: AwayFacts, waits?: Reason): readonly JournalEntry[] => [
    ...deps.clearing(turn),
    {
      kind: 'share.away',
      turnId: turn.id,
      ...facts,
      ...(facts.machine === '' ? {} : { atStep: turn.stepCount + 1 }),
    },
    {
      kind: 'turn.state',
      turnId: turn.id,
      state: 'waiting',
      reason:
        waits ??
        (facts.machine !== ''
          ? because('reason.sharedAway', { name: facts.machine })
          : because(facts.why === 'unreachable' ? 'reason.sharedUnreachable' : 'reason.shared')),
    },
  ];

  /** Resolves when the run has ended and its last writes are on disk. DW-06, DW-07, DW-13 */
  const lose = async (turnId: number, loss: Loss): Promise<void> => {
    audit.record('share_lease_lost', { turnId, why: loss.kind });
    // A command that does not end must not block: its run can write nothing more.
    await Promise.race([deps.fence(turnId), recovery.clock.sleep(FENCE_WAIT_MS)]);
    const turn = reads.turn(turnId);
    const row = reads.sharedTurn(turnId);
    if (turn === undefined || row === undefined) return;
    const machine = loss.kind === 'fenced' ? loss.answer.owner : '';
    const epoch = loss.kind === 'fenced' ? loss.answer.epoch : row.epoch;
    if (turn.endedAtMs !== undefined) {
      if (loss.kind !== 'fenced') return;
      audit.record('share_continued_there', { turnId, machine });
      await journal.commit([
        { kind: 'share.away', turnId, epoch, machine, why: 'continued_there' },
        { kind: 'share.ended', turnId, machine },
      ]);
      return;
    }
    await journal.commit(
      [
        {
          kind: 'turn.abandoned',
          turnId,
          attempt: turn.attempt,
          why: 'wake_lease_renew_failed',
          message: 'lease lost',
          crashes: turn.crashes,
        },
        ...away(turn, {
          epoch,
          machine,
          why: loss.kind === 'fenced' ? 'lease_lost' : 'unreachable',
        }),
      ],
      { isOutcome: true },
    );
    if (loss.kind === 'unreachable') held.startReturn(turnId);
    deps.look();
  };

  /** Acts on the store's state of a turn of ours that another computer has, or no computer has. */
  const follow = async (row: SharedTurnRow, known: KnownTurn | undefined): Promise<void> => {
    const turn = reads.turn(row.turnId);
    if (turn === undefined || held.has(row.turnId)) return;
    if (known === undefined) {
      // It was about to be sent when this computer died or the store became unreachable.
      if (row.epoch === 0 && turn.endedAtMs === undefined) await send(row, turn);
      return;
    }
    if (known.state === 'done') return deps.followEnd(row, known.isOurs ? '' : known.ownerName);
    if (turn.endedAtMs !== undefined && (turn.state === 'cancelled' || turn.state === 'discarded'))
      return cancelThere(row, turn);
    if (known.isHere) return;
    if (turn.endedAtMs !== undefined) {
      // The turn ended here, and our epochs are no longer valid.
      if (known.epoch > row.epoch && known.state === 'leased')
        await lose(row.turnId, {
          kind: 'fenced',
          answer: { kind: 'fenced', epoch: known.epoch, state: 'leased', owner: known.ownerName },
        });
      return;
    }
    const machine = known.state === 'leased' ? known.ownerName : '';
    if (row.state === 'here' && known.epoch === row.epoch) return; // The next claim takes it.
    const waits = machine === '' ? await refusalOf(row, known) : undefined;
    // A new run asks its questions again, on whatever computer it runs.
    const isSame = row.state === 'away' && row.machine === machine && row.epoch === known.epoch;
    if (isSame && (waits === undefined || turn.reason === reasonText(waits))) return;
    await journal.commit(away(turn, { epoch: known.epoch, machine, why: 'moved' }, waits));
  };

  /** The store's view of a turn, by the number of entries it had then. */
  const refusals = new Map<
    number,
    { readonly entries: number; readonly why: Reason | undefined }
  >();

  /** Why the last computer that was granted a turn could not take it. DW-20 */
  const refusalOf = async (row: SharedTurnRow, known: KnownTurn): Promise<Reason | undefined> => {
    if (known.entries === 0) return undefined;
    const told = refusals.get(row.turnId);
    if (told?.entries === known.entries) return told.why;
    const last = (await store.entries(row.uid, known.entries - 1)).at(-1);
    const wire =
      last === undefined ? undefined : readWire(deps.texts.portableOf(row.turnId), last.body);
    const why =
      last !== undefined && wire?.k === 'refused'
        ? because('reason.sharedFilesRefused', { name: last.machine, text: wire.why })
        : undefined;
    refusals.set(row.turnId, { entries: known.entries, why });
    return why;
  };

  const cancelThere = async (row: SharedTurnRow, turn: TurnRow): Promise<void> => {
    const close = { k: 'close', state: turn.state, reason: because('reason.cancelled') };
    await store.cancel(row.uid, JSON.stringify(close));
    await journal.commit([{ kind: 'share.ended', turnId: row.turnId }]);
  };

  /** No other text may replace the prompt (S0-33): the turn stays here with this reason. */
  const stay = async (turn: TurnRow, reason: Reason): Promise<void> => {
    if (turn.reason === reasonText(reason)) return;
    await journal.commit([{ kind: 'turn.state', turnId: turn.id, state: 'waiting', reason }]);
  };

  const send = async (row: SharedTurnRow, turn: TurnRow): Promise<void> => {
    if (row.ask?.lacksFiles === true) return stay(turn, lacksFiles(turn.agent));
    const prompt = reads.prompt(turn);
    const text =
      prompt.kind === 'inline' ? prompt.text : await deps.texts.blobs.get(prompt.address);
    if (text === undefined) return stay(turn, PROMPT_MISSING);
    const body = await turnBodyOf(
      deps.texts,
      { turnId: turn.id, prompt: text },
      {
        agent: turn.agent,
        origin: row.origin,
        sender: deps.name(),
        ...taskIn(row),
        ...(row.ask?.files === undefined ? {} : { files: row.ask.files }),
      },
    );
    recovery.crashPoints.hit('share.send.before');
    await store.send({
      id: row.uid,
      session: turn.sessionKey,
      priority: row.ask?.priority ?? 1,
      dedupe: row.ask?.messageId,
      needs: [deps.needOf(turn.agent), ...(row.ask?.needs ?? [])],
      isHere: row.ask?.isHere ?? false,
      body,
    });
    recovery.crashPoints.hit('share.send.after');
  };

  return { away, lose, follow, send };
}
