/** Turns, steps and plans as text. */
import type { VerbOutput, VerbInput } from '../../../shared/contract';
import type {
  LeftProcessView,
  PlanStep,
  ReplayDecision,
  ResumePlan,
  StepView,
  TurnState,
  TurnSummary,
} from '../../../shared/types';
import { answeredSentence } from '../../../shared/answered-by';
import { EN_OUTAGES } from '../../../shared/messages/en-outages';
import { EN_PAGES } from '../../../shared/messages/en-pages';
import { sayWith } from '../../../shared/messages/sentence';
import { table } from '../../../shared/table';
import type { Run } from '../command';
import type { Paint, Tone } from '../render';
import {
  countText,
  facts,
  ifKnown,
  indented,
  inertLine,
  joinParts,
  spanText,
  usageText,
} from '../render';
import type { Reach } from '../reach';

/** Who answered is said in the words of the pages. */
const OUTAGES: Readonly<Record<string, string>> = EN_OUTAGES;

const STATE_TONES: Readonly<Record<TurnState, Tone | undefined>> = {
  queued: undefined,
  running: 'strong',
  requires_action: 'warn',
  waiting: undefined,
  held: 'warn',
  parked: 'warn',
  completed: 'good',
  failed: 'bad',
  cancelled: 'quiet',
  discarded: 'quiet',
};

const STATE_WORDS: Readonly<Partial<Record<TurnState, string>>> = {
  requires_action: 'needs approval',
  held: 'needs review',
  cancelled: 'canceled',
};

/** The next step on the first day. */
export const FIRST_PROMPT = 'Send a prompt: holdfast send "Say hello"';

const SESSION_WORDS = table<string>({
  requires_action: 'needs you',
  rescheduling: 'waiting',
  terminated: 'ended',
});

/** Status of a session in the words of the window; another computer may have a newer one. */
export const sessionWord = (status: string): string => SESSION_WORDS[status] ?? inertLine(status);

const INBOX_WORDS = table<string>({
  replay_decision: 'interrupted turn',
  limit: 'limit reached',
  unanswered: 'no answer',
  restart_notice: 'restart',
});

/** Kind of an item in the inbox, likewise. */
export const inboxWord = (kind: string): string => INBOX_WORDS[kind] ?? inertLine(kind);

/** The state's label in its color. */
export function stateText(state: TurnState, paint: Paint): string {
  const tone = STATE_TONES[state];
  const word = STATE_WORDS[state] ?? state;
  return tone ? paint(tone, word) : word;
}

/** What a step or a tool does to the world outside, in the words of MCP. */
export const EFFECT_WORDS: Readonly<Record<StepView['purity'], string>> = {
  pure: 'none',
  world: 'read-only',
  llm: 'model',
  side_effect: 'writes',
  external: 'external',
};

const RESULT_WORDS: Readonly<Record<StepView['fate'], string>> = {
  fresh: '',
  reused: 'reused',
  asked_again: 're-read',
  run_again: 'run again',
  cut_off: 'interrupted',
  asks: 'needs your decision',
  recorded_as_done: 'marked as done by you',
  skipped_by_you: 'skipped by you',
};

/** What a resume does with a step. */
export const ACTION_WORDS: Readonly<Record<PlanStep['action'], string>> = {
  reuse: 'reuse',
  reissue: 're-read',
  run_again: 'run again',
  ask: 'needs your decision',
  skip: 'skip',
  run: 'run',
};

/** What a resume does with a turn. */
export const PLAN_WORDS: Readonly<Record<ResumePlan['action'], string>> = {
  resume: 'The turn resumes.',
  hold: 'The turn needs review.',
  park: 'The turn is parked: it was interrupted too often at the same step.',
  stale: 'The turn is too old to resume automatically.',
  discard: 'The turn is discarded.',
  none: 'There is nothing to do.',
};

