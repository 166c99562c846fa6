/** Encrypts with the keyring of the operating system (K1). */
export interface Keyring {
  /** Backend name as stored next to the ciphertext: `gnome_libsecret`, `kwallet5`, `dpapi`, `keychain`, … */
  backend(): string;
  /**
   * False for `basic_text` and unknown: a hard-coded password is not encryption. By the name alone:
   * to look at it opens nothing and asks nobody (K4).
   */
  isEncrypting(): boolean;
  /** Why it did not do what was last asked of it: "is locked". Undefined where it did. */
  problem(): string | undefined;
  encrypt(text: string): Promise<Uint8Array>;
  decrypt(bytes: Uint8Array): Promise<string>;
}
