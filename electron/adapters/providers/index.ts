export { createProviders } from './providers';
export type { ProvidersDeps } from './providers';
export type { CallTimeouts } from './guarded-fetch';
