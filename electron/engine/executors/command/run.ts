import type { CommandRunDeps } from './deps';
import type { CommandDialect } from '../../../ports/command-agent';
import type { TurnRow } from '../../../ports/journal/rows';
import { idempotencyKey, toolKey } from '../../journal/memo-keys';
import type { LedgerLine } from '../../recovery/ledger';
import type { Lease } from '../../turns/lease-table';
import { judgeProcess, permissionOfAgent } from '../program/agent-breaker';
import { waitForAgent } from '../program/agent-outage';
import { closeWithAnswer } from './end';
import { createLive, GONE, type HookReport, type HookVerdict, type Live } from './live';
import { openJob, type Job } from './open';
import {
  canHook,
  canResume,
  isSessionUnknown,
  planCommandLine,
  planStart,
  processTool,
  resumePrompt,
  settleByHooks,
  wholeRun,
  type CommandLine,
} from './plan';
import { hold, park, type RunEnd } from '../../turns/run-ends';
import type { TurnRun } from '../../turns/run-record';
import { isLeftOut, isProcess, LEFT_OUT_END } from '../../recovery/skill-plan-runs';

export interface CommandRunner {
  run(turn: TurnRow, signal: AbortSignal, lease: Lease): Promise<RunEnd>;
  /**
   * Answers a hook. An effect is in the journal, committed and synced, before this resolves with
   * leave; where a person is asked it waits for the answer. Rejects only where nothing may go on.
   */
  hook(report: HookReport): Promise<HookVerdict>;
  /** Before open turns are judged: what the hooks of the turn wrote while nobody read it. */
  settle(turnId: number): Promise<void>;
}

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

/**
 * Drives turns of the `command` executor: one process a turn. Where the program calls our hooks,
 * each of its calls is a step whose intent is on disk before the program may make it; after a kill
 * only a call that was open is unknown. Where it does not, the process is one step with one
 * question. Source: S0-09..S0-12, S4-19..S4-25.
 */
export function createCommandRunner(deps: CommandRunDeps): CommandRunner {
  const frames = new Map<string, Promise<number>>();
  const lives = new Map<number, Live>();

  const settle = async (turnId: number): Promise<void> => {
    const records = await deps.commands.records(turnId);
    if (records === undefined || records.length === 0) return;
    const entries = settleByHooks({
      turnId,
      steps: deps.reads.steps(turnId),
      calls: deps.reads.outsideCalls(turnId),
      records,
    });
    if (entries.length > 0) await deps.journal.commit(entries, { isOutcome: true });
  };

  return {
    settle,
    async hook({ turnId, attempt, event }) {
      const live = lives.get(turnId);
      if (live === undefined || live.run.attempt !== attempt) return GONE;
      return live.onHook(event);
    },
    async run(turn, signal, lease) {
      try {
        const opened = await openJob(deps, frames, turn, lease, settle);
        lease.assertHeld();
        if (opened.kind === 'refused') return await park(deps, turn, opened.reason, []);
        const end = await drive(deps, opened.job, signal, lives);
        if (end.kind === 'closed') await deps.commands.forget(turn.id);
        return end;
      } catch (error) {
        if (!lease.isHeld()) return { kind: 'lost' };
        if (signal.aborted) return { kind: 'stopped' };
        throw error;
      }
    },
  };
}

/** What stays the same for every process of one run. */
interface Drive {
  readonly job: Job;
  readonly program: string;
  readonly dialect: CommandDialect;
  readonly isResumable: boolean;
  /** The process of an earlier run. */
  readonly whole: LedgerLine | undefined;
  readonly skipped: ReadonlySet<number>;
  readonly signal: AbortSignal;
}

