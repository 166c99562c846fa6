import type { LazyStoreClass, StoreClass } from '../../ports/settings-store';

/** `conf`, for everything that runs outside Electron. */
export const lazyConf: LazyStoreClass = {
  load: async () => (await import('conf')).default,
};

/**
 * Loads the class without the listeners that a package below it adds for every signal (when-exit,
 * by way of atomically). They send each signal to this process again: headless, one SIGTERM would
 * count as the second, which ends it immediately; in Electron, they replace the handler that quits
 * in order, and the app would be killed and started again. Removing them later would not restore
 * that handler. Its cleanup at exit stays.
 */
export async function loadStoreClass(lazy: LazyStoreClass): Promise<StoreClass> {
  const once = process.once.bind(process) as (name: string, run: () => void) => typeof process;
  const unhooked: typeof once = (name, run) => (/^SIG/.test(name) ? process : once(name, run));
  Object.assign(process, { once: unhooked });
  try {
    return await lazy.load();
  } finally {
    Reflect.deleteProperty(process, 'once'); // The inherited method is back.
  }
}
