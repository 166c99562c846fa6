/**
 * Displayed data: the shapes shared by windows, tray, CLI and control socket. Times are epoch ms
 * UTC (`…AtMs`), durations ms (`…Ms`), money US dollars (`…Usd`).
 */
export type { Purity, StepState, TurnState } from './states';
export { purity, stepState, turnState, usage, type Usage } from './types/base';
export * from './types/turns';
export * from './types/budgets';
export * from './types/recovery';
export * from './types/skills';
export * from './types/decisions';
export * from './types/sessions';
export * from './types/agents';
export * from './types/providers';
export * from './types/config';
export * from './types/history';
export * from './types/status';
export * from './types/hosts';
export * from './types/far-asks';
export * from './types/far-lists';
export * from './types/far-step';
export * from './types/far-transcript';
