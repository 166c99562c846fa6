import { plainName } from '../../../../shared/tool-id';
import type { StagedWrite } from '../../../ports/staged-write';
import type { StepEnd } from '../../../ports/journal/entries';
import type { RequestRow } from '../../../ports/journal/approvals';
import type { JsonValue } from '../../../ports/provider';
import type { ToolHost } from '../../../ports/tools';
import type { CallRisk, CallTarget } from '../../../ports/tool-call';
import type { ToolCall, ToolOutcome } from '../../../ports/tool-call';
import { isOfProgramFiles, toHoldfastError, type HoldfastError } from '../../kernel/errors';
import { unreachable } from '../../kernel/unreachable';
import { idempotencyKey, toolKey } from '../../journal/step-keys';
import { portableArgs } from '../../journal/portable-keys';
import { isListed } from '../../journal/side-effect-list';
import { decideLine, isEffect, type LedgerLine } from '../../recovery/ledger';
import { isLeftOut, LEFT_OUT, LEFT_OUT_END } from '../../recovery/skill-plan-runs';
import type { NewRequest } from '../../permissions/request-types';
import { grantOf, judgeCall, type CallFacts } from '../../permissions/judge-call';
import { stopRun } from '../../turns/run-ends';
import { hintOf, type RegisteredTool } from '../../turns/tool-registry';
import type { TurnRun, TurnRunDeps } from '../../turns/run-record';

/** A tool call's outcome for the conversation, or why the turn must pause and ask. */
export type ToolStepEnd =
  | { readonly kind: 'told'; readonly content: string; readonly isError: boolean }
  | { readonly kind: 'hold'; readonly reason: string }
  /** Waits for an approval or an external result: the question must be recorded. */
  | { readonly kind: 'ask'; readonly ask: Omit<NewRequest, 'turn'> }
  | { readonly kind: 'stopped' };

export interface ToolRequest {
  readonly tool: string;
  readonly args: JsonValue;
  readonly call: { readonly step: number; readonly part: number };
}

/**
 * One tool call, exactly once as far as the journal can know. A finished effect is answered from
 * the journal, an unknown one follows the policy with the same idempotency key, a read is repeated,
 * and everything else is recorded before it happens. Source: S4-09..S4-13, S4-19..S4-25.
 */
export async function runToolStep(
  deps: TurnRunDeps,
  run: TurnRun,
  request: ToolRequest,
  signal: AbortSignal,
): Promise<ToolStepEnd> {
  // A tool that the agent was not offered does not exist for it, even if the model names it.
  const isOffered = run.frame.tools.some((offer) => offer.name === request.tool);
  const tool = isOffered ? deps.tools.registry.find(request.tool) : undefined;
  const args = portableArgs(request.args, run.portable);
  const key = toolKey(deps.store.hasher, request.tool, args, run.scope);
  const line = run.cursor.take(key);
  if (line !== undefined) {
    const remembered = await fromLedger(deps, run, line, tool, request, signal);
    if (remembered !== undefined) return remembered;
  }
  if (run.frame.custom?.includes(request.tool) === true)
    return fromOutside(deps, run, request, key);
  const why =
    tool === undefined && isOffered ? deps.tools.registry.whyAbsent(request.tool) : undefined;
  if (tool === undefined && line?.outcome === 'open') {
    return {
      kind: 'hold',
      reason: `${line.first.tool} (started, outcome unknown) no longer exists, so its outcome cannot be checked.${why === undefined ? '' : ` ${why}`}`,
    };
  }
  if (tool === undefined) {
    return {
      kind: 'told',
      content: why ?? `There is no tool named "${request.tool.slice(0, 100)}".`,
      isError: true,
    };
  }
  const permission = await askPermission(deps, run, tool, request, key);
  if (permission.kind !== 'granted') return permission;
  const wasSame = !run.hasDrifted();
  const end = await invoke(deps, run, { tool, request, key, again: line, permission }, signal);
  // A stopped read is no evidence of a change.
  if (wasSame && run.hasDrifted() && end.kind !== 'stopped')
    deps.store.audit.record('world_drift', {
      turnId: run.turn.id,
      step: run.step(),
      tool: tool.qualified,
    });
  return end;
}

