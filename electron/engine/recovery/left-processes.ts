import type { LeftProcessView } from '../../../shared/types';
import type { Basics } from '../kernel/basics';
import type { InboxReads, TurnReads } from '../../ports/journal/reads';
import type { JournalEntry } from '../../ports/journal/entries';
import type { InboxRow } from '../../ports/journal/inbox';
import type { LeftProcess, LeftProcesses, Orphan } from '../../ports/left-processes';
import { showText } from '../journal/show-text';
import { canonicalJson } from '../kernel/canonical';
import { HoldfastError, stale, toHoldfastError } from '../kernel/errors';
import { createKeyedMutex } from '../kernel/keyed-mutex';
import {
  judgeLeft,
  leftFacts,
  leftNotice,
  leftState,
  planLeft,
  LEFT_OUTCOMES,
  type LeftAnswer,
  type LeftNotice,
} from './left-notices';
import { openItem, settle } from '../inbox/entries';

interface LeftProcessesDeps extends Pick<
  Basics,
  'journal' | 'hasher' | 'clock' | 'crashPoints' | 'audit' | 'log'
> {
  readonly reads: InboxReads & TurnReads;
  readonly processes: LeftProcesses;
  /** Aborted when this process must stop. */
  readonly draining: AbortSignal;
}

/**
 * Commands of turns that outlived Holdfast. The user sees each one, also in the question about its
 * turn, and chooses to wait for it, end it, or let it run. Its result stays unknown: only the
 * process that started it could read its exit code.
 */
export interface LeftProcessesRoom {
  /**
   * At startup, after open turns are judged: ends processes that are in the way and notifies the
   * user of the rest. Searches if a turn was interrupted, and while a decision about a process is
   * open.
   */
  tidy(start: {
    readonly isQuiet: boolean;
    readonly resumed: ReadonlySet<number>;
    /** Agents whose runs settle leftover processes themselves. */
    readonly settlesItself: (agent: string) => boolean;
  }): Promise<void>;
  /**
   * Ends servers or browsers of earlier runs before one of this run starts, once per run: a new one
   * must not share files with them, and a hung one would still hold its profile.
   */
  endHelpers(kind: 'server' | 'browserOf'): Promise<void>;
  /** Processes with a notice that the user has not dismissed. */
  open(): Promise<readonly LeftProcessView[]>;
  /** Everything that a turn left running, including what has ended since. */
  ofTurn(turnId: number): Promise<readonly LeftProcessView[]>;
  /** On disk before any process is signaled. @throws INBOX_UNKNOWN, REQUEST_STALE */
  answer(
    answer: LeftAnswer,
    about: { readonly inboxId: number; readonly requestHash: string },
    by: string,
  ): Promise<LeftProcessView>;
}

/** The system does not report the end of a process that is not a child: poll while one lives. */
const LOOK_MS = 1_000;

