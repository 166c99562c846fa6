import { brokerUrlProblem } from '../../../shared/safe-url';

/** One address of a NATS server or of a server of its cluster. */
export interface NatsAddress {
  /** `host:port`, as it is dialed. */
  readonly address: string;
  readonly isTls: boolean;
  /** The name that its certificate must have, if it differs from the address. */
  readonly tlsName?: string;
}

/** More than any cluster announces that is not trying to keep us busy. */
const MAX_ANNOUNCED = 32;
const IP = /^(\d{1,3}(\.\d{1,3}){3}|\[.*\])$/;

/**
 * The servers of `nats.url`, in order: one address, or several separated by commas. Every address
 * has passed {@link brokerUrlProblem}. Shown without user and password.
 */
export function readNatsUrls(urls: string): {
  readonly servers: readonly NatsAddress[];
  readonly shown: string;
} {
  const parsed = urls
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => new URL(one));
  const servers = parsed.map((url) => ({
    address: addressOf(url),
    isTls: url.protocol === 'tls:',
  }));
  const shown = parsed.map((url) => `${url.protocol}//${addressOf(url)}`).join(', ');
  return { servers, shown };
}

/**
 * The configured servers, followed by the usable announced ones: the same rule as for a configured
 * address applies, so nothing goes to another computer unencrypted. For an announced IP address,
 * the certificate must have the name of the server that announced it.
 */
export function withAnnounced(
  configured: readonly NatsAddress[],
  from: NatsAddress,
  announced: readonly string[],
): readonly NatsAddress[] {
  const known = new Map(configured.map((one) => [one.address, one]));
  const scheme = from.isTls ? 'tls' : 'nats';
  const host = new URL(`${scheme}://${from.address}`).hostname;
  const tlsName = from.tlsName ?? (IP.test(host) ? undefined : host);
  for (const one of announced.slice(0, MAX_ANNOUNCED)) {
    const written = `${scheme}://${one}`;
    if (brokerUrlProblem(written) !== undefined) continue;
    const url = new URL(written);
    const address = addressOf(url);
    if (known.has(address)) continue;
    const isNamedElsewhere = from.isTls && IP.test(url.hostname) && tlsName !== undefined;
    known.set(address, { address, isTls: from.isTls, ...(isNamedElsewhere ? { tlsName } : {}) });
  }
  return [...known.values()];
}

const addressOf = (url: URL): string => `${url.hostname}:${url.port === '' ? '4222' : url.port}`;
