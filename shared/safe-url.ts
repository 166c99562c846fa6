/**
 * What is wrong with an address that keys may be sent to: https, or http on this computer, and
 * nothing secret in the address itself. Undefined where nothing is. Source: guide/security T6.
 */
export function urlProblem(value: string): string | undefined {
  let url: URL;
  try {
    url = new URL(value);
  } catch {
    return 'write a whole address, for example https://api.example.com/v1';
  }
  const isLoopback =
    url.hostname === 'localhost' ||
    url.hostname === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback))
    return 'use https, or http on this computer (127.0.0.1, localhost)';
  if (url.username !== '' || url.password !== '')
    return 'no user name or password in the address; name an environment variable that holds it';
  return undefined;
}
