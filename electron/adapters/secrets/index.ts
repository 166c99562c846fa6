export { createSecrets } from './secrets';
export type { SecretsDeps } from './secrets';
export { describeProviderKey, resolveProviderKey } from './provider-key';
export type { KeySources, KeyStorage, ProviderKey } from './provider-key';
export { readPrivateFile } from './private-file';
