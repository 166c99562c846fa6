import { createHash } from 'node:crypto';
import { canonicalJson } from '../../engine/kernel/canonical';
import type { JsonValue } from '../../ports/provider';

/** Larger answers are not cached. */
export const LARGEST_BYTES = 4 * 1024 * 1024;
const ALL_BYTES = 64 * 1024 * 1024;
const MOST = 500;

/** Fields that differ between two sends of the same request and do not affect the model. */
const VOLATILE: ReadonlySet<string> = new Set(['metadata', 'prompt_cache_key', 'client_metadata']);

/** The sender of a request, as far as two senders can be the same. */
type Whose =
  /** Turns that it may belong to: for another turn, the answer may be outdated. */
  | { readonly turns: readonly number[] }
  /** The client identifies itself as the same. */
  | { readonly client: string; readonly retryId: string };

/**
 * Identifies the sender of a request if a cached answer may serve both sendings of it; undefined if
 * it may not. Two answers differ by chance unless the client asks for temperature 0, and a client
 * that wants two samples sends the same request twice: so only the client can ask for the same
 * answer again, by its own id. Background work is started as often as it is requested. Pure.
 */
export function whoseAnswer(
  asked: { readonly client: string; readonly retryId: string; readonly turns: readonly number[] },
  body: Readonly<Record<string, unknown>>,
): Whose | undefined {
  const { client, retryId, turns } = asked;
  if (retryId !== '') return { client, retryId };
  return body['temperature'] === 0 && body['background'] !== true ? { turns } : undefined;
}

/**
 * What makes two requests equal: their sender, their destination and their canonical body, without
 * fields that clients change between sends.
 */
export function cacheKey(
  place: { readonly provider: string; readonly path: string; readonly beta: string } & Whose,
  body: Readonly<Record<string, unknown>>,
): string {
  const plain = Object.fromEntries(Object.entries(body).filter(([name]) => !VOLATILE.has(name)));
  const text = canonicalJson({ ...place, body: plain as JsonValue });
  return createHash('sha256').update(text).digest('hex');
}

/** An answer on disk. */
export interface Kept {
  readonly atMs: number;
  readonly bytes: number;
}

interface Now {
  readonly nowMs: number;
  readonly windowMs: number;
}

/** A time in the future comes from a clock that was set back: its age is unknown. Pure. */
export const isFresh = ({ atMs }: Kept, { nowMs, windowMs }: Now): boolean =>
  nowMs >= atMs && nowMs - atMs < windowMs;

/**
 * Answers to remove, the oldest first: expired ones, and those above 500 answers or 64 MB.
 * `againInMs`: when the next remaining one expires. Pure.
 */
export function planPrune(
  kept: ReadonlyMap<string, Kept>,
  now: Now,
): { readonly gone: readonly string[]; readonly againInMs: number | undefined } {
  const gone: string[] = [];
  let count = kept.size;
  let bytes = [...kept.values()].reduce((sum, one) => sum + one.bytes, 0);
  let oldestMs = Number.POSITIVE_INFINITY;
  for (const [key, one] of [...kept].toSorted(([, a], [, b]) => a.atMs - b.atMs)) {
    if (isFresh(one, now) && count <= MOST && bytes <= ALL_BYTES) {
      oldestMs = Math.min(oldestMs, one.atMs);
      continue;
    }
    gone.push(key);
    count -= 1;
    bytes -= one.bytes;
  }
  return {
    gone,
    againInMs:
      oldestMs === Number.POSITIVE_INFINITY ? undefined : oldestMs + now.windowMs - now.nowMs,
  };
}
