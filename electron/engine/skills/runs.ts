import { because, reasonText } from '../../../shared/reason';
import type { SkillFound } from './plan';
import type { RunDiscardPreview, RunPlan, RunView } from '../../../shared/types';
import type { Basics } from '../kernel/basics';
import type { ApprovalReads } from '../../ports/journal/approvals';
import type { InboxReads, TurnReads } from '../../ports/journal/reads';
import type { SharedReads } from '../../ports/journal/shared';
import type { RunRow, SkillReads } from '../../ports/journal/skills';
import type { TurnRow } from '../../ports/journal/rows';
import type { JournalEntry } from '../../ports/journal/entries';
import type { SkillDefinition, SkillFinding, SkillCatalog } from '../../ports/skills';
import { idempotencyKey } from '../journal/step-keys';
import { canonicalJson } from '../kernel/canonical';
import { eachAlone } from '../kernel/each-alone';
import { HoldfastError, stale } from '../kernel/errors';
import { planInWords, planResume, type RecoveryPolicy } from '../recovery/plan-resume';
import { discardedTurn, endRuns, settleSteps, subtreeOf } from '../recovery/skill-discard';
import { isOpenEffect } from '../recovery/ledger';
import type { Approvals } from '../permissions/approvals';
import { planKeyOf, type SkillCommand } from './plan';
import { depthsOf, planOfRun, runListText, runView } from './views';
import { settle } from '../inbox/entries';

export interface SkillRunsDeps extends Pick<
  Basics,
  'journal' | 'blobs' | 'hasher' | 'clock' | 'crashPoints' | 'audit'
> {
  readonly reads: ApprovalReads & InboxReads & SharedReads & SkillReads & TurnReads;
  readonly catalog: SkillCatalog;
  readonly approvals: Approvals;
  readonly policy: () => RecoveryPolicy;
  /** Names of skills that an agent may run; undefined: all in its folders. */
  readonly allowed: (agent: string) => readonly string[] | undefined;
  readonly turns: {
    readonly isRunning: (turnId: number) => boolean;
    /** The turn is queued on disk: it may run. */
    readonly enqueue: (turn: TurnRow) => void;
    /** Whether its end is reported on its channel. */
    readonly hasReply: (turn: TurnRow) => boolean;
  };
}

/** A run that is being executed. */
export interface LiveRun {
  /** Aborted with the turn, and when the run is discarded. */
  readonly signal: AbortSignal;
  isDiscarded(): boolean;
  /** Resolves when the discard is on disk. */
  discarded(): Promise<void>;
  /** The run is complete; false if a discard came first. */
  finish(): Promise<boolean>;
  leave(): void;
}

/** Skills and their runs, for the turn runner and for users. S2-52, S4-04..S4-06, S4-26, S4-28. */
export interface SkillRuns {
  find(agent: string, workspace: string, name: string): Promise<SkillFound>;
  /** Skills that an agent may run now. */
  ready(agent: string, workspace: string): Promise<readonly SkillDefinition[]>;
  look(workspace: string): Promise<readonly SkillFinding[]>;
  enter(runId: number, signal: AbortSignal): LiveRun;
  list(filter: { readonly includeEnded: boolean; readonly limit: number }): Promise<RunView[]>;
  /** @throws RUN_UNKNOWN */
  show(runId: number): Promise<RunView>;
  /** @throws RUN_UNKNOWN */
  plan(runId: number): Promise<RunPlan>;
  /** What a discard would end. @throws RUN_UNKNOWN, RUN_STATE */
  preview(runId: number): RunDiscardPreview;
  /**
   * Ends a run and everything it started; on disk when it resolves. Notifies its caller at once and
   * withdraws its questions; its files stay. @throws RUN_UNKNOWN, RUN_STATE, REQUEST_STALE
   */
  discard(runId: number, requestHash: string, by: string): Promise<RunView>;
  /** Answers `/skill list` and `/skill discard`. */
  answer(command: Exclude<SkillCommand, { kind: 'run' }>, turn: TurnRow): Promise<string>;
}

