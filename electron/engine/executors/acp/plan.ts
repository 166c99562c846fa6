import type { StepRow } from '../../../ports/journal/rows';
import type { StepEnd } from '../../../ports/journal/entries';
import type { ExternalCallRow } from '../../../ports/journal/external';
import type {
  ExternalAgentId,
  ExternalEvent,
  ExternalFailure,
  ExternalOrphans,
  ExternalPromptEnd,
  ExternalToolReport,
} from '../../../ports/external-agent';
import type { Message, ProviderFailure } from '../../../ports/provider';
import { buildLedger, isEffect } from '../../recovery/ledger';
import { mergeReport, purityOfKind, type CallState } from './facts';
import { endOfOpen } from '../program/calls';
import type { Repeat } from '../program/permission';
import { toldFacts, type ToldOutcome } from '../program/calls';

const MINUTE_MS = 60_000;
const HISTORY_CHARS = 20_000;

/** How a run reaches its prompt: steps 1 to 3 and 6 of resuming a session. */
interface OpeningPlan {
  /** Find processes that an earlier run of this turn left running. */
  readonly findsOrphans: boolean;
  readonly backsUp: boolean;
  /** Wait before starting the agent: its session files are named by the minute. */
  readonly waitMs: number;
  readonly opens: 'earlier' | 'new';
}

/** Pure. */
export function planOpening(facts: {
  readonly agent: ExternalAgentId;
  readonly attempt: number;
  readonly session: { readonly usedAtMs: number } | undefined;
  readonly nowMs: number;
}): OpeningPlan {
  const { session, nowMs } = facts;
  const isAgain = facts.attempt > 1;
  const sameMinute =
    session !== undefined &&
    Math.floor(session.usedAtMs / MINUTE_MS) >= Math.floor(nowMs / MINUTE_MS);
  return {
    findsOrphans: isAgain,
    backsUp: isAgain && session !== undefined,
    waitMs: facts.agent === 'gemini' && sameMinute ? MINUTE_MS - (nowMs % MINUTE_MS) + 1_000 : 0,
    opens: session === undefined ? 'new' : 'earlier',
  };
}

/** A recorded call of an earlier attempt and its outcome. */
export interface KnownCall {
  readonly step: number;
  readonly callId: string;
  readonly identity: string;
  readonly title: string;
  readonly tool: string;
  readonly isEffect: boolean;
  readonly outcome: ToldOutcome;
  /** Denied by policy; the user is not asked. */
  readonly isLeftOut?: boolean;
}

/**
 * How steps that a crashed run left open really ended. A call that was still asking cannot have
 * started; an effect that was allowed, or never asked, may have happened (S4-20).
 */
export function endsOfLeftovers(
  steps: readonly StepRow[],
  calls: readonly ExternalCallRow[],
): readonly { readonly step: number; readonly end: StepEnd }[] {
  const byStep = new Map(calls.map((call) => [call.step, call]));
  return steps
    .filter((step) => step.state === 'started')
    .map(({ step, purity }) => ({
      step,
      end: endOfOpen(
        { purity, asking: byStep.get(step)?.asking },
        {
          unknown: 'The run ended before its result was known.',
          cut: 'Interrupted when the run ended.',
        },
      ),
    }));
}

/** The calls of earlier attempts with their outcomes, in their order. */
export function knownCalls(
  steps: readonly StepRow[],
  calls: readonly ExternalCallRow[],
): readonly KnownCall[] {
  const lines = new Map(buildLedger(steps).map((line) => [line.root, line]));
  return calls.flatMap((call) => {
    const line = lines.get(call.step);
    if (line === undefined) return [];
    const { state } = line.last;
    const outcome: KnownCall['outcome'] =
      state === 'completed' || state === 'confirmed'
        ? 'done'
        : state === 'skipped'
          ? 'skipped'
          : state === 'failed'
            ? 'never'
            : 'unknown';
    return [
      {
        step: call.step,
        callId: call.callId,
        identity: call.identity,
        title: call.title,
        tool: line.first.tool,
        isEffect: isEffect(line.first),
        outcome,
      },
    ];
  });
}

