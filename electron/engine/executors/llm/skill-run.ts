import { because, NO_REASON, quoted, reasonText, type Reason } from '../../../../shared/reason';
import { encodeAnswer } from '../../journal/answer-codec';
import type { Frame, JournalEntry } from '../../../ports/journal/entries';
import type { RunRow } from '../../../ports/journal/skills';
import type { JsonValue } from '../../../ports/provider';
import type { SkillDefinition } from '../../../ports/skills';
import { toolKey } from '../../journal/step-keys';
import { HoldfastError, toHoldfastError } from '../../kernel/errors';
import { settleSteps, subtreeOf } from '../../recovery/skill-discard';
import type { ModelStepEnd } from './model-step';
import {
  enterPhase,
  FINISH_PHASE,
  MAX_RUN_DEPTH,
  phaseAfter,
  phaseFrame,
  phaseInput,
  planKeyOf,
  RUN_SKILL,
  type SkillCommand,
} from '../../skills/plan';
import type { LiveRun } from '../../skills/runs';
import type { ToolRequest, ToolStepEnd } from './tool-step';
import type { RunScope, TurnRun, TurnRunDeps } from '../../turns/run-record';
import { NO_USAGE } from '../../recovery/plan-resume';
import { close, closeTurn, hold, type RunEnd } from '../../turns/run-ends';

/** A step without side effects of its own. */
const idempotent = {
  purity: 'pure',
  hasEffects: false,
  isWorkspaceRead: false,
  isIdempotent: true,
} as const;

type ModelAnswered = Extract<ModelStepEnd, { kind: 'answer' }>;
type ToolAnswered = Extract<ToolStepEnd, { kind: 'told' }>;

/** A phase that ended through `finish_phase`. */
interface PhaseLeft {
  readonly kind: 'left';
  readonly artifact: string;
  readonly next?: string;
  /** The skill gives up: it ends, and is not resumed (S4-+03). */
  readonly abort?: string;
}

/** How a conversation ended; a `RunEnd` ends the turn's run with it. */
export type TalkEnd =
  { readonly kind: 'answered'; readonly asked: ModelAnswered } | PhaseLeft | RunEnd;

/** Calls that the engine executes itself; undefined, synchronously, for all others. */
export type OwnCalls = (
  request: ToolRequest,
) => Promise<ToolAnswered | PhaseLeft | { readonly kind: 'out'; readonly end: RunEnd }> | undefined;

/** What a skill run needs from the turn runner. */
export interface SkillDriver {
  readonly deps: TurnRunDeps;
  /** The turn's frame: a nested run does not inherit the skill's instructions. */
  readonly frame: Frame;
  talk(run: TurnRun, signal: AbortSignal, own: OwnCalls): Promise<TalkEnd>;
}

/** The phase in which calls are made. */
interface Inside {
  readonly skill: SkillDefinition;
  readonly visits: Readonly<Record<string, number>>;
  readonly depth: number;
}

/** The result of a skill run for its caller. */
type SkillEnd =
  | { readonly kind: 'done'; readonly artifact: string; readonly asked?: ModelAnswered }
  | { readonly kind: 'failed' | 'discarded'; readonly reason: Reason }
  | { readonly kind: 'out'; readonly end: RunEnd };

interface SkillJob {
  readonly name: string;
  readonly input: string;
  readonly callStep: number | undefined;
  readonly parent: RunScope | undefined;
  readonly depth: number;
}

/** `run_skill` if the agent has skills, and `finish_phase` inside a phase. */
export function skillCalls(
  driver: SkillDriver,
  run: TurnRun,
  inside: Inside | undefined,
  signal: AbortSignal,
): OwnCalls {
  return (request) => {
    if (request.tool === FINISH_PHASE && inside !== undefined && run.scope !== undefined)
      return Promise.resolve(finishPhase(run.scope, inside, request.args));
    if (request.tool !== RUN_SKILL) return undefined;
    return run.frame.tools.some((offer) => offer.name === RUN_SKILL)
      ? callSkill(driver, run, request, inside?.depth ?? 0, signal)
      : undefined;
  };
}

