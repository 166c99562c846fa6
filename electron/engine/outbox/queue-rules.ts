import type { PublishResult } from '../../../shared/types/delivery';
import { eventId, eventTopic } from '../../../shared/event-names';
import { parsedJson } from '../../../shared/parsed-json';
import { MAX_EVENT_BYTES } from '../../../shared/states';
import type { BrokerHealth } from '../../ports/broker';
import type { ErrorCode } from '../kernel/errors';

/** The documented limits. Row S2-37 and "Details". */
export const DELIVERY_RULES = {
  /** Rows sent per round; they leave the disk in one transaction. */
  drainBatch: 100,
  /** Rejections after which an event is a dead letter; only those by a reachable broker count. */
  maxAttempts: 3,
  /** Producers are slowed from this fill level on. */
  slowFromFill: 0.5,
  maxSlowdownMs: 500,
  /** Maximum dropped events stored as dead letters. */
  maxShedLetters: 10_000,
  /** Delay between two attempts at a rejected event; doubles. */
  retryMs: 1_000,
} as const;

/** The outcome of publishing an event. Never an exception (S2-38). */
export type Published =
  | ({ readonly kind: 'accepted' } & PublishResult)
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string;
    };

/**
 * The delay for a producer in ms: none below half full, then in proportion up to 500 ms at the cap.
 * Source: row S2-37.
 */
export function slowdownMs(depth: number, maxPending: number): number {
  const { slowFromFill, maxSlowdownMs } = DELIVERY_RULES;
  const fill = fillOf(depth, maxPending);
  if (fill <= slowFromFill) return 0;
  return Math.round((maxSlowdownMs * (fill - slowFromFill)) / (1 - slowFromFill));
}

/** 0 to 1. */
export function fillOf(depth: number, maxPending: number): number {
  return Math.min(1, depth / Math.max(1, maxPending));
}

/** UTF-8 bytes of a text; half of a surrogate pair counts as three. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    const isPair =
      unit >= 0xd800 && unit <= 0xdbff && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (isPair) at += 1;
    bytes += unit < 0x800 ? 1 : 2;
  }
  return bytes;
}

/** The route of a valid event. */
type PublishPlan = 'direct' | 'disk' | 'local';

/**
 * Straight to the broker only if it responds and no earlier event waits: a subject's backlog goes
 * before new events, and an ID that is on disk is sent from there. S2-32, S2-33
 */
export function planPublish(facts: {
  readonly broker: BrokerHealth['state'];
  readonly isTopicWaiting: boolean;
  readonly isIdKnown: boolean;
}): PublishPlan {
  if (facts.broker === 'local') return 'local';
  if (facts.broker !== 'connected') return 'disk';
  return facts.isTopicWaiting || facts.isIdKnown ? 'disk' : 'direct';
}

type Refused = Extract<Published, { kind: 'refused' }>;

const refuse = (code: ErrorCode, message: string, hint: string): Refused => ({
  kind: 'refused',
  code,
  message,
  hint,
});

/** Why an event is invalid before it is accepted; undefined if it is valid. S2-33 */
export function eventProblem(event: {
  readonly id: string;
  readonly topic: string;
  readonly payload: string;
  readonly bytes: number;
  readonly maxBytes: number;
}): Refused | undefined {
  const topic = eventTopic.safeParse(event.topic);
  if (!topic.success)
    return refuse(
      'INPUT_INVALID',
      `The topic is invalid: ${topic.error.issues[0]?.message ?? ''}.`,
      'Nothing was published.',
    );
  const id = eventId.safeParse(event.id);
  if (!id.success)
    return refuse(
      'INPUT_INVALID',
      `The ID is invalid: ${id.error.issues[0]?.message ?? ''}.`,
      'Nothing was published.',
    );
  const maxBytes = Math.min(event.maxBytes, MAX_EVENT_BYTES);
  if (event.bytes > maxBytes)
    return refuse(
      'EVENT_TOO_LARGE',
      `The event has ${String(event.bytes)} bytes; the maximum is ${String(maxBytes)}.`,
      'Nothing was published. Store the data somewhere else and publish a link to it.',
    );
  if (!isJson(event.payload))
    return refuse(
      'INPUT_INVALID',
      'The payload is not JSON.',
      'Nothing was published. Put text in double quotes: \'"like this"\'.',
    );
  return undefined;
}

const isJson = (text: string): boolean => parsedJson(text) !== undefined;

/** Why a row on disk cannot be sent; undefined if it can. S2-35 */
export function payloadProblem(payload: unknown, bytes: number): string | undefined {
  if (typeof payload !== 'string') return 'The payload on disk is not text.';
  if (utf8Bytes(payload) !== bytes) return 'The payload on disk is not as long as it was.';
  return isJson(payload) ? undefined : 'The payload on disk is not JSON.';
}
