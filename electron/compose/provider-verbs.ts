import type { VerbOutput } from '../../shared/contract';
import type { ProviderView } from '../../shared/types';
import { isLlmAgent, type AcpAgentSettings } from '../../shared/settings';
import { describeProviderKey } from '../adapters/secrets/provider-key';
import { PRACTICE_PROVIDER } from '../engine/executors/llm/practice';
import { breakerNames } from '../engine/breaker/names';
import { classifyFailure } from '../engine/retry/classify';
import { guardCall } from '../engine/breaker/guard-call';
import type { Handlers } from '../engine/api/handlers';
import { HoldfastError, toHoldfastError } from '../engine/kernel/errors';
import type { Breakers } from '../ports/breakers';
import type { ProviderOutcome, Providers } from '../ports/provider';
import type { PartDeps } from './core';
import type { Agents } from './agents';
import { keepKey } from '../engine/api/store-key';

interface ProviderVerbsDeps extends PartDeps<
  'settings' | 'keys' | 'clock' | 'audit' | 'isRunning'
> {
  readonly providers: Providers;
  readonly agents: () => Agents;
  readonly testOutside: (
    name: string,
    spec: AcpAgentSettings,
  ) => Promise<{ ok: boolean; message: string }>;
  readonly breakers: Pick<Breakers, 'of'>;
  /** What waits for another key may go on. */
  readonly onKeyChanged: (provider: string) => void;
}

const TEST_TIMEOUT_MS = 30_000;

/** What a provider looks like from outside; never its key (I5). */
export async function describeProvider(
  deps: Pick<ProviderVerbsDeps, 'settings' | 'keys'>,
  name: string,
): Promise<ProviderView | undefined> {
  const all = deps.settings.get('providers');
  const spec = Object.hasOwn(all, name) ? all[name] : undefined;
  if (spec === undefined) return undefined;
  return {
    name,
    kind: spec.kind,
    ...(spec.base_url === undefined ? {} : { baseUrl: spec.base_url }),
    key: await describeProviderKey(name, spec, deps.keys),
  };
}

const PRACTICE_VIEW: ProviderView = {
  name: PRACTICE_PROVIDER,
  kind: 'practice',
  key: { present: false, storage: 'none' },
};

/** Verbs about providers, their keys and a small request to them. */
export function createProviderVerbs(
  deps: ProviderVerbsDeps,
): Pick<
  Handlers,
  'provider.list' | 'provider.set' | 'provider.setKey' | 'provider.test' | 'agents.test'
> {
  const need = async (name: string): Promise<ProviderView> => {
    const view = await describeProvider(deps, name);
    if (view !== undefined) return view;
    throw new HoldfastError('PROVIDER_UNKNOWN', `There is no provider "${name.slice(0, 60)}".`, {
      hint: 'Nothing was changed. Add it first: "holdfast provider set".',
    });
  };
  const ping = async (provider: string, model: string): Promise<VerbOutput<'provider.test'>> => {
    const startedMs = deps.clock.monotonicMs();
    const outcome = await askOnce(deps, provider, model);
    return { ...outcome, tookMs: Math.round(deps.clock.monotonicMs() - startedMs) };
  };
  return {
    'provider.list': async () => {
      const names = Object.keys(deps.settings.get('providers'));
      const views = await Promise.all(names.map((name) => describeProvider(deps, name)));
      return { providers: [...views.filter((view) => view !== undefined), PRACTICE_VIEW] };
    },
    'provider.set': async ({ name, provider }) => {
      if (name === PRACTICE_PROVIDER) {
        throw new HoldfastError(
          'INPUT_INVALID',
          'The name "practice" belongs to the practice provider.',
          {
            hint: 'Nothing was changed. Choose another name.',
          },
        );
      }
      await deps.settings.setEntry('providers', name, provider);
      return need(name);
    },
    'provider.setKey': async ({ name, key, allowPlaintext = false }, origin) => {
      await need(name);
      await keepKey({ ...deps.keys, isRunning: deps.isRunning }, name, key, allowPlaintext);
      deps.onKeyChanged(name);
      deps.audit.record(key === null ? 'provider_key_removed' : 'provider_key_set', {
        provider: name,
        by: origin,
      });
      return need(name);
    },
    'provider.test': async ({ name, model }) => {
      const known =
        model ??
        Object.values(deps.settings.get('agents'))
          .filter(isLlmAgent)
          .find((agent) => agent.provider === name)?.model;
      if (known === undefined && name !== PRACTICE_PROVIDER) {
        await need(name);
        return {
          ok: false,
          message: `Name a model to test "${name}" with: no agent uses it yet.`,
          tookMs: 0,
        };
      }
      return ping(name, known ?? 'script');
    },
    'agents.test': async ({ name }) => {
      const spec = deps.agents().acpOf(name);
      if (spec !== undefined) {
        const startedMs = deps.clock.monotonicMs();
        const outcome = await deps.testOutside(name, spec);
        return { ...outcome, tookMs: Math.round(deps.clock.monotonicMs() - startedMs) };
      }
      const agent = await deps.agents().view(name);
      return ping(agent.provider, agent.model);
    },
  };
}

/** One call, tried once, with its verdict; a sentence where the breaker refuses it. */
async function guarded(
  deps: ProviderVerbsDeps,
  provider: string,
  make: () => Promise<ProviderOutcome>,
): Promise<ProviderOutcome | string> {
  return guardCall<ProviderOutcome | string>(
    deps.breakers.of(breakerNames.provider(provider), 'provider'),
    {
      make,
      refused: ({ reason }) =>
        `${reason} To try it at once: holdfast breakers reset ${breakerNames.provider(provider)}`,
      judge: (outcome) => {
        if (typeof outcome === 'string') return { kind: 'neither' };
        if (outcome.kind === 'answer') return { kind: 'ok' };
        const { failure } = outcome;
        return classifyFailure(failure).contact === 'failure'
          ? { kind: 'failed', error: failure.message }
          : { kind: 'neither' };
      },
      judgeError: () => ({ kind: 'neither' }),
    },
  );
}

async function askOnce(
  deps: ProviderVerbsDeps,
  provider: string,
  model: string,
): Promise<{ ok: boolean; message: string }> {
  try {
    const client = await deps.providers.get(provider);
    const outcome = await guarded(deps, provider, () =>
      client.stream(
        {
          provider,
          model,
          system: 'Answer with one word.',
          messages: [{ role: 'user', text: 'echo ready' }],
          tools: [],
          maxOutputTokens: 16,
        },
        { signal: AbortSignal.timeout(TEST_TIMEOUT_MS), onText: () => undefined },
      ),
    );
    if (typeof outcome === 'string') return { ok: false, message: outcome };
    if (outcome.kind === 'answer') return { ok: true, message: `${provider} answers (${model}).` };
    return {
      ok: false,
      message: `${outcome.failure.message} ${outcome.failure.hint}`.slice(0, 1000),
    };
  } catch (error) {
    const known = toHoldfastError(error);
    return { ok: false, message: `${known.message} ${known.hint ?? ''}`.trim().slice(0, 1000) };
  }
}
