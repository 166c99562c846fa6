import { cutText } from '../../../../shared/cut-text';
import { because, reasonText, type Reason } from '../../../../shared/reason';
import type {
  CommandAnswer,
  CommandDialect,
  CommandEnd,
  HookRecord,
} from '../../../ports/command-agent';
import type { StepRow } from '../../../ports/journal/rows';
import type { JournalEntry } from '../../../ports/journal/entries';
import type { StoredText } from '../../../ports/journal/stored';
import type { ExternalCallRow } from '../../../ports/journal/external';
import { readLimit, type UsageLimit } from '../../../../shared/limits/read-limit';
import type { ProviderFailure } from '../../../ports/provider';
import { NO_USAGE } from '../../recovery/plan-resume';
import { isEffect, isOutcomeUnknown, type LedgerLine } from '../../recovery/ledger';
import type { Ending } from '../program/watch';
import { toldFacts, type ToldCall } from '../program/calls';
import { isProcess } from '../../recovery/skill-plan-runs';

/** Placeholder for the conversation ID in `resume_args`. */
const SESSION_PLACEHOLDER = '{session}';
/** How Claude Code resumes a conversation: it rejects a conversation ID that was used before. */
const CLAUDE_RESUME = ['--resume', SESSION_PLACEHOLDER];

/** The agent's command line settings. */
interface CommandSpec {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly prompt_mode?: 'stdin' | 'argument' | undefined;
  readonly resume_args?: readonly string[] | undefined;
}

export interface CommandLine {
  readonly args: readonly string[];
  readonly input?: string;
}

/** True if a later run of the program can resume an earlier one. */
export function canResume(spec: CommandSpec, dialect: CommandDialect): boolean {
  return (spec.resume_args?.length ?? 0) > 0 || dialect === 'claude';
}

/**
 * The arguments name a settings file. Ours would replace it, so the agent runs without our hooks.
 */
export function canHook(spec: CommandSpec, dialect: CommandDialect): boolean {
  return (
    dialect === 'claude' &&
    !(spec.args ?? []).some((arg) => arg === '--settings' || arg.startsWith('--settings='))
  );
}

/**
 * The arguments of one run. Adds the flags that Claude Code's stream needs. A prompt argument comes
 * last and never starts with a dash, so it cannot act as an option; no shell is involved. Pure.
 */
export function planCommandLine(facts: {
  readonly spec: CommandSpec;
  readonly dialect: CommandDialect;
  readonly prompt: string;
  /** The conversation to resume. */
  readonly ref: string | undefined;
  readonly hookArgs: readonly string[];
}): CommandLine {
  const { spec, dialect, prompt, ref } = facts;
  const args = [...(spec.args ?? [])];
  if (dialect === 'claude') {
    if (!args.includes('-p') && !args.includes('--print')) args.push('-p');
    const hasFormat = args.some((arg) => arg.startsWith('--output-format'));
    if (!hasFormat) args.push('--output-format', 'stream-json');
    if (!args.includes('--verbose')) args.push('--verbose');
  }
  args.push(...facts.hookArgs);
  if (ref !== undefined) {
    const resume = spec.resume_args ?? (dialect === 'claude' ? CLAUDE_RESUME : []);
    args.push(...resume.map((arg) => arg.replaceAll(SESSION_PLACEHOLDER, ref)));
  }
  if (spec.prompt_mode === 'argument') {
    return { args: [...args, prompt.startsWith('-') ? ` ${prompt}` : prompt] };
  }
  return { args, input: prompt };
}

/**
 * The prompt of a resumed run: the task and the facts from the journal. The program's own memory
 * may be behind, because it was interrupted too. Pure. S4-23.
 */
