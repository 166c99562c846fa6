import { createHash } from 'node:crypto';
import { readdir, readFile, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { timerMs } from '../../../shared/durations';
import type { CrashPoints } from '../../engine/kernel/crash-points';
import { makeFolder } from '../../disk/durable-folder';
import { writeDurably } from '../../disk/durable-file';
import { isFresh, LARGEST_BYTES, planPrune, type Kept } from './cache-rules';

/** A complete answer as the client received it. */
export interface Recording {
  readonly contentType: string;
  readonly pieces: readonly Buffer[];
  /** Headers that name the answering provider if it was not the requested one. FB-05 */
  readonly by?: Readonly<Record<string, string>>;
}

/** `<hash of the request>-<epoch ms>`, the name of a cached answer. */
const NAME = /^([0-9a-f]{64})-(\d{1,16})$/;

/**
 * Answers of the last minutes, for an agent that repeats a request after it, or Holdfast, has died.
 */
export interface ResponseCache {
  /** False if the window is 0: then every request gets its own answer. */
  isOn(): boolean;
  recall(key: string): Promise<Recording | undefined>;
  /** On disk when it resolves. @throws if the disk rejects it */
  keep(key: string, recording: Recording): Promise<void>;
  /** Removes expired answers; call whenever the window has changed. */
  prune(): Promise<void>;
  /**
   * Cached answers stay for the next start; when it resolves, answers in progress are written too.
   */
  stop(): Promise<void>;
}

/**
 * One file per answer, private to this user, named by the hash of its request and its time; the
 * request itself is not stored. Limited by age, number and bytes: the oldest are removed first, and
 * a timer removes expired ones. A file with unexpected content is not an answer.
 */
export async function openResponseCache(deps: {
  readonly dir: string;
  readonly nowMs: () => number;
  /** 0: nothing is cached. */
  readonly windowMs: () => number;
  readonly crashPoints: CrashPoints;
}): Promise<ResponseCache> {
  const { dir } = deps;
  const kept = await readKept(dir);
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const pathOf = (key: string, atMs: number): string => join(dir, nameOf(key, atMs));
  const now = () => ({ nowMs: deps.nowMs(), windowMs: deps.windowMs() });
  const drop = async (key: string): Promise<void> => {
    const gone = kept.get(key);
    if (gone === undefined) return;
    kept.delete(key);
    await remove(pathOf(key, gone.atMs));
  };

  const prune = async (): Promise<void> => {
    const { gone, againInMs } = planPrune(kept, now());
    for (const key of gone) await drop(key);
    clearTimeout(timer);
    if (againInMs === undefined || isStopped) return;
    timer = setTimeout(() => void prune(), timerMs(againInMs));
    timer.unref();
  };

  await prune();

  const write = async (key: string, content: Buffer): Promise<void> => {
    await makeFolder(dir, dirname(dir));
    const atMs = deps.nowMs();
    await writeDurably(pathOf(key, atMs), content, {
      beforeRename: () => {
        deps.crashPoints.hit('gateway.keep.beforeRename');
      },
      afterRename: () => {
        deps.crashPoints.hit('gateway.keep.afterRename');
      },
    });
    if (kept.get(key)?.atMs !== atMs) await drop(key);
    kept.set(key, { atMs, bytes: content.length });
    await prune();
  };
  const writing = new Set<Promise<void>>();

  return {
    isOn: () => deps.windowMs() > 0,
    async recall(key) {
      const found = kept.get(key);
      if (found === undefined || !isFresh(found, now())) return undefined;
      const recording = decode(await readFile(pathOf(key, found.atMs)).catch(() => undefined));
      if (recording === undefined) await drop(key);
      return recording;
    },
    async keep(key, recording) {
      const content = encode(recording);
      if (content.length > LARGEST_BYTES || deps.windowMs() === 0) return;
      const written = write(key, content);
      writing.add(written);
      await written.finally(() => writing.delete(written));
    },
    prune,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await Promise.allSettled(writing);
    },
  };
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const nameOf = (key: string, atMs: number): string => `${key}-${String(atMs)}`;
const remove = (path: string): Promise<void> => unlink(path).catch(() => undefined);

/** Reads answers of earlier runs; removes interrupted writes and replaced answers. */
async function readKept(dir: string): Promise<Map<string, Kept>> {
  const kept = new Map<string, Kept>();
  for (const name of await readdir(dir).catch(() => [])) {
    const [, key, at] = NAME.exec(name) ?? [];
    const atMs = Number(at);
    const other = key === undefined ? undefined : kept.get(key);
    if (key === undefined || (other !== undefined && other.atMs > atMs)) {
      await remove(join(dir, name));
      continue;
    }
    if (other !== undefined) await remove(join(dir, nameOf(key, other.atMs)));
    const bytes = (await stat(join(dir, name)).catch(() => undefined))?.size ?? 0;
    kept.set(key, { atMs, bytes });
  }
  return kept;
}

/** One line with the answer's kind and the hash of its bytes, followed by the bytes. */
function encode({ contentType, pieces, by }: Recording): Buffer {
  const body = Buffer.concat(pieces);
  return Buffer.concat([
    Buffer.from(`${JSON.stringify({ contentType, sha256: sha256(body), by })}\n`),
    body,
  ]);
}

function decode(content: Buffer | undefined): Recording | undefined {
  if (content === undefined) return undefined;
  const end = content.indexOf(0x0a);
  const body = content.subarray(end + 1);
  try {
    const head = JSON.parse(content.subarray(0, end).toString()) as Record<string, unknown>;
    const { contentType, by } = head;
    return typeof contentType === 'string' && head['sha256'] === sha256(body)
      ? { contentType, pieces: [body], ...(isByHeaders(by) ? { by } : {}) }
      : undefined;
  } catch {
    return undefined;
  }
}

const isByHeaders = (by: unknown): by is Readonly<Record<string, string>> =>
  typeof by === 'object' &&
  by !== null &&
  Object.values(by).every((value) => typeof value === 'string');
