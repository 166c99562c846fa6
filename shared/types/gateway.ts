/**
 * The gateway for agents of other programs and what was used of each provider. Shapes that windows,
 * CLI and control socket share.
 */
import { z } from 'zod';
import { GATEWAY_KINDS } from '../states';
import { atMs, count, text } from './base';

export const gatewayStatus = z.strictObject({
  state: z.enum(['off', 'listening', 'not_listening']),
  /** Why it does not listen. */
  problem: text(1000).optional(),
  port: z.number().int().min(1).max(65_535).optional(),
  /** Another program uses the configured port: agents need the real one. */
  isOtherPort: z.boolean(),
  /** File with the token that clients present as their key; its content is never returned. */
  tokenPath: text(4096),
  /** Requests that wait for a provider now. */
  waiting: count,
  providers: z
    .array(
      z.strictObject({
        name: text(64),
        kind: z.enum(GATEWAY_KINDS),
        /** What an agent is given as its base address; absent while nothing listens. */
        baseUrl: text(200).optional(),
        spentTodayUsd: z.number().nonnegative(),
        budgetUsd: z.number().nonnegative().optional(),
        /** Without prices nothing can be counted against the budget. */
        hasPrices: z.boolean(),
      }),
    )
    .max(500),
});
export type GatewayStatus = z.infer<typeof gatewayStatus>;

/** Name of a client with a token of its own. */
/**
 * SHA-256 in hex of 32 random bytes in hex. The token itself stays with the side that generated it
 * to show it to the user: no verb takes or returns it (I5).
 */
export const gatewayTokenHash = z.string().regex(/^[0-9a-f]{64}$/);
export const gatewayClientName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'use letters, digits, dot, dash and underscore');

/** Who may use the gateway. */
export const gatewayClient = z.strictObject({
  /** `default` shows the token of the file. */
  name: text(64),
  /** Absent for `default`. */
  addedAtMs: atMs.optional(),
  lastAnswerAtMs: atMs.optional(),
});
export type GatewayClient = z.infer<typeof gatewayClient>;

export const usageLine = z.strictObject({
  /** The local day, `2026-03-24`. */
  day: text(10),
  /** Whom it is charged to: a provider, or an external agent as `agent.NAME`. */
  provider: text(70),
  source: z.enum(['turns', 'gateway']),
  /** Whose token it was; absent for turns. */
  client: text(64).optional(),
  /** The agent of the turns, if requested. */
  agent: text(64).optional(),
  /** The login or key behind the provider, if requested. */
  account: text(300).optional(),
  /** The scheduled task that made them; absent for turns of other origin. */
  taskId: z.number().int().positive().optional(),
  /** Turns that ended or have used something, or requests of clients. */
  count,
  /** Requests that were answered from the cache, not billed. */
  remembered: count,
  /** Answers that broke off: tokens and cost are a lower bound. */
  cut: count,
  inputTokens: count,
  outputTokens: count,
  /** Absent if no price is known. */
  costUsd: z.number().nonnegative().optional(),
  /**
   * Of turns: what stored answers would have cost again after a restart, had they not been stored.
   */
  savedInputTokens: count,
  savedOutputTokens: count,
  savedUsd: z.number().nonnegative().optional(),
});
export type UsageLine = z.infer<typeof usageLine>;