export function resumePrompt(facts: {
  readonly prompt: string;
  readonly lines: readonly LedgerLine[];
  /** Steps whose unknown result counts as an empty one. */
  readonly skipped: ReadonlySet<number>;
  /** The program remembers the conversation. */
  readonly isContinued: boolean;
}): string {
  const calls = facts.lines.flatMap((line) => toldOf(line, facts.skipped));
  return [
    facts.isContinued
      ? 'You were interrupted while you worked on the task below. Continue it.'
      : 'An earlier run of this task was interrupted. Continue it.',
    'The following is recorded and correct, even if you do not remember it.',
    ...wholeFacts(
      facts.lines.findLast((line) => isProcess(line.first.tool)),
      calls.length > 0,
    ),
    ...toldFacts(calls),
    `The task:\n${facts.prompt}`,
  ].join('\n\n');
}

/**
 * What is known about the earlier run as a whole; nothing if it ended unseen and reported no call.
 */
function wholeFacts(whole: LedgerLine | undefined, isMoreTold: boolean): readonly string[] {
  if (whole?.outcome === 'open')
    return [
      'Anything else the earlier run did is not recorded. Check the current state before you do anything that must not happen twice.',
    ];
  switch (whole?.last.end?.state) {
    case 'confirmed':
      return ['The user marked the earlier run as done. Do not do its work again.'];
    case 'skipped':
      return ['The user decided to skip what the earlier run was doing.'];
    case 'completed':
      if (whole.last.end.isError)
        return [
          'The earlier run ended with a failure, and what it did before that is not recorded. Check the current state before you do anything that must not happen twice.',
        ];
      return isMoreTold ? [] : ['Nothing was changed yet.'];
    default:
      return isMoreTold ? [] : ['Nothing was changed yet.'];
  }
}

/** Only effects are listed: a read is simply repeated. */
function toldOf(line: LedgerLine, skipped: ReadonlySet<number>): readonly ToldCall[] {
  const { first, outcome, root } = line;
  if (!isEffect(first) || isProcess(first.tool) || outcome === 'again') return [];
  const told = outcome === 'finished' ? 'done' : skipped.has(root) ? 'skipped' : 'unknown';
  return [{ tool: first.tool, title: first.hint, outcome: told }];
}

/** Name of the process in the journal: `command.claude`. */
export function processTool(program: string): string {
  const plain = program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1);
  return `command.${plain.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, 60) || 'program'}`;
}

/**
 * Settles calls that the hooks report as ended and the journal does not. Touches only steps without
 * a known end. A missing hook report proves nothing: the hook may have been killed alone. Pure.
 * S4-20.
 */
export function settleByHooks(facts: {
  readonly turnId: number;
  readonly steps: readonly StepRow[];
  readonly calls: readonly ExternalCallRow[];
  readonly records: readonly HookRecord[];
}): readonly JournalEntry[] {
  const { turnId } = facts;
  return facts.steps.filter(isOutcomeUnknown).flatMap((step): readonly JournalEntry[] => {
    const callId = facts.calls.find((one) => one.step === step.step)?.callId;
    const after = resultOf(facts.records, { attempt: step.attempt, callId });
    if (after === undefined) return [];
    const content = { kind: 'inline' as const, text: after.output };
    return [
      {
        kind: 'step.ended',
        turnId,
        step: step.step,
        end: { state: 'completed', content, isError: after.isError },
      },
    ];
  });
}

/** A command that was interrupted by a hang-up, an interrupt, a kill or a request to end. */
const CUT_BY_SIGNAL = /^Exit code (129|130|137|143)\b|interrupted by user/i;

/**
 * The result that a hook reported for a call, read after its program ended. A command that a signal
 * ended does not count: at logout every process is signaled, and how far the command came is
 * unknown. Pure. S4-20
 */
export function resultOf(
  records: readonly HookRecord[],
  call: { readonly attempt: number; readonly callId: string | undefined },
): Extract<HookRecord, { kind: 'after' }> | undefined {
  const after = records.find(
    (one) => one.kind === 'after' && one.attempt === call.attempt && one.callId === call.callId,
  );
  if (after?.kind !== 'after') return undefined;
  return after.isError && CUT_BY_SIGNAL.test(after.output) ? undefined : after;
}

