import { cutText } from '../../../../shared/cut-text';
import type { CommandRunDeps } from './deps';
import type { CommandDialect } from '../../../ports/command-agent';
import type { TurnRow } from '../../../ports/journal/rows';
import { idempotencyKey, toolKey } from '../../journal/step-keys';
import { NO_USAGE } from '../../recovery/plan-resume';
import { toldWorkMs, type LedgerLine } from '../../recovery/ledger';
import { judgeProcess, permissionOfAgent } from '../program/agent-breaker';
import { waitForAgent } from '../program/agent-outage';
import { closeWithAnswer } from './end';
import {
  createLive,
  GONE,
  type HookEvent,
  type HookVerdict,
  type CommandJob,
  type Live,
} from './live';
import {
  canHook,
  canResume,
  isSessionUnknown,
  planCommandLine,
  planStart,
  processTool,
  resumePrompt,
  settleByHooks,
  settledText,
  wholeRun,
  type CommandLine,
} from './plan';
import { hold, stopRun, type RunEnd } from '../../turns/run-ends';
import type { TurnRun } from '../../turns/run-record';
import { isLeftOut, isProcess, LEFT_OUT_END } from '../../recovery/skill-plan-runs';
import { changedAgent, type Executor } from '../run-turn';
import { leftAtWork } from '../program/calls';
import { aliveWhile } from '../program/watch';
import { open } from '../../turns/open-turn';
import { cutEnd } from '../../recovery/recover-at-start';
import type { VerbInput } from '../../../../shared/contract';
import type { JsonValue } from '../../../ports/provider';
import { HoldfastError, toHoldfastError } from '../../kernel/errors';
import { isTooDeep } from '../../kernel/json-depth';

export interface CommandExecutor extends Executor {
  /**
   * Answers a hook. An allowed effect is in the journal, committed and synced, before this
   * resolves; if approval is needed, it waits for the answer. Rejects only if nothing may continue.
   */
  hook(report: VerbInput<'agents.hook'>): Promise<HookVerdict>;
  /**
   * Reads what the hooks of these turns wrote while Holdfast was down; runs before open turns are
   * judged. @throws RESULT_UNREADABLE after all others: the start of the turn's run tries again
   */
  settleLeft(turnIds: readonly number[]): Promise<void>;
}

/**
 * Runs turns of the `command` executor: one process per turn. If the program calls the hooks, each
 * call is a step whose intent is on disk before the call may start; after a kill only an open call
 * is unknown. Without hooks the process is one step with one question. Source: S0-09..S0-12,
 * S4-19..S4-25.
 */
export function createCommandExecutor(deps: CommandRunDeps): CommandExecutor {
  const frames = new Map<string, Promise<number>>();
  const lives = new Map<number, Live>();

  const settle = async (turnId: number): Promise<void> => {
    const records = await deps.commands.records(turnId);
    if (records === undefined || records.length === 0) return;
    const entries = settleByHooks({
      turnId,
      steps: deps.store.reads.steps(turnId),
      calls: deps.store.reads.outsideCalls(turnId),
      records,
    });
    if (entries.length > 0) await deps.store.journal.commit(entries, { isOutcome: true });
  };

  return {
    async settleLeft(turnIds) {
      const stillOpen = new Set(deps.store.reads.openTurns().map((turn) => turn.id));
      let left: HoldfastError | undefined;
      for (const turnId of turnIds) {
        // Its turn was closed right before the process died.
        if (!stillOpen.has(turnId)) await deps.commands.forget(turnId);
        else
          await settle(turnId).catch((error: unknown) => {
            left = toHoldfastError(error);
            if (left.code !== 'RESULT_UNREADABLE') throw left;
          });
      }
      if (left !== undefined) throw left;
    },
    async hook({ turnId, attempt, event }) {
      const heard: HookEvent =
        event.kind === 'session' ? event : { ...event, input: inputOf(event.input) };
      const live = lives.get(turnId);
      if (live === undefined || live.run.attempt !== attempt) return GONE;
      return live.onHook(heard);
    },
    async open(turn, lease) {
      const spec = deps.commandOf(turn.agent);
      if (spec === undefined) return changedAgent(turn.agent);
      const opened = await open(deps, frames, turn, lease, {
        worked: toldWorkMs,
        keepsConversation: true,
        ...(turn.attempt === 0
          ? {}
          : { settle: () => aliveWhile(lease, () => settleEarlier(deps, turn, settle)) }),
      });
      if (opened.kind === 'refused') return opened;
      const { run } = opened;
      const message = run.messages[0];
      const prompt = message?.role === 'user' ? message.text : '';
      return {
        kind: 'open',
        async drive(signal) {
          const job = { spec, run, lines: run.cursor.lines, prompt };
          const end = await drive(deps, job, signal, lives);
          if (end.kind === 'closed') await deps.commands.forget(turn.id);
          return end;
        },
      };
    },
  };
}

