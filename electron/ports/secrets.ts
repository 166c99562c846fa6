/** Possible storage of a key (K1..K3). */
type SecretStorage = 'os-keyring' | 'session-only' | 'plaintext-consented';

/** Facts about a stored key; never the key. */
export interface SecretFacts {
  readonly present: boolean;
  readonly last4?: string;
  readonly storage: SecretStorage | 'none';
  /** Where it may be sent; absent if that was not recorded. */
  readonly target?: string;
  /** Set if the key exists but cannot be read: backend changed, decryption failed. */
  readonly problem?: string;
}

/**
 * Provider keys at rest. Used lazily, after `ready`; never blocks start-up (K4).
 * Implemented by adapters/secrets/secrets.ts.
 */
export interface Secrets {
  facts(name: string): Promise<SecretFacts>;
  /** @throws SECRET_UNREADABLE with the reason; the stored bytes are not deleted. */
  read(name: string): Promise<string | undefined>;
  /**
   * Stores a key. Without a keyring it is held in memory only, unless `allowPlaintext` permits a
   * file (0600, shown in diagnostics). Null removes it. `target`: where it may be sent.
   */
  write(
    name: string,
    key: string | null,
    options: { readonly allowPlaintext: boolean; readonly target?: string | undefined },
  ): Promise<SecretFacts>;
}
