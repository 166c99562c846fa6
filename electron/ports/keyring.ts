/**
 * Encrypts with the operating system's keyring (K1).
 * Implemented by shell/system/keyring.ts.
 */
export interface Keyring {
  /** Backend name as stored next to the ciphertext: `gnome_libsecret`, `kwallet5`, `dpapi`, `keychain`, … */
  backend(): string;
  /**
   * False for `basic_text` and unknown: a hard-coded password is not encryption. Decided by the
   * name alone: checking it opens nothing and prompts no one (K4).
   */
  isEncrypting(): boolean;
  /** Why its last request failed: "is locked". Undefined if it succeeded. */
  problem(): string | undefined;
  encrypt(text: string): Promise<Uint8Array>;
  decrypt(bytes: Uint8Array): Promise<string>;
}