const LIMIT = /\b(rate.limit|usage.limit|limit reached|hit your limit|quota)/i;
const PROVIDER_HINT = 'Nothing of this turn is lost.';

/**
 * Number of attempts after which a rejected key is no longer waited for: waiting does not fix it.
 */
export const REFUSALS_UNTIL_STOP = 3;

/** What a provider failure behind the program means for the turn. Pure. S0-14..S0-16. */
export function failureOf(facts: {
  readonly message: string;
  readonly status: number | undefined;
}): ProviderFailure {
  const { status } = facts;
  const message = cutText(facts.message.replace(/\s+/g, ' ').trim(), 300) || 'The agent failed.';
  const common = { message, hint: PROVIDER_HINT, ...(status === undefined ? {} : { status }) };
  if (status === 401 || status === 403)
    return {
      ...common,
      kind: 'config',
      isRetryable: false,
      hint: `${PROVIDER_HINT} Log in with the agent itself, then resume.`,
    };
  if (status === 429) return { ...common, kind: 'rate_limited', isRetryable: true };
  if (status !== undefined && status >= 500)
    return { ...common, kind: 'server', isRetryable: true };
  if (status === undefined && LIMIT.test(message))
    return { ...common, kind: 'rate_limited', isRetryable: true };
  if (status === undefined && /\b(overloaded|connection error|timed? ?out)/i.test(message))
    return { ...common, kind: 'server', isRetryable: true };
  return { ...common, kind: 'config', isRetryable: false };
}

/** The program does not know the conversation that it should resume. */
export function isSessionUnknown(end: CommandEnd): boolean {
  return (
    end.kind === 'exited' &&
    end.code !== 0 &&
    /no conversation found|session .{0,80}not found|unknown session/i.test(
      `${end.errors}\n${end.output}`,
    )
  );
}

/** Name of the program for people. */
export const nameOf = (program: string): string => program.slice('command.'.length);

/** The question about a run whose outcome is completely unknown. */
export const wholeRun = (program: string): Reason =>
  because('reason.wholeRun', { name: nameOf(program) });

type StartPlan =
  | { readonly kind: 'run' }
  /** The whole run is one unknown: only the user can settle it. */
  | { readonly kind: 'hold' }
  /** The user settled the outcome, and the program has no conversation to resume. */
  | { readonly kind: 'close'; readonly content: StoredText };

/**
 * Whether a process is started for a turn, by the outcome of the previous one. Pure. S0-11, S4-25.
 */
export function planStart(facts: {
  readonly whole: LedgerLine | undefined;
  readonly isResumable: boolean;
  /** The user resumed the turn. */
  readonly isAnswered: boolean;
  readonly mode: string;
}): StartPlan {
  const { whole } = facts;
  if (whole?.outcome === 'open' && !facts.isAnswered && facts.mode !== 'always')
    return { kind: 'hold' };
  const end = whole?.last.end;
  if (!facts.isResumable && (end?.state === 'confirmed' || end?.state === 'skipped'))
    return { kind: 'close', content: end.content };
  return { kind: 'run' };
}

/**
 * The answer of a turn whose run the user has resolved. That run never starts again, so an answer
 * whose stored text is missing says that it is lost instead of being empty.
 */
export const settledText = (stored: string | undefined): string =>
  stored ??
  '(You decided the outcome of this run; the stored text about it is missing. The run is not repeated.)';

/** How a run ended, judged from everything known at its end. */
type EndPlan =
  | { readonly kind: 'not_started'; readonly message: string }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'ended_by_us'; readonly why: Ending }
  | { readonly kind: 'answered'; readonly answer: CommandAnswer }
  /** It reported its own failure. */
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly status: number | undefined;
      /** Its usage limit is reached. */
      readonly limit?: UsageLimit | undefined;
    }
  /** Its exit code is the only information: a failed turn. */
  | { readonly kind: 'failed_turn'; readonly answer: CommandAnswer; readonly reason: Reason }
  | { readonly kind: 'killed'; readonly signal: string };

