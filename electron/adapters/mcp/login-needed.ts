/** Thrown if a server at an address requires a login; its message says what to do. */
export class LoginNeeded extends Error {}

/**
 * Message after a server has answered 401: whether a key was sent at all, and where to set one.
 * Holdfast does not support a browser login (OAuth); a token that was issued elsewhere works.
 *
 * @param challenge the server's `WWW-Authenticate`; its first word is all that is shown of it.
 */
export function loginProblem(
  headers: Readonly<Record<string, string>>,
  challenge: string | null,
): string {
  const scheme = /^[A-Za-z]{1,20}(?=$|[\s,])/.exec(challenge ?? '')?.[0];
  const status = scheme === undefined ? 'HTTP 401' : `HTTP 401, ${scheme}`;
  const sent = Object.keys(headers);
  if (sent.length > 0)
    return `It refused the key (${status}) that headers_env sends as ${sent.join(', ')}. Put a valid one into that variable, then restart the server. Holdfast does not log in through a browser (OAuth).`;
  return `It wants a login (${status}), and Holdfast does not log in through a browser (OAuth). Take a token from the provider of the server, put "Bearer TOKEN" into an environment variable, name it in headers_env of this server, such as "Authorization": "TEAM_AUTH", then restart the server.`;
}
