/**
 * Shell words that wait until a condition holds, and at most 4 minutes: that is longer than any test
 * takes, and what a killed run leaves behind ends by itself.
 */
export const waitUntil = (condition: string): string =>
  `n=0; until ${condition} || [ $n -ge 2400 ]; do n=$((n + 1)); sleep 0.1; done`;
