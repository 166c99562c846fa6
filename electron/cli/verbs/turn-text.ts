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
import { EN_PAGES } from '../../../shared/messages/en-pages';
import type { Run } from '../command';
import type { Paint, Tone } from '../render';
import { countText, facts, inert, inertLine, spanText, usageText, whenText } from '../render';
import type { Reach } from '../reach';

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
  requires_action: 'needs you',
  held: 'held for you',
};

/** The state's label in its color. */
export function stateText(state: TurnState, paint: Paint): string {
  const tone = STATE_TONES[state];
  const word = STATE_WORDS[state] ?? state;
  return tone ? paint(tone, word) : word;
}

const FATE_WORDS: Readonly<Record<StepView['fate'], string>> = {
  fresh: '',
  reused: 'reused',
  asked_again: 'asked again',
  run_again: 'run again',
  cut_off: 'cut off',
  asks: 'waits for your answer',
  recorded_as_done: 'recorded as done by you',
  skipped_by_you: 'skipped by you',
};

/** What a resume does with a step. */
export const ACTION_WORDS: Readonly<Record<PlanStep['action'], string>> = {
  reuse: 'reuse',
  reissue: 'ask again',
  run_again: 'run again',
  ask: 'needs your answer',
  skip: 'skip',
  run: 'run',
};

/** What a resume does with a turn. */
export const PLAN_WORDS: Readonly<Record<ResumePlan['action'], string>> = {
  resume: 'It resumes.',
  hold: 'It is held for you.',
  park: 'It is parked: it was cut off too often at the same place.',
  stale: 'It is too old to resume by itself.',
  discard: 'It is discarded.',
  none: 'Nothing is to be done.',
};