export function createLeftProcesses(deps: LeftProcessesDeps): LeftProcessesRoom {
  const { reads, clock } = deps;
  const oneByOne = createKeyedMutex<number>();
  const watched = new Set<number>();
  let isWatching = false;

  const noticeOf = (inboxId: number): LeftNotice | undefined => {
    const row = reads.inboxItem(inboxId);
    return row === undefined ? undefined : leftNotice(row);
  };
  const view = (notice: LeftNotice): Promise<LeftProcessView> => viewOf(deps, notice);
  const lookAt = async (inboxId: number): Promise<void> => {
    const notice = noticeOf(inboxId);
    if (notice === undefined || notice.row.settledAtMs !== undefined) watched.delete(inboxId);
    else if (!(await deps.processes.isAlive(notice.process))) {
      await deps.journal.commit(endedEntries(deps, notice, LEFT_OUTCOMES.ended));
      watched.delete(inboxId);
    }
  };
  const watch = async (): Promise<void> => {
    if (isWatching) return;
    isWatching = true;
    try {
      while (watched.size > 0 && !deps.draining.aborted) {
        await clock.sleep(LOOK_MS, deps.draining);
        for (const inboxId of watched) await oneByOne(inboxId, () => lookAt(inboxId));
      }
    } catch (error) {
      // Stopping, or the disk refuses: the next start judges it.
      if (!deps.draining.aborted)
        deps.log.error('process.watch_failed', { code: toHoldfastError(error).code, error });
    } finally {
      isWatching = false;
    }
  };

  const judge = async (found: readonly LeftProcess[]): Promise<void> => {
    const rows = [false, true]
      .flatMap((includeSettled) => reads.inbox({ includeSettled, limit: 1000 }))
      .filter((row, at, all) => all.findIndex(({ id }) => id === row.id) === at);
    const judged = judgeLeft(rows, found);
    const fresh = judged.fresh.map((process) => opened(deps, process));
    const gone = judged.gone.flatMap((inboxId) => {
      const notice = noticeOf(inboxId);
      return notice === undefined
        ? [settle(inboxId, LEFT_OUTCOMES.endedUnseen)]
        : endedEntries(deps, notice, LEFT_OUTCOMES.endedUnseen);
    });
    if (fresh.length + gone.length > 0) await deps.journal.commit([...gone, ...fresh]);
    for (const { row } of judged.living) watched.add(row.id);
    for (const { inboxId } of fresh) watched.add(inboxId);
    void watch();
  };
  const end = async (orphan: Orphan): Promise<void> => {
    const { pid, turnId, step, server, browserOf } = orphan;
    const how = await deps.processes.end(orphan);
    deps.audit.record('orphan_ended', { pid, turnId, step, server, browserOf, end: how });
  };
  const helpers = new Map<string, Promise<void>>();
  const endAll = async (kind: 'server' | 'browserOf'): Promise<void> => {
    for (const orphan of await deps.processes.find())
      if (orphan[kind] !== undefined) await end(orphan);
  };

  return {
    async tidy({ isQuiet, resumed, settlesItself }) {
      if (isQuiet && !reads.inbox({ includeSettled: false, limit: 1000 }).some(mayHaveLeft)) return;
      const left: LeftProcess[] = [];
      for (const orphan of await deps.processes.find()) {
        const { pid, turnId, step } = orphan;
        const turn = turnId === undefined ? undefined : reads.turn(turnId);
        const plan = planLeft(orphan, {
          settlesItself: turn !== undefined && settlesItself(turn.agent),
          goesOn: turnId !== undefined && resumed.has(turnId),
        });
        if (plan === 'end') await end(orphan);
        else deps.audit.record('orphan_found', { pid, turnId, step });
        if (plan === 'tell') left.push(orphan);
      }
      await judge(left);
    },
    endHelpers(kind) {
      const ending = helpers.get(kind) ?? endAll(kind);
      helpers.set(kind, ending);
      return ending;
    },
    async open() {
      const rows = reads.inbox({ includeSettled: false, limit: 1000 });
      return Promise.all(
        rows
          .map(leftNotice)
          .filter((notice) => notice !== undefined)
          .map(view),
      );
    },
    ofTurn: (turnId) =>
      Promise.all(
        reads
          .inboxesOfTurn(turnId)
          .map(leftNotice)
          .filter((notice) => notice !== undefined)
          .map(view),
      ),
    answer: (answer, about, by) =>
      oneByOne(about.inboxId, async () => {
        const notice = noticeOf(about.inboxId);
        if (notice === undefined) throw unknownNotice(about.inboxId);
        const shown = await view(notice);
        if (shown.state !== 'running') throw over(notice);
        if (shown.requestHash !== about.requestHash) throw changed(notice);
        await record(deps, notice, answer, by);
        if (answer === 'end') await endNow(deps, notice);
        return view(noticeOf(about.inboxId) ?? notice);
      }),
  };
}

const mayHaveLeft = ({ item }: InboxRow): boolean =>
  item === 'replay_decision' || item === 'problem';

/** The user's answer is on disk before it is executed, so a kill in between loses nothing. */
async function record(
  deps: LeftProcessesDeps,
  notice: LeftNotice,
  answer: LeftAnswer,
  by: string,
): Promise<void> {
  const { row, process } = notice;
  deps.crashPoints.hit('process.decide.before');
  await deps.journal.commit([
    {
      kind: 'process.decided',
      inboxId: row.id,
      ...(process.turnId === undefined ? {} : { turnId: process.turnId }),
      pid: process.pid,
      answer,
      by,
    },
    ...(answer === 'leave' ? [settle(row.id, LEFT_OUTCOMES.leftRunning)] : []),
  ]);
  deps.crashPoints.hit('process.decide.after');
  deps.audit.record('process_decided', {
    ...(process.turnId === undefined ? {} : { turnId: process.turnId }),
    pid: process.pid,
    answer,
    by,
  });
}