interface Entered {
  readonly abort: AbortController;
  phase: 'open' | 'finished' | 'discarding';
  commit: Promise<unknown>;
}

export function createSkillRuns(deps: SkillRunsDeps): SkillRuns {
  const { reads } = deps;
  const live = new Map<number, Entered>();

  const need = (runId: number): RunRow => {
    const run = reads.run(runId);
    if (run === undefined) throw unknownRun(runId);
    return run;
  };
  const turnOf = (run: RunRow): TurnRow => {
    const turn = reads.turn(run.turnId);
    if (turn === undefined) throw unknownRun(run.id);
    return turn;
  };
  const viewDeps = { blobs: deps.blobs, nowMs: () => deps.clock.nowMs(), reads };

  const preview = (runId: number): RunDiscardPreview => {
    const run = need(runId);
    if (run.state !== 'running') throw endedRun(run);
    const turn = turnOf(run);
    const open = subtreeOf(reads.runsOfTurn(turn.id), runId).filter(
      (one) => one.state === 'running',
    );
    const ids = new Set(open.map((one) => one.id));
    const openSteps = reads
      .steps(turn.id)
      .filter((step) => step.scope !== undefined && ids.has(step.scope.runId) && isOpenEffect(step))
      .map((step) => step.step);
    const runs = open.map(({ id, skill, phase }) => ({ runId: id, skill, phase }));
    return {
      runId,
      turnId: turn.id,
      skill: run.skill,
      endsTurn: isWholeTurn(run),
      runs,
      openSteps,
      requestHash: deps.hasher.sha256Hex(canonicalJson({ runId, turnId: turn.id, runs: [...ids] })),
    };
  };

  return {
    find: (agent, workspace, name) => findSkill(deps, agent, workspace, name),
    async ready(agent, workspace) {
      const found = await deps.catalog.look(workspace);
      return readyOf(found, deps.allowed(agent));
    },
    look: (workspace) => deps.catalog.look(workspace),
    enter: (runId, signal) => enter(live, runId, signal),
    async list({ includeEnded, limit }) {
      const rows = reads.runs({ includeEnded, limit });
      const depths = depthsOf(rows);
      return eachAlone(rows, (row) => runView(viewDeps, row, depths.get(row.id)));
    },
    async show(runId) {
      const row = need(runId);
      const rows = reads.runsOfTurn(row.turnId);
      return runView(viewDeps, row, depthsOf(rows).get(row.id));
    },
    async plan(runId) {
      const run = need(runId);
      const turn = turnOf(run);
      const runs = reads.runsOfTurn(turn.id);
      const frame = turn.frameId === undefined ? undefined : reads.frame(turn.frameId);
      const found = await findSkill(deps, turn.agent, frame?.workspace ?? '', run.skill);
      const origin = reads.keyOrigin(turn.id);
      const steps = reads.steps(turn.id);
      const plan = planResume({
        turn,
        steps,
        runs,
        policy: deps.policy(),
        nowMs: deps.clock.nowMs(),
        isAnswered: turn.isAnswered,
        wasAlone: turn.state === 'parked',
        idempotencyKeyOf: (root) => idempotencyKey(origin, root),
      });
      const planKey =
        found.kind === 'ready' ? planKeyOf(deps.hasher, found.skill, run.phase) : undefined;
      return planOfRun({ run, turn, steps, plan: planInWords(plan), found, planKey });
    },
    preview,
    async discard(runId, requestHash, by) {
      const shown = preview(runId);
      if (shown.requestHash !== requestHash) throw staleRun(runId);
      await discardRun(deps, live, runId, by);
      const row = need(runId);
      if (row.state !== 'discarded') throw endedRun(row);
      return runView(viewDeps, row, undefined);
    },
    async answer(command, turn) {
      if (command.kind === 'list') {
        const rows = reads.runs({ includeEnded: false, limit: 100 });
        const found = await deps.catalog.look(workspaceOf(deps, turn));
        return runListText(rows, deps.clock.nowMs(), readyOf(found, deps.allowed(turn.agent)));
      }
      if (command.kind === 'wrong')
        return 'Write "/skill NAME …", "/skill list" or "/skill discard RUN --force".';
      const shown = preview(command.runId);
      const what = `Run ${String(shown.runId)} of the skill "${shown.skill}"${shown.runs.length > 1 ? ` and ${String(shown.runs.length - 1)} that it started` : ''}`;
      if (!command.isForced)
        return `${what} would end; its files stay. Nothing was done. To do it: /skill discard ${String(shown.runId)} --force`;
      await discardRun(deps, live, command.runId, `turn ${String(turn.id)}`);
      return `${what} was discarded. Its files stay.`;
    },
  };
}