export function turnsTable(turns: readonly TurnSummary[], run: Run): string {
  return run.table(
    ['TURN', 'STATE', 'AGENT', 'SESSION', 'ACCEPTED', 'STEPS', 'COST', 'PROMPT'],
    turns.map((turn) => [
      String(turn.id),
      stateText(turn.state, run.paint),
      inertLine(run.agentName(turn.agent)),
      inertLine(turn.sessionKey).slice(0, 24),
      run.when(turn.acceptedAtMs),
      turn.reused > 0
        ? `${String(turn.steps)} (${String(turn.reused)} reused)`
        : String(turn.steps),
      usageText(turn.usage),
      inertLine(turn.reason === '' ? turn.promptStart : `${turn.promptStart}  [${turn.reason}]`),
    ]),
  );
}

export function turnLine(turn: TurnSummary, run: Run): string {
  const reason = turn.reason === '' ? '' : `: ${inertLine(turn.reason)}`;
  return `Turn ${String(turn.id)} ${isText(turn.state, run.paint)}${reason}`;
}

/** "is running", "needs review", "failed". */
const isText = (state: TurnState, paint: Paint): string =>
  state === 'requires_action' || state === 'held' || state === 'failed'
    ? stateText(state, paint)
    : `is ${stateText(state, paint)}`;

/** Why a turn that waits for an approval has no decision to review; undefined for any other. */
export const waitsForApproval = ({ id, state }: Pick<TurnSummary, 'id' | 'state'>) =>
  state === 'requires_action'
    ? ({
        message: `Turn ${String(id)} needs your approval of a tool call.`,
        hint: 'List pending requests: holdfast approvals list',
      } as const)
    : undefined;

/** A failed model request is final only if its turn ended with it; uses the pages' terms. */
const stepStateText = ({ state, again }: StepView): string =>
  state !== 'failed' || again === undefined
    ? state
    : EN_PAGES[again === 'due' ? 'fate.failedSoFar' : 'fate.failedAgain'];

function stepRows(steps: readonly StepView[]): string[][] {
  return steps.map((step) => [
    String(step.index),
    inertLine(step.tool),
    EFFECT_WORDS[step.purity],
    stepStateText(step),
    joinParts(
      [
        RESULT_WORDS[step.fate],
        step.state === 'ambiguous' ? 'outcome unknown' : '',
        step.duplicateRisk ? 'may have happened twice' : '',
        step.drift === 'changed' ? 'result changed' : '',
      ],
      ', ',
    ),
    step.endedAtMs === undefined ? '-' : spanText(step.endedAtMs - step.startedAtMs),
    inertLine(step.error === undefined ? step.hint : `${step.hint}  [${step.error}]`),
  ]);
}

const cutText = (turnId: number): string =>
  ` (beginning only; full text: holdfast turns show ${String(turnId)} --full)`;

function retryText(
  turnId: number,
  { streak, dueAtMs, lastError }: NonNullable<TurnSummary['retry']>,
  run: Run,
): string {
  const next =
    dueAtMs === undefined
      ? ''
      : `, next ${run.when(dueAtMs)} (retry now: holdfast turns retry ${String(turnId)})`;
  return `${String(streak)} consecutive${next}: ${inertLine(lastError)}`;
}

