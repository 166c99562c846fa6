/** Messages of the control socket. Frames and their limits: `frames.ts`. */
import { z } from 'zod';
import { once } from '../../shared/once';
import { exactObject } from '../../shared/exact-object';
import type { EventName } from '../../shared/contract';

const hex64 = once(() => z.string().regex(/^[0-9a-f]{64}$/));

/**
 * A client's first message: a valid proof shows that the server knows this start's token, so a
 * process that took over the address gets neither token nor request.
 */
export const challengeMessage = exactObject(() => ({
  kind: z.literal('challenge'),
  nonce: hex64(),
}));

/** The message that opens a connection; any other first message except a challenge ends it. */
export const helloMessage = exactObject(() => ({
  kind: z.literal('hello'),
  token: z.string().max(200),
  version: z.string().max(40),
}));

const requestId = once(() => z.number().int().nonnegative());

/** Events that a control client may subscribe to; `navigate` belongs to a window. */
const CONTROL_EVENTS = [
  'status.changed',
  'turn.changed',
  'turn.delta',
  'session.changed',
  'inbox.changed',
  'config.changed',
  'restart.noticed',
] as const satisfies readonly EventName[];

export type ControlEvent = (typeof CONTROL_EVENTS)[number];

/** Client messages after the handshake. */
export const clientMessage = once(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('call'),
      id: requestId(),
      verb: z.string().max(100),
      input: z.unknown(),
    }),
    /** Replaces the events this client receives; an empty list ends the subscription. */
    z.strictObject({
      kind: z.literal('subscribe'),
      id: requestId(),
      events: z.array(z.enum(CONTROL_EVENTS)).max(CONTROL_EVENTS.length),
    }),
  ]),
);

const answer = once(() =>
  z.union([
    z.strictObject({ ok: z.literal(true), value: z.unknown() }),
    z.strictObject({
      ok: z.literal(false),
      code: z.string().max(100),
      message: z.string(),
      hint: z.string().optional(),
    }),
  ]),
);

/** Server messages. `refused` is the last one on a connection. */
export const serverMessage = once(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('proof'), mac: hex64() }),
    z.strictObject({
      kind: z.literal('welcome'),
      version: z.string().max(40),
      pid: z.number().int(),
    }),
    z.strictObject({
      kind: z.literal('refused'),
      code: z.string().max(100),
      message: z.string(),
      hint: z.string().optional(),
    }),
    z.strictObject({ kind: z.literal('answer'), id: requestId(), answer: answer() }),
    z.strictObject({
      kind: z.literal('event'),
      name: z.enum(CONTROL_EVENTS),
      payload: z.unknown(),
    }),
  ]),
);

export type ServerMessage = z.infer<ReturnType<typeof serverMessage>>;

/** All limits of the server. */
export interface ControlLimits {
  readonly maxClients: number;
  readonly helloTimeoutMs: number;
  readonly maxFrameBytes: number;
  readonly maxMessageBytes: number;
  /** Values of one message: no request has more than a few hundred. */
  readonly maxValues: number;
  /** Bytes of unfinished messages over all clients. */
  readonly maxHeldBytes: number;
  /** Maximum concurrent calls of one client. */
  readonly maxCallsInFlight: number;
  /** Token bucket of each client. */
  readonly callBurst: number;
  readonly callsPerSecond: number;
  /** Event bytes a client may leave unread before it is dropped. */
  readonly maxUnreadEventBytes: number;
  /** Maximum unread bytes before no further call of this client is read. */
  readonly maxUnreadBytes: number;
  /** How long a client may leave its answers unread. */
  readonly stallTimeoutMs: number;
  /** How long `stop()` waits for pending answers. */
  readonly stopGraceMs: number;
}

/** The limits in production. */
export const CONTROL_LIMITS: ControlLimits = {
  maxClients: 32,
  helloTimeoutMs: 2_000,
  maxFrameBytes: 65_536,
  maxMessageBytes: 26_000_000,
  maxValues: 20_000,
  maxHeldBytes: 64_000_000,
  maxCallsInFlight: 8,
  callBurst: 200,
  callsPerSecond: 100,
  maxUnreadEventBytes: 1_000_000,
  maxUnreadBytes: 1_000_000,
  stallTimeoutMs: 10_000,
  stopGraceMs: 300,
};
