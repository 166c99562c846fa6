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
export interface Verdict {
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
  /** ` (429): "slow down"`, or as much of that as is known. */
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

const KEPT = 'The turn and its finished steps are kept';
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
    (f) => `${f.provider} cannot be reached: ${f.host} takes no connections.`,
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
    (f) => `${AGAIN} Check ${key(f, 'base_url')} and whatever stands between here and there.`,
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
    (f) => `The connection to ${f.provider} (${f.host}) was lost before it answered.`,
  ),
  first_byte: row('timeout', true, (f) => `${f.provider} did not begin to answer in time.`),
  idle: row(
    'timeout',
    true,
    (f) => `${f.provider} stopped in the middle of its answer and sent nothing more.`,
  ),
  server: row('server', true, (f) => `${f.provider} reports trouble of its own${f.said}.`),
  server_final: row(
    'server',
    false,
    (f) => `${f.provider} reports trouble of its own and says not to ask again${f.said}.`,
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
    (f) => `The quota or credit at ${f.provider} is used up${f.said}.`,
    (f) =>
      f.when === ''
        ? `${KEPT}. Add credit or raise the limit at ${f.provider}, then continue the turn.`
        : `${KEPT}. The quota comes back${f.when}; with credit added at ${f.provider}, Try now under Outages asks it sooner.`,
  ),
  key: row(
    'config',
    false,
    (f) => `${f.provider} refused the key${f.said}.`,
    (f) =>
      `${KEPT}. Set a valid key in Settings or through ${key(f, 'api_key_env')} or ${key(f, 'api_key_file')}, then continue the turn.`,
  ),
  forbidden: row(
    'config',
    false,
    (f) => `${f.provider} does not allow this key to use ${f.model}${f.said}.`,
    (f) =>
      `${KEPT}. Check what the key of ${key(f, 'api_key_env')} may do, or give the agent another model.`,
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
      `${KEPT}. Give the agent a model with a larger context, or check ${key(f, 'base_url')}; or begin a new session.`,
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
      `${f.provider} sends requests on to another address${f.said}; the key was not sent there.`,
    (f) => `${KEPT}. If that address is right, put it into ${key(f, 'base_url')}.`,
  ),
  unbuildable: row(
    'config',
    false,
    (f) =>
      `The request could not be put into the form ${f.provider} takes${f.said}; nothing was sent.`,
    (f) => `${KEPT}. Check ${key(f, 'kind')} and the tools of the agent.`,
  ),
  cut: row(
    'cut',
    true,
    (f) =>
      `The answer of ${f.provider} was cut off before its end${f.said}; the part that came is not used.`,
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
    (f) => `${f.host} answered with a page instead of a model's answer${f.said}.`,
    (f) => `${AGAIN} Check for a login page of the network, and check ${key(f, 'base_url')}.`,
  ),
  // A retry would be paid for again, and arrive as a whole again.
  not_streamed: row(
    'config',
    false,
    (f) => `${f.provider} sent its answer whole instead of as a stream; it is not used.`,
    (f) =>
      `${KEPT}. Check ${key(f, 'kind')} and ${key(f, 'base_url')}: the service has to stream its answers.`,
  ),
  aborted: row(
    'aborted',
    false,
    (f) => `The call to ${f.provider} was stopped.`,
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
export function failureOf(verdict: Verdict, facts: FailureFacts): ProviderFailure {
  const found = ROWS[verdict.reason];
  const quoted = maskSecrets(verdict.said ?? '', facts.secrets).replace(/[.\s]+$/, '');
  const status = verdict.status === undefined ? '' : ` (${String(verdict.status)})`;
  const words: WordFacts = {
    ...facts,
    said: quoted === '' ? status : `${status}: "${quoted}"`,
    when: verdict.retryAfterMs === undefined ? '' : inWords(verdict.retryAfterMs),
  };
  // The rest of the sentence is ours. A second line against a key in a model name or host, and
  // only for real keys: one like "lm-studio" would mask the provider's own name.
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