/** Permission to make a call; with the request number if the user gave it. */
interface Permission {
  readonly kind: 'granted';
  readonly requestId?: number;
  /** Permission covers only this target. */
  readonly goesTo?: CallTarget;
}

/**
 * Applies the rules, then the user's earlier answer about this exact call. The answer is on disk,
 * so a resumed run gets the same result without asking again. S3-06..S3-08.
 */
async function askPermission(
  deps: TurnRunDeps,
  run: TurnRun,
  tool: RegisteredTool,
  request: ToolRequest,
  key: string,
): Promise<Permission | Extract<ToolStepEnd, { kind: 'told' | 'ask' }>> {
  const { spec } = tool;
  const goesTo = async () => spec.goesTo?.(request.args, run.frame.workspace);
  // A question ends the run, so a first attempt cannot have an answer. Saves one read per call.
  const answered = run.attempt === 1 ? undefined : run.asked(request.call);
  // Bound to the exact input: the same position in another answer is a different question.
  let isMoved = false;
  if (hasAnswer(answered) && answered.inputKey === key) {
    if (answered.answer !== 'allowed')
      return { kind: 'told', content: refusal(answered.note), isError: true };
    // The target must match the approved one too: the same input may now lead elsewhere.
    isMoved =
      answered.goesTo !== undefined && answered.goesTo.address !== (await goesTo())?.address;
    const { requestId, goesTo: allowed } = answered;
    if (!isMoved)
      return { kind: 'granted', requestId, ...(allowed === undefined ? {} : { goesTo: allowed }) };
  }
  const risk = guarded(
    spec.risk?.(request.args),
    deps.tools.refusedCommand(tool.qualified, request.args),
  );
  // A call that leaves this computer is judged by its target; for other calls the target is only
  // shown.
  const leads = risk?.leaves === true && risk.covers !== '' ? await goesTo() : undefined;
  const facts = {
    tool: tool.qualified,
    purity: tool.purity,
    hasEffects: spec.hasEffects?.(request.args) ?? true,
    risk,
    goesTo: leads?.address,
  };
  const verdict = judgeCall(facts, deps.tools.rules(), (what) =>
    deps.store.reads.isGranted(run.turn.sessionId, what),
  );
  if (verdict.kind === 'allow') {
    const isBound = verdict.isBound === true && leads !== undefined;
    return { kind: 'granted', ...(isBound ? { goesTo: leads } : {}) };
  }
  if (verdict.kind === 'deny') {
    deps.store.audit.record('tool_denied', { turnId: run.turn.id, tool: tool.qualified });
    return {
      kind: 'told',
      content:
        verdict.told ??
        `${verdict.reason} The tool call was not run. Do not try it in another way.`,
      isError: true,
    };
  }
  const reason = isMoved ? MOVED : verdict.reason;
  return { kind: 'ask', ask: await questionOf(run, { tool, request, key, facts, reason, leads }) };
}

/** The question about a call, with its target or the reason why the target is unknown. */
async function questionOf(
  run: TurnRun,
  asked: {
    readonly tool: RegisteredTool;
    readonly request: ToolRequest;
    readonly key: string;
    readonly facts: CallFacts;
    readonly reason: string;
    readonly leads: CallTarget | undefined;
  },
): Promise<Omit<NewRequest, 'turn'>> {
  const { tool, request, facts } = asked;
  const { spec } = tool;
  const { workspace } = run.frame;
  const target = asked.leads ?? (await spec.goesTo?.(request.args, workspace));
  const notTold =
    target === undefined ? await spec.whyNotTold?.(request.args, workspace) : undefined;
  return {
    request: 'approval',
    tool: tool.qualified,
    inputKey: asked.key,
    call: request.call,
    input: JSON.stringify(request.args, null, 1),
    hint: hintOf(spec, request.args),
    reason: asked.reason,
    grant: grantOf(facts),
    ...(facts.risk?.leaves === true ? { leaves: true } : {}),
    ...(target === undefined ? {} : { goesTo: target }),
    ...(notTold === undefined ? {} : { notTold }),
  };
}

const MOVED = 'Its destination has changed since you allowed it. It has not run.';

