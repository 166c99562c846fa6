export { createProviders } from './providers';
export type { ProvidersDeps } from './providers';
export { DEFAULT_TIMEOUTS } from './guarded-fetch';
export type { CallTimeouts } from './guarded-fetch';