/**
 * What the agent's own record adds to the journal: an unknown call that it lists as completed with
 * a result is done. `completed` without a result proves nothing, because one agent reports it for
 * calls that never ran. What the agent forgot stays as recorded: the most advanced status wins. An
 * ID that several calls share proves nothing (`isReused`: used by an earlier turn of the session).
 */
export function endsFromReplay(
  known: readonly KnownCall[],
  replay: readonly ExternalEvent[],
  isReused: (callId: string) => boolean,
): readonly { readonly step: number; readonly output: string }[] {
  const told = new Map<string, CallState>();
  for (const event of replay) {
    if (event.kind !== 'tool') continue;
    const report: ExternalToolReport = event.report;
    told.set(report.callId, mergeReport(told.get(report.callId), report));
  }
  return known.flatMap((call) => {
    if (call.outcome !== 'unknown') return [];
    const state = told.get(call.callId);
    if (known.some((other) => other !== call && other.callId === call.callId)) return [];
    return state?.status === 'completed' && state.output !== undefined && !isReused(call.callId)
      ? [{ step: call.step, output: state.output }]
      : [];
  });
}

/**
 * The conversation's cost count before a prompt. The protocol reports the cost of the whole
 * conversation; Claude Code continues from its own record, which it reports with the replay. A
 * count recorded before an interrupted prompt of this turn still applies: that prompt's cost
 * belongs to this turn.
 */
export function costBefore(facts: {
  readonly agent: ExternalAgentId;
  readonly knowsPast: boolean;
  /** An earlier prompt of this turn was interrupted. */
  readonly wasPrompted: boolean;
  readonly replay: readonly ExternalEvent[];
  readonly costUsd: number | undefined;
}): number | undefined {
  const { agent, knowsPast, costUsd } = facts;
  if (!knowsPast) return 0;
  const toldUsd = facts.replay.findLast((event) => event.kind === 'cost')?.costUsd;
  if (agent === 'claude') return toldUsd ?? 0;
  return facts.wasPrompted ? (costUsd ?? toldUsd) : (toldUsd ?? costUsd);
}

/**
 * The cost of one prompt as the agent reports it; a lower count means the agent restarted counting.
 */
export function costOfPrompt(
  toldUsd: number | undefined,
  beforeUsd: number | undefined,
): number | undefined {
  if (toldUsd === undefined || beforeUsd === undefined) return undefined;
  return toldUsd < beforeUsd ? toldUsd : toldUsd - beforeUsd;
}

/** Whether a call would repeat an earlier one; each recorded call matches one later call. */
export function createRepeats(known: readonly KnownCall[]): (identity: string) => Repeat {
  const left = known.filter((call) => call.isEffect && call.outcome !== 'never');
  return (identity) => {
    const at = left.findIndex((call) => call.identity === identity);
    if (at === -1) return undefined;
    const [found] = left.splice(at, 1);
    if (found?.isLeftOut === true) return 'left_out';
    return found?.outcome === 'unknown' ? 'unknown' : 'done';
  };
}

/** The first prompt in a session that the agent does not remember. */
export function firstPrompt(messages: readonly Message[], knowsPast: boolean): string {
  const prompt = promptOf(messages);
  const past = knowsPast ? '' : historyText(messages);
  return past === '' ? prompt : `${past}\n\nThe request now:\n${prompt}`;
}

/** The prompt after an interrupted run: the request and the outcome of its calls. */
export function continuePrompt(facts: {
  readonly messages: readonly Message[];
  readonly knowsPast: boolean;
  /** Another agent made these calls. FB-03 */
  readonly isOther?: boolean;
  /** They were made on another computer. DW-19 */
  readonly isElsewhere?: boolean;
  readonly calls: readonly (KnownCall & { readonly output?: string })[];
  readonly orphans: ExternalOrphans | undefined;
}): string {
  const { calls, orphans } = facts;
  const left =
    orphans === undefined || orphans.found === 0
      ? []
      : [
          orphans.ended === 0
            ? 'Something you had started kept running after that and has ended since.'
            : 'Something you had started kept running after that and was terminated.',
        ];
  return [
    ...(facts.knowsPast ? [] : [historyText(facts.messages)].filter((text) => text !== '')),
    whatHappened(facts),
    ...toldFacts(calls),
    ...left,
    'Continue from there and finish the request.',
    `The request:\n${promptOf(facts.messages)}`,
  ].join('\n\n');
}