/** A shell tool of another program is subject to the same guard as the built-in one. */
const guarded = (risk: CallRisk | undefined, refused: string | undefined): CallRisk | undefined =>
  refused === undefined
    ? risk
    : { ...(risk ?? { isRisky: false, reason: '', covers: '' }), refused };

const refusal = (note: string | undefined): string =>
  `The user denied this tool call. It was not run.${note === undefined || note === '' ? '' : ` The user says: ${note}`}`;

/** A request that was only closed, because its turn moved to another computer, is opened again. */
const hasAnswer = (row: RequestRow | undefined): row is RequestRow =>
  row?.answer !== undefined && row.answer !== 'cleared';

/**
 * A tool that an external client executes: its result becomes a step when it arrives. S3-09..S3-11.
 */
async function fromOutside(
  deps: TurnRunDeps,
  run: TurnRun,
  request: ToolRequest,
  key: string,
): Promise<ToolStepEnd> {
  const tool = `custom.${request.tool}`;
  const asked = run.asked(request.call);
  if (!hasAnswer(asked) || asked.inputKey !== key) {
    return {
      kind: 'ask',
      ask: {
        request: 'custom_tool',
        tool,
        inputKey: key,
        call: request.call,
        input: JSON.stringify(request.args, null, 1),
        hint: '',
        reason: 'The result of this tool is external.',
        grant: tool,
      },
    };
  }
  const content = asked.result === undefined ? refusal(asked.note) : await run.load(asked.result);
  const step = await run.begin({
    tool,
    purity: 'external',
    key,
    hint: '',
    call: request.call,
    hasEffects: false,
    isWorkspaceRead: false,
    isIdempotent: true,
    requestId: asked.requestId,
  });
  const told = content ?? RESULT_LOST;
  const isError = asked.answer !== 'result' || content === undefined;
  run.end(step, { state: 'completed', content: await run.store(told, 'result'), isError });
  return { kind: 'told', content: told, isError };
}

/** The answer that the journal already holds; undefined if the call must be made. */
async function fromLedger(
  deps: TurnRunDeps,
  run: TurnRun,
  line: LedgerLine,
  tool: RegisteredTool | undefined,
  request: ToolRequest,
  signal: AbortSignal,
): Promise<ToolStepEnd | undefined> {
  const policy = deps.limits.policy();
  const action = decideLine(line, run.cursor.lines, { pinWorld: policy.worldDrift === 'pin' });
  if (action === 'run_again') return undefined;
  if (action === 'reissue') return tool === undefined ? reuse(run, line) : undefined;
  if (action === 'reuse') return reuse(run, line);
  const { isAnswered } = run.turn;
  if (isLeftOut(line, { policy, skill: run.scope?.skill, isAnswered })) {
    run.end(line.last.step, LEFT_OUT_END);
    await run.flush();
    return { kind: 'told', content: LEFT_OUT, isError: false };
  }
  if (tool?.host.status === undefined) return undefined;
  await run.flush(); // The tool's answer may take long.
  const status = await tool.host.status(callOf(run, line.root, request, line.last.step, signal));
  if (status !== 'done') return undefined;
  run.end(line.last.step, {
    state: 'confirmed',
    by: 'status_check',
    content: { kind: 'inline', text: CHECKED },
  });
  await run.flush();
  return { kind: 'told', content: CHECKED, isError: false };
}

const CHECKED = 'Done. (The tool reports that this tool call took effect before the restart.)';
const RESULT_LOST =
  '(This tool call completed before the restart. Its stored result is missing, so the result is no longer known; the tool call is not repeated.)';

async function reuse(run: TurnRun, line: LedgerLine): Promise<ToolStepEnd | undefined> {
  const told = await storedResult(run, line);
  if (told === undefined) {
    // A missing file counts as not recorded, except that a finished effect is never run again.
    if (!isEffect(line.first)) return undefined;
    run.reuse(line.last, undefined);
    return { kind: 'told', content: RESULT_LOST, isError: true };
  }
  run.reuse(line.last, undefined);
  return told;
}

async function storedResult(
  run: TurnRun,
  line: LedgerLine,
): Promise<Extract<ToolStepEnd, { kind: 'told' }> | undefined> {
  const end = line.last.end;
  if (end === undefined || end.state === 'failed') return undefined;
  if (end.content === undefined) return undefined;
  const content = await run.load(end.content);
  if (content === undefined) return undefined;
  const isError = end.state === 'ambiguous' || (end.state === 'completed' && end.isError);
  return { kind: 'told', content, isError };
}

