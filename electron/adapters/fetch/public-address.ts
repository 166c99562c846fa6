import { BlockList, isIP } from 'node:net';
import { once } from '../../../shared/once';

/** Not public: this computer, this network, and ranges with a special meaning. */
const RESERVED_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // A machine in Azure asks for its own keys there.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;
/** Tunnels and documentation within the global range: they may carry a private IPv4 address. */
const RESERVED_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;
/** Built when the first address is checked, because building took 5 ms of each start. */
const lists = once(() => {
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  const reserved = new BlockList();
  for (const [network, prefix] of RESERVED_V4) reserved.addSubnet(network, prefix, 'ipv4');
  for (const [network, prefix] of RESERVED_V6) reserved.addSubnet(network, prefix, 'ipv6');
  const globalV6 = new BlockList();
  globalV6.addSubnet('2000::', 3, 'ipv6');
  return { loopback, reserved, globalV6 };
});

/**
 * True if a fetch on behalf of a model may connect to `address`: the public internet, and this
 * computer only with `allowLoopback`. IPv6 outside 2000::/3 is rejected completely, and with it
 * every IPv4 address in an IPv6 form.
 */
export function isAllowedAddress(
  address: string,
  options: { readonly allowLoopback: boolean },
): boolean {
  const family = isIP(address) === 4 ? 'ipv4' : isIP(address) === 6 ? 'ipv6' : undefined;
  if (family === undefined) return false;
  const { loopback, reserved, globalV6 } = lists();
  if (loopback.check(address, family)) return options.allowLoopback;
  if (reserved.check(address, family)) return false;
  return family === 'ipv4' || globalV6.check(address, family);
}