function whatHappened(facts: {
  readonly isOther?: boolean;
  readonly isElsewhere?: boolean;
}): string {
  if (facts.isElsewhere === true)
    return 'The request below was being handled by another computer, which stopped. Continue it on this one, in your folder here. Changes to files there may be missing here: check before you rely on them. This is known for certain.';
  return facts.isOther === true
    ? 'Another agent worked on the request below in this folder until it stopped. Continue its work. This is known for certain.'
    : 'You were interrupted while you worked on the request below: the program that runs you ended and was restarted. This is known for certain.';
}

function promptOf(messages: readonly Message[]): string {
  const last = messages.at(-1);
  return last?.role === 'user' ? last.text : '';
}

function historyText(messages: readonly Message[]): string {
  const told = messages.slice(0, -1).flatMap((message) => {
    if (message.role === 'user') return [`User: ${message.text}`];
    if (message.role !== 'assistant') return [];
    const text = message.parts
      .filter((part) => part.kind === 'text')
      .map((part) => part.text)
      .join('');
    return text === '' ? [] : [`You: ${text}`];
  });
  if (told.length === 0) return '';
  return `Earlier messages of this conversation:\n${told.join('\n').slice(-HISTORY_CHARS)}`;
}

const FINISH = {
  end_turn: 'stop',
  cancelled: 'stop',
  max_turn_requests: 'length',
  max_tokens: 'length',
  refusal: 'content_filter',
} as const;

/** The answer of a turn that the agent ended: its text, or why there is none. Pure. */
export function answerOf(facts: {
  readonly text: string;
  readonly stop: ExternalPromptEnd['stop'];
  /** A call of this run was refused. */
  readonly isRefused: boolean;
}): { readonly text: string; readonly finish: (typeof FINISH)[keyof typeof FINISH] } {
  const { text, stop } = facts;
  const finish = FINISH[stop];
  if (text !== '') return { text, finish };
  if (facts.isRefused)
    return { text: '(The agent ended its turn after a tool call was denied.)', finish };
  return stop === 'refusal'
    ? { text: '(The agent declined the request.)', finish }
    : { text: '(The agent ended its turn without an answer.)', finish };
}

/** What happens to a turn whose agent failed midway. Pure. S0-09, S0-15, S4-20. */
export function planFailure(facts: {
  readonly failure: Pick<ExternalFailure, 'kind'>;
  /** Calls with an unknown outcome. */
  readonly unknown: number;
  /** Those that need review. */
  readonly toHold: number;
}): 'hold' | 'requeue' | 'park' {
  if (facts.toHold > 0) return 'hold';
  return facts.failure.kind === 'provider' && facts.unknown === 0 ? 'requeue' : 'park';
}

/** The agent's report about its provider, in the form that all turns use. Pure. */
export function providerFailureOf({ message, hint }: ExternalFailure): ProviderFailure {
  return { kind: 'server', message, hint, isRetryable: true };
}

/** A call's end as its agent reports it; its text is not stored yet. */
type ToldEnd =
  | { readonly state: 'completed'; readonly text: string; readonly isError: boolean }
  | Extract<StepEnd, { state: 'failed' | 'ambiguous' }>;

/**
 * How a call ended according to the agent; undefined while it runs. "Failed" is no result if
 * permission was never given, and interrupted never means "did not happen". Pure. S4-20.
 */
export function endOfTold(facts: {
  readonly state: Pick<CallState, 'kind' | 'status' | 'output'>;
  readonly asking: ExternalCallRow['asking'];
  /** The run is being ended. */
  readonly isEnding: boolean;
}): ToldEnd | undefined {
  const { state } = facts;
  if (state.status === 'completed')
    return { state: 'completed', text: state.output || '(no output)', isError: false };
  if (state.status !== 'failed') return undefined;
  if (facts.asking === 'asked')
    return { state: 'failed', error: 'It was not allowed.', isCutOff: false };
  if (facts.isEnding && isEffect({ purity: purityOfKind(state.kind) }))
    return { state: 'ambiguous', error: 'It was interrupted while it ran.' };
  return { state: 'completed', text: state.output || '(it failed)', isError: true };
}