/** One tool call and its arguments. */
interface ToolJob {
  readonly tool: RegisteredTool;
  readonly request: ToolRequest;
  readonly key: string;
  /** The step that this call repeats. */
  readonly again: LedgerLine | undefined;
  readonly permission: Permission;
}

/** The intent that is on disk before the call is made. */
function intentOf(
  { tool, request, key, again, permission }: ToolJob,
  hasEffects: boolean,
): Parameters<TurnRun['begin']>[0] {
  const { spec } = tool;
  return {
    tool: tool.qualified,
    purity: tool.purity,
    key,
    hint: hintOf(spec, request.args),
    call: request.call,
    ...(again === undefined ? {} : { againOf: again.root }),
    hasEffects,
    isWorkspaceRead: spec.isWorkspaceRead ?? false,
    isIdempotent: spec.isIdempotent ?? false,
    ...(permission.requestId === undefined ? {} : { requestId: permission.requestId }),
  };
}

async function invoke(
  deps: TurnRunDeps,
  run: TurnRun,
  job: ToolJob,
  signal: AbortSignal,
): Promise<ToolStepEnd> {
  const { tool, request, again } = job;
  const { spec } = tool;
  const hasEffects = spec.hasEffects?.(request.args) ?? true;
  const policy = deps.limits.policy();
  const listed = isListed(tool.qualified, hasEffects, policy.sideEffectTools);
  const next = run.step() + 1;
  if (tool.purity === 'pure' && !listed) {
    await run.flush();
    const outcome = await call(tool, callOf(run, next, request, next, signal));
    if (outcome instanceof Error) throw outcome;
    return tellUnrecorded(outcome);
  }
  const toolCall: ToolCall = {
    ...callOf(run, again?.root ?? next, request, next, signal),
    ...(job.permission.goesTo === undefined ? {} : { goesTo: job.permission.goesTo }),
  };
  const staged = mayStage(tool, toolCall) ? await stage(tool.host, toolCall) : undefined;
  const beginning = run.begin(intentOf(job, hasEffects), {
    alongside: staged?.entry === undefined ? [] : [staged.entry],
    silentMs: spec.timeoutMs?.() ?? 0,
  });
  const settled = staged?.settled;
  const step = await (settled === undefined ? beginning : beginning.finally(settled));
  if (signal.aborted && staged === undefined) {
    // Stopped while the intent was being written: the call was certainly not made.
    run.end(step, { state: 'failed', error: 'Stopped before it started.', isCutOff: true });
    return stopRun(run);
  }
  deps.store.crashPoints.hit('step.effect.before');
  const outcome = staged?.outcome ?? (await call(tool, toolCall));
  // Its code is gone, so it was certainly not made. The turn waits, and the agent is told nothing.
  if (outcome instanceof Error) {
    run.end(step, { state: 'failed', error: outcome.message, isCutOff: true });
    await run.flush();
    throw outcome;
  }
  deps.store.crashPoints.hit('step.effect.after');
  // The shutdown may have interrupted the call: the next start decides, as for any interrupted
  // call.
  const isCutOff = outcome.kind === 'unknown' && deps.limits.draining.aborted;
  if (isCutOff || (signal.aborted && outcome.kind !== 'result')) {
    run.end(step, stoppedEnd(tool, outcome));
    return stopRun(run);
  }
  return record(run, { step, tool, outcome, again, isHeld: listed && policy.mode === 'safe_only' });
}

/** What is known about a call that was stopped with the turn or the process. */
function stoppedEnd(
  tool: RegisteredTool,
  outcome: Exclude<ToolOutcome, { kind: 'result' }>,
): StepEnd {
  const isHarmless = !isEffect(tool) || outcome.kind === 'failed';
  return isHarmless
    ? { state: 'failed', error: outcome.message, isCutOff: true }
    : { state: 'ambiguous', error: outcome.message };
}

