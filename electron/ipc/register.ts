/**
 * IPC from the windows: checks sender, rate and plain data, then calls the facade, which checks
 * the rest.
 *
 * Every call is answered with an `Answer`; a rejection is counted and logged by verb and reason,
 * never with its content (I1, I2, I3, I6).
 */
import type { Answer, Verb, VerbInput, WindowVerb } from '../../shared/contract';
import { WINDOW_VERBS, verbChannel } from '../../shared/verbs';
import { refusalFor } from '../engine/api/create-facade';
import type { Holdfast } from '../engine/api/facade';
import type { ErrorCode } from '../engine/kernel/errors';
import type { Log } from '../ports/log';
import { createTokenBucket, type TokenBucket } from '../../shared/token-bucket';

/** The used part of an IPC event's sender; the real ones are Electron's. */
interface SenderFacts {
  readonly senderFrame: {
    readonly parent: unknown;
    readonly origin: string;
    isDestroyed?(): boolean;
  } | null;
  readonly sender: { readonly id: number; isDestroyed(): boolean };
}

/** Origin of our pages as Chromium reports it; `new URL(...).origin` is `null` for it. */
const APP_ORIGIN = 'holdfast://app';

/**
 * Undefined if the sender may call, otherwise why not. `sender` alone is not enough, because it is
 * the whole page, including subframes.
 */
export function refuseSender(
  event: SenderFacts,
  isOurs: (webContentsId: number) => boolean,
): string | undefined {
  if (event.sender.isDestroyed()) return 'destroyed';
  if (!isOurs(event.sender.id)) return 'not_our_window';
  const frame = event.senderFrame;
  if (frame === null || frame === undefined) return 'no_frame';
  if (frame.isDestroyed?.() === true) return 'destroyed';
  if (frame.parent !== null) return 'sub_frame';
  if (frame.origin !== APP_ORIGIN) return 'foreign_origin';
  return undefined;
}

/**
 * First check of everything that a window sends, before its schema: only plain data of bounded
 * size. Schemas ignore keys like `__proto__` that structured clone lets through; this check does
 * not.
 */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** More values than any verb needs: `tools` of an agent and `side_effect_tools` are far below. */
const MAX_VALUES = 20_000;
const MAX_DEPTH = 32;

/** Undefined for plain data, otherwise what is wrong with it; never contains the data. */
function refuseValue(root: unknown): string | undefined {
  let left = MAX_VALUES;
  const look = (value: unknown, depth: number): string | undefined => {
    left -= 1;
    if (left < 0) return 'too_many_values';
    if (depth > MAX_DEPTH) return 'too_deep';
    switch (typeof value) {
      case 'string':
      case 'boolean':
      case 'undefined':
        return undefined;
      case 'number':
        return Number.isFinite(value) ? undefined : 'not_a_finite_number';
      case 'object':
        break;
      default:
        return 'not_plain_data';
    }
    if (value === null) return undefined;
    if (Array.isArray(value)) {
      if (value.length > left) return 'too_many_values';
      for (const item of value) {
        const refusal = look(item, depth + 1);
        if (refusal !== undefined) return refusal;
      }
      return undefined;
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return 'not_plain_data';
    for (const key of Reflect.ownKeys(value)) {
      if (typeof key !== 'string') return 'not_plain_data';
      if (FORBIDDEN_KEYS.has(key)) return 'forbidden_key';
      const refusal = look((value as Record<string, unknown>)[key], depth + 1);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  };
  return look(root, 0);
}

/** The used part of `ipcMain`. */
interface IpcHost {
  handle(channel: string, handler: (event: SenderFacts, input: unknown) => unknown): void;
  removeHandler(channel: string): void;
}

interface IpcDeps {
  readonly ipc: IpcHost;
  readonly holdfast: Pick<Holdfast, 'call'>;
  /** True for the ID of an existing window created by the shell. */
  readonly isOurs: (webContentsId: number) => boolean;
  readonly log: Log;
  /** Monotonic ms. */
  readonly nowMs: () => number;
}

export interface IpcRegistration {
  /** Refused and invalid calls since the start, by `<verb> <reason>`. */
  refusals(): Readonly<Record<string, number>>;
  /** Forgets the rate of a window that is gone. */
  forget(webContentsId: number): void;
  stop(): void;
}

/** A page that just opened makes a dozen calls at once; a loop is stopped within two seconds. */
const CALLS_AT_ONCE = 120;
const CALLS_PER_SECOND = 40;

const refused = (code: ErrorCode, message: string, hint?: string): Answer<never> => ({
  ok: false,
  code,
  message,
  ...(hint === undefined ? {} : { hint }),
});

/** Registers one handler per verb that a window may call, and no other. */
export function registerIpc(deps: IpcDeps): IpcRegistration {
  const counts = new Map<string, number>();
  const buckets = new Map<number, TokenBucket>();

  const count = (verb: Verb, reason: string): void => {
    const key = `${verb} ${reason}`;
    const seen = (counts.get(key) ?? 0) + 1;
    counts.set(key, seen);
    // A page in a loop must not fill the log: logging at powers of two is enough.
    if ((seen & (seen - 1)) === 0) deps.log.warn('ipc.refused', { verb, reason, count: seen });
  };

  const answer = async (
    verb: WindowVerb,
    event: SenderFacts,
    input: unknown,
  ): Promise<Answer<unknown>> => {
    const reason = refuseSender(event, deps.isOurs);
    if (reason !== undefined) {
      count(verb, reason);
      return refused('SENDER_REFUSED', 'Only Holdfast windows can send this request.');
    }
    const id = event.sender.id;
    const bucket = buckets.get(id) ?? createTokenBucket(CALLS_AT_ONCE, CALLS_PER_SECOND);
    buckets.set(id, bucket);
    if (!bucket.take(deps.nowMs())) {
      count(verb, 'rate');
      return refused(
        'RATE_LIMITED',
        'This window sent too many requests at once; nothing was done.',
        'Wait a second and try again.',
      );
    }
    const shape = refuseValue(input);
    if (shape !== undefined) {
      count(verb, shape);
      return refused('INPUT_INVALID', `The request ${verb} was not understood; nothing was done.`);
    }
    try {
      return {
        ok: true,
        value: await deps.holdfast.call(verb, input as VerbInput<WindowVerb>, 'window'),
      };
    } catch (thrown) {
      const refusal = refusalFor(thrown);
      if (refusal.code === 'INPUT_INVALID') count(verb, 'input');
      if (refusal.code === 'INTERNAL')
        deps.log.error('ipc.failed', { verb, name: errorName(thrown) });
      return refusal;
    }
  };

  for (const verb of WINDOW_VERBS) {
    deps.ipc.handle(verbChannel(verb), (event, input) => answer(verb, event, input));
  }

  return {
    refusals: () => Object.fromEntries(counts),
    forget: (webContentsId) => void buckets.delete(webContentsId),
    stop() {
      for (const verb of WINDOW_VERBS) deps.ipc.removeHandler(verbChannel(verb));
    },
  };
}

const errorName = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.name.slice(0, 80) : typeof thrown;
