/** What pays through an account. */
export interface AccountMember {
  /** Its name here: a provider, or such as `agent.claude`. */
  readonly name: string;
  readonly account: string;
  /**
   * `key`: each request is paid by an API key. `login`: a program's own login, so mostly a plan. `unknown`: a
   * provider without a key in the settings, or a program that Holdfast does not know.
   */
  readonly by: 'key' | 'login' | 'unknown';
}
