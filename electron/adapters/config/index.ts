export { createSettings } from './settings';
export type { SettingsOptions } from './settings';
export { ENV_PREFIX } from './settings-model';
