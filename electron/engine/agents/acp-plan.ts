import type { StepEnd, StepRow } from '../../ports/journal';
import type { OutsideCallRow } from '../../ports/journal-outside';
import type {
  OutsideAgentId,
  OutsideEvent,
  OutsideOrphans,
  OutsideToolReport,
} from '../../ports/outside-agent';
import type { Message } from '../../ports/provider';
import { buildLedger, isEffect } from '../recovery/ledger';
import { mergeReport, type CallState, type Repeat } from './acp-facts';

const MINUTE_MS = 60_000;
/** So much of each result is told to an agent that is asked again. */
const TOLD_CHARS = 600;
const TOLD_CALLS = 60;
const HISTORY_CHARS = 20_000;

/** How a run gets to the point where it can prompt: steps 1 to 3 and 6 of the resume ladder. */
export interface LadderPlan {
  /** Look for what an earlier run of this turn left at work. */
  readonly findsOrphans: boolean;
  readonly backsUp: boolean;
  /** Before the agent is started: its session files carry only the minute. */
  readonly waitMs: number;
  readonly opens: 'earlier' | 'new';
}

/** Pure. Source: guide/agents part 3. */
export function planLadder(facts: {
  readonly agent: OutsideAgentId;
  readonly attempt: number;
  readonly session: { readonly usedAtMs: number } | undefined;
  readonly nowMs: number;
}): LadderPlan {
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

/** What one recorded call of an earlier attempt comes to. */
export interface KnownCall {
  readonly step: number;
  readonly callId: string;
  readonly identity: string;
  readonly title: string;
  readonly tool: string;
  readonly isEffect: boolean;
  readonly fate:
    | 'done'
    | 'unknown'
    /** It was asked about and never allowed, or cut off before it began. */
    | 'never'
    | 'skipped';
}

/**
 * How the steps that a dead run left without an end really ended. A call that was still asking
 * cannot have begun; an effect that was allowed, or that never asked, may have happened (S4-20).
 */
export function endsOfLeftovers(
  steps: readonly StepRow[],
  calls: readonly OutsideCallRow[],
): readonly { readonly step: number; readonly end: StepEnd }[] {
  const byStep = new Map(calls.map((call) => [call.step, call]));
  return steps
    .filter((step) => step.state === 'started')
    .map((step) => ({ step: step.step, end: leftoverEnd(step, byStep.get(step.step)) }));
}

function leftoverEnd(step: StepRow, call: OutsideCallRow | undefined): StepEnd {
  if (call?.asking === 'asked') {
    return {
      state: 'failed',
      error: 'Nobody had allowed it before the run ended: it did not begin.',
      isCutOff: true,
    };
  }
  return isEffect(step)
    ? { state: 'ambiguous', error: 'The run ended before its result was known.' }
    : { state: 'failed', error: 'Cut off when the run ended.', isCutOff: true };
}

/** The calls of earlier attempts with their fates, in their order. */
export function knownCalls(
  steps: readonly StepRow[],
  calls: readonly OutsideCallRow[],
): readonly KnownCall[] {
  const lines = new Map(buildLedger(steps).map((line) => [line.root, line]));
  return calls.flatMap((call) => {
    const line = lines.get(call.step);
    if (line === undefined) return [];
    const { state } = line.last;
    const fate: KnownCall['fate'] =
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
        fate,
      },
    ];
  });
}

/**
 * What the agent's own record adds to ours: an unknown call that it remembers as completed with a
 * result is done. `completed` without a result counts for nothing: one agent says it of calls that
 * never ran. What it has forgotten stays as we know it: the most advanced word wins.
 */
export function endsFromReplay(
  known: readonly KnownCall[],
  replay: readonly OutsideEvent[],
): readonly { readonly step: number; readonly output: string }[] {
  const told = new Map<string, CallState>();
  for (const event of replay) {
    if (event.kind !== 'tool') continue;
    const report: OutsideToolReport = event.report;
    told.set(report.callId, mergeReport(told.get(report.callId), report));
  }
  return known.flatMap((call) => {
    if (call.fate !== 'unknown') return [];
    const state = told.get(call.callId);
    return state?.status === 'completed' && state.output !== undefined
      ? [{ step: call.step, output: state.output }]
      : [];
  });
}

/** Whether a call would happen a second time; each recorded call answers for one later call. */
export function createRepeats(known: readonly KnownCall[]): (identity: string) => Repeat {
  const left = known.filter((call) => call.isEffect && call.fate !== 'never');
  return (identity) => {
    const at = left.findIndex((call) => call.identity === identity);
    if (at === -1) return undefined;
    const [found] = left.splice(at, 1);
    return found?.fate === 'unknown' ? 'unknown' : 'done';
  };
}

/** What an agent is told that is asked for the first time in a session that it does not remember. */
export function firstPrompt(messages: readonly Message[], knowsPast: boolean): string {
  const prompt = promptOf(messages);
  const past = knowsPast ? '' : historyText(messages);
  return past === '' ? prompt : `${past}\n\nThe request now:\n${prompt}`;
}

/** What an agent is told after its run was cut off: the request, and what became of its calls. */
export function continuePrompt(facts: {
  readonly messages: readonly Message[];
  readonly knowsPast: boolean;
  readonly calls: readonly (KnownCall & { readonly output?: string })[];
  readonly orphans: OutsideOrphans | undefined;
}): string {
  const { calls, orphans } = facts;
  const lines = (fates: readonly KnownCall['fate'][]): readonly string[] =>
    calls
      .filter((call) => fates.includes(call.fate))
      .slice(-TOLD_CALLS)
      .map((call) => lineOf(call));
  const section = (head: string, rows: readonly string[]): readonly string[] =>
    rows.length === 0 ? [] : [[head, ...rows].join('\n')];
  const left =
    orphans === undefined || orphans.found === 0
      ? []
      : [
          orphans.ended === 0
            ? 'Something you had started went on after that and has ended since.'
            : 'Something you had started went on after that and was ended.',
        ];
  return [
    ...(facts.knowsPast ? [] : [historyText(facts.messages)].filter((text) => text !== '')),
    'You were cut off while you worked on the request below: the program that runs you ended and was started again. This is what is known for certain.',
    ...section('Already done. Do not do these again:', lines(['done'])),
    ...section(
      'Outcome unknown: may have happened. Check before you do anything like it again:',
      lines(['unknown']),
    ),
    ...section('Not to be done, by decision of the user:', lines(['skipped'])),
    ...section('Did not begin:', lines(['never'])),
    ...left,
    'Go on from there and finish the request.',
    `The request:\n${promptOf(facts.messages)}`,
  ].join('\n\n');
}

function lineOf(call: KnownCall & { readonly output?: string }): string {
  const said = call.output?.trim() ?? '';
  const result = said === '' ? '' : ` -> ${cut(said.replaceAll(/\s+/g, ' '), TOLD_CHARS)}`;
  return `- ${call.tool.slice(call.tool.indexOf('.') + 1)}: ${cut(call.title, TOLD_CHARS)}${result}`;
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
  return `What was said before in this conversation:\n${told.join('\n').slice(-HISTORY_CHARS)}`;
}

const cut = (text: string, chars: number): string =>
  text.length <= chars ? text : `${text.slice(0, chars)}…`;
