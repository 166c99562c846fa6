/** Model providers, the gateway to them, and usage. */
import { accountView, budgetView } from '../types/budgets';
import { z } from 'zod';
import { once } from '../once';
import { exactObject } from '../exact-object';
import {
  gatewayClient,
  gatewayClientName,
  gatewayStatus,
  gatewayTokenHash,
  usageLine,
} from '../types/gateway';
import { providerView } from '../types';
import { providerSettings } from '../settings/providers';
import { USAGE_PARTS } from '../states';
import { COMMAND, QUERY, nothing, type VerbSpec } from './base';

export const PROVIDER_VERBS = {
  'provider.list': {
    ...QUERY,
    input: () => nothing,
    output: exactObject(() => ({ providers: z.array(providerView) })),
    about: 'List model providers and where their API keys are stored',
  },
  'provider.set': {
    ...COMMAND,
    input: exactObject(() => ({ name: z.string().min(1).max(64), provider: providerSettings() })),
    output: () => providerView,
    about: 'Add or change a provider',
  },
  'provider.remove': {
    ...COMMAND,
    input: exactObject(() => ({ name: z.string().min(1).max(64) })),
    output: exactObject(() => ({ name: z.string().max(64) })),
    about: 'Remove a provider that no agent uses, and its stored key',
  },
  'provider.setKey': {
    ...COMMAND,
    input: exactObject(() => ({
      name: z.string().min(1).max(64),
      /** Null removes the key. */
      key: z.string().min(1).max(4000).nullable(),
      /** Explicit consent to store it unencrypted if no keyring exists. */
      allowPlaintext: z.boolean().optional(),
    })),
    output: () => providerView,
    about: 'Store the API key of a provider; it can never be read back',
  },
  'provider.test': {
    ...COMMAND,
    input: exactObject(() => ({
      name: z.string().min(1).max(64),
      model: z.string().min(1).max(200).optional(),
    })),
    output: exactObject(() => ({
      ok: z.boolean(),
      message: z.string().max(1000),
      tookMs: z.number(),
    })),
    about: 'Send one small request to a provider',
  },
  'provider.models': {
    ...COMMAND,
    surface: 'window',
    input: exactObject(() => ({ name: z.string().min(1).max(64) })),
    output: exactObject(() => ({
      ok: z.boolean(),
      message: z.string().max(1000),
      tookMs: z.number(),
      models: z
        .array(
          z.strictObject({
            id: z.string().max(200),
            /** US dollars per million tokens, if the provider publishes it. */
            inputUsd: z.number().optional(),
            outputUsd: z.number().optional(),
          }),
        )
        .max(1000),
    })),
    about: 'List the models of a provider, without a model request',
  },
  'gateway.status': {
    ...QUERY,
    input: () => nothing,
    output: () => gatewayStatus,
    about:
      'Status of the gateway for external agents: its address, its token file, queued requests',
  },
  'gateway.clients': {
    ...QUERY,
    input: () => nothing,
    output: exactObject(() => ({ clients: z.array(gatewayClient).max(10_000) })),
    about: 'List gateway clients and when each last got a response',
  },
  'gateway.addClient': {
    ...COMMAND,
    input: exactObject(() => ({ name: gatewayClientName, tokenHash: gatewayTokenHash })),
    output: exactObject(() => ({ name: z.string() })),
    about: 'Add a gateway client, by the hash of its new token',
  },
  'gateway.revokeClient': {
    ...COMMAND,
    input: exactObject(() => ({ name: z.string().min(1).max(64) })),
    output: exactObject(() => ({
      name: z.string().max(64),
      /** True if it was the token in the file, which now has a new one. */
      isReplaced: z.boolean(),
    })),
    about: 'Revoke the token of a gateway client and end its running requests',
  },
  'budgets.list': {
    ...QUERY,
    input: () => nothing,
    output: exactObject(() => ({ budgets: z.array(budgetView).max(10_000) })),
    about: 'List budgets with the amount spent in the current period',
  },
  'budgets.accounts': {
    ...QUERY,
    input: () => nothing,
    output: exactObject(() => ({ accounts: z.array(accountView).max(2_000) })),
    about:
      'List accounts: how each is paid (key, plan or monthly credit), and what it has spent this month',
  },
  'budgets.allow': {
    ...COMMAND,
    input: exactObject(() => ({
      name: z.string().min(1).max(64),
      /** For a budget per agent, provider, task or session: which one. */
      key: z.string().max(200).optional(),
      /** Default: the budget's own amount. */
      usd: z.number().positive().max(1_000_000).optional(),
    })),
    output: once(() => budgetView),
    about: 'Allow more in the current period of a budget; turns that wait for it continue',
  },
  'usage.list': {
    ...QUERY,
    input: exactObject(() => ({
      days: z.number().int().min(1).max(366).optional(),
      /** Also splits turns by agent and task; `account` names the login or key of each line. */
      by: z.array(z.enum(USAGE_PARTS)).max(3).optional(),
    })),
    output: exactObject(() => ({ lines: z.array(usageLine).max(100_000) })),
    about: 'Usage of each provider by day: turns, and requests through the gateway',
  },
} as const satisfies Record<string, VerbSpec>;
