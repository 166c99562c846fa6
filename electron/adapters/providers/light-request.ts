import type { Clock } from '../../ports/clock';
import type { ProviderProbe } from '../../ports/provider';
import type { Dialect } from './base-url';
import { classifyProviderError } from './classify-provider-error';
import type { WireFacts } from './classify-provider-error';
import { failureOf } from './failure-words';
import type { FailureVerdict } from './failure-words';

interface LightRequestDeps {
  readonly name: string;
  readonly dialect: Dialect;
  readonly url: string;
  readonly host: string;
  readonly key: string | undefined;
  readonly clock: Clock;
  readonly userAgent: string;
}

function headersOf(deps: LightRequestDeps): Record<string, string> {
  const base = { 'user-agent': deps.userAgent, accept: 'application/json' };
  if (deps.key === undefined) return base;
  switch (deps.dialect) {
    case 'openai-compatible':
      return { ...base, authorization: `Bearer ${deps.key}` };
    case 'anthropic':
      return { ...base, 'x-api-key': deps.key, 'anthropic-version': '2023-06-01' };
    case 'google':
      return { ...base, 'x-goog-api-key': deps.key };
  }
}

type ModelsAnswer =
  | { readonly kind: 'ok'; readonly body: string | undefined }
  | Exclude<ProviderProbe, { readonly kind: 'ok' }>;

/**
 * Checks whether a provider is reachable: it requests the list of its models, without a model call.
 * Any answer of the provider itself proves it, even a rejection; a gateway's 5xx, 408 and 429 mean
 * that it is not. The body is not read. Never throws. S0-19
 */
export async function lightRequest(
  deps: LightRequestDeps,
  signal: AbortSignal,
): Promise<ProviderProbe> {
  const answer = await requestModels(deps, signal, async (response) => {
    await response.body?.cancel();
    return undefined;
  });
  return answer.kind === 'ok' ? { kind: 'ok' } : answer;
}

/**
 * Requests the list of models. `read` gets an answer that is neither a rejected key nor a server
 * error, and must consume or cancel its body. Never throws.
 */
export async function requestModels(
  deps: LightRequestDeps,
  signal: AbortSignal,
  read: (response: Response) => Promise<string | undefined>,
): Promise<ModelsAnswer> {
  const fail = (verdict: FailureVerdict): Exclude<ModelsAnswer, { readonly kind: 'ok' }> => ({
    kind: verdict.reason === 'key' ? 'key' : 'failed',
    failure: failureOf(verdict, {
      provider: deps.name,
      model: '',
      host: deps.host,
      secrets: deps.key === undefined ? [] : [deps.key],
    }),
  });
  const wire: WireFacts = {
    status: undefined,
    headers: {},
    isSent: true,
    timedOut: undefined,
    redirectedTo: undefined,
    document: undefined,
  };
  try {
    const response = await fetch(`${deps.url}/models`, {
      headers: headersOf(deps),
      redirect: 'manual',
      signal,
    });
    const { status } = response;
    const verdict = verdictOf(status);
    if (verdict !== undefined) {
      await response.body?.cancel();
      return fail(verdict);
    }
    return { kind: 'ok', body: await read(response) };
  } catch (error) {
    if (signal.aborted) return fail({ reason: 'first_byte' });
    return fail(
      classifyProviderError(error, { wire, isAborted: false, nowMs: deps.clock.nowMs() }),
    );
  }
}

function verdictOf(status: number): FailureVerdict | undefined {
  if (status === 401 || status === 403) return { reason: 'key', status: 401 };
  if (status === 429) return { reason: 'rate_limited', status };
  if (status >= 500 || status === 408) return { reason: 'server', status };
  return undefined;
}
