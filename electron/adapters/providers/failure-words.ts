/**
 * Every way a call to a provider can end without an answer: its class, whether the same request may
 * succeed later, and its message for the user. The message says what happened and what is safe; the
 * hint says what to do next.
 */
import type { ProviderFailure, ProviderFailureKind } from '../../ports/provider';
import { maskSecrets } from './mask-secrets';

export const FAILURE_REASONS = [
  'refused',
  'dns',
  'tls',
  'certificate',
  'lost',
  'first_byte',
  'idle',
  'server',
  'server_final',
  'rate_limited',
  'quota',
  'key',
  'forbidden',
  'proxy',
  'not_found',
  'too_long',
  'request',
  'redirect',
  'unbuildable',
  'cut',
  'malformed',
  'empty',
  'tool_arguments',
  'tool_arguments_cut',
  'not_a_stream',
  'not_streamed',
  'aborted',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** Result of the classification, without texts. */
export interface FailureVerdict {
  readonly reason: FailureReason;
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** The provider's message, unchanged. */
  readonly said?: string;
  /** If the conversation plus the requested answer is too long: the answer length that fits. */
  readonly roomTokens?: number;
}

/** Facts about the provider for the texts. */
export interface FailureFacts {
  readonly provider: string;
  readonly model: string;
  readonly host: string;
  /** Values that must not appear in any text. */
  readonly secrets: readonly string[];
}

interface WordFacts extends FailureFacts {
  /** ` (429): "slow down"`, or the known parts of it. */
  readonly said: string;
  /** ` in 42 s`, or nothing. */
  readonly when: string;
}

interface ReasonRow {
  readonly kind: ProviderFailureKind;
  readonly isRetryable: boolean;
  readonly message: (facts: WordFacts) => string;
  readonly hint: (facts: WordFacts) => string;
}

const KEPT = 'The turn and its completed steps are saved';
const AGAIN = `${KEPT}; the same request can be sent again.`;

const row = (
  kind: ProviderFailureKind,
  isRetryable: boolean,
  message: ReasonRow['message'],
  hint: ReasonRow['hint'] = () => AGAIN,
): ReasonRow => ({ kind, isRetryable, message, hint });

const key = (facts: FailureFacts, name: string): string => `providers.${facts.provider}.${name}`;

const ROWS: Readonly<Record<FailureReason, ReasonRow>> = {
  refused: row(
    'network',
    true,
    (f) => `${f.provider} cannot be reached: ${f.host} does not accept connections.`,
    (f) => `${AGAIN} Check that the service runs and that ${key(f, 'base_url')} is right.`,
  ),
  dns: row(
    'network',
    true,
    (f) => `${f.provider} cannot be reached: the name ${f.host} was not found.`,
    (f) => `${AGAIN} Check the network and ${key(f, 'base_url')}.`,
  ),
  tls: row(
    'network',
    true,
    (f) => `${f.provider} cannot be reached: no secure connection to ${f.host}${f.said}.`,
    (f) => `${AGAIN} Check ${key(f, 'base_url')} and any proxy or firewall in between.`,
  ),
  certificate: row(
    'config',
    false,
    (f) =>
      `The certificate of ${f.provider} (${f.host}) is not trusted${f.said}; nothing was sent.`,
    (f) =>
      `${KEPT}. Check the certificate, the clock of this computer and ${key(f, 'base_url')}, then continue the turn.`,
  ),
  lost: row(
    'network',
    true,
    (f) => `The connection to ${f.provider} (${f.host}) was lost before it responded.`,
  ),
  first_byte: row('timeout', true, (f) => `${f.provider} did not start to respond in time.`),
  idle: row(
    'timeout',
    true,
    (f) => `${f.provider} stopped in the middle of its answer and sent nothing more.`,
  ),
  server: row('server', true, (f) => `${f.provider} reports an internal error${f.said}.`),
  server_final: row(
    'server',
    false,
    (f) => `${f.provider} reports an internal error and asks not to retry${f.said}.`,
    (f) => `${KEPT}. Look at the status page of ${f.provider}, then continue the turn.`,
  ),
  rate_limited: row(
    'rate_limited',
    true,
    (f) => `${f.provider} asks to slow down${f.said}.`,
    (f) =>
      `${KEPT}; the same request can be sent again${f.when === '' ? ' a little later' : f.when}.`,
  ),
  quota: row(
    'quota',
    false,
    (f) => `The usage limit or credit at ${f.provider} is used up${f.said}.`,
    (f) =>
      f.when === ''
        ? `${KEPT}. Add credit or raise the limit at ${f.provider}, then continue the turn.`
        : `${KEPT}. The usage limit resets${f.when}; with credit added at ${f.provider}, choose Check now under Outages to resume sooner.`,
  ),
  key: row(
    'config',
    false,
    (f) => `${f.provider} rejected the API key${f.said}.`,
    (f) =>
      `${KEPT}. Set a valid API key in Settings or through ${key(f, 'api_key_env')} or ${key(f, 'api_key_file')}, then continue the turn.`,
  ),
  forbidden: row(
    'config',
    false,
    (f) => `${f.provider} does not allow this API key to use ${f.model}${f.said}.`,
    (f) =>
      `${KEPT}. Check the permissions of the API key of ${key(f, 'api_key_env')}, or give the agent another model.`,
  ),
  proxy: row(
    'config',
    false,
    (f) => `A proxy on the way to ${f.provider} (${f.host}) asks for a login (407).`,
    (f) =>
      `${KEPT}. Log in to the proxy of this network, or check ${key(f, 'base_url')}; then continue the turn.`,
  ),
  not_found: row(
    'config',
    false,
    (f) => `${f.provider} does not know the model ${f.model} or the address${f.said}.`,
    (f) => `${KEPT}. Check the model of the agent and ${key(f, 'base_url')}.`,
  ),
  too_long: row(
    'config',
    false,
    (f) => `The conversation is too long for ${f.model} at ${f.provider}${f.said}.`,
    (f) =>
      `${KEPT}. Give the agent a model with a larger context, or check ${key(f, 'base_url')}; or start a new session.`,
  ),
  request: row(
    'config',
    false,
    (f) => `${f.provider} did not accept the request${f.said}.`,
    (f) => `${KEPT}. Check the model of the agent and ${key(f, 'kind')} and ${key(f, 'base_url')}.`,
  ),
  redirect: row(
    'config',
    false,
    (f) =>
      `${f.provider} redirects requests to another address${f.said}; the API key was not sent there.`,
    (f) => `${KEPT}. If that address is correct, set ${key(f, 'base_url')}.`,
  ),
  unbuildable: row(
    'config',
    false,
    (f) =>
      `The request could not be converted to the format that ${f.provider} takes${f.said}; nothing was sent.`,
    (f) => `${KEPT}. Check ${key(f, 'kind')} and the tools of the agent.`,
  ),
  cut: row(
    'cut',
    true,
    (f) =>
      `The answer of ${f.provider} was interrupted before its end${f.said}; the received part is not used.`,
  ),
  malformed: row(
    'malformed',
    true,
    (f) => `${f.provider} sent an answer that cannot be read${f.said}; it is not used.`,
  ),
  empty: row('malformed', true, (f) => `${f.provider} sent an empty answer.`),
  tool_arguments: row(
    'malformed',
    true,
    (f) =>
      `${f.provider} sent a tool call with unreadable arguments${f.said}; no tool was started.`,
  ),
  tool_arguments_cut: row(
    'malformed',
    false,
    (f) =>
      `The answer of ${f.provider} reached its length limit inside a tool call${f.said}; no tool was started.`,
    () => `${KEPT}. Allow longer answers, or ask for a smaller step.`,
  ),
  not_a_stream: row(
    'malformed',
    true,
    (f) => `${f.host} responded with a web page instead of a model's answer${f.said}.`,
    (f) => `${AGAIN} Check for a login page of the network, and check ${key(f, 'base_url')}.`,
  ),
  // A retry would be paid for again, and arrive as a whole again.
  not_streamed: row(
    'config',
    false,
    (f) => `${f.provider} sent its answer in one piece instead of as a stream; it is not used.`,
    (f) =>
      `${KEPT}. Check ${key(f, 'kind')} and ${key(f, 'base_url')}: the service has to stream its answers.`,
  ),
  aborted: row(
    'aborted',
    false,
    (f) => `The request to ${f.provider} was stopped.`,
    () => `${KEPT}.`,
  ),
};

/** The class of a reason. */
export function failureKind(reason: FailureReason): ProviderFailureKind {
  return ROWS[reason].kind;
}

function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return ` in ${String(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return ` in ${String(minutes)} min`;
  return ` in ${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}

/** Turns a verdict into a failure with texts; every text is masked (S2-30, T6, R2). */
export function failureOf(verdict: FailureVerdict, facts: FailureFacts): ProviderFailure {
  const found = ROWS[verdict.reason];
  const quoted = maskSecrets(verdict.said ?? '', facts.secrets).replace(/[.\s]+$/, '');
  const status = verdict.status === undefined ? '' : ` (${String(verdict.status)})`;
  const words: WordFacts = {
    ...facts,
    said: quoted === '' ? status : `${status}: "${quoted}"`,
    when: verdict.retryAfterMs === undefined ? '' : inWords(verdict.retryAfterMs),
  };
  // The rest of the sentence is ours. This guards against a key in a model name or host, and only
  // for real keys: one like "lm-studio" would mask the provider's own name.
  const real = facts.secrets.filter((secret) => secret.length >= 20);
  return {
    kind: found.kind,
    message: maskSecrets(found.message(words), real, 600),
    hint: maskSecrets(found.hint(words), real, 600),
    isRetryable: found.isRetryable,
    ...(verdict.reason === 'key' || verdict.reason === 'too_long' ? { mend: verdict.reason } : {}),
    ...(verdict.roomTokens === undefined ? {} : { roomTokens: verdict.roomTokens }),
    ...(verdict.status === undefined ? {} : { status: verdict.status }),
    ...(verdict.retryAfterMs === undefined ? {} : { retryAfterMs: verdict.retryAfterMs }),
  };
}
