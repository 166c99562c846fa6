/** When a server is tried again. Pure. S2-32, S2-33 */

/**
 * `incomplete`: it cannot store the stream yet, like a cluster whose servers have not all met.
 * `unusable`: it stores no events until its setup is changed.
 */
export type ConnectEnd = 'lost' | 'unreachable' | 'incomplete' | 'unusable';

const FIRST_MS = { lost: 250, unreachable: 250, incomplete: 500, unusable: 30_000 };
const MAX_MS = { lost: 15_000, unreachable: 15_000, incomplete: 30_000, unusable: 30_000 };

/**
 * Doubles with each failure up to a limit. @param failures consecutive ones; 0 after a successful
 * connection
 */
export const reconnectDelayMs = (end: ConnectEnd, failures: number): number =>
  Math.min(MAX_MS[end], FIRST_MS[end] * 2 ** Math.min(failures, 10));
