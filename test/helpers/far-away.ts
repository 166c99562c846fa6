/** A daily schedule, in UTC, whose next time is 11 to 12 hours away, at whatever hour the test runs. */
export const dailyFarAway = (): string =>
  `daily at ${String((new Date().getUTCHours() + 12) % 24).padStart(2, '0')}:00`;
