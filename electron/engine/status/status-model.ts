import type { StatusSnapshot, TurnState } from '../../../shared/types';
import type { StatusFacts } from './status-facts';
import { trayState } from './tray-state';

/** The single source for tray, windows and CLI. Pure. */
export function statusModel(facts: StatusFacts): StatusSnapshot {
  const { self, turns, rooms, restart, kept } = facts;
  const { refusal, ...journal } = facts.journal;
  const count = (state: TurnState): number => turns.states[state] ?? 0;
  const counts = {
    needsYou:
      count('held') +
      count('parked') +
      count('requires_action') +
      count('waiting') -
      (turns.retrying ?? 0),
    running: count('running'),
    queued: count('queued'),
    waiting: count('waiting'),
    parked: count('parked'),
  };
  return {
    phase: facts.phase,
    nowMs: facts.nowMs,
    ...known(self),
    tray: trayState(facts, counts),
    counts,
    ...known(rooms),
    recovery: facts.recovery,
    ...known({ restart, cutOff: unlessNone(turns.cutOff), lostRuns: unlessNone(turns.lostRuns) }),
    journal: { ...journal, ...known({ refusal }) },
    configProblems: [...facts.configProblems],
    kept: { stepsReusedToday: kept.steps, savedUsdToday: kept.savedUsd },
  };
}

const unlessNone = (count: number | undefined): number | undefined =>
  count === 0 ? undefined : count;

/** Removes keys without a value: over IPC and in JSON they must be missing. */
function known<T extends object>(facts: T): Known<T> {
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) => value !== undefined),
  ) as Known<T>;
}

type Known<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };
