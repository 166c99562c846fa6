/** What the provider tests share: a real provider of each dialect against the fake one. */
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { createProviders } from '../../../electron/adapters/providers/providers';
import type { CallTimeouts } from '../../../electron/adapters/providers/guarded-fetch';
import type { LogFacts } from '../../../electron/ports/log';
import type {
  ModelAnswer,
  ModelRequest,
  ProviderFailure,
  ProviderOutcome,
  Providers,
} from '../../../electron/ports/provider';
import type { ProviderSettings, SettingKey, SettingValue } from '../../../shared/settings';
import type { FakeDialect, FakeProvider } from '../../helpers/fake-provider';

export const DIALECTS = ['openai-compatible', 'anthropic', 'google'] as const;
export const CANARY = 'sk-canary-7Hq2Zt9LmW4xVbN8rYkP3';

export const READ_FILE = {
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
    additionalProperties: false,
  },
} as const;

export function ask(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    provider: 'office',
    model: 'test-model-1',
    system: 'You help.',
    messages: [{ role: 'user', text }],
    tools: [],
    ...more,
  };
}

interface Rig {
  readonly providers: Providers;
  /** How often the key was asked for. */
  keyReads(): number;
  readonly logged: { readonly event: string; readonly facts: LogFacts | undefined }[];
  /** One call of the provider `office`. */
  call(
    request: ModelRequest,
    options?: { readonly signal?: AbortSignal; readonly onText?: (delta: string) => void },
  ): Promise<ProviderOutcome>;
}

/** Providers with one entry, `office`, of the given settings. */
export function rigOf(
  office: ProviderSettings,
  options: { readonly key?: string | undefined; readonly timeouts?: CallTimeouts } = {},
): Rig {
  const logged: { event: string; facts: LogFacts | undefined }[] = [];
  const note = (event: string, facts?: LogFacts): void => {
    logged.push({ event, facts });
  };
  const key = 'key' in options ? options.key : CANARY;
  let keyReads = 0;
  const providers = createProviders({
    settings: {
      get: <K extends SettingKey>(name: K) =>
        (name === 'providers' ? { office } : {}) as SettingValue<K>,
    },
    keyOf: () => {
      keyReads += 1;
      return Promise.resolve(key === undefined ? undefined : { key, storage: 'environment' });
    },
    extra: [],
    log: { debug: note, info: note, warn: note, error: note },
    clock: createSystemClock(),
    version: '0.1.0-test',
    timeouts: options.timeouts ?? { firstByteMs: 5_000, idleMs: 5_000 },
  });
  return {
    providers,
    keyReads: () => keyReads,
    logged,
    async call(request, more = {}) {
      const provider = await providers.get('office');
      return provider.stream(request, {
        signal: more.signal ?? new AbortController().signal,
        onText: more.onText ?? (() => undefined),
      });
    },
  };
}

export const rigFor = (
  fake: FakeProvider,
  dialect: FakeDialect,
  options: Parameters<typeof rigOf>[1] & { readonly settings?: Partial<ProviderSettings> } = {},
): Rig => rigOf({ kind: dialect, base_url: fake.baseUrl(dialect), ...options.settings }, options);

export function answerOf(outcome: ProviderOutcome): ModelAnswer {
  if (outcome.kind === 'answer') return outcome.answer;
  throw new Error(`no answer: ${JSON.stringify(outcome.failure)}`);
}

export function failureOf(outcome: ProviderOutcome): ProviderFailure {
  if (outcome.kind === 'failure') return outcome.failure;
  throw new Error(`no failure: ${JSON.stringify(outcome.answer)}`);
}
