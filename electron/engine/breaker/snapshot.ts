import { BREAKER_STATES, DEPENDENCY_KINDS } from '../../../shared/states';
import type { BreakerSnapshot } from './circuit-breaker';

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/**
 * What was kept of a breaker, or undefined where it cannot be meant: then it begins closed, for a
 * start must not depend on it. Pure. S2-+04.
 */
export function readSnapshot(raw: Readonly<Record<string, unknown>>): BreakerSnapshot | undefined {
  const { name, failures, successes, backoffMs, openedAtMs, lastError } = raw;
  const dependency = DEPENDENCY_KINDS.find((kind) => kind === raw['dependency']);
  const state = BREAKER_STATES.find((one) => one === raw['state']);
  if (typeof name !== 'string' || name === '') return undefined;
  if (dependency === undefined || state === undefined) return undefined;
  if (!isCount(failures) || !isCount(successes)) return undefined;
  const isOpened = typeof openedAtMs === 'number' && Number.isFinite(openedAtMs);
  const isWaiting = typeof backoffMs === 'number' && Number.isFinite(backoffMs) && backoffMs >= 0;
  if (state !== 'closed' && !(isOpened && isWaiting)) return undefined;
  return {
    name,
    dependency,
    state,
    failures,
    successes,
    backoffMs: isWaiting ? backoffMs : 0,
    ...(isOpened ? { openedAtMs } : {}),
    cause: typeof raw['cause'] === 'string' ? raw['cause'] : '',
    ...(typeof lastError === 'string' ? { lastError } : {}),
  };
}
