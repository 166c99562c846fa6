/** Model providers and what is shown of their keys. */
import { z } from 'zod';
import { text } from './base';

const keyStorage = z.enum([
  'os-keyring',
  'session-only',
  'plaintext-consented',
  'environment',
  'file',
  'none',
]);
/** What is shown of a key; never the key. */
export const keyView = z.strictObject({
  present: z.boolean(),
  last4: text(4).optional(),
  storage: keyStorage,
  problem: text(500).optional(),
});
export type KeyView = z.infer<typeof keyView>;

export const providerView = z.strictObject({
  name: text(64),
  kind: z.enum(['openai-compatible', 'anthropic', 'google', 'practice']),
  baseUrl: text(500).optional(),
  key: keyView,
});
export type ProviderView = z.infer<typeof providerView>;
