import type { VerbOutput } from '../../../shared/contract';
import type { ProviderView } from '../../../shared/types';
import { PRACTICE_PROVIDER } from '../../../shared/practice';
import { isLlmAgent, type ProviderSettings } from '../../../shared/settings';
import type { Basics } from '../kernel/basics';
import type { ModelLists } from '../../ports/model-lists';
import type { Secrets } from '../../ports/secrets';
import type { SettingsPort } from '../../ports/settings';
import type { CheckProvider } from '../executors/llm/check-provider';
import { accountViews } from '../budgets/accounts';
import type { Budgets } from '../budgets/budgets';
import { usageLines } from '../budgets/usage-lines';
import type { Outage } from '../outage/outage';
import type { GatewayClients } from '../gateway/clients';
import { dayOf, type GatewayUsage } from '../gateway/usage';
import { HoldfastError } from '../kernel/errors';
import type { Families, Handlers } from './handlers';
import { keepKey } from './store-key';
import { entryOf } from '../../../shared/table';

interface ProvidersDeps extends Pick<Basics, 'settings' | 'audit' | 'clock'> {
  readonly describe: DescribeProvider;
  readonly secrets: Secrets;
  readonly isRunning: () => boolean;
  readonly check: CheckProvider;
  /** Loaded with the first request for a list. */
  readonly models: () => Promise<ModelLists>;
  readonly budgets: Pick<
    Budgets,
    'list' | 'allow' | 'accountOf' | 'payingName' | 'members' | 'spendByAccount'
  >;
  readonly outage: Pick<Outage, 'limits' | 'healthState' | 'keyChanged'>;
  /** Where the key of a provider is sent. Implemented by adapters/providers/base-url.ts. */
  readonly keyTarget: (name: string, spec: ProviderSettings) => string;
  readonly gateway: {
    readonly clients: GatewayClients;
    readonly usage: Pick<GatewayUsage, 'usageSince'>;
    status(): VerbOutput<'gateway.status'>;
  };
}

/** A provider's public view without its key (I5); undefined if there is none. */
export type DescribeProvider = (name: string) => Promise<ProviderView | undefined>;

export const describeProviders =
  (
    settings: SettingsPort,
    keyOf: (name: string, spec: ProviderSettings) => Promise<ProviderView['key']>,
  ): DescribeProvider =>
  async (name) => {
    const all = settings.get('providers');
    const spec = entryOf(all, name);
    if (spec === undefined) return undefined;
    return {
      name,
      kind: spec.kind,
      ...(spec.base_url === undefined ? {} : { baseUrl: spec.base_url }),
      key: await keyOf(name, spec),
    };
  };

const PRACTICE_VIEW: ProviderView = {
  name: PRACTICE_PROVIDER,
  kind: 'practice',
  key: { present: false, storage: 'none' },
};

