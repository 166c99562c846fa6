import { because, type Reason } from '../../../shared/reason';
import type { JournalEntry } from '../../ports/journal/entries';
import type { SharedAsk, SharedTurnRow } from '../../ports/journal/shared';
import type { TurnRow } from '../../ports/journal/rows';
import type { GrantedTurn, SharedStore } from '../../ports/shared-store';
import { waitForDecision } from '../inbox/entries';
import { frameHash } from '../journal/step-keys';
import { HoldfastError } from '../kernel/errors';
import { goesAlone } from '../recovery/plan-resume';
import { entriesOf, judge, type RecoverDeps } from '../recovery/recover-at-start';
import type { SessionsRoom } from '../sessions/intake';
import type { HeldTurns } from './held-turns';
import { hasLocalTurns } from './send-shared';
import type { Instant } from './plan-lease';
import { settleConflicts } from './plan-conflicts';
import {
  crashesOf,
  notBegunEntries,
  planImport,
  planTail,
  type LocalTurn,
  type Tail,
  type ToImport,
} from './plan-import';
import { planFiles, type FilesPlan, type TurnFiles } from './turn-files';
import { isNewRefusal } from './waiting-turns';
import {
  callIn,
  callOut,
  endIn,
  endWire,
  frameIn,
  promptIn,
  readTurnBody,
  readWires,
  reasonIn,
  type TurnBody,
  type WireEntry,
  type WireTexts,
} from './wire';

const RESTS = { kind: 'rests' } as const;
/** Earlier turns of a session that its context needs. */
const EARLIER = 20;

export interface TaskTarget {
  readonly channel: string;
  readonly peer: string;
}

interface TurnImportDeps {
  readonly store: SharedStore;
  readonly texts: WireTexts;
  readonly recovery: RecoverDeps;
  readonly sessions: Pick<SessionsRoom, 'accept'>;
  readonly held: HeldTurns;
  readonly turnFiles: TurnFiles;
  /** Where the task of this name delivers its replies on this computer. */
  readonly taskTarget: (name: string) => TaskTarget | undefined;
  readonly mark: () => number;
  /** Name of this computer. */
  readonly name: () => string;
  /**
   * Entries that close the turn's open questions from an earlier run; the verdict asks again if
   * needed.
   */
  readonly clearing: (turn: TurnRow) => readonly JournalEntry[];
}

/** The end of a turn, read back from our tables. */
const closedWire = (turn: TurnRow): WireEntry => ({
  k: 'close',
  state:
    turn.state === 'completed' || turn.state === 'failed' || turn.state === 'cancelled'
      ? turn.state
      : 'discarded',
  reason: turn.reason,
  ...(turn.answerStep === undefined ? {} : { answerStep: turn.answerStep }),
});

const pickAsking = ({ step, state, by }: Extract<WireEntry, { k: 'asking' }>) => ({
  step,
  state,
  by,
});

const pickFiles = ({ files }: TurnBody): Pick<SharedAsk, 'files'> =>
  files === undefined ? {} : { files };

/** Result of importing a granted turn. */
type ImportedTurn =
  /** It may run now: how long it must wait, and whether it must run alone. */
  | {
      readonly kind: 'runs';
      readonly turn: TurnRow;
      readonly delayMs: number;
      readonly isAlone: boolean;
    }
  /** It needs a person's decision, or is over. */
  | { readonly kind: 'rests' }
  /**
   * Its files cannot be brought here, so nothing of it is in our journal. `isNew`: this computer
   * has not reported that yet.
   */
  | { readonly kind: 'refused'; readonly why: string; readonly isNew: boolean };

/** The store's entries of a turn, and which computer wrote each. */
interface Stored {
  readonly wires: readonly WireEntry[];
  readonly by: readonly string[];
  readonly count: number;
  readonly lastBy: string;
}

/** Fetches a turn's files, if any, before anything of the turn is in our journal. */
async function bringFiles(
  { turnFiles, recovery: { reads }, name }: Pick<TurnImportDeps, 'turnFiles' | 'recovery' | 'name'>,
  granted: GrantedTurn,
  { agent, files }: TurnBody,
  { wires, by }: Stored,
  sent: Instant,
): Promise<
  | { readonly kind: 'here'; readonly sent: Instant; readonly left?: FilesPlan['left'] }
  | Extract<ImportedTurn, { kind: 'refused' }>
