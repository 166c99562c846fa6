// Loaded before the app (`electron -r`): what would take the five minutes of a hidden window takes
// a second and a half. Every other timer is left alone.
'use strict';
const real = globalThis.setTimeout;
const shortened = (
  /** @type {(...args: unknown[]) => void} */ work,
  /** @type {number} */ delayMs,
  /** @type {unknown[]} */ ...args
) => real(work, delayMs === 300_000 ? 1_500 : delayMs, ...args);
globalThis.setTimeout = Object.assign(shortened, real);