/** One turn with its steps. */
export function turnText(shown: VerbOutput<'turns.show'>, run: Run): string {
  const { turn } = shown;
  const answered = answeredSentence(turn);
  const blocks = [
    turnLine(turn, run),
    facts([
      ['agent', inertLine(run.agentName(turn.agent))],
      ['session', inertLine(turn.sessionKey)],
      ['accepted', run.when(turn.acceptedAtMs)],
      ['ended', run.when(turn.endedAtMs)],
      ['retries', ifKnown(turn.retry, (retry) => retryText(turn.id, retry, run))],
      ['answered', ifKnown(answered, (it) => inertLine(sayWith((key) => OUTAGES[key] ?? key, it)))],
      ['cost', usageText(turn.usage)],
      ['saved', usageText(turn.savedUsage)],
    ]),
    `Prompt${shown.isPromptTruncated ? cutText(turn.id) : ''}:\n${indented(shown.prompt)}`,
    run.table(
      ['STEP', 'TOOL', 'EFFECT', 'STATE', 'RECOVERY', 'TOOK', 'ABOUT'],
      stepRows(shown.steps),
    ),
    (shown.moves ?? [])
      .map(
        ({ atMs, to, computer, atStep }) =>
          `Continued ${to === 'here' ? 'here from' : 'on'} ${inertLine(computer)}` +
          `${atStep === undefined ? '' : ` at step ${String(atStep)}`}, ${run.when(atMs)}`,
      )
      .join('\n'),
    shown.stops
      .map(
        (stop) =>
          `Interrupted ${run.when(stop.stoppedAtMs)} (${inertLine(stop.reason)})` +
          (stop.backAtMs === undefined
            ? ''
            : `, back after ${spanText(stop.backAtMs - stop.stoppedAtMs)}`),
      )
      .join('\n'),
    ifKnown(
      shown.answer,
      (answer) =>
        `Answer${shown.isAnswerTruncated === true ? cutText(turn.id) : ''}:\n${indented(answer)}`,
    ),
    ifKnown(shown.decision, (decision) => decisionText(decision, run)),
  ];
  return joinParts(blocks, '\n\n');
}

/** One step with its input and output. */
export function stepText(step: StepView, run: Run): string {
  const part = (name: string, text: string | undefined): string =>
    text === undefined ? '' : `${name}:\n${indented(text)}`;
  const blocks = [
    run.table(['STEP', 'TOOL', 'EFFECT', 'STATE', 'RECOVERY', 'TOOK', 'ABOUT'], stepRows([step])),
    facts([
      ['started', run.when(step.startedAtMs)],
      ['ended', run.when(step.endedAtMs)],
      ['cost', ifKnown(step.usage, usageText)],
      ['key', ifKnown(step.idempotencyKey, inertLine)],
    ]),
    part('Input', step.args),
    part('Output', step.result),
    step.isTruncated === true
      ? `Input or output is truncated. Full text: holdfast turns step ${String(step.turnId)} ${String(step.index)} --full`
      : '',
  ];
  return joinParts(blocks, '\n\n');
}

/** What a resume would do. */
export function planText(plan: ResumePlan, run: Run): string {
  const sums = [
    `${countText(plan.reused, 'step')} reused`,
    `${String(plan.reissued)} re-read`,
    `${String(plan.ambiguous.length)} with unknown outcome`,
    `${String(plan.toRun)} to run`,
  ];
  const saved = usageText(plan.savedUsage);
  return joinParts([
    `${PLAN_WORDS[plan.action]} ${inertLine(plan.reason)}`.trim(),
    `${sums.join(', ')}${saved === '-' ? '' : `; saves ${saved}`}`,
    run.table(
      ['STEP', 'TOOL', 'EFFECT', 'ON RESUME', 'WHY', 'ABOUT'],
      plan.steps.map((step) => [
        String(step.index),
        inertLine(step.tool),
        EFFECT_WORDS[step.purity],
        ACTION_WORDS[step.action],
        inertLine(step.reason),
        inertLine(step.hint),
      ]),
    ),
  ]);
}

/** The question, what is not known, and what can be answered. */
const LEFT_WORDS: Readonly<Record<Exclude<LeftProcessView['state'], 'running'>, string>> = {
  ended: 'has ended; exit code unknown',
  ended_by_you: 'was terminated by you',
  ended_unseen: 'has ended while Holdfast was not running; exit code unknown',
};

const LEFT_ANSWERS = {
  wait: '; you chose to wait',
  end: '; you chose to terminate it, and it still runs',
  leave: '; you chose to let it run',
} as const;

