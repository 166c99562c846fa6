/** Shown next to a chat: how close a turn is to its limits, and what a crash would do. Pure. */
import { t } from '../../shared/messages';
import type { AgentView, ResumePlan, TurnSummary } from '../../shared/types';
import { quoted } from '../../shared/shell-quoted';
import { durationText, localClocks, moneyText } from '../parts/time-view';

export interface Limits {
  readonly steps: number | undefined;
  readonly costUsd: number | undefined;
  readonly timeMs: number | undefined;
}

/** How much of a limit is used; `share` is 0 to 1. */
interface Meter {
  readonly kind: 'cost' | 'steps' | 'time';
  readonly text: string;
  readonly share: number;
}

/**
 * Meters of a turn, if both used amount and limit are known. After a resume there is none for time,
 * because the run time before the stop is not reported. A limit that is exceeded was raised by the
 * user: then there is no bar.
 */
export function metersOf(turn: TurnSummary, limits: Limits, nowMs: number): readonly Meter[] {
  const meters: Meter[] = [];
  const add = (kind: Meter['kind'], used: number, limit: number, text: string): void => {
    if (limit > 0 && used <= limit) meters.push({ kind, text, share: used / limit });
  };
  const { costUsd } = turn.usage;
  if (costUsd !== undefined && limits.costUsd !== undefined) {
    const text = t('meter.of', { text: moneyText(costUsd), what: moneyText(limits.costUsd) });
    add('cost', costUsd, limits.costUsd, text);
  }
  if (limits.steps !== undefined) {
    const text = t('meter.steps', { count: turn.steps, what: limits.steps });
    add('steps', turn.steps, limits.steps, text);
  }
  if (
    limits.timeMs !== undefined &&
    turn.state === 'running' &&
    turn.attempt <= 1 &&
    turn.startedAtMs !== undefined
  ) {
    const ms = Math.max(0, nowMs - turn.startedAtMs);
    const text = t('meter.of', { text: durationText(ms), what: durationText(limits.timeMs) });
    add('time', ms, limits.timeMs, text);
  }
  return meters;
}

/** What a crash now would do with the turn, from the engine's own recovery plan. */
export function crashSentence(plan: ResumePlan): string {
  switch (plan.action) {
    case 'resume':
      return t('crash.resume', { reused: plan.reused, count: plan.reissued });
    case 'hold':
      return t('crash.hold', { text: localClocks(plan.reason) });
    case 'park':
      return t('crash.park');
    case 'stale':
    case 'discard':
    case 'none':
      return t(`planAction.${plan.action}`);
  }
}

/**
 * True if a terminal can continue the agent's conversation: Claude Code, directly or through its
 * adapter.
 */
export const opensInTerminal = ({
  executor,
  provider,
}: Pick<AgentView, 'executor' | 'provider'>): boolean =>
  (executor === 'command' && /^(\S*[\\/])?claude(\.exe|\.cmd)?(\s|$)/i.test(provider)) ||
  (executor === 'acp' && /(^|[\s\\/])claude(-agent-acp|-code-acp)([\s@.]|$)/i.test(provider));

/** The command that returns a conversation from a terminal, for this program and data directory. */
export const takeBackCommand = (
  terminal: { readonly command: string; readonly options: string },
  { agent, ref }: { readonly agent: string; readonly ref: string },
): string =>
  [terminal.command, 'sessions attach', quoted(agent), '--id', quoted(ref), terminal.options]
    .filter((part) => part !== '')
    .join(' ');
