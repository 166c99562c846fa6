import type { NewRequest } from '../../permissions/request-types';
import type { JournalEntry } from '../../../ports/journal/entries';
import type { TurnRunDeps, TurnRun } from '../../turns/run-record';
import type { WorkClock } from './watch';
import type { JournalReads } from '../../../ports/journal/reads';
import type { RequestRow } from '../../../ports/journal/approvals';
import type { CallRisk } from '../../../ports/tool-call';
import { grantOf, type CallFacts, type PermissionVerdict } from '../../permissions/judge-call';
import { LEFT_OUT } from '../../recovery/skill-plan-runs';

/** Whether a call existed before the restart: done, started with an unknown outcome, or skipped. */
export type Repeat = 'done' | 'unknown' | 'left_out' | undefined;

/** An answer that the user gave before the agent asked. */
interface StoredAnswer {
  readonly requestId: number;
  readonly isAllowed: boolean;
  readonly note: string;
}

type PermissionPlan =
  | { readonly kind: 'allow' }
  | { readonly kind: 'stored'; readonly answer: StoredAnswer }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'ask'; readonly reason: string; readonly grant: string };

const REPEATED = {
  done: 'This was completed before the restart, with the same input. The agent wants to do it again.',
  unknown:
    'This was started before the restart and may have happened. The agent wants to do it again.',
} as const;

/**
 * Whether an external program may make a call. Checks, in order: a deny rule, an answer from before
 * the restart, a possible repeat of an effect (the user decides, whatever the rules allow), then
 * the rules. Permission for a repeat covers that call alone. Pure. Source: S3-06, S0-10, S4-20.
 */
export function planPermission(facts: {
  readonly call: Pick<CallFacts, 'tool' | 'risk'>;
  readonly identity: string;
  readonly verdict: PermissionVerdict;
  readonly stored: StoredAnswer | undefined;
  readonly repeat: Repeat;
  readonly ask: 'always' | 'policy';
  readonly isEffect: boolean;
}): PermissionPlan {
  const { call, verdict, stored, repeat } = facts;
  if (verdict.kind === 'deny') return { kind: 'deny', reason: verdict.reason };
  if (stored !== undefined) return { kind: 'stored', answer: stored };
  if (repeat === 'left_out') return { kind: 'deny', reason: `${LEFT_OUT} Continue without it.` };
  if (repeat !== undefined && facts.isEffect) {
    const grant = `${call.tool} ${facts.identity.slice(0, 12)}`;
    return { kind: 'ask', reason: REPEATED[repeat], grant };
  }
  const grant = grantOf(call);
  if (facts.ask === 'always') {
    const reason = 'You are asked about every permission request of this agent.';
    return { kind: 'ask', reason, grant };
  }
  return verdict.kind === 'ask'
    ? { kind: 'ask', reason: verdict.reason, grant }
    : { kind: 'allow' };
}

/** Holdfast cannot check the address of a command that another program runs. S3-06; F3. */
export const notToldOf = (risk: CallRisk | undefined): { readonly notTold?: string } =>
  risk?.leaves === true && /^(?:in ".*": )?git /s.test(risk.covers)
    ? { notTold: 'the agent runs the command itself' }
    : {};

/**
 * What an answer applies to: the tool, and a hash of everything that determines the call's effect.
 */
type AskedCall = Pick<RequestRow, 'tool' | 'inputKey'>;

/** An answer to exactly this call that nothing has used yet: each is used once. Pure. S3-07. */
export function storedAnswer(
  requests: readonly RequestRow[],
  used: ReadonlySet<number | undefined>,
  call: AskedCall,
): StoredAnswer | undefined {
  const found = requests.find(
    (row) =>
      row.tool === call.tool &&
      row.inputKey === call.inputKey &&
      (row.answer === 'allowed' || row.answer === 'denied') &&
      !used.has(row.requestId),
  );
  return found === undefined ? undefined : answerOf(found);
}

/** A question that was cleared grants no permission. */
const answerOf = (row: RequestRow): StoredAnswer => ({
  requestId: row.requestId,
  isAllowed: row.answer === 'allowed',
  note: row.note ?? '',
});

/** Requests whose answer a step or call of the turn has used. */
function usedAnswers(
  reads: Pick<JournalReads, 'steps' | 'outsideCalls'>,
  turnId: number,
): Set<number | undefined> {
  return new Set([
    ...reads.steps(turnId).map((step) => step.requestId),
    ...reads.outsideCalls(turnId).map((call) => call.requestId),
  ]);
}

/** The user's answer. */
interface PersonAnswer extends StoredAnswer {
  /** The question was ended without an answer: a stop, an interrupt. */
  readonly isCleared: boolean;
}

/** Questions of a run that stays alive while it waits for the user. */
export interface Questions {
  /** An answer that nothing has used yet; using it is up to the caller. */
  stored(call: AskedCall): StoredAnswer | undefined;
  /** From here on the answer counts for nothing else. */
  use(requestId: number): void;
  /**
   * Asks the user, or continues the question of an earlier run, and resolves with the answer; the
   * caller marks it as used. The question, `alongside` and the run's buffered entries reach the
   * disk in one commit before anyone waits (S3-07). @throws the reason for the end of the run
   */
  ask(
    request: Omit<NewRequest, 'turn' | 'request'>,
    alongside?: readonly JournalEntry[],
  ): Promise<PersonAnswer>;
}

export function createQuestions(
  deps: TurnRunDeps,
  init: { readonly run: TurnRun; readonly clock: WorkClock; readonly signal: AbortSignal },
): Questions {
  const { run, clock, signal } = init;
  const { turn } = run;
  const usedNow = new Set<number | undefined>();
  return {
    stored: (call) =>
      storedAnswer(
        deps.store.reads.requestsOfTurn(turn.id),
        new Set([...usedAnswers(deps.store.reads, turn.id), ...usedNow]),
        call,
      ),
    use: (requestId) => void usedNow.add(requestId),
    ask: (request, alongside = []) =>
      clock.waiting(async () => {
        const row = await deps.tools.approvals.ask(
          { turn, request: 'approval', ...request },
          (entries) => run.flush([...alongside, ...entries]),
          signal,
        );
        return { ...answerOf(row), isCleared: row.answer !== 'allowed' && row.answer !== 'denied' };
      }),
  };
}
