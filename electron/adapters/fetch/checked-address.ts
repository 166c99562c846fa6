import { lookup as dnsLookup } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { parsedUrl } from '../../../shared/parsed-url';

/** Thrown by {@link checkedLookup}; no connection was made to the address. */
export class AddressRefused extends Error {}

/** Whether connecting to a numeric address is allowed. */
type AddressRule = (address: string) => boolean;

/**
 * The URL, or why it may not be requested: scheme, user name or password in it, numeric address.
 */
export function checkUrl(text: string, isAllowed: AddressRule): URL | string {
  const url = parsedUrl(text);
  if (url === undefined) return 'not a complete address; it starts with https:// or http://';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return `only https and http are fetched, not ${url.protocol}`;
  }
  if (url.username !== '' || url.password !== '')
    return 'an address with a name or password in it is not fetched';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isAllowed(host)) return notPublic(host);
  return url;
}

export const notPublic = (address: string): string =>
  `${address} is on this computer or in a private network, which this tool cannot access`;

/**
 * Resolves a name and accepts its addresses only if all are allowed. The connection uses exactly
 * these addresses, so a name cannot resolve differently between check and call.
 */
export function checkedLookup(isAllowed: AddressRule): LookupFunction {
  return (hostname, lookupOptions, callback) => {
    dnsLookup(hostname, { ...lookupOptions, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const bad = addresses.find(({ address }) => !isAllowed(address));
      if (bad !== undefined) {
        return callback(
          new AddressRefused(`${hostname} resolves to ${notPublic(bad.address)}`),
          [],
        );
      }
      const [first] = addresses;
      if (lookupOptions.all) return callback(null, addresses);
      if (first === undefined) return callback(new Error(`${hostname} has no address`), []);
      return callback(null, first.address, first.family);
    });
  };
}
