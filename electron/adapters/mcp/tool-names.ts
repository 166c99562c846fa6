import { createHash } from 'node:crypto';

/** Limits that every provider accepts: letters, digits, `_` and `-`, 64 characters. */
const MAX_CHARS = 64;
const HASH_CHARS = 8;

/**
 * The name under which a model is offered a tool: `server__tool`. It depends only on the two names,
 * so it is the same after every restart, whichever server is up first. A name that must be changed
 * or shortened ends in a hash of the original, so two tools never share one.
 */
export function offeredName(server: string, tool: string): string {
  const full = `${server}__${tool}`;
  const plain = full.replace(/[^A-Za-z0-9_-]/g, '_');
  if (plain === full && full.length <= MAX_CHARS) return full;
  const hash = createHash('sha256').update(full).digest('hex').slice(0, HASH_CHARS);
  return `${plain.slice(0, MAX_CHARS - HASH_CHARS - 1)}_${hash}`;
}

/** The server that an offered name belongs to. */
export function serverOfOffered(name: string): string | undefined {
  const at = name.indexOf('__');
  return at <= 0 ? undefined : name.slice(0, at);
}
