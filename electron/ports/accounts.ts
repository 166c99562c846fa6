/** A provider or agent that pays through an account. */
export interface AccountMember {
  /** Its local name: a provider, or for example `agent.claude`. */
  readonly name: string;
  readonly account: string;
  /**
   * `key`: each request is paid by an API key. `login`: a program's own login, so mostly a plan. `unknown`: a
   * provider without a key in the settings, or a program that Holdfast does not know.
   */
  readonly by: 'key' | 'login' | 'unknown';
}
