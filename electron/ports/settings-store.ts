/** Class with the interface of `conf`; `electron-store` in the app. */
export type StoreClass = new (options: Record<string, unknown>) => unknown;

/**
 * The same, loaded with the first setting that is written: most starts write none, and the package
 * with its schema compiler is a large part of a start's loading time.
 * Implemented by adapters/config/lazy-conf.ts.
 */
export interface LazyStoreClass {
  load(): Promise<StoreClass>;
}
