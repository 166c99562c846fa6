// Loaded before the app (`electron -r`): the app lives at the time of the story. Only the wall
// clock moves; timers and durations stay those of the computer.
'use strict';
const Real = Date;
let offsetMs = Number(process.env['STORY_OFFSET_MS'] ?? 0);
const nowMs = () => Real.now() + offsetMs;
globalThis.Date = new Proxy(Real, {
  apply: () => new Real(nowMs()).toString(),
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [nowMs()] : args, newTarget),
  get: (target, name, receiver) => (name === 'now' ? nowMs : Reflect.get(target, name, receiver)),
});
globalThis.storyTime = {
  advance: (/** @type {number} */ tookMs) => (offsetMs += tookMs),
  moveTo: (/** @type {number} */ atMs) => (offsetMs = Math.max(offsetMs, atMs - Real.now())),
  offsetMs: () => offsetMs,
};
