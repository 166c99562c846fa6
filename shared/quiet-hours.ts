/** The hours in which the user is not to be disturbed, by local time. Pure. */

/**
 * When the current quiet hours at `nowMs` end, ms since the epoch; undefined outside of them.
 * `span` is local time, `22:00-07:00`, with its end excluded; empty or without length means none.
 * Pure.
 */
export function quietUntilMs(span: string, nowMs: number): number | undefined {
  const found = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(span);
  if (found === null) return undefined;
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = found.slice(1).map(Number);
  // The night that started yesterday, and the one that starts today.
  for (const back of [1, 0]) {
    const from = new Date(nowMs);
    from.setHours(0, 0, 0, 0);
    from.setDate(from.getDate() - back);
    const to = new Date(from);
    from.setHours(fromHour, fromMinute);
    const isOverMidnight = fromHour * 60 + fromMinute > toHour * 60 + toMinute;
    to.setDate(to.getDate() + (isOverMidnight ? 1 : 0));
    to.setHours(toHour, toMinute);
    if (from.getTime() <= nowMs && nowMs < to.getTime()) return to.getTime();
  }
  return undefined;
}

/** When the last quiet hours before `nowMs` ended, ms since the epoch; 0 if there are none. Pure. */
export function lastQuietEndMs(span: string, nowMs: number): number {
  const found = /^\d\d:\d\d-(\d\d):(\d\d)$/.exec(span);
  if (found === null) return 0;
  const end = new Date(nowMs);
  end.setHours(Number(found[1]), Number(found[2]), 0, 0);
  if (end.getTime() > nowMs) end.setDate(end.getDate() - 1);
  return end.getTime();
}
