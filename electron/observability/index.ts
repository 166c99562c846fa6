export { createObservatory } from './observatory';
export type { Observatory, ObservatoryDeps, WatchPorts } from './observatory';
