import type { JournalEntry } from '../../../ports/journal/entries';
import type { NewRequest } from '../../permissions/request-types';
import { answerOf, storedAnswer, usedAnswers, type StoredAnswer } from './permission';
import type { WorkClock } from './watch';
import type { TurnRun, TurnRunDeps } from '../../turns/run-record';

/** What a person said. */
interface PersonAnswer extends StoredAnswer {
  /** The question was ended without an answer: a stop, an interrupt. */
  readonly isCleared: boolean;
}

/** Questions of a run that stays alive while it waits for a person. */
export interface Questions {
  /** An answer that nothing has used yet; using it is up to the caller. */
  stored(identity: string): StoredAnswer | undefined;
  /** From here on the answer counts for nothing else. */
  use(requestId: number): void;
  /**
   * Asks, or goes on asking what a run before this one asked, and resolves with the answer; using
   * it up is up to the caller. The question, `riding` and what the run has kept are on disk in one
   * commit before anybody waits (S3-07). @throws the reason of the end of the run
   */
  ask(
    request: Omit<NewRequest, 'turn' | 'request'>,
    riding?: readonly JournalEntry[],
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
    stored: (identity) =>
      storedAnswer(
        deps.reads.requestsOfTurn(turn.id),
        new Set([...usedAnswers(deps.reads, turn.id), ...usedNow]),
        identity,
      ),
    use: (requestId) => void usedNow.add(requestId),
    ask: (request, riding = []) =>
      clock.waiting(async () => {
        const row = await deps.approvals.ask(
          { turn, request: 'approval', ...request },
          (entries) => run.flush([...riding, ...entries]),
          signal,
        );
        return { ...answerOf(row), isCleared: row.answer !== 'allowed' && row.answer !== 'denied' };
      }),
  };
}