async function drive(
  deps: CommandRunDeps,
  job: Job,
  signal: AbortSignal,
  lives: Map<number, Live>,
): Promise<RunEnd> {
  const { run, lines, spec } = job;
  const { turn } = run;
  const program = processTool(spec.command);
  const dialect = deps.commands.dialectOf(spec.command);
  const session = canResume(spec, dialect) ? deps.conversations.of(turn) : undefined;
  // Without a known conversation there is nothing that remembers: what a person said ends the turn.
  const isResumable = session !== undefined;
  const whole = lines.findLast((line) => isProcess(line.first.tool));
  const { mode } = deps.policy();
  const plan = planStart({ whole, isResumable, isAnswered: turn.isAnswered, mode });
  if (plan.kind === 'hold') return hold(deps, run, wholeRun(program));
  if (plan.kind === 'close') {
    const text = (await run.load(plan.content)) ?? '';
    return closeWithAnswer(deps, { run, program, said: { text, isError: false, usage: NO_USAGE } });
  }
  const gate = deps.stepGate.opened(signal, deps.draining);
  if (gate !== undefined) await run.rest(gate);
  if (signal.aborted || deps.draining.aborted) {
    await run.flush();
    return { kind: 'stopped' };
  }
  const skipped = leaveOut(deps, run, lines);
  const facts: Drive = { job, program, dialect, isResumable, whole, skipped, signal };
  const first = await runProcess(deps, facts, session?.ref, lives);
  if (first !== 'session_unknown') return first;
  // Its own record of the conversation is gone: begun anew, with the facts of ours.
  const second = await runProcess(deps, facts, undefined, lives);
  if (second === 'session_unknown') throw new Error('A new conversation cannot be unknown.');
  return second;
}

/** One process, from the intent to run it to the end of the turn. */
async function runProcess(
  deps: CommandRunDeps,
  facts: Drive,
  ref: string | undefined,
  lives: Map<number, Live>,
): Promise<RunEnd | 'session_unknown'> {
  const { job, program, dialect, whole, signal } = facts;
  const { run, spec } = job;
  const { turn } = run;
  const leave = permissionOfAgent(deps, turn);
  if (leave.kind === 'refused') return waitForAgent(deps, run, leave);
  const line = await prepareLine(deps, facts, ref);
  const step = await run.begin({
    tool: program,
    purity: 'side_effect',
    key: toolKey(deps.hasher, program, { prompt: job.prompt, args: [...(spec.args ?? [])] }),
    hint: job.prompt.replace(/\s+/g, ' ').trim().slice(0, 200),
    ...(whole?.fate === 'open' || whole?.fate === 'again' ? { againOf: whole.root } : {}),
    hasEffects: true,
    isWorkspaceRead: false,
    isIdempotent: false,
  });
  if (signal.aborted) {
    run.end(step, { state: 'failed', error: 'Stopped before it began.', isCutOff: true });
    await run.flush();
    return { kind: 'stopped' };
  }
  const live = createLive(deps, { job, step, program, dialect, skipped: facts.skipped, signal });
  lives.set(turn.id, live);
  try {
    deps.crashPoints.hit('step.effect.before');
    const start = {
      dialect,
      ref,
      program: spec.command,
      ...line,
      workspace: run.frame.workspace,
      env: run.frame.env,
      turnId: turn.id,
      step,
      idempotencyKey: idempotencyKey(deps.reads.databaseId(), turn.id, whole?.root ?? step),
      signal: live.signal,
    };
    const end = await deps.commands.run(start, live.onEvent);
    deps.crashPoints.hit('step.effect.after');
    judgeProcess(leave, end, live.signal.aborted);
    if (ref === undefined || signal.aborted || !isSessionUnknown(end) || !live.hasDoneNothing())
      return await live.finish(end);
    await live.nothingDone(`It does not know the conversation ${ref} any more.`);
    return 'session_unknown';
  } finally {
    leave.neither();
    live.dispose();
    lives.delete(turn.id);
  }
}

async function prepareLine(
  deps: CommandRunDeps,
  { job, dialect, skipped }: Drive,
  ref: string | undefined,
): Promise<CommandLine> {
  const { run, spec, lines } = job;
  const hookArgs = canHook(spec, dialect)
    ? await deps.commands.prepareHooks(run.turn.id, run.attempt)
    : undefined;
  deps.crashPoints.hit('command.hooks.after');
  const prompt =
    lines.length === 0
      ? job.prompt
      : resumePrompt({ prompt: job.prompt, lines, skipped, isContinued: ref !== undefined });
  return planCommandLine({ spec, dialect, prompt, ref, hookArgs: hookArgs ?? [] });
}

/** Calls that the policy leaves out, with their end. S4-25 */
function leaveOut(
  deps: CommandRunDeps,
  run: TurnRun,
  lines: readonly LedgerLine[],
): ReadonlySet<number> {
  const { isAnswered } = run.turn;
  const facts = { policy: deps.policy(), skill: undefined, isAnswered };
  const left = lines.filter((line) => isLeftOut(line, facts));
  for (const line of left) run.end(line.last.step, LEFT_OUT_END);
  return new Set(left.map(({ root }) => root));
}