async function endNow(deps: LeftProcessesDeps, notice: LeftNotice): Promise<void> {
  const { row, process } = notice;
  const end = await deps.processes.end(process);
  deps.crashPoints.hit('process.end.after');
  deps.audit.record('orphan_ended', { pid: process.pid, turnId: process.turnId, end });
  if (end === 'still_running') return;
  const outcome = end === 'ended' ? LEFT_OUTCOMES.endedByYou : LEFT_OUTCOMES.ended;
  // The watch may have seen its end first; only the first of two ends counts.
  if (deps.reads.inboxItem(row.id)?.settledAtMs === undefined)
    await deps.journal.commit(endedEntries(deps, notice, outcome));
}

/**
 * Closes the notice. Turns that waited for the end are judged again in the same commit: the facts
 * shown before are no longer current.
 */
function endedEntries(
  deps: LeftProcessesDeps,
  { row, process, answer }: LeftNotice,
  outcome: string,
): readonly JournalEntry[] {
  const entries = [settle(row.id, outcome)];
  const question =
    answer !== 'wait' || process.turnId === undefined
      ? undefined
      : deps.reads.openInboxesOfTurn(process.turnId).find(({ item }) => item === 'replay_decision');
  if (question === undefined) return entries;
  return [
    ...entries,
    settle(question.id, LEFT_OUTCOMES.askedAnew),
    openItem(deps.journal.allocate('inbox'), 'replay_decision', question),
  ];
}

function opened(
  deps: LeftProcessesDeps,
  process: LeftProcess,
): Extract<JournalEntry, { kind: 'inbox.opened' }> {
  const whose =
    process.turnId === undefined ? 'A command' : `A command of turn ${String(process.turnId)}`;
  return openItem(deps.journal.allocate('inbox'), 'problem', {
    turnId: process.turnId,
    title: `${whose} is still running after the restart`,
    detail: `Process ${String(process.pid)} was started before the restart. Wait for it, terminate it or let it run.`,
    facts: leftFacts(process),
  });
}

async function viewOf(deps: LeftProcessesDeps, notice: LeftNotice): Promise<LeftProcessView> {
  const { row, process, answer } = notice;
  const state = leftState(notice, await deps.processes.isAlive(process));
  const { pid, processGroup, startTicks, bootId, runId } = process;
  return {
    inboxId: row.id,
    ...(process.turnId === undefined ? {} : { turnId: process.turnId }),
    ...(process.step === undefined ? {} : { step: process.step }),
    pid,
    processes: process.processes,
    startedAtMs: Math.max(0, process.startedAtMs),
    command: showText(process.command, 300).text.slice(0, 300),
    state,
    ...(answer === undefined ? {} : { answer }),
    ...(state === 'running' || row.settledAtMs === undefined ? {} : { endedAtMs: row.settledAtMs }),
    // Facts that the user saw: an answer applies to exactly this process.
    requestHash: deps.hasher.sha256Hex(
      canonicalJson({
        inboxId: row.id,
        pid,
        processGroup,
        startTicks,
        bootId,
        runId,
        command: process.command,
      }),
    ),
  };
}

const unknownNotice = (inboxId: number): HoldfastError =>
  new HoldfastError('INBOX_UNKNOWN', `There is no notice ${String(inboxId)} about a process.`, {
    hint: 'Nothing was done. List leftover processes: holdfast turns review',
  });

const over = ({ process }: LeftNotice): HoldfastError =>
  new HoldfastError('REQUEST_STALE', `Process ${String(process.pid)} has ended since you saw it.`, {
    hint: 'Nothing was done, and no signal was sent. List pending decisions: holdfast inbox list',
  });

const changed = ({ process }: LeftNotice): HoldfastError =>
  stale(`The information about process ${String(process.pid)}`);