/**
 * A complete answer counts, whatever still ran after it. Otherwise the party that ended the run
 * decides, then the program's own result. Pure. S0-15, S4-19.
 */
export function planEnd(facts: {
  readonly program: string;
  readonly dialect: CommandDialect;
  readonly end: CommandEnd;
  readonly answer: CommandAnswer | undefined;
  readonly isStopped: boolean;
  readonly why: Ending | undefined;
}): EndPlan {
  const { end, answer, why } = facts;
  if (end.kind === 'not_started') return { kind: 'not_started', message: end.message };
  if (answer !== undefined && !answer.isError) return { kind: 'answered', answer };
  // It had ended before anyone could end it: its output is the answer.
  if (facts.dialect === 'plain' && end.kind === 'exited' && end.code === 0)
    return planPlainEnd(end);
  if (facts.isStopped) return { kind: 'stopped' };
  if (why !== undefined) return { kind: 'ended_by_us', why };
  if (answer !== undefined) {
    const { text, status, limit } = answer;
    return { kind: 'failed', message: text, status, limit };
  }
  if (end.kind === 'killed') return { kind: 'killed', signal: end.signal };
  if (facts.dialect === 'plain') return planPlainEnd(end);
  const words = lastWords(end.errors === '' ? end.output : end.errors);
  const message = `${nameOf(facts.program)} ended with exit code ${String(end.code)} and without a result${words}`;
  return { kind: 'failed', message, status: undefined, limit: readLimit(message) };
}

function planPlainEnd(end: Extract<CommandEnd, { kind: 'exited' }>): EndPlan {
  const isError = end.code !== 0;
  const text = isError && end.output.trim() === '' ? end.errors : end.output;
  const answer = { text, isError, usage: NO_USAGE };
  if (!isError) return { kind: 'answered', answer };
  const said = [end.errors, end.output].map(lastLines).filter((lines) => lines !== '');
  const limits = said.flatMap((lines) => {
    const limit = readLimit(lines);
    return limit === undefined ? [] : [{ lines, limit }];
  });
  // Its output can be about anything, so only a known sentence with a time counts as a limit. LM-02
  const timed = limits.find(({ limit }) => limit.resets !== undefined);
  if (timed !== undefined)
    return { kind: 'failed', message: timed.lines, status: undefined, limit: timed.limit };
  const [like] = [...limits.map(({ lines }) => lines), ...said.filter((one) => LIMIT.test(one))];
  const reason =
    like === undefined
      ? because('reason.exitCode', { count: end.code })
      : because('reason.exitCodeLimit', { count: end.code, text: oneLine(like) });
  return { kind: 'failed_turn', answer, reason };
}

/** The last lines of a program's output: errors are at the end, its work above. */
const lastLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-3)
    .map((line) => line.slice(-300))
    .join('\n');

const oneLine = (text: string): string => cutText(text.replace(/\s+/g, ' '), 300);

const lastWords = (text: string): string => {
  const line = text.trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '.' : `: ${cutText(line, 200)}`;
};

/** Why Holdfast ended a run, as text for users. */
export function endingWords(why: Exclude<Ending, { kind: 'broken' }>): string {
  switch (why.kind) {
    case 'deadline':
      return `It did not finish within ${spanWords(why.afterMs)} and was ended.`;
    case 'limit':
      return reasonText(why.reason);
    case 'refused':
      return `Its provider rejected the request (${String(why.status)}: ${why.error}).`;
    case 'draining':
      return 'Holdfast stops.';
  }
}

const spanWords = (ms: number): string =>
  ms < 120_000 ? `${String(Math.round(ms / 1_000))} s` : `${String(Math.round(ms / 60_000))} min`;
