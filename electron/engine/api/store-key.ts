import type { SecretFacts, Secrets } from '../../ports/secrets';
import { HoldfastError } from '../kernel/errors';

/**
 * Stores a key; null removes it. If nothing persists it, a process that ends with this call would
 * report success and lose the key. `target`: it is sent nowhere else. @throws SECRET_NOT_PERSISTED
 */
export async function keepKey(
  { secrets, isRunning }: { readonly secrets: Secrets; readonly isRunning: () => boolean },
  name: string,
  key: string | null,
  allowPlaintext = false,
  target?: string,
): Promise<SecretFacts> {
  const facts = await secrets.write(name, key, { allowPlaintext, target });
  if (facts.storage !== 'session-only' || isRunning()) return facts;
  throw new HoldfastError('SECRET_NOT_PERSISTED', 'No keyring is available to store it in.', {
    hint: 'Nothing was stored. Start Holdfast and enter it there, or allow storing it unencrypted.',
  });
}