export function turnsTable(turns: readonly TurnSummary[], run: Run): string {
  return run.table(
    ['TURN', 'STATE', 'AGENT', 'SESSION', 'ACCEPTED', 'STEPS', 'COST', 'PROMPT'],
    turns.map((turn) => [
      String(turn.id),
      stateText(turn.state, run.paint),
      inertLine(turn.agent),
      inertLine(turn.sessionKey).slice(0, 24),
      whenText(turn.acceptedAtMs, run.nowMs),
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
  return `Turn ${String(turn.id)} is ${stateText(turn.state, run.paint)}${reason}`;
}

/** A failed model request is final only if its turn ended with it; uses the pages' terms. */
const stepStateText = ({ state, again }: StepView): string =>
  state !== 'failed' || again === undefined
    ? state
    : EN_PAGES[again === 'due' ? 'fate.failedSoFar' : 'fate.failedAgain'];

function stepRows(steps: readonly StepView[]): string[][] {
  return steps.map((step) => [
    String(step.index),
    inertLine(step.tool),
    step.purity.replace('_', ' '),
    stepStateText(step),
    [
      FATE_WORDS[step.fate],
      step.state === 'ambiguous' ? 'result unknown' : '',
      step.duplicateRisk ? 'may have happened twice' : '',
      step.drift === 'changed' ? 'changed' : '',
    ]
      .filter((word) => word !== '')
      .join(', '),
    step.endedAtMs === undefined ? '-' : spanText(step.endedAtMs - step.startedAtMs),
    inertLine(step.error === undefined ? step.hint : `${step.hint}  [${step.error}]`),
  ]);
}

const indented = (text: string): string =>
  inert(text)
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');

const cutText = (turnId: number): string =>
  ` (the start; all of it: holdfast turns show ${String(turnId)} --full)`;

/** One turn with its steps. */
export function turnText(shown: VerbOutput<'turns.show'>, run: Run): string {
  const { turn } = shown;
  const blocks = [
    turnLine(turn, run),
    facts([
      ['agent', inertLine(turn.agent)],
      ['session', inertLine(turn.sessionKey)],
      ['accepted', whenText(turn.acceptedAtMs, run.nowMs)],
      ['ended', whenText(turn.endedAtMs, run.nowMs)],
      ...(turn.retry === undefined
        ? []
        : ([
            [
              'retries',
              `${String(turn.retry.streak)} in a row${
                turn.retry.dueAtMs === undefined
                  ? ''
                  : `, again at ${new Date(turn.retry.dueAtMs).toISOString()} (now: holdfast turns retry ${String(turn.id)})`
              }: ${inertLine(turn.retry.lastError)}`,
            ],
          ] as [string, string][])),
      ['cost', usageText(turn.usage)],
      ['saved', usageText(turn.savedUsage)],
    ]),
    `Prompt${shown.isPromptTruncated ? cutText(turn.id) : ''}:\n${indented(shown.prompt)}`,
    run.table(
      ['STEP', 'TOOL', 'PURITY', 'STATE', 'AFTER A STOP', 'TOOK', 'ABOUT'],
      stepRows(shown.steps),
    ),
    shown.stops
      .map(
        (stop) =>
          `Stopped ${whenText(stop.stoppedAtMs, run.nowMs)} (${inertLine(stop.reason)})` +
          (stop.backAtMs === undefined
            ? ''
            : `, back after ${spanText(stop.backAtMs - stop.stoppedAtMs)}`),
      )
      .join('\n'),
    shown.answer === undefined
      ? ''
      : `Answer${shown.isAnswerTruncated === true ? cutText(turn.id) : ''}:\n${indented(shown.answer)}`,
    shown.decision ? decisionText(shown.decision, run) : '',
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

/** One step with its input and output. */
export function stepText(step: StepView, run: Run): string {
  const part = (name: string, text: string | undefined): string =>
    text === undefined ? '' : `${name}:\n${indented(text)}`;
  return [
    run.table(
      ['STEP', 'TOOL', 'PURITY', 'STATE', 'AFTER A STOP', 'TOOK', 'ABOUT'],
      stepRows([step]),
    ),
    facts([
      ['started', whenText(step.startedAtMs, run.nowMs)],
      ['ended', whenText(step.endedAtMs, run.nowMs)],
      ...(step.usage === undefined ? [] : [['cost', usageText(step.usage)] as const]),
      ...(step.idempotencyKey === undefined
        ? []
        : [['key', inertLine(step.idempotencyKey)] as const]),
    ]),
    part('Input', step.args),
    part('Result', step.result),
    step.isTruncated === true
      ? `Input or result is longer. All of it: holdfast turns step ${String(step.turnId)} ${String(step.index)} --full`
      : '',
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

/** What a resume would do. */
export function planText(plan: ResumePlan, run: Run): string {
  const sums = [
    `${countText(plan.reused, 'step')} reused`,
    `${String(plan.reissued)} asked again`,
    `${String(plan.ambiguous.length)} with unknown result`,
    `${String(plan.toRun)} to run`,
  ];
  const saved = usageText(plan.savedUsage);
  return [
    `${PLAN_WORDS[plan.action]} ${inertLine(plan.reason)}`.trim(),
    `${sums.join(', ')}${saved === '-' ? '' : `; saves ${saved}`}`,
    run.table(
      ['STEP', 'TOOL', 'PURITY', 'ON RESUME', 'WHY', 'ABOUT'],
      plan.steps.map((step) => [
        String(step.index),
        inertLine(step.tool),
        step.purity.replace('_', ' '),
        ACTION_WORDS[step.action],
        inertLine(step.reason),
        inertLine(step.hint),
      ]),
    ),
  ]
    .filter((block) => block !== '')
    .join('\n');
}

/** The question, what is not known, and what can be answered. */
const LEFT_WORDS: Readonly<Record<Exclude<LeftProcessView['state'], 'running'>, string>> = {
  ended: 'has ended; its exit code is not known',
  ended_by_you: 'was ended by you',
  ended_unseen: 'has ended, nobody saw when; its exit code is not known',
};

const LEFT_ANSWERS = {
  wait: '; you wait for it',
  end: '; you asked to end it, and it still runs',
  leave: '; you let it run',
} as const;

/** Known facts about a command that outlived a crash. */
export function processText(process: LeftProcessView, run: Run): string {
  const { pid, state, answer, endedAtMs, turnId } = process;
  const name = `process ${String(pid)}`;
  const whose = turnId === undefined ? '' : ` of turn ${String(turnId)}`;
  const said =
    state === 'running'
      ? `${run.paint('warn', 'still runs')}, since ${whenText(process.startedAtMs, run.nowMs)}${answer === undefined ? '' : LEFT_ANSWERS[answer]}`
      : `${LEFT_WORDS[state]}${endedAtMs === undefined || state === 'ended_unseen' ? '' : ` (${whenText(endedAtMs, run.nowMs)})`}`;
  return `  ${name}${whose} ${said}\n    ${inertLine(process.command)}`;
}

/** The possible answers about commands that still run. */
export function processAnswers(processes: readonly LeftProcessView[]): readonly string[] {
  return processes
    .filter(({ state, answer }) => state === 'running' && answer !== 'leave')
    .flatMap(({ pid }) => [
      `  holdfast recovery wait-process ${String(pid)}    ask again when it ends`,
      `  holdfast recovery end-process ${String(pid)}     end it: SIGTERM, SIGKILL after 2 s`,
      `  holdfast recovery leave-process ${String(pid)}   let it run`,
    ]);
}

export function decisionText(decision: ReplayDecision, run: Run): string {
  const id = String(decision.turnId);
  const unknown = decision.ambiguous.map((step) =>
    [
      `  step ${String(step.index)}  ${inertLine(step.tool)}  started ${whenText(step.startedAtMs, run.nowMs)}, result unknown`,
      ...inert(step.args)
        .split('\n')
        .map((line) => `    ${line}`),
      step.isTruncated ? '    (cut)' : '',
    ]
      .filter((line) => line !== '')
      .join('\n'),
  );
  const first = decision.ambiguous[0];
  const answers = [
    ...(first
      ? [
          `  holdfast recovery confirm-step ${id} ${String(first.index)}   it happened: record it as done`,
          `  holdfast recovery skip-step ${id} ${String(first.index)}      leave it out`,
        ]
      : []),
    `  holdfast recovery resume ${id}           go on${first ? '; what is unknown runs again' : ''}`,
    `  holdfast recovery discard ${id}          end the turn`,
    ...processAnswers(decision.processes ?? []),
  ];
  return [
    run.paint('strong', `Turn ${id}: ${inertLine(decision.question)}`),
    `  ${inertLine(decision.reason)} (${inertLine(decision.agent)}, session ${inertLine(decision.sessionKey)})`,
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
