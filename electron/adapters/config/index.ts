import type { LazyStoreClass } from '../../ports/settings-store';

export { createSettings } from './settings';
export type { SettingsOptions } from './settings';
export { refuseWrongOverrides } from './settings-changes';
export { ENV_PREFIX } from './settings-rules';

/** `conf`, for everything that runs outside Electron. */
export const lazyConf: LazyStoreClass = {
  load: async () => (await import('conf')).default,
};
