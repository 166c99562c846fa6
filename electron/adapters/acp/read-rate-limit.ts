import type { LimitNotice, LimitWindow, UsageLimit } from '../../../shared/limits/read-limit';
import { readLimit } from '../../../shared/limits/read-limit';
import { readReset } from '../../../shared/limits/read-reset';
import type { ExternalPromptEnd } from '../../ports/external-agent';
import { table } from '../../../shared/table';

const STATUSES = table<LimitNotice['status']>({
  allowed: 'allowed',
  allowed_warning: 'warning',
  rejected: 'reached',
});

/**
 * The rate limit that Claude reports while it works: over ACP in the `_meta` of a `usage_update`,
 * in its stream as a separate line. Undefined if the value is not one. Pure. LM-01
 */
export function readRateLimit(value: unknown): LimitNotice | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const info = value as Readonly<Record<string, unknown>>;
  const status = STATUSES[String(info['status'])];
  if (status === undefined) return undefined;
  const resets = readReset({ resetsAt: info['resetsAt'] ?? info['overageResetsAt'] });
  const used = info['utilization'];
  return {
    status,
    limit: {
      window: windowOf(info['rateLimitType']),
      ...(resets === undefined ? {} : { resets }),
    },
    ...(typeof used === 'number' && used >= 0 ? { used: Math.min(1, used) } : {}),
  };
}

function windowOf(type: unknown): LimitWindow {
  switch (type) {
    case 'five_hour':
      return 'session';
    case 'seven_day':
      return 'weekly';
    case 'overage':
      return 'credit';
    default:
      return typeof type === 'string' && type.startsWith('seven_day_') ? 'model' : 'other';
  }
}

/**
 * At a limit, some releases end the prompt as if it had been answered: the sentence is the only
 * sign, and nothing was billed. Undefined for a real answer. Pure. LM-03
 */
export function limitAsAnswer(facts: {
  readonly end: ExternalPromptEnd;
  readonly text: string;
  readonly notice: LimitNotice | undefined;
}): UsageLimit | undefined {
  const { end, text, notice } = facts;
  if (notice?.status !== 'reached' || end.stop !== 'end_turn' || end.outputTokens > 0)
    return undefined;
  return text.length <= 400 ? readLimit(text) : undefined;
}

/** The agent's report during its work is exact; the sentence only names a minute. Pure. */
export function exactLimit(limit: UsageLimit, notice: LimitNotice | undefined): UsageLimit {
  return notice?.status === 'reached' && notice.limit.resets !== undefined
    ? { ...notice.limit, window: limit.window === 'other' ? notice.limit.window : limit.window }
    : limit;
}
