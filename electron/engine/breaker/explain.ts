import type { BreakerView } from '../../../shared/types/outage';
import type { Refusal } from '../../ports/breakers';

/** Sentence values in addition to the view. */
interface BreakerWords {
  /** Why it is in its state, as the middle of a sentence; empty if it never changed. */
  readonly cause: string;
  /** `4 turns wait`, or nothing. */
  readonly waiting: string;
  /** The wait is over: the next call is the trial. */
  readonly isDue: boolean;
  /** No automatic probe: the next call after the wait is the probe. S2-07 */
  readonly isPassive: boolean;
  readonly timeWords: (atMs: number) => string;
}

/** Why a breaker is as it is, when it tries next, what waits: plain sentences. Pure. */
export function explainBreaker(
  view: Omit<BreakerView, 'explanation'>,
  words: BreakerWords,
): string {
  return [state(view, words), lastError(view), sentence(words.waiting)]
    .filter((part) => part !== '')
    .join(' ')
    .slice(0, 1000);
}

function state(view: Omit<BreakerView, 'explanation'>, words: BreakerWords): string {
  const { timeWords } = words;
  switch (view.state) {
    case 'closed':
      return view.failures === 0
        ? 'Closed: calls go through.'
        : `Closed: calls go through. ${failedInARow(view.failures)}; it opens at ${String(view.failureThreshold)}.`;
    case 'open': {
      const since = `Open since ${timeWords(view.openedAtMs ?? 0)}${words.cause === '' ? '' : `: ${words.cause}`}.`;
      if (words.isDue) return `${since} The next call is its trial.`;
      const at = timeWords(view.nextTrialAtMs ?? 0);
      return words.isPassive
        ? `${since} The next call after ${at} is its trial: nothing harmless can be asked before.`
        : `${since} The next trial goes out at ${at}.`;
    }
    case 'half_open': {
      const done = `${String(view.successes)} of ${String(view.successThreshold)} trials have succeeded`;
      return view.isTrialOut
        ? `Half-open: one call tries it now, the others wait; ${done}.`
        : `Half-open: the next call is its trial; ${done}.`;
    }
  }
}

function failedInARow(count: number): string {
  return count === 1 ? 'The last call failed' : `The last ${String(count)} calls failed`;
}

function lastError(view: Omit<BreakerView, 'explanation'>): string {
  if (view.lastError === undefined || (view.state === 'closed' && view.failures === 0)) return '';
  return `The last error: ${sentence(view.lastError)}`;
}

function sentence(text: string): string {
  return text === '' || /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Why a call was not made. S2-06. */
export function refusalReason(
  name: string,
  refusal: Pick<Refusal, 'state' | 'retryInMs'>,
  nextTrial: string,
): string {
  if (refusal.state === 'half_open')
    return `The circuit ${name} is half-open and one call tries it now; nothing was sent.`;
  return `The circuit ${name} is open, next trial at ${nextTrial}; nothing was sent.`;
}