/** Known facts about a command that outlived a crash. */
export function processText(process: LeftProcessView, run: Run): string {
  const { pid, state, answer, endedAtMs, turnId } = process;
  const name = `process ${String(pid)}`;
  const whose = turnId === undefined ? '' : ` of turn ${String(turnId)}`;
  const said =
    state === 'running'
      ? `${run.paint('warn', 'still runs')}, since ${run.when(process.startedAtMs)}${answer === undefined ? '' : LEFT_ANSWERS[answer]}`
      : `${LEFT_WORDS[state]}${endedAtMs === undefined || state === 'ended_unseen' ? '' : ` (${run.when(endedAtMs)})`}`;
  return `  ${name}${whose} ${said}\n    ${inertLine(process.command)}`;
}

/** The possible answers about commands that still run. */
export function processAnswers(processes: readonly LeftProcessView[]): readonly string[] {
  return processes
    .filter(({ state, answer }) => state === 'running' && answer !== 'leave')
    .flatMap(({ pid }) => [
      `  holdfast processes wait ${String(pid)}    review again when it ends`,
      `  holdfast processes end ${String(pid)}     terminate it: SIGTERM, then SIGKILL after 2 s`,
      `  holdfast processes leave ${String(pid)}   let it run`,
    ]);
}

export function decisionText(decision: ReplayDecision, run: Run): string {
  const id = String(decision.turnId);
  const unknown = decision.ambiguous.map((step) =>
    joinParts([
      `  step ${String(step.index)}  ${inertLine(step.tool)}  started ${run.when(step.startedAtMs)}, outcome unknown`,
      indented(step.args, '    '),
      step.isTruncated ? '    (cut)' : '',
    ]),
  );
  const first = decision.ambiguous[0];
  const answers = [
    ...(first
      ? [
          `  holdfast turns resolve ${id} ${String(first.index)} --done   it happened: mark as done`,
          `  holdfast turns resolve ${id} ${String(first.index)} --skip   skip it (empty result)`,
        ]
      : []),
    `  holdfast turns resume ${id}           resume${first ? '; unknown steps run again' : ''}`,
    `  holdfast turns discard ${id}          end the turn`,
    ...processAnswers(decision.processes ?? []),
  ];
  return [
    run.paint('strong', `Turn ${id}: ${inertLine(decision.question)}`),
    `  ${inertLine(decision.reason)} (${inertLine(run.agentName(decision.agent))}, session ${inertLine(decision.sessionKey)})`,
    `  "${inertLine(decision.promptStart)}"`,
    ...(decision.processes ?? []).map((process) => processText(process, run)),
    ...unknown,
    'Answer with one of:',
    ...answers,
  ].join('\n');
}

/** A text of a turn from its first to its last character, page by page. */
export async function wholeText(
  engine: Reach,
  wanted: Omit<VerbInput<'turns.text'>, 'fromChar'>,
): Promise<string> {
  const pages: string[] = [];
  for (let fromChar: number | undefined = 0; fromChar !== undefined;) {
    const page: VerbOutput<'turns.text'> = await engine.call('turns.text', { ...wanted, fromChar });
    pages.push(page.text);
    fromChar = page.nextChar;
  }
  return pages.join('');
}

type ShownTurn = VerbOutput<'turns.show'>;

/** The turn with its complete answer, if it has one. */
export async function withWholeAnswer(engine: Reach, shown: ShownTurn): Promise<ShownTurn> {
  if (shown.isAnswerTruncated !== true) return shown;
  const answer = await wholeText(engine, { turnId: shown.turn.id, part: 'answer' });
  return { ...shown, answer, isAnswerTruncated: false };
}

/** The turn with its whole prompt. */
export async function withWholePrompt(engine: Reach, shown: ShownTurn): Promise<ShownTurn> {
  if (!shown.isPromptTruncated) return shown;
  const prompt = await wholeText(engine, { turnId: shown.turn.id, part: 'prompt' });
  return { ...shown, prompt, isPromptTruncated: false };
}