function inputOf(text: string): JsonValue {
  let value: JsonValue | undefined;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    // said below
  }
  if (value !== undefined && !isTooDeep(value)) return value;
  throw new HoldfastError(
    'INPUT_INVALID',
    `The input of the tool call is ${value === undefined ? 'not JSON' : 'nested too deep'}.`,
    { hint: 'Nothing was allowed.' },
  );
}

/** Settles what an earlier run left. @returns why nothing may continue, or undefined */
async function settleEarlier(
  deps: CommandRunDeps,
  turn: TurnRow,
  settle: (turnId: number) => Promise<void>,
): Promise<string | undefined> {
  const orphans = await deps.commands.settleOrphans(turn.id);
  if (orphans.found > 0)
    await deps.store.journal.commit([{ kind: 'outside.orphans', turnId: turn.id, ...orphans }]);
  const left = leftAtWork(orphans);
  if (left !== undefined) return left;
  await settle(turn.id);
  const cut = deps.store.reads
    .steps(turn.id)
    .filter((step) => step.state === 'started')
    .map((step) => ({
      kind: 'step.ended' as const,
      turnId: turn.id,
      step: step.step,
      end: cutEnd(step),
    }));
  if (cut.length > 0) await deps.store.journal.commit(cut, { isOutcome: true });
  return undefined;
}

/** Facts shared by every process of one run. */
interface Drive {
  readonly job: CommandJob;
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
  job: CommandJob,
  signal: AbortSignal,
  lives: Map<number, Live>,
): Promise<RunEnd> {
  const { run, lines, spec } = job;
  const { turn } = run;
  const program = processTool(spec.command);
  const dialect = deps.commands.dialectOf(spec.command);
  const session = canResume(spec, dialect) ? deps.conversations.of(turn) : undefined;
  // Without a known conversation nothing remembers the past: the user's answer ends the turn.
  const isResumable = session !== undefined;
  const whole = lines.findLast((line) => isProcess(line.first.tool));
  const { mode } = deps.limits.policy();
  const plan = planStart({ whole, isResumable, isAnswered: turn.isAnswered, mode });
  if (plan.kind === 'hold') return hold(deps, run, wholeRun(program));
  if (plan.kind === 'close') {
    const text = settledText(await run.load(plan.content));
    return closeWithAnswer(deps, { run, program, said: { text, isError: false, usage: NO_USAGE } });
  }
  const gate = deps.limits.stepGate.opened(signal, deps.limits.draining);
  if (gate !== undefined) await run.rest(gate);
  if (signal.aborted || deps.limits.draining.aborted) return stopRun(run);
  const skipped = leaveOut(deps, run, lines);
  const facts: Drive = { job, program, dialect, isResumable, whole, skipped, signal };
  const first = await runProcess(deps, facts, session?.ref, lives);
  if (first !== 'session_unknown') return first;
  // The program lost its record of the conversation: start over with the journal's facts.
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
  const permission = permissionOfAgent(deps, turn);
  if (permission.kind === 'refused') return waitForAgent(deps, run, permission);
  const line = await prepareLine(deps, facts, ref);
  const step = await run.begin({
    tool: program,
    purity: 'side_effect',
    key: toolKey(deps.store.hasher, program, { prompt: job.prompt, args: [...(spec.args ?? [])] }),
    hint: cutText(job.prompt.replace(/\s+/g, ' ').trim(), 200),
    ...(whole?.outcome === 'open' || whole?.outcome === 'again' ? { againOf: whole.root } : {}),
    hasEffects: true,
    isWorkspaceRead: false,
    isIdempotent: false,
  });
  if (signal.aborted) {
    run.end(step, { state: 'failed', error: 'Stopped before it started.', isCutOff: true });
    return stopRun(run);
  }
  const live = createLive(deps, { job, step, program, dialect, skipped: facts.skipped, signal });
  lives.set(turn.id, live);
  try {
    deps.store.crashPoints.hit('step.effect.before');
    const start = {
      dialect,
      ref,
      program: spec.command,
      ...line,
      workspace: run.frame.workspace,
      env: run.frame.env,
      turnId: turn.id,
      step,
      idempotencyKey: idempotencyKey(run.origin, whole?.root ?? step),
      signal: live.signal,
    };
    const end = await deps.commands.run(start, live.onEvent);
    deps.store.crashPoints.hit('step.effect.after');
    judgeProcess(permission, end, live.signal.aborted);
    if (ref === undefined || signal.aborted || !isSessionUnknown(end) || !live.hasDoneNothing())
      return await live.finish(end);
    await live.nothingDone(`It no longer knows the conversation ${ref}.`);
    return 'session_unknown';
  } finally {
    permission.neither();
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
    ? await deps.commands.prepareHooks(run.turn.id, run.attempt, {
        program: spec.command,
        env: spec.env ?? [],
      })
    : undefined;
  deps.store.crashPoints.hit('command.hooks.after');
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
  const facts = { policy: deps.limits.policy(), skill: undefined, isAnswered };
  const left = lines.filter((line) => isLeftOut(line, facts));
  for (const line of left) run.end(line.last.step, LEFT_OUT_END);
  return new Set(left.map(({ root }) => root));
}
