import { hostFacts, isHidden } from '../../../shared/host-facts';
import type { StatusSnapshot, TrayState } from '../../../shared/types';
import type { StatusFacts } from './status-facts';

/** Down, or just recovering. */
const DOWN: ReadonlySet<string> = new Set(['down', 'trying', 'recovering']);

/**
 * The first match wins: first what needs a user, then what waits for others, then problems here,
 * and only then activity. The shell adds what only it knows: notices that were not seen
 * (`tray-view.ts`).
 */
export function trayState(facts: StatusFacts, counts: StatusSnapshot['counts']): TrayState {
  if (facts.phase !== 'running') return 'stopped';
  const { outside, delivery, paused, hosts } = facts.rooms;
  const told = hostFacts(hosts);
  if (counts.needsYou > 0 || told.some(({ kind }) => kind === 'needs')) return 'attention';
  const providers = outside?.providers ?? [];
  if (providers.some(({ state }) => DOWN.has(state))) return 'outage';
  if (delivery?.broker === 'down') return 'outage';
  if (facts.journal.refusal !== undefined || facts.rooms.programChanged) return 'degraded';
  if ((delivery?.deadLetters ?? 0) > 0 || delivery?.isNearlyFull === true) return 'degraded';
  if ((facts.turns.lostRuns ?? 0) > 0) return 'degraded';
  if (providers.some(({ state }) => state === 'key')) return 'degraded';
  // A hint concerns a file that works as written.
  if (facts.configProblems.some(({ line, level }) => line !== undefined && level !== 'hint'))
    return 'degraded';
  if (told.some(isHidden)) return 'degraded';
  if (counts.running > 0) return 'working';
  if (paused !== undefined) return 'paused';
  return 'idle';
}
