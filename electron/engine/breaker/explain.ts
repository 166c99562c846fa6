import { sentence } from '../../../shared/sentence';
import type { BreakerView } from '../../../shared/types/outage';
import type { Refusal } from '../../ports/breakers';

/** Sentence values in addition to the view. */
interface BreakerWords {
  /** Why it is in its state, as the middle of a sentence; empty if it never changed. */
  readonly cause: string;
  /** `4 turns wait`, or nothing. */
  readonly waiting: string;
  /** The wait is over: the next call is the probe. */
  readonly isDue: boolean;
  /** No automatic probe: the next call after the wait is the probe. S2-07 */
  readonly isPassive: boolean;
  readonly timeWords: (atMs: number) => string;
}

/** Why a breaker is in its state, when it tries next, and what waits: plain sentences. Pure. */
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
        ? 'Closed: requests go through.'
        : `Closed: requests go through. ${failedInARow(view.failures)}; it opens at ${String(view.failureThreshold)}.`;
    case 'open': {
      const since = `Open since ${timeWords(view.openedAtMs ?? 0)}${words.cause === '' ? '' : `: ${words.cause}`}.`;
      if (words.isDue) return `${since} The next request is the probe.`;
      const at = timeWords(view.nextTrialAtMs ?? 0);
      return words.isPassive
        ? `${since} The next request after ${at} is the probe: no harmless check can be sent before.`
        : `${since} The next probe is sent at ${at}.`;
    }
    case 'half_open': {
      const done = `${String(view.successes)} of ${String(view.successThreshold)} probes have succeeded`;
      return view.isTrialOut
        ? `Half-open: one request is probing now, the others wait; ${done}.`
        : `Half-open: the next request is the probe; ${done}.`;
    }
  }
}

function failedInARow(count: number): string {
  return count === 1 ? 'The last request failed' : `The last ${String(count)} requests failed`;
}

function lastError(view: Omit<BreakerView, 'explanation'>): string {
  if (view.lastError === undefined || (view.state === 'closed' && view.failures === 0)) return '';
  return `The last error: ${sentence(view.lastError)}`;
}

/** Why a call was not made. S2-06. */
export function refusalReason(
  name: string,
  refusal: Pick<Refusal, 'state' | 'retryInMs'>,
  nextTrial: string,
): string {
  if (refusal.state === 'half_open')
    return `The circuit ${name} is half-open and a probe is in progress; nothing was sent.`;
  return `The circuit ${name} is open, next probe at ${nextTrial}; nothing was sent.`;
}