/** Providers, their keys and a small request to them; the gateway and its usage. */
export function providerHandlers(deps: ProvidersDeps): Families['providers'] {
  return { ...ownHandlers(deps), ...gatewayHandlers(deps) };
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;

function gatewayHandlers({
  gateway,
  clock,
  budgets,
  describe,
  outage,
}: Pick<ProvidersDeps, 'gateway' | 'clock' | 'budgets' | 'describe' | 'outage'>): Handlers<
  | 'budgets.list'
  | 'budgets.accounts'
  | 'budgets.allow'
  | 'gateway.status'
  | 'gateway.clients'
  | 'gateway.addClient'
  | 'gateway.revokeClient'
  | 'usage.list'
> {
  return {
    'budgets.list': () => Promise.resolve({ budgets: [...budgets.list()] }),
    'budgets.accounts': async () => {
      const members = budgets.members();
      const providers = await Promise.all(members.map(({ name }) => describe(name)));
      const withKey = providers.flatMap((one) => (one?.key.present === true ? [one.name] : []));
      return {
        accounts: accountViews({
          members,
          withKey: new Set(withKey),
          spend: budgets.spendByAccount(),
          budgets: budgets.list(),
          windows: outage.limits() ?? [],
          heldUntilMs(name) {
            const healthState = outage.healthState(name);
            return healthState.kind === 'quota' ? healthState.untilMs : undefined;
          },
        }),
      };
    },
    'budgets.allow': ({ name, key = '', usd }, by) => budgets.allow(name, key, usd, by),
    'gateway.status': () => Promise.resolve(gateway.status()),
    'gateway.clients': () => Promise.resolve({ clients: [...gateway.clients.list()] }),
    'gateway.addClient': async (client, by) => {
      await gateway.clients.add(client, by);
      return { name: client.name };
    },
    'gateway.revokeClient': async ({ name }, by) => ({
      name,
      isReplaced: await gateway.clients.revoke(name, by),
    }),
    'usage.list': ({ days = DEFAULT_DAYS, by = [] }) => {
      const fromMs = new Date(clock.nowMs() - (days - 1) * DAY_MS).setHours(0, 0, 0, 0);
      const from = { text: dayOf(fromMs), atMs: fromMs };
      const rows = gateway.usage.usageSince(from, { isByTask: by.includes('task') });
      return Promise.resolve({ lines: usageLines(rows, by, budgets) });
    },
  };
}

function ownHandlers(
  deps: ProvidersDeps,
): Handlers<
  | 'provider.list'
  | 'provider.set'
  | 'provider.remove'
  | 'provider.setKey'
  | 'provider.test'
  | 'provider.models'
> {
  const { settings, describe, check } = deps;
  const need = async (name: string): Promise<ProviderView> => {
    const view = await describe(name);
    if (view !== undefined) return view;
    throw new HoldfastError('PROVIDER_UNKNOWN', `There is no provider "${name.slice(0, 60)}".`, {
      hint: 'Nothing was changed. Add it first: "holdfast providers add".',
    });
  };
  return {
    'provider.list': async () => {
      const views = await Promise.all(Object.keys(settings.get('providers')).map(describe));
      return { providers: [...views.filter((view) => view !== undefined), PRACTICE_VIEW] };
    },
    'provider.set': async ({ name, provider }) => {
      if (name === PRACTICE_PROVIDER) {
        throw new HoldfastError(
          'PROVIDER_EXISTS',
          'The name "practice" belongs to the demo provider.',
          { hint: 'Nothing was changed. Choose another name.' },
        );
      }
      await settings.setEntry('providers', name, provider);
      return need(name);
    },
    'provider.remove': async ({ name }, origin) => {
      const spec = entryOf(settings.get('providers'), name);
      if (spec === undefined)
        throw new HoldfastError(
          'PROVIDER_UNKNOWN',
          `There is no provider "${name.slice(0, 60)}".`,
          {
            hint: 'Nothing was changed. List the providers with "holdfast providers list".',
          },
        );
      const users = Object.entries(settings.get('agents'))
        .filter(([, agent]) => isLlmAgent(agent) && agent.provider === name)
        .map(([agent]) => agent);
      if (users.length > 0)
        throw new HoldfastError(
          'PROVIDER_BUSY',
          `Provider "${name}" is used by ${users.join(', ').slice(0, 200)}.`,
        );
      await settings.setEntry('providers', name, undefined);
      // Without its provider the key could never be found again.
      await keepKey(deps, name, null, false).catch(async (error: unknown) => {
        await settings.setEntry('providers', name, spec);
        throw error;
      });
      deps.outage.keyChanged(name);
      deps.audit.record('provider_removed', { provider: name, by: origin });
      return { name };
    },
    'provider.setKey': async ({ name, key, allowPlaintext = false }, origin) => {
      await need(name);
      const spec = entryOf(settings.get('providers'), name);
      const target = spec === undefined ? undefined : deps.keyTarget(name, spec);
      await keepKey(deps, name, key, allowPlaintext, target);
      deps.outage.keyChanged(name);
      deps.audit.record(key === null ? 'provider_key_removed' : 'provider_key_set', {
        provider: name,
        by: origin,
      });
      return need(name);
    },
    'provider.models': async ({ name }) => {
      if (name !== PRACTICE_PROVIDER) await need(name);
      return askModels(deps, name);
    },
    'provider.test': async ({ name, model }) => {
      const known =
        model ??
        Object.values(settings.get('agents'))
          .filter(isLlmAgent)
          .find((agent) => agent.provider === name)?.model;
      if (known !== undefined || name === PRACTICE_PROVIDER)
        return check.ask(name, known ?? 'script');
      await need(name);
      // No agent uses it yet, so no model is known: the list proves address and key as well.
      const { models: _models, ...outcome } = await askModels(deps, name);
      return outcome;
    },
  };
}

/** Models listed in one sentence. */
const MODELS_SHOWN = 5;

async function askModels(
  { check, models }: Pick<ProvidersDeps, 'check' | 'models'>,
  name: string,
): Promise<VerbOutput<'provider.models'>> {
  if (name === PRACTICE_PROVIDER)
    return { ok: true, message: 'It has one model.', tookMs: 0, models: [{ id: 'script' }] };
  let listed: VerbOutput<'provider.models'>['models'] = [];
  const outcome = await check.timed(async () => {
    const answer = await (await models()).ask(name);
    if (answer.kind === 'failed') return { ok: false, message: answer.message };
    listed = [...answer.models];
    const ids = listed.slice(0, MODELS_SHOWN).map(({ id }) => id);
    const more = listed.length - ids.length;
    const list = `${ids.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
    return {
      ok: true,
      message:
        ids.length === 0
          ? `"${name}" is up and lists no models.`
          : `"${name}" is up. Models: ${list}.`.slice(0, 1_000),
    };
  });
  return { ...outcome, models: listed };
}
