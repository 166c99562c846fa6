import { HoldfastError } from '../../engine/kernel/errors';
import { DEFAULT_BASE_URLS } from '../../../shared/prices/prices';
import type { ProviderSettings } from '../../../shared/settings';
import { parsedUrl } from '../../../shared/parsed-url';

/** Which of the three wire formats a provider speaks. */
export type Dialect = ProviderSettings['kind'];

const LOOPBACK_V4 = /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;

/**
 * True for a host that is certainly on this computer. Names other than `localhost` do not count.
 */
function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || LOOPBACK_V4.test(hostname);
}

/**
 * The address for requests, without a trailing slash (T6): https, or http on a loopback
 * address; no credentials, query or fragment, because those would end up in logs or be lost.
 *
 * @throws HoldfastError PROVIDER_URL_REFUSED
 */
export function decideBaseUrl(
  name: string,
  settings: Pick<ProviderSettings, 'kind' | 'base_url'>,
): { readonly url: string; readonly host: string; readonly isLoopback: boolean } {
  const refuse = (why: string): HoldfastError =>
    new HoldfastError(
      'PROVIDER_URL_REFUSED',
      `The address of provider ${name} is rejected: ${why}.`,
      {
        hint: `Nothing was sent. Set providers.${name}.base_url to an https address, or to http://127.0.0.1 for a model on this computer.`,
        facts: { provider: name, key: `providers.${name}.base_url` },
      },
    );
  const url = parsedUrl(settings.base_url ?? DEFAULT_BASE_URLS[settings.kind]);
  // The value itself may contain secrets.
  if (url === undefined) throw refuse('it is not an address');
  const isLoopback = isLoopbackHost(url.hostname);
  if (url.username !== '' || url.password !== '')
    throw refuse('it contains a user name or password');
  if (url.search !== '' || url.hash !== '') throw refuse('it has a part after ? or #');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)) {
    throw refuse('only https is allowed outside this computer');
  }
  return { url: url.href.replace(/\/+$/, ''), host: url.host, isLoopback };
}

/** Where the key of a provider is sent: a stored key is sent nowhere else. K1 */
export const keyTarget = (name: string, settings: ProviderSettings): string =>
  remoteOrigin(name, settings) ?? 'this computer';

/** The origin of its requests. Undefined for a model on this computer, and for an address that is rejected. */
export function remoteOrigin(name: string, settings: ProviderSettings): string | undefined {
  try {
    const { url, isLoopback } = decideBaseUrl(name, settings);
    return isLoopback ? undefined : new URL(url).origin;
  } catch {
    return undefined; // it is reported where it is used
  }
}
