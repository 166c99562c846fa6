/** The queue as rows, and requests to move them. Pure. */
import type { HeldItem } from '../../shared/types/outage';
import { t } from '../../shared/messages';
import { oneLine } from '../parts/inert-view';
import { firstSentence } from '../parts/title-view';
import { agentTitle } from '../agents/agent-titles';

/** Origin of a turn as text: agent and channel, or what started it. */
export function fromText(item: Pick<HeldItem, 'agent' | 'channel' | 'source' | 'merged'>): string {
  // Merged runs are mentioned, because only one of them is left (R13).
  if (item.merged > 0) return t('queue.merged', { count: item.merged + 1 });
  const name = oneLine(agentTitle(item.agent), 64);
  if (item.source !== 'user')
    return t('queue.from', { name, what: t(`queue.source.${item.source}`) });
  return t('queue.from', { name, what: oneLine(item.channel, 40) });
}

export const titleOfItem = (item: Pick<HeldItem, 'promptStart'>): string =>
  firstSentence(item.promptStart);

/** Input of `outage.move`. */
interface Move {
  readonly turnId: number;
  /** Absent: moves to the end. */
  readonly beforeTurnId?: number;
}

/** A turn that tries the provider now keeps its place; everything else moves behind it. */
const firstPlace = (items: readonly Pick<HeldItem, 'isCanary'>[]): number =>
  items.findIndex((item) => !item.isCanary) < 0
    ? items.length
    : items.findIndex((item) => !item.isCanary);

/**
 * Moves the row at `from` to `to`. Undefined if nothing changes, if the row must not move, or if
 * the end of the loaded rows is not the end of the queue.
 */
export function planMove(
  items: readonly HeldItem[],
  from: number,
  to: number,
  total = items.length,
): Move | undefined {
  const item = items[from];
  if (item === undefined || item.isCanary) return undefined;
  const target = Math.min(Math.max(to, firstPlace(items)), items.length - 1);
  if (target === from) return undefined;
  const before = items.filter((_one, at) => at !== from)[target];
  if (before !== undefined) return { turnId: item.turnId, beforeTurnId: before.turnId };
  return total > items.length ? undefined : { turnId: item.turnId };
}

/** The rows after a move is on disk, renumbered. */
export function movedItems(items: readonly HeldItem[], move: Move): readonly HeldItem[] {
  const item = items.find((one) => one.turnId === move.turnId);
  if (item === undefined) return items;
  const rest = items.filter((one) => one !== item);
  const before = rest.findIndex((one) => one.turnId === move.beforeTurnId);
  const at = before < 0 ? rest.length : before;
  const first = items[0]?.position ?? 1;
  return [...rest.slice(0, at), item, ...rest.slice(at)].map((one, index) => ({
    ...one,
    position: first + index,
  }));
}

/** The row under a pointer at `offsetPx` from the top of the rows. */
export const rowUnder = (offsetPx: number, rowPx: number, count: number): number =>
  Math.min(count - 1, Math.max(0, Math.floor(offsetPx / Math.max(1, rowPx))));
