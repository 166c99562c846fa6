/** Model providers, the gateway to them, and what was used. */
import { z } from 'zod';
import { once } from '../once';
import {
  gatewayClient,
  gatewayClientName,
  gatewayStatus,
  gatewayTokenHash,
  usageLine,
} from '../types/gateway';
import { providerView } from '../types';
import { providerSettings } from '../settings/providers';
import { nothing, type VerbSpec } from './base';

export const PROVIDER_VERBS = {
  'provider.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: () => nothing,
    output: once(() => z.strictObject({ providers: z.array(providerView) })),
    about: 'Model providers and where their keys are kept',
  },
  'provider.set': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({ name: z.string().min(1).max(64), provider: providerSettings() }),
    ),
    output: () => providerView,
    about: 'Add or change a provider',
  },
  'provider.setKey': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        name: z.string().min(1).max(64),
        /** Null removes the key. */
        key: z.string().min(1).max(4000).nullable(),
        /** Explicit consent to store it unencrypted where no keyring exists. */
        allowPlaintext: z.boolean().optional(),
      }),
    ),
    output: () => providerView,
    about: 'Store the key of a provider; it can never be read back',
  },
  'provider.test': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() =>
      z.strictObject({
        name: z.string().min(1).max(64),
        model: z.string().min(1).max(200).optional(),
      }),
    ),
    output: once(() =>
      z.strictObject({ ok: z.boolean(), message: z.string().max(1000), tookMs: z.number() }),
    ),
    about: 'One small request to a provider',
  },
  'gateway.status': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: () => nothing,
    output: () => gatewayStatus,
    about: 'The gateway for agents of other programs: its address, its token file, what waits',
  },
  'gateway.clients': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: () => nothing,
    output: once(() => z.strictObject({ clients: z.array(gatewayClient).max(10_000) })),
    about: 'Who may use the gateway, and when each had its last answer',
  },
  'gateway.addClient': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ name: gatewayClientName, tokenHash: gatewayTokenHash })),
    output: once(() => z.strictObject({ name: z.string() })),
    about: 'One more client of the gateway, by the hash of the token that was made for it',
  },
  'gateway.revokeClient': {
    kind: 'command',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ name: z.string().min(1).max(64) })),
    output: once(() =>
      z.strictObject({
        name: z.string().max(64),
        /** It was the token of the file, which now has a new one. */
        isReplaced: z.boolean(),
      }),
    ),
    about: 'End the token of a client of the gateway; what it has under way ends, too',
  },
  'usage.list': {
    kind: 'query',
    danger: 'none',
    surface: 'all',
    input: once(() => z.strictObject({ days: z.number().int().min(1).max(366).optional() })),
    output: once(() => z.strictObject({ lines: z.array(usageLine).max(100_000) })),
    about: 'What was used of each provider by day: turns, and requests through the gateway',
  },
} as const satisfies Record<string, VerbSpec>;