async function record(
  run: TurnRun,
  facts: {
    readonly step: number;
    readonly tool: RegisteredTool;
    readonly outcome: ToolOutcome;
    readonly again: LedgerLine | undefined;
    readonly isHeld: boolean;
  },
): Promise<ToolStepEnd> {
  const { step, tool, outcome, again } = facts;
  switch (outcome.kind) {
    case 'result':
      return keep(run, step, again, outcome.content, outcome.isError);
    case 'failed': {
      // A temporary failure is not stored for reuse (S4-09); a permanent one is a result.
      if (!outcome.isRetryable) return keep(run, step, again, outcome.message, true);
      run.end(step, { state: 'failed', error: outcome.message, isCutOff: false });
      return { kind: 'told', content: outcome.message, isError: true };
    }
    case 'unknown': {
      if (!isEffect(tool)) {
        run.end(step, { state: 'failed', error: outcome.message, isCutOff: true });
        return { kind: 'told', content: outcome.message, isError: true };
      }
      if (facts.isHeld) {
        run.end(step, { state: 'ambiguous', error: outcome.message });
        return {
          kind: 'hold',
          reason: `${plainName(tool.qualified)} (started, outcome unknown): ${outcome.message}`,
        };
      }
      const content = `The outcome of this tool call is unknown: ${outcome.message} It may have happened. Check before doing it again.`;
      run.end(step, {
        state: 'ambiguous',
        error: outcome.message,
        content: { kind: 'inline', text: content },
      });
      return { kind: 'told', content, isError: true };
    }
    default:
      return unreachable(outcome);
  }
}

async function keep(
  run: TurnRun,
  step: number,
  again: LedgerLine | undefined,
  content: string,
  isError: boolean,
): Promise<ToolStepEnd> {
  // Most calls are not repetitions, and then nothing is awaited.
  const drift = again === undefined ? undefined : await driftOf(run, again, content);
  run.end(step, {
    state: 'completed',
    content: await run.store(content, 'result'),
    isError,
    ...(drift === undefined ? {} : { drift }),
  });
  return { kind: 'told', content, isError };
}

/** Only a repeated read can drift. */
async function driftOf(
  run: TurnRun,
  again: LedgerLine,
  content: string,
): Promise<'same' | 'changed' | undefined> {
  if (isEffect(again.first) || again.outcome !== 'finished') return undefined;
  const before = await storedResult(run, again);
  if (before === undefined) return undefined;
  return before.content === content ? 'same' : 'changed';
}

function tellUnrecorded(outcome: ToolOutcome): ToolStepEnd {
  return outcome.kind === 'result'
    ? { kind: 'told', content: outcome.content, isError: outcome.isError }
    : { kind: 'told', content: outcome.message, isError: true };
}

function callOf(
  run: TurnRun,
  root: number,
  request: ToolRequest,
  step: number,
  signal: AbortSignal,
): ToolCall {
  return {
    tool: request.tool,
    args: request.args,
    turnId: run.turn.id,
    step,
    idempotencyKey: idempotencyKey(run.origin, root),
    ...(run.epoch === undefined ? {} : { epoch: run.epoch }),
    workspace: run.frame.workspace,
    ...(run.frame.drafts === true ? { draftsOf: run.turn.sessionId } : {}),
    env: run.frame.env,
    signal,
  };
}

const mayStage = ({ host }: RegisteredTool, { draftsOf }: ToolCall): boolean =>
  draftsOf !== undefined && host.stage !== undefined;

/**
 * A write into a draft is complete with its intent: content on disk first, then step and draft in
 * one commit. So its result is never unknown. S3-20
 */
async function stage(host: ToolHost, toolCall: ToolCall): Promise<StagedWrite | undefined> {
  try {
    return await host.stage?.(toolCall);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { outcome: { kind: 'failed', message, isRetryable: true } };
  }
}

/**
 * A host that throws breaks its contract: the call's outcome is unknown. Only where its code could
 * not be loaded, it was not started.
 */
async function call(
  tool: RegisteredTool,
  toolCall: ToolCall,
): Promise<ToolOutcome | HoldfastError> {
  try {
    return await tool.host.call(toolCall);
  } catch (error) {
    if (isOfProgramFiles(error)) return toHoldfastError(error);
    return { kind: 'unknown', message: error instanceof Error ? error.message : String(error) };
  }
}