const isWholeTurn = (run: RunRow): boolean =>
  run.callStep === undefined && run.parentRunId === undefined;

function workspaceOf(deps: SkillRunsDeps, turn: TurnRow): string {
  const frame = turn.frameId === undefined ? undefined : deps.reads.frame(turn.frameId);
  return frame?.workspace ?? '';
}

function readyOf(
  found: readonly SkillFinding[],
  allowed: readonly string[] | undefined,
): readonly SkillDefinition[] {
  return found
    .flatMap((one) => (one.kind === 'ready' ? [one.skill] : []))
    .filter((skill) => allowed === undefined || allowed.includes(skill.name));
}

async function findSkill(
  deps: SkillRunsDeps,
  agent: string,
  workspace: string,
  name: string,
): Promise<SkillFound> {
  const all = await deps.catalog.look(workspace);
  const allowed = deps.allowed(agent);
  const shown = name.slice(0, 64);
  const found = all.find((one) => one.name === name && one.kind !== 'shadowed');
  if (found === undefined || allowed?.includes(name) === false) {
    const names = readyOf(all, allowed).map((skill) => skill.name);
    const list = names.length === 0 ? 'No skills yet.' : `Skills: ${names.join(', ')}.`;
    return { kind: 'none', reason: `There is no skill "${shown}". ${list}`.slice(0, 500) };
  }
  if (found.kind === 'ready') return { kind: 'ready', skill: found.skill };
  const line =
    found.kind === 'broken' && found.line !== undefined ? ` (line ${String(found.line)})` : '';
  const what = found.kind === 'skipped' ? 'is skipped' : 'cannot be read';
  return {
    kind: 'none',
    reason: `The skill "${shown}" ${what}: ${found.reason}${line}`.slice(0, 500),
  };
}

