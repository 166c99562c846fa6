import type { RestartReason } from '../../../shared/types';
import type { InboxRow } from '../../ports/journal/inbox';
import type { JsonValue } from '../../ports/provider';

/** Restarts within this time of the first one are one item. */
const TOGETHER_MS = 24 * 3_600_000;
/** Maximum number of times that the item lists; the count includes all. */
const MAX_TIMES = 100;

/** A restart as stored in its item: when, and why. */
type Restart = readonly [atMs: number, why: string];

/** The inbox entry for this restart: a new item, or an addition to the open one. */
interface RestartItem {
  /** The open item to extend; undefined: a new one. */
  readonly inboxId: number | undefined;
  readonly title: string;
  readonly detail: string;
  readonly facts: JsonValue;
}

/**
 * Restarts of one night share an item, with the time of each, until it is dismissed: twenty items
 * would hide items that need a decision. Pure. S0-29
 */
export function planRestartItem(facts: {
  /** Open items of the inbox, oldest first. */
  readonly open: readonly InboxRow[];
  readonly reason: RestartReason;
  /** The restart as a sentence. */
  readonly text: string;
  /** The reasons in words, such as "Restarted after a crash". */
  readonly words: Readonly<Record<RestartReason, string>>;
  readonly nowMs: number;
}): RestartItem {
  const { reason, text, words, nowMs } = facts;
  const last = facts.open.findLast(
    (row) => row.item === 'restart_notice' && nowMs - row.createdAtMs < TOGETHER_MS,
  );
  const before = last === undefined ? { count: 0, restarts: [] } : restartsOf(last);
  const count = before.count + 1;
  const restarts = [...before.restarts, [nowMs, reason] as const].slice(-MAX_TIMES);
  const kept = { count, restarts } as unknown as JsonValue;
  if (last === undefined) return { inboxId: undefined, title: text, detail: '', facts: kept };
  return {
    inboxId: last.id,
    title: `Restarted ${String(count)} times since ${clock(last.createdAtMs)}. The last one: ${text}`,
    detail: timesText(restarts, words),
    facts: kept,
  };
}

/** One line for each reason: "Restarted after a crash: 22:10, 23:41." */
function timesText(
  restarts: readonly Restart[],
  words: Readonly<Record<RestartReason, string>>,
): string {
  const groups = new Map<string, string[]>();
  for (const [atMs, why] of restarts) {
    const said = Object.hasOwn(words, why) ? words[why as RestartReason] : 'Restarted';
    groups.set(said, [...(groups.get(said) ?? []), clock(atMs)]);
  }
  return [...groups].map(([said, times]) => `${said}: ${times.join(', ')}.`).join(' ');
}

/** `22:10`, local. */
function clock(atMs: number): string {
  const at = new Date(atMs);
  return [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** Restarts counted by an item; an item of an earlier version counts as one restart. */
function restartsOf(row: InboxRow): { readonly count: number; readonly restarts: Restart[] } {
  const facts = row.facts as { readonly count?: unknown; readonly restarts?: unknown } | undefined;
  const listed = Array.isArray(facts?.restarts) ? (facts.restarts as unknown[]) : [];
  const restarts = listed.flatMap((one): Restart[] =>
    Array.isArray(one) && typeof one[0] === 'number' && typeof one[1] === 'string'
      ? [[one[0], one[1]]]
      : [],
  );
  if (restarts.length === 0) return { count: 1, restarts: [[row.createdAtMs, '']] };
  const { count } = facts ?? {};
  return { count: typeof count === 'number' ? count : restarts.length, restarts };
}
