import { lookup as dnsLookup } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';

/** Thrown by {@link checkedLookup}; the address was never connected to. */
export class AddressRefused extends Error {}

/** Whether an address, in digits, may be connected to. */
type AddressRule = (address: string) => boolean;

/**
 * The URL, or why it may not be requested: scheme, user name and password in it, numeric address.
 */
export function checkUrl(text: string, isAllowed: AddressRule): URL | string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'not a complete address; it starts with https:// or http://';
  }
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
 * Resolves a name and lets only allowed addresses through, all of them or none. What it answers is
 * what is connected to, so that a name cannot change its mind between the look and the call.
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