> {
  if (files === undefined) return { kind: 'here', sent };
  const known = reads.sharedByUid(granted.id);
  const isFirst = (known === undefined ? 0 : reads.turn(known.turnId)?.attempt) === 0;
  const { move, isElsewhere, left } = planFiles(files, wires, by, name());
  const isEqual = isFirst || isElsewhere;
  const brought = await turnFiles.bring(granted, { agent, files: move, sent, isEqual });
  if (brought.kind === 'here') return { ...brought, left };
  const isNew = isNewRefusal(wires, by, { machine: name(), why: brought.why });
  return { ...brought, isNew };
}

/** Why this computer cannot resume a turn from another one automatically. */
function whyItStays(
  took: string,
  { isOfSkill }: ToImport,
  left: FilesPlan['left'],
): Reason | undefined {
  if (isOfSkill) return because('reason.sharedSkill', { name: took });
  return left === undefined
    ? undefined
    : because('reason.sharedFiles', { name: left.machine, text: left.why });
}

function localTurn(reads: TurnImportDeps['recovery']['reads'], turnId: number): LocalTurn {
  const turn = reads.turn(turnId);
  return {
    turnId,
    attempt: turn?.attempt ?? 0,
    framedAtMs: turn?.framedAtMs,
    steps: reads.steps(turnId),
    calls: reads.outsideCalls(turnId),
  };
}

/** Imports turns from the store into this computer's journal. */
export interface TurnImport {
  /**
   * Imports a granted turn with everything its earlier owners wrote, judged as a start judges the
   * work of a
   * dead process. Repeating it after a crash in between gives the same result.
   * @throws SHARE_UNREACHABLE
   */
  take(granted: GrantedTurn, sent: Instant): Promise<ImportedTurn>;
  /** Imports what other computers wrote about a turn that is over. @throws SHARE_UNREACHABLE */
  followEnd(row: SharedTurnRow, machine: string): Promise<void>;
}

