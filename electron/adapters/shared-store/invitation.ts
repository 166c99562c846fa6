/**
 * How a computer connects to a shared store: the owner's address, and the one-line invitation for
 * another computer.
 */
import { invalidInput } from '../../engine/kernel/errors';
import type { StoreOwner } from '../../ports/shared-store';
import { createStoreOwner } from './owner';
import type { StoreAddress } from './postgres-store';
import { parsedUrl } from '../../../shared/parsed-url';

/** The prefix identifies the line; JSON follows. */
const PREFIX = 'holdfast-share:';

/** One line for one computer. */
export function invitationOf(
  owner: string,
  role: { readonly role: string; readonly password: string },
  /** Our own server has a different address for other computers. */
  use: 'here' | 'elsewhere',
): string {
  const url = needUrl(owner);
  const outside = use === 'here' ? undefined : url.searchParams.get('at');
  const ca = url.searchParams.get('ca') ?? undefined;
  const address = {
    h: outside ?? url.hostname,
    p: Number(url.port === '' ? 5432 : url.port),
    d: databaseOf(url),
    r: role.role,
    w: role.password,
    ...(ca === undefined ? {} : { c: ca }),
  };
  return PREFIX + Buffer.from(JSON.stringify(address)).toString('base64url');
}

/** @throws INPUT_INVALID */
export function readInvitation(line: string): {
  readonly address: string;
  readonly secret: string;
} {
  const wrong = invalidInput(
    'This is not an invitation to a shared store.',
    'Nothing was changed. Copy the whole line printed by "holdfast share invite".',
  );
  const trimmed = line.trim();
  if (!trimmed.startsWith(PREFIX)) throw wrong;
  try {
    const text = Buffer.from(trimmed.slice(PREFIX.length), 'base64url').toString('utf8');
    const { h, p, d, r, w, c } = JSON.parse(text) as Record<string, unknown>;
    if (![h, d, r, w].every((part) => typeof part === 'string') || !Number.isInteger(p))
      throw wrong;
    return {
      address: `${String(h)}:${String(p)}/${String(d)}`,
      secret: JSON.stringify({ role: r, password: w, ...(typeof c === 'string' ? { ca: c } : {}) }),
    };
  } catch {
    throw wrong;
  }
}

function needUrl(address: string): URL {
  const wrong = invalidInput(
    'This is not the address of a PostgreSQL database.',
    'Nothing was changed. Use postgres://user:password@host:port/database.',
  );
  const url = parsedUrl(address);
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') throw wrong;
  return url;
}

const databaseOf = (url: URL): string => decodeURIComponent(url.pathname.slice(1)) || 'postgres';
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]', '::1']);

/** TLS with a checked certificate, or loopback. DW-27 */
export function ownerOf(address: string): StoreOwner {
  const url = needUrl(address);
  return createStoreOwner({
    host: url.hostname,
    port: Number(url.port === '' ? 5432 : url.port),
    database: databaseOf(url),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    ...(LOOPBACK.has(url.hostname)
      ? {}
      : { ssl: { rejectUnauthorized: true, ca: url.searchParams.get('ca') ?? undefined } }),
  });
}

/** The store's address, from the setting and the stored secret. */
export function addressOf(shown: string, secret: string): StoreAddress {
  const { role, password, ca } = JSON.parse(secret) as Pick<
    StoreAddress,
    'role' | 'password' | 'ca'
  >;
  const [, host = '', port = '', database = ''] = /^(.*):(\d+)\/(.*)$/.exec(shown) ?? [];
  return {
    host,
    port: Number(port),
    database,
    role,
    password,
    isLoopback: LOOPBACK.has(host),
    ...(ca === undefined ? {} : { ca }),
  };
}
