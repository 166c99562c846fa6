import type { VerbOutput } from '../../shared/contract';
import { parseSchedule, type ParsedSchedule } from '../../shared/schedule/grammar';
import { ruleWords } from '../../shared/schedule/words';
import { bindRule, nextSlots } from '../engine/schedule/rule';
import type { CronDates } from '../ports/dates';

/** The zone of the computer. */
export function computerZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}

/** What a text means, and its next instants; a text that means nothing says why. S1-06..S1-10. */
export async function previewSchedule(
  wish: {
    readonly expr: string;
    readonly zone: string;
    readonly fromMs: number;
    readonly count: number;
  },
  loadDates: () => Promise<CronDates>,
): Promise<VerbOutput<'schedule.parse'>> {
  const parsed = parseSchedule(wish.expr);
  if (!parsed.ok) return { ok: false, error: parsed.error };
  const dates = await loadDates();
  const rule = bindRule(parsed, {
    input: wish.expr,
    nowMs: wish.fromMs,
    zone: wish.zone,
    dates,
  });
  if ('ok' in rule) return { ok: false, error: rule.error };
  return {
    ok: true,
    kind: parsed.kind,
    ...meaning(parsed),
    tz: wish.zone,
    words: ruleWords(rule, wish.zone),
    next: nextSlots(rule, wish.fromMs, wish.count, dates).map((at) => isoText(at)),
  };
}

function meaning(parsed: Extract<ParsedSchedule, { ok: true }>): {
  readonly ms?: number;
  readonly cron?: string;
} {
  if ('ms' in parsed) return { ms: parsed.ms };
  return 'cron' in parsed ? { cron: parsed.cron } : {};
}

const isoText = (atMs: number): string => new Date(atMs).toISOString().replace('.000Z', 'Z');
