/** Thrown if a server at an address requires a login; its message says what to do. */
export class LoginNeeded extends Error {}

/**
 * Message after a server has answered 401: whether a key was sent at all, and where to set one.
 * Holdfast does not support a browser login (OAuth); a token issued elsewhere works.
 *
 * @param challenge the server's `WWW-Authenticate`; only its first word is shown.
 */
export function loginProblem(
  headers: Readonly<Record<string, string>>,
  challenge: string | null,
): string {
  const scheme = /^[A-Za-z]{1,20}(?=$|[\s,])/.exec(challenge ?? '')?.[0];
  const status = scheme === undefined ? 'HTTP 401' : `HTTP 401, ${scheme}`;
  const sent = Object.keys(headers);
  if (sent.length > 0)
    return `It rejected the API key (${status}) that headers_env sends as ${sent.join(', ')}. Put a valid key into that variable, then restart the server. Holdfast does not support OAuth.`;
  return `It needs OAuth or a token (${status}), and Holdfast does not support OAuth. Get a token from the provider of the server, put "Bearer TOKEN" into an environment variable, set it in headers_env of this server, such as "Authorization": "TEAM_AUTH", then restart the server.`;
}
