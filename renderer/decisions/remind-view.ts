/** Times at which the user can be reminded of open decisions. Pure. */
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Tomorrow is of use where it is not almost here. */
const MORNING_HOUR = 9;

interface RemindChoice {
  readonly label: 'remind.quarter' | 'remind.hour' | 'remind.threeHours' | 'remind.tomorrow';
  readonly afterMs: number;
}

/** A quarter of an hour, an hour, three hours, and nine in the morning of the next day. */
export function remindChoices(nowMs: number): readonly RemindChoice[] {
  const morning = new Date(nowMs);
  morning.setDate(morning.getDate() + 1);
  morning.setHours(MORNING_HOUR, 0, 0, 0);
  return [
    { label: 'remind.quarter', afterMs: 15 * MINUTE_MS },
    { label: 'remind.hour', afterMs: HOUR_MS },
    { label: 'remind.threeHours', afterMs: 3 * HOUR_MS },
    { label: 'remind.tomorrow', afterMs: morning.getTime() - nowMs },
  ];
}