export function createTurnImport(deps: TurnImportDeps): TurnImport {
  const { store, texts, recovery, held } = deps;
  const { journal, reads, crashPoints } = recovery;

  /** Empty if this computer does not have the agent; nothing of it can run here then. */
  const workspaceOf = (uid: string, { agent, files }: Pick<TurnBody, 'agent' | 'files'>): string =>
    deps.turnFiles.folderOf({ uid, agent, files }) ?? '';

  const storedOf = async (uid: string, workspace: string): Promise<Stored> => {
    const rows = await store.entries(uid, 0);
    const { wires, by } = readWires(texts.portableIn(workspace), rows);
    return { wires, by, count: rows.length, lastBy: by.at(-1) ?? '' };
  };

  /**
   * The previous owner, if it is another computer whose lease expired or that gave the turn back.
   */
  const fromOf = (...names: readonly string[]): { readonly from?: string } => {
    const from = names.find((name) => name !== '' && name !== deps.name());
    return from === undefined ? {} : { from };
  };

  const localOf = (turnId: number): LocalTurn => localTurn(reads, turnId);

  /** The hash of its frame, stored on our disk for this computer's workspace. */
  const frameFor = async (hash: string, workspace: string): Promise<number> => {
    const frame = await frameIn(texts, hash, workspace);
    const own = frameHash(texts.hasher, frame);
    const known = reads.frameIdByHash(own);
    if (known !== undefined) return known;
    const frameId = journal.allocate('frame');
    await journal.commit([{ kind: 'frame.recorded', frameId, hash: own, frame }]);
    return frameId;
  };

  const importEntries = async (
    turnId: number,
    missing: ToImport,
    workspace: string,
  ): Promise<JournalEntry[]> => {
    const entries: JournalEntry[] = [];
    const to = { turnId, portable: texts.portableIn(workspace) };
    for (const { attempt, framedAtMs, frame } of missing.attempts)
      entries.push({
        kind: 'turn.started',
        turnId,
        attempt,
        framedAtMs,
        frameId: await frameFor(frame, workspace),
      });
    entries.push(...missing.starts.map((start) => ({ kind: 'step.started' as const, ...start })));
    for (const one of missing.calls)
      entries.push(
        one.k === 'call'
          ? await callIn(texts, one, to)
          : { kind: 'outside.asking', turnId, ...pickAsking(one) },
      );
    for (const { step, end } of missing.ends)
      entries.push({
        kind: 'step.ended',
        turnId,
        step,
        end: await endIn(texts, end, to),
        isElsewhere: true,
      });
    return entries;
  };

  /** The computer that ended the turn has also answered it. */
  const closing = (
    turn: TurnRow,
    close: NonNullable<ToImport['close']>,
    machine: string | undefined,
  ): JournalEntry => ({
    kind: 'turn.closed',
    turnId: turn.id,
    sessionId: turn.sessionId,
    state: close.state,
    reason: reasonIn(close.reason),
    ...(close.answerStep === undefined ? {} : { answerStep: close.answerStep }),
    hasReply: machine === '' && deps.recovery.hasReply(turn),
  });

  const acceptHere = async (
    uid: string,
    session: string,
    body: TurnBody,
    entries: (turnId: number) => readonly JournalEntry[],
  ): Promise<number> => {
    const known = reads.sharedByUid(uid);
    if (known !== undefined) return known.turnId;
    const { turn } = await deps.sessions.accept({
      text: await promptIn(texts, body, workspaceOf(uid, body)),
      ...((body.task === undefined ? undefined : deps.taskTarget(body.task)) ?? {
        channel: 'cli',
        peer: body.sender,
      }),
      // A local session of the same name that was never shared is a different session.
      session: hasLocalTurns(reads, session) ? `${session} (shared)` : session,
      newAgent: body.agent,
      shared: entries,
    });
    return turn.id;
  };

  /** Imports a turn that is over, as part of the session's history. */
  const importEarlier = async (session: string, uid: string, text: string): Promise<void> => {
    if (reads.sharedByUid(uid) !== undefined) return;
    const body = readTurnBody(text);
    const { wires } = await storedOf(uid, workspaceOf(uid, body));
    const turnId = await acceptHere(uid, session, body, (id) => [
      {
        kind: 'share.sent',
        turnId: id,
        uid,
        ask: { priority: 1, needs: [], isHere: false, ...pickFiles(body) },
      },
    ]);
    await finish(turnId, wires, workspaceOf(uid, body));
  };

  const finish = async (
    turnId: number,
    wires: readonly WireEntry[],
    workspace: string,
    machine?: string,
  ): Promise<void> => {
    const turn = reads.turn(turnId);
    const { local, before, after } = settleConflicts(localOf(turnId), wires);
    const missing = planImport(local, wires);
    if (turn === undefined || missing.close === undefined) return;
    const entries = await importEntries(turnId, missing, workspace);
    await journal.commit([
      ...before,
      ...entries,
      ...after,
      ...(turn.endedAtMs === undefined
        ? [...deps.clearing(turn), closing(turn, missing.close, machine)]
        : []),
      { kind: 'share.ended', turnId, ...(machine === undefined ? {} : { machine }) },
    ]);
  };

  /** Steps from an earlier run of this computer go to the store under the new epoch. */
  const sendTail = (turnId: number, { entries }: Tail): void => {
    for (const one of entries)
      held.queue(turnId, () =>
        one.kind === 'start'
          ? Promise.resolve(one.wire)
          : one.kind === 'call'
            ? callOut(texts, one.call)
            : endWire(texts, { turnId, step: one.step }, one.end),
      );
  };

  const judged = async (turnId: number, crashes: number): Promise<ImportedTurn> => {
    const turn = reads.turn(turnId);
    if (turn === undefined) return RESTS;
    // A tool call that was still asking for approval cannot have started on any computer. S4-20
    const steps = reads.steps(turnId);
    const asked = new Set(
      reads.outsideCalls(turnId).flatMap((call) => (call.asking === 'asked' ? [call.step] : [])),
    );
    const notBegun = steps.filter(({ step, state }) => state === 'started' && asked.has(step));
    const verdict = judge(
      recovery,
      { ...turn, state: 'running', crashes: Math.max(0, crashes - 1) },
      // The previous owner already ran it alone, if that was its last permitted run.
      { isUnexpected: crashes > 0, wasAlone: true },
      steps.filter((step) => !notBegun.includes(step)),
    );
    const startId = reads.starts(1)[0]?.id ?? 0;
    const entries = entriesOf(recovery, { ...verdict, notBegun }, startId);
    crashPoints.hit('share.judge.before');
    await journal.commit([...deps.clearing(turn), ...entries], {
      isOutcome: true,
    });
    crashPoints.hit('share.judge.after');
    const after = reads.turn(turnId);
    return verdict.plan.action === 'resume' && after !== undefined
      ? {
          kind: 'runs',
          turn: after,
          delayMs: verdict.plan.delayMs,
          isAlone: goesAlone(verdict, recovery.policy()),
        }
      : RESTS;
  };

  return {
    async take(granted, sent) {
      const body = readTurnBody(granted.body);
      const workspace = workspaceOf(granted.id, body);
      if (deps.turnFiles.folderOf({ ...body, uid: granted.id, files: undefined }) === undefined)
        throw new HoldfastError('AGENT_UNKNOWN', `There is no agent "${body.agent}" here.`);
      const stored = await storedOf(granted.id, workspace);
      const { wires, count, lastBy } = stored;
      const brought = await bringFiles(deps, granted, body, stored, sent);
      if (brought.kind === 'refused') return brought;
      for (const { id, body: text } of await store.earlier(granted.id, EARLIER))
        await importEarlier(granted.session, id, text);
      const origin = body.origin;
      const claimed = (turnId: number, missing: ToImport | undefined): JournalEntry => ({
        kind: 'share.claimed',
        turnId,
        uid: granted.id,
        epoch: granted.epoch,
        mark: deps.mark(),
        origin,
        ...pickFiles(body),
        ...fromOf(granted.took, lastBy),
        atStep: (missing?.lastStep ?? 0) + 1,
      });
      crashPoints.hit('share.claim.before');
      const turnId = await acceptHere(granted.id, granted.session, body, (id) => [
        claimed(id, undefined),
      ]);
      const { local, before, after } = settleConflicts(localOf(turnId), wires);
      const missing = planImport(local, wires);
      const imported = await importEntries(turnId, missing, workspace);
      const tail = planTail(local, wires);
      await journal.commit([
        ...before,
        ...imported,
        ...after,
        ...notBegunEntries(turnId, tail.notBegun),
        claimed(turnId, missing),
      ]);
      crashPoints.hit('share.claim.after');
      const { id: uid, epoch } = granted;
      held.add({ turnId, uid, epoch, inStore: count, sent: brought.sent });
      sendTail(turnId, tail);
      const { files } = body;
      // The last step that ended may have changed the files.
      if (files !== undefined && tail.entries.length > 0)
        held.queue(turnId, () => deps.turnFiles.now(uid, files));
      const turn = reads.turn(turnId);
      if (turn === undefined) return RESTS;
      if (turn.endedAtMs !== undefined) {
        // The turn ended here before the store was told. DW-13
        held.queue(turnId, () => Promise.resolve(closedWire(turn)));
        return RESTS;
      }
      const stays = whyItStays(granted.took, missing, brought.left);
      if (stays !== undefined) {
        await journal.commit(waitForDecision(journal.allocate('inbox'), turn, 'parked', stays));
        return RESTS;
      }
      if (turn.attempt > 0) return judged(turnId, crashesOf(wires, granted.lives));
      await journal.commit([
        { kind: 'turn.state', turnId, state: 'queued', reason: because('reason.none') },
      ]);
      return { kind: 'runs', turn: reads.turn(turnId) ?? turn, delayMs: 0, isAlone: false };
    },
    async followEnd(row, machine) {
      const turn = reads.turn(row.turnId);
      if (turn === undefined) return;
      const workspace = workspaceOf(row.uid, { agent: turn.agent, files: row.ask?.files });
      const { wires } = await storedOf(row.uid, workspace);
      await finish(row.turnId, wires, workspace, machine);
    },
  };
}
