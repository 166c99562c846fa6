/**
 * What is wrong with an address that keys may be sent to. It must be https, or http on this
 * computer, and contain nothing secret. Undefined if nothing is wrong. Source: T6.
 */
export function urlProblem(value: string): string | undefined {
  let url: URL;
  try {
    url = new URL(value);
  } catch {
    return 'write a whole address, for example https://api.example.com/v1';
  }
  const isLoopback = isLoopbackName(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback))
    return 'use https, or http on this computer (127.0.0.1, localhost)';
  if (url.username !== '' || url.password !== '')
    return 'no user name or password in the address; name an environment variable that holds it';
  return undefined;
}

/**
 * The same for a message broker: tls, or plain on this computer; nothing secret in the address.
 */
export function brokerUrlProblem(value: string): string | undefined {
  let url: URL;
  try {
    url = new URL(value);
  } catch {
    return 'write a whole address, for example nats://127.0.0.1:4222';
  }
  if (url.hostname === '') return 'write a whole address, for example nats://127.0.0.1:4222';
  const isPlainHere = url.protocol === 'nats:' && isLoopbackName(url.hostname);
  if (url.protocol !== 'tls:' && !isPlainHere)
    return 'use tls://, or nats:// on this computer (127.0.0.1, localhost)';
  if (url.username !== '' || url.password !== '')
    return 'no user name or password in the address; name a variable or a file that holds them';
  return undefined;
}

/**
 * The same for the servers of one cluster, separated by commas: all with TLS, or all on this
 * computer.
 */
export function brokerUrlsProblem(value: string): string | undefined {
  const urls = value.split(',').map((one) => one.trim());
  for (const url of urls) {
    const problem = brokerUrlProblem(url);
    if (problem !== undefined) return problem;
  }
  return new Set(urls.map((url) => new URL(url).protocol)).size > 1
    ? 'use tls:// for all of the addresses, or nats:// for all of them'
    : undefined;
}

function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