function enter(live: Map<number, Entered>, runId: number, signal: AbortSignal): LiveRun {
  const abort = new AbortController();
  const onAbort = (): void => {
    abort.abort(signal.reason);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  const entered: Entered = { abort, phase: 'open', commit: Promise.resolve() };
  live.set(runId, entered);
  return {
    signal: abort.signal,
    isDiscarded: () => entered.phase === 'discarding',
    discarded: async () => {
      await entered.commit;
    },
    finish: async () => {
      // A discard that is being written decides; a failed one leaves the run unchanged.
      await entered.commit.catch(() => undefined);
      if (entered.phase === 'discarding') return false;
      entered.phase = 'finished';
      return true;
    },
    leave: () => {
      signal.removeEventListener('abort', onAbort);
      if (live.get(runId) === entered) live.delete(runId);
    },
  };
}

async function discardRun(
  deps: SkillRunsDeps,
  live: ReadonlyMap<number, Entered>,
  runId: number,
  by: string,
): Promise<void> {
  const { reads, crashPoints } = deps;
  const run = reads.run(runId);
  if (run === undefined) throw unknownRun(runId);
  const turn = reads.turn(run.turnId);
  const entered = live.get(runId);
  if (run.state !== 'running' || turn === undefined || entered?.phase === 'finished')
    throw endedRun(run);
  // A run whose turn already waits is ending: it has written its last entry.
  const isAtWork =
    turn.state === 'running' && (entered !== undefined || deps.turns.isRunning(turn.id));
  const entries = discardEntries(deps, run, turn, isAtWork, by);
  crashPoints.hit('run.discard.before');
  const commit = deps.journal.commit(entries);
  if (entered !== undefined) {
    entered.phase = 'discarding';
    entered.commit = commit;
  }
  try {
    await commit;
  } catch (error) {
    if (entered !== undefined) entered.phase = 'open';
    throw error;
  }
  crashPoints.hit('run.discard.after');
  deps.audit.record('run_discarded', { turnId: turn.id, runId, by });
  entered?.abort.abort(new Error('The skill run was discarded.'));
  const after = reads.turn(turn.id);
  if (!isAtWork && after?.state === 'queued' && turn.state !== 'queued') deps.turns.enqueue(after);
}

/**
 * The entries of a discard, in one commit. A working run's runner settles its open calls; for a
 * waiting turn the question closes and the caller continues.
 */
function discardEntries(
  deps: SkillRunsDeps,
  run: RunRow,
  turn: TurnRow,
  isAtWork: boolean,
  by: string,
): readonly JournalEntry[] {
  const { reads } = deps;
  const tree = subtreeOf(reads.runsOfTurn(turn.id), run.id);
  const ids = new Set(tree.map((one) => one.id));
  const reason = because('reason.discarded');
  const ended = endRuns(tree, 'discarded', reason);
  if (isAtWork) return ended;
  const steps = reads.steps(turn.id);
  const awaited = new Set(tree.map((one) => one.awaitingInboxId));
  const open = reads.openInboxesOfTurn(turn.id);
  // A limit is the turn's own question and stays until it is answered.
  const dropped = open.filter(
    (item) => isWholeTurn(run) || (awaited.has(item.id) && item.item !== 'limit'),
  );
  const settled: readonly JournalEntry[] = [
    ...settleSteps(steps, ids),
    ...deps.approvals
      .clearing(turn, by)
      .filter(
        (entry) =>
          entry.kind === 'approval.answered' && dropped.some((item) => item.id === entry.requestId),
      ),
    ...dropped.map(({ id }) => settle(id, 'run discarded')),
    ...ended,
  ];
  if (isWholeTurn(run)) {
    const told = because('reason.runDiscardedBy', { name: run.skill, text: reasonText(reason) });
    return [
      ...settled,
      { kind: 'decision.recorded', turnId: turn.id, answer: 'discard_run', by },
      ...discardedTurn(deps.turns, turn, told),
    ];
  }
  const isFree =
    dropped.length === open.length &&
    steps.every(
      (step) => !isOpenEffect(step) || (step.scope !== undefined && ids.has(step.scope.runId)),
    );
  if (!isFree || turn.state === 'queued') return settled;
  return [
    ...settled,
    { kind: 'decision.recorded', turnId: turn.id, answer: 'discard_run', by },
    {
      kind: 'turn.state',
      turnId: turn.id,
      state: 'queued',
      reason: because('reason.callerError'),
    },
  ];
}

function unknownRun(runId: number): HoldfastError {
  return new HoldfastError('RUN_UNKNOWN', `There is no run ${String(runId)} of a skill.`, {
    hint: 'Nothing was changed. List the runs with "holdfast runs list".',
    facts: { runId },
  });
}

function endedRun(run: RunRow): HoldfastError {
  return new HoldfastError(
    'RUN_STATE',
    `Run ${String(run.id)} of the skill "${run.skill}" has already ended: it is ${run.state === 'running' ? 'completed' : run.state}.`,
    { hint: 'Nothing was changed.', facts: { runId: run.id, state: run.state } },
  );
}

const staleRun = (runId: number): HoldfastError =>
  stale(`What a discard of run ${String(runId)} would end`, { runId });
