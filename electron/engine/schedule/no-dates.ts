import type { CronDates } from '../../ports/dates';

/** Stands in where no rule is an expression: real dates are only loaded where one needs them. */
export const NO_DATES: CronDates = {
  isZone: () => true,
  next: () => undefined,
  previous: () => undefined,
  count: () => 0,
  wallOf: () => ({ year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0 }),
  instantOf: () => undefined,
};
