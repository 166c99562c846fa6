import type { LazyStoreClass } from '../../ports/settings-store';

/** `conf`, for everything that runs outside Electron. */
export const lazyConf: LazyStoreClass = {
  load: async () => (await import('conf')).default,
};