function finishPhase(scope: RunScope, inside: Inside, args: JsonValue): ToolAnswered | PhaseLeft {
  const abort = textArg(args, 'abort');
  const artifact = textArg(args, 'artifact') ?? '';
  if (abort !== undefined && abort.trim() !== '') return { kind: 'left', artifact, abort };
  const next = textArg(args, 'next');
  const after = phaseAfter(inside.skill, scope.phase, inside.visits, next);
  if (after.kind === 'refused') return { kind: 'told', content: after.reason, isError: true };
  return { kind: 'left', artifact, ...(next === undefined ? {} : { next }) };
}

function textArg(args: JsonValue, name: string): string | undefined {
  if (typeof args !== 'object' || args === null || !Object.hasOwn(args, name)) return undefined;
  const value: JsonValue | undefined = (args as Readonly<Record<string, JsonValue>>)[name];
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * One `run_skill` call. It is a step of its caller, so its result is stored like any other; the
 * step identifies the nested run, which resumes where it stopped.
 */
async function callSkill(
  driver: SkillDriver,
  run: TurnRun,
  request: ToolRequest,
  depth: number,
  signal: AbortSignal,
): Promise<ToolAnswered | { readonly kind: 'out'; readonly end: RunEnd }> {
  const { deps } = driver;
  const key = toolKey(deps.store.hasher, RUN_SKILL, request.args, run.scope);
  const line = run.cursor.take(key);
  const end = line?.outcome === 'finished' ? line.last.end : undefined;
  if (line !== undefined && end?.state === 'completed') {
    run.reuse(line.last, undefined);
    const content = (await run.load(end.content)) ?? LOST;
    return { kind: 'told', content, isError: end.isError };
  }
  const name = textArg(request.args, 'name') ?? '';
  const step = await run.begin({
    ...idempotent,
    tool: `skill.${RUN_SKILL}`,
    key,
    hint: name.slice(0, 200),
    call: request.call,
    ...(line === undefined ? {} : { againOf: line.root }),
  });
  const cut: JournalEntry = {
    kind: 'step.ended',
    turnId: run.turn.id,
    step,
    end: { state: 'failed', error: 'It waits for the skill run that it started.', isCutOff: true },
  };
  const inner: TurnRun = {
    ...run,
    // Whatever makes the turn wait ends this call in the same commit: it is entered again later.
    flush: (entries = []) => run.flush(entries.some(isWaiting) ? [cut, ...entries] : entries),
  };
  const ended = await runSkill(
    driver,
    inner,
    {
      name,
      input: textArg(request.args, 'input') ?? '',
      callStep: line?.root ?? step,
      parent: run.scope,
      depth: depth + 1,
    },
    signal,
  );
  if (ended.kind === 'out') {
    if (ended.end.kind === 'stopped') await run.flush([cut]);
    return ended;
  }
  const content = ended.kind === 'done' ? ended.artifact : reasonText(ended.reason);
  const isError = ended.kind !== 'done';
  run.end(step, { state: 'completed', content: await run.store(content, 'result'), isError });
  return { kind: 'told', content, isError };
}

const LOST = '(The skill finished before the restart; its stored result is missing.)';

const isWaiting = (entry: JournalEntry): boolean =>
  entry.kind === 'turn.state' || entry.kind === 'turn.requeued';

/**
 * Runs a skill phase by phase, from where its journal record ends. A finished phase is on disk with
 * its artifact and never restarts automatically: no model request, no tool call. Source: S4-04,
 * S4-07, S4-08, S4-16, S4-+03, S4-+06, S4-+08.
 */
async function runSkill(
  driver: SkillDriver,
  run: TurnRun,
  job: SkillJob,
  signal: AbortSignal,
): Promise<SkillEnd> {
  const { deps } = driver;
  const known = deps.store.reads
    .runsOfTurn(run.turn.id)
    .find((one) => one.callStep === job.callStep && one.parentRunId === job.parent?.runId);
  if (known !== undefined && known.state !== 'running') return endedBefore(run, known);
  if (known?.damage !== undefined)
    return out(
      hold(
        driver.deps,
        run,
        because('reason.runDamaged', { id: known.id, name: known.skill, text: known.damage }),
      ),
    );
  const found = await deps.tools.skills.find(
    run.turn.agent,
    run.frame.workspace,
    known?.skill ?? job.name,
  );
  if (found.kind === 'none') {
    if (known === undefined) return { kind: 'failed', reason: quoted(found.reason) };
    const reason = because('reason.runGone', { id: known.id, text: found.reason });
    return out(hold(driver.deps, run, reason));
  }
  if (job.depth > MAX_RUN_DEPTH) {
    return {
      kind: 'failed',
      reason: because('reason.runDepth', { count: MAX_RUN_DEPTH }),
    };
  }
  const changed = known === undefined ? undefined : versionProblem(deps, run, known, found.skill);
  if (changed !== undefined) return out(hold(driver.deps, run, changed.reason, changed.entries));
  const runId = known?.id ?? deps.store.journal.allocate('run');
  if (known === undefined) await noteStart(driver, run, runId, job, found.skill);
  const live = deps.tools.skills.enter(runId, signal);
  try {
    // Discarded while the phase was starting: the record already shows it.
    if (deps.store.reads.run(runId)?.state === 'discarded') return DISCARDED;
    return await runPhases(driver, run, { runId, known, skill: found.skill, job, live });
  } finally {
    live.leave();
  }
}

const DISCARDED = {
  kind: 'discarded',
  reason: because('reason.runDiscarded'),
} as const satisfies SkillEnd;
const out = async (end: Promise<RunEnd>): Promise<SkillEnd> => ({ kind: 'out', end: await end });

async function endedBefore(run: TurnRun, known: RunRow): Promise<SkillEnd> {
  if (known.state === 'discarded') return { ...DISCARDED, reason: discardedText(known) };
  if (known.state !== 'completed') return { kind: 'failed', reason: quoted(known.reason) };
  const artifact = known.artifact === undefined ? '' : await run.load(known.artifact);
  return { kind: 'done', artifact: artifact ?? LOST };
}

const discardedText = (known: RunRow): Reason =>
  because('reason.runDiscardedBy', { name: known.skill, text: known.reason });

/**
 * A skill whose version changed resumes only if the visit's step plan is the same; otherwise the
 * turn asks the user once and shows both versions. S4-+08.
 */
function versionProblem(
  deps: TurnRunDeps,
  run: TurnRun,
  known: RunRow,
  skill: SkillDefinition,
): { readonly reason: Reason; readonly entries: readonly JournalEntry[] } | undefined {
  if (known.version === skill.version || known.phase === '') return undefined;
  const planKey = planKeyOf(deps.store.hasher, skill, known.phase);
  if (planKey !== undefined && (known.visit === 0 || planKey === known.planKey)) return undefined;
  // The user has already answered for exactly this version.
  if (run.turn.isAnswered && known.actionReason.includes(skill.version)) return undefined;
  const reason = because('reason.skillChanged', {
    name: known.skill,
    title: known.phase,
    first: known.version,
    last: skill.version,
  });
  return {
    reason,
    entries: [
      { kind: 'run.planned', turnId: run.turn.id, runId: known.id, action: 'resume', reason },
    ],
  };
}

async function noteStart(
  driver: SkillDriver,
  run: TurnRun,
  runId: number,
  job: SkillJob,
  skill: SkillDefinition,
): Promise<void> {
  run.note({
    kind: 'run.started',
    turnId: run.turn.id,
    runId,
    ...(job.parent === undefined ? {} : { parentRunId: job.parent.runId }),
    ...(job.callStep === undefined ? {} : { callStep: job.callStep }),
    skill: skill.name,
    version: skill.version,
    input: await run.store(job.input, 'result'),
  });
  driver.deps.store.audit.record('run_started', { turnId: run.turn.id, runId, skill: skill.name });
}

interface RunFacts {
  readonly runId: number;
  readonly known: RunRow | undefined;
  readonly skill: SkillDefinition;
  readonly job: SkillJob;
  readonly live: LiveRun;
}

async function runPhases(driver: SkillDriver, run: TurnRun, facts: RunFacts): Promise<SkillEnd> {
  const { deps } = driver;
  const { runId, known, skill, live } = facts;
  const turnId = run.turn.id;
  const visits: Record<string, number> = { ...known?.visits };
  let phase = known?.phase === undefined || known.phase === '' ? firstOf(skill) : known.phase;
  let visit = known?.visit ?? 0;
  const given = await givenTo(run, facts, phase);
  if (given.kind === 'missing') return out(hold(deps, run, given.reason));
  const { input } = given;
  let { before } = given;
  for (;;) {
    const planKey = planKeyOf(deps.store.hasher, skill, phase);
    const entering = visit === 0 ? enterPhase(skill, phase, visits) : undefined;
    if (entering?.kind === 'refused' || planKey === undefined) {
      const none = `There is no phase "${phase}" in this version of the skill.`;
      return fail(deps, run, facts, entering?.kind === 'refused' ? entering.reason : none);
    }
    if (entering?.kind === 'phase') visit = entering.visit;
    if (entering !== undefined || planKey !== known?.planKey) {
      const { version } = skill;
      run.note({ kind: 'phase.entered', turnId, runId, phase, visit, version, planKey });
    }
    visits[phase] = visit;
    const end = await talkInPhase(driver, run, facts, { phase, visit, visits, input, before });
    if (live.isDiscarded()) return discarded(deps, run, runId, live);
    if (end.kind !== 'answered' && end.kind !== 'left') return { kind: 'out', end };
    if (end.kind === 'left' && end.abort !== undefined) {
      const why = `The skill gave up in its phase "${phase}": ${end.abort}`;
      return fail(deps, run, facts, why);
    }
    const artifact = end.kind === 'left' ? end.artifact : textOfAnswer(end.asked);
    const after = phaseAfter(skill, phase, visits, end.kind === 'left' ? end.next : undefined);
    const stored = await run.store(artifact, 'result');
    deps.store.crashPoints.hit('phase.end.before');
    run.note({
      kind: 'phase.left',
      turnId,
      runId,
      phase,
      visit,
      ...(after.kind === 'phase' ? { next: after.name } : {}),
      artifact: stored,
    });
    if (after.kind === 'refused') return fail(deps, run, facts, after.reason);
    if (after.kind === 'end') {
      if (!(await live.finish())) return discarded(deps, run, runId, live);
      run.note({ kind: 'run.ended', turnId, runId, state: 'completed', reason: NO_REASON });
      deps.store.audit.record('run_ended', { turnId, runId, state: 'completed' });
      return { kind: 'done', artifact, ...(end.kind === 'answered' ? { asked: end.asked } : {}) };
    }
    before = { phase, artifact };
    phase = after.name;
    visit = 0;
  }
}

const firstOf = (skill: SkillDefinition): string => skill.phases[0]?.name ?? '';

/** What a run resumes with, from disk; nothing replaces a text that is missing there. */
async function givenTo(run: TurnRun, { runId, known, skill, job }: RunFacts, title: string) {
  const input = known === undefined ? job.input : await run.load(known.input);
  const before = await handedOn(run, known);
  const at = { id: runId, name: skill.name };
  if (input === undefined)
    return { kind: 'missing', reason: because('reason.runInputMissing', at) } as const;
  return before === 'missing'
    ? ({
        kind: 'missing',
        reason: because('reason.runOutputMissing', { ...at, title }),
      } as const)
    : ({ kind: 'given', input, before } as const);
}

/** The previous phase's artifact, from disk. */
async function handedOn(
  run: TurnRun,
  known: RunRow | undefined,
): Promise<{ readonly phase: string; readonly artifact: string } | 'missing' | undefined> {
  const last = known?.history.at(-1);
  if (known?.artifact === undefined || last === undefined) return undefined;
  const artifact = await run.load(known.artifact);
  return artifact === undefined ? 'missing' : { phase: last.phase, artifact };
}

async function talkInPhase(
  driver: SkillDriver,
  run: TurnRun,
  { runId, skill, job, live }: RunFacts,
  at: {
    readonly phase: string;
    readonly visit: number;
    readonly visits: Readonly<Record<string, number>>;
    readonly input: string;
    readonly before: { readonly phase: string; readonly artifact: string } | undefined;
  },
): Promise<TalkEnd> {
  const spec = skill.phases.find((one) => one.name === at.phase);
  if (spec === undefined)
    throw new HoldfastError('INTERNAL', `The phase "${at.phase}" is not in its skill.`);
  const scope = { runId, phase: at.phase, visit: at.visit };
  const scoped: TurnRun = {
    ...run,
    scope: { ...scope, skill: skill.name },
    frame: phaseFrame(driver.frame, skill, spec),
    messages: [{ role: 'user', text: phaseInput(at.input, at.before) }],
    // The scope of a run nested in this one is set already, and stays.
    begin: (start, options) => run.begin({ scope, ...start }, options),
  };
  const inside = { skill, visits: at.visits, depth: job.depth };
  try {
    return await driver.talk(scoped, live.signal, skillCalls(driver, scoped, inside, live.signal));
  } catch (error) {
    // A call that failed because it was stopped: the journal shows how far it got.
    if (live.isDiscarded()) return { kind: 'stopped' };
    throw error;
  }
}

function fail(deps: TurnRunDeps, run: TurnRun, facts: RunFacts, why: string): SkillEnd {
  const { runId, skill } = facts;
  const reason = because('reason.skillFailed', { name: skill.name, text: why });
  const turnId = run.turn.id;
  run.note({ kind: 'run.ended', turnId, runId, state: 'failed', reason });
  deps.store.audit.record('run_ended', { turnId, runId, state: 'failed' });
  return { kind: 'failed', reason };
}

/** The user discarded the run while it was working: its open calls are reported as unknown. */
async function discarded(
  deps: TurnRunDeps,
  run: TurnRun,
  runId: number,
  live: LiveRun,
): Promise<SkillEnd> {
  await live.discarded();
  await run.flush();
  const runs = subtreeOf(deps.store.reads.runsOfTurn(run.turn.id), runId);
  const steps = deps.store.reads.steps(run.turn.id);
  for (const entry of settleSteps(steps, new Set(runs.map((one) => one.id)))) run.note(entry);
  const row = deps.store.reads.run(runId);
  return row === undefined ? DISCARDED : { ...DISCARDED, reason: discardedText(row) };
}

function textOfAnswer(asked: ModelAnswered): string {
  return asked.answer.parts
    .filter((part) => part.kind === 'text')
    .map((part) => part.text)
    .join('');
}

/** A turn whose message runs a skill or asks about skills. */
export async function runSkillTurn(
  driver: SkillDriver,
  run: TurnRun,
  command: SkillCommand,
  signal: AbortSignal,
): Promise<RunEnd> {
  const { deps } = driver;
  if (command.kind !== 'run') {
    const text = await deps.tools.skills
      .answer(command, run.turn)
      .catch((error: unknown) => sentenceOf(toHoldfastError(error)));
    return closeWith(deps, run, text, 'completed');
  }
  const job = { name: command.name, input: command.input, callStep: undefined, parent: undefined };
  const end = await runSkill(driver, run, { ...job, depth: 1 }, signal);
  switch (end.kind) {
    case 'done':
      return end.asked === undefined
        ? closeWith(deps, run, end.artifact, 'completed')
        : close(driver.deps, run, end.asked);
    case 'failed':
    case 'discarded':
      return closeWith(deps, run, reasonText(end.reason), end.kind, end.reason);
    case 'out':
      return end.end;
  }
}

const sentenceOf = (error: HoldfastError): string =>
  error.hint === undefined ? error.message : `${error.message} ${error.hint}`;

/** Closes a turn with text that no model wrote; the requester is notified either way. */
export async function closeWith(
  deps: TurnRunDeps,
  run: TurnRun,
  text: string,
  state: 'completed' | 'failed' | 'discarded',
  reason = NO_REASON,
  tool = 'skill.answer',
): Promise<RunEnd> {
  const key = toolKey(deps.store.hasher, tool, text);
  const step = await run.begin({ ...idempotent, tool, key, hint: '' });
  const answer = encodeAnswer({ parts: [{ kind: 'text', text }], finish: 'stop', usage: NO_USAGE });
  run.end(step, { state: 'completed', content: await run.store(answer, 'answer'), isError: false });
  return closeTurn(deps, run, { state, reason, answerStep: step });
}
