import { createHash } from 'node:crypto';
import { canonicalJson } from '../../engine/kernel/canonical';
import type { JsonValue } from '../../ports/provider';
import type { Tokens } from './answer-reader';

/** A whole answer as the client received it. */
export interface Recording {
  readonly contentType: string;
  readonly pieces: readonly Buffer[];
  readonly tokens: Tokens;
}

/** Differ between two sendings of the same request, and say nothing to the model. */
const VOLATILE: ReadonlySet<string> = new Set(['metadata', 'prompt_cache_key', 'client_metadata']);

/** Answers above this are not kept. */
const LARGEST_BYTES = 4 * 1024 * 1024;
const ALL_BYTES = 32 * 1024 * 1024;
const MOST = 64;

/**
 * What makes two requests the same: where they go and their canonical body, without what clients
 * change from one sending to the next.
 */
export function memoKey(
  place: { readonly provider: string; readonly path: string; readonly beta: string },
  body: Readonly<Record<string, unknown>>,
): string {
  const plain = Object.fromEntries(Object.entries(body).filter(([name]) => !VOLATILE.has(name)));
  const text = canonicalJson({ ...place, body: plain as JsonValue });
  return createHash('sha256').update(text).digest('hex');
}

const sizeOf = ({ pieces }: Recording): number =>
  pieces.reduce((sum, piece) => sum + piece.length, 0);

/**
 * Answers of the last minutes, for an agent that died and asks the same again: in memory alone,
 * bounded, the oldest go first. Nothing of it is ever written.
 */
export function createMemo(deps: {
  readonly nowMs: () => number;
  /** 0: nothing is kept. */
  readonly windowMs: () => number;
}): {
  recall(key: string): Recording | undefined;
  keep(key: string, recording: Recording): void;
  clear(): void;
} {
  const kept = new Map<string, { readonly atMs: number; readonly recording: Recording }>();
  let bytes = 0;
  const drop = (key: string): void => {
    const gone = kept.get(key);
    if (gone === undefined) return;
    bytes -= sizeOf(gone.recording);
    kept.delete(key);
  };
  return {
    recall(key) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      if (deps.nowMs() - found.atMs < deps.windowMs()) return found.recording;
      drop(key);
      return undefined;
    },
    keep(key, recording) {
      const size = sizeOf(recording);
      if (size > LARGEST_BYTES || deps.windowMs() === 0) return;
      drop(key);
      kept.set(key, { atMs: deps.nowMs(), recording });
      bytes += size;
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST && bytes <= ALL_BYTES) return;
        drop(oldest);
      }
    },
    clear() {
      kept.clear();
      bytes = 0;
    },
  };
}
