/**
 * What Holdfast shows: the shapes that windows, tray, CLI and control socket share.
 * Times are epoch ms UTC (`…AtMs`), durations ms (`…Ms`), money US dollars (`…Usd`).
 */
export type { Purity, StepState, TurnState } from './states';
export { purity, stepState, turnState, usage, type Usage } from './model/base';
export * from './model/turns';
export * from './model/recovery';
export * from './model/skills';
export * from './model/decisions';
export * from './model/sessions';
export * from './model/agents';
export * from './model/providers';
export * from './model/config';
export * from './model/history';
export * from './model/status';
