/**
 * The one place that classifies a failed call (S0-14..16, S2-29, R4):
 *
 * - network, timeout, server (408, 409, 425, 5xx), rate_limited, cut, malformed: may succeed later
 * - quota: hard limit, no retry, with its reset time if the provider reports it
 * - config (other 4xx, redirect, a bad certificate, a proxy that requires a login): loud, no retry,
 *   named with the settings key
 * - aborted: our own stop
 */
import { describeLimit } from '../../../shared/limits/read-limit';
import { readReset } from '../../../shared/limits/read-reset';
import { causeChain, isShape, parseJson, reportedError } from './error-shape';
import type { ReportedError } from './error-shape';
import { failureKind, type FailureReason, type FailureVerdict } from './failure-words';
import { providerWaitMs, windowResetMs } from './provider-wait';
import { isLimitForTime, isTooLong, roomForAnswer } from './too-long';

/** Wire facts of the call; they override what the library reports. */
export interface WireFacts {
  /** Status of the response; undefined while none arrived. */
  readonly status: number | undefined;
  /** Headers of the response, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** True once a request was passed to the network. */
  readonly isSent: boolean;
  /** Our own timeout that was reached. */
  readonly timedOut: 'first_byte' | 'idle' | undefined;
  /** Address of a redirect that was not followed, without its query. */
  readonly redirectedTo: string | undefined;
  /** The body, if it was not an event stream although the status was 200. */
  readonly document: string | undefined;
}

interface ErrorContext {
  readonly wire: WireFacts;
  readonly isAborted: boolean;
  /** Wall time, ms since the epoch. */
  readonly nowMs: number;
}

const DNS_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME']);
const REFUSED_CODES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EADDRNOTAVAIL',
  'ENETDOWN',
]);
const TIMEOUT_CODES = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);
/**
 * The certificate is not trusted, and a retry will not change that: the user has to check it, this
 * computer's clock or the address. The codes are those of OpenSSL and Node.
 */
const CERTIFICATE_CODE =
  /^(ERR_TLS_CERT_|ERR_CERT_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERROR_IN_CERT_|ERROR_IN_CRL_|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$)/;
const TLS_CODE = /^(ERR_SSL_|ERR_TLS_|EPROTO$)/;
const LOST_CODES = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET']);

const QUOTA_CODE =
  /^(insufficient_quota|billing_hard_limit_reached|billing_not_active|billing_error|insufficient_balance|insufficient_credits|credits_exhausted|quota_exceeded|payment_required)$/i;
const QUOTA_WORDS =
  /credit balance is too low|insufficient (balance|credits?|funds|quota)|out of credits|billing hard limit/i;
/** Only if the status means a limit: elsewhere these words may come from a prompt. */
const QUOTA_WORDS_AT_LIMIT =
  /exceeded your current quota|usage limit|spend(ing)? limit|monthly limit|quota (is )?(exhausted|exceeded)/i;

/**
 * Google reports "exceeded your current quota" for per-minute limits too; only its details tell.
 */
function isGoogleQuota(reported: ReportedError): boolean {
  const details = JSON.stringify(reported.details ?? '');
  return (
    /PerDay|PerMonth|QUOTA_EXHAUSTED/i.test(details) || /\blimit: 0\b/.test(reported.message ?? '')
  );
}

function isQuota(status: number | undefined, reported: ReportedError, isReset: boolean): boolean {
  if (status === 402) return true;
  if (reported.type === 'RESOURCE_EXHAUSTED') return isGoogleQuota(reported);
  if (QUOTA_CODE.test(reported.code ?? '') || QUOTA_CODE.test(reported.type ?? '')) return true;
  const words = reported.message ?? '';
  if (QUOTA_WORDS.test(words)) return status === undefined || status < 500;
  if (status !== undefined && status !== 429 && status !== 403) return false;
  return (isReset && /limit/i.test(words)) || QUOTA_WORDS_AT_LIMIT.test(words);
}

function reasonOfStatus(status: number, reported: ReportedError): FailureReason {
  const words = `${reported.code ?? ''} ${reported.message ?? ''}`;
  switch (status) {
    case 401:
      return 'key';
    case 403:
      return 'forbidden';
    case 404:
      return 'not_found';
    case 407:
      return 'proxy';
    case 413:
      return isLimitForTime(reported) ? 'rate_limited' : 'too_long';
    // 409 is a lock held by another request: it is temporary, and the clients of OpenAI and
    // Anthropic retry it too. A server that means another conflict sends x-should-retry: false.
    // S2-29
    case 408:
    case 409:
    case 425:
      return 'server';
    case 429:
      return 'rate_limited';
    default:
      // Some servers report it as an internal error.
      if (isTooLong(reported)) return 'too_long';
      if (status >= 500) return 'server';
      if (status >= 300 && status < 400) return 'redirect';
      // Google answers 400 to a wrong key.
      if (
        /API_KEY_INVALID|api key (not valid|expired)/i.test(
          `${words} ${JSON.stringify(reported.details ?? '')}`,
        )
      ) {
        return 'key';
      }
      return 'request';
  }
}

/** Errors reported inside an answer that started with 200, by their type. */
const STREAM_TYPES: readonly (readonly [RegExp, FailureReason])[] = [
  [/rate_?limit|RESOURCE_EXHAUSTED|too_many_requests|^429$/i, 'rate_limited'],
  [/authentication|invalid_api_key|UNAUTHENTICATED|^401$/i, 'key'],
  [/permission|PERMISSION_DENIED|^403$/i, 'forbidden'],
  [/not_found|^404$/i, 'not_found'],
  [/^413$/, 'too_long'],
  [/invalid_request|INVALID_ARGUMENT|FAILED_PRECONDITION|^4(00|22)$/i, 'request'],
];

function reasonInStream(reported: ReportedError): FailureReason {
  if (isTooLong(reported)) return 'too_long';
  if (reported.status !== undefined) return reasonOfStatus(reported.status, reported);
  for (const [pattern, reason] of STREAM_TYPES) {
    if (pattern.test(reported.type ?? '') || pattern.test(reported.code ?? '')) return reason;
  }
  return 'server';
}

/**
 * A provider's explicit retry advice overrides its status: `x-should-retry`, which the clients of
 * OpenAI and Anthropic obey in both directions. A used-up quota remains one: it is retried when it
 * resets.
 */
function reasonAsTold(
  reason: FailureReason,
  status: number | undefined,
  told: string | undefined,
): FailureReason {
  const word = status === undefined ? undefined : told?.trim().toLowerCase();
  if (word === 'false') {
    if (reason === 'server') return 'server_final';
    // A longer wait, without a named time.
    return reason === 'rate_limited' ? 'quota' : reason;
  }
  if (word !== 'true') return reason;
  return failureKind(reason) === 'config' ? 'server' : reason;
}

function verdictOfReport(
  reported: ReportedError,
  context: ErrorContext,
  body: unknown,
): FailureVerdict {
  const { wire } = context;
  const status = wire.status !== undefined && wire.status >= 300 ? wire.status : undefined;
  const isReset = windowResetMs(wire.headers, context.nowMs) !== undefined;
  const byStatus =
    status === undefined ? reasonInStream(reported) : reasonOfStatus(status, reported);
  const reason = isQuota(status ?? reported.status, reported, isReset)
    ? 'quota'
    : reasonAsTold(byStatus, status, wire.headers['x-should-retry']);
  const isLimit = reason === 'rate_limited' || reason === 'quota';
  const isTold = isLimit || reason === 'server';
  const waitMs = providerWaitMs({
    headers: wire.headers,
    nowMs: context.nowMs,
    // For any other failure, only Google's `RetryInfo` counts as advice to wait: words may come
    // from a prompt, and any response's headers name a window.
    told: isLimit
      ? [
          readReset(body),
          describeLimit(reported.message ?? '').resets,
          readReset({
            'x-ratelimit-reset': wire.headers['x-ratelimit-reset'],
            'ratelimit-reset': wire.headers['ratelimit-reset'],
          }),
        ]
      : [readReset(reported.details)],
  });
  const roomTokens = reason === 'too_long' ? roomForAnswer(reported.message ?? '') : undefined;
  return {
    reason,
    ...(status === undefined ? {} : { status }),
    ...(isTold && waitMs !== undefined ? { retryAfterMs: waitMs } : {}),
    ...(reported.message === undefined ? {} : { said: reported.message }),
    ...(roomTokens === undefined ? {} : { roomTokens }),
  };
}

/** The provider's error report inside a thrown error, if there is one. */
function reportIn(thrown: unknown, wire: WireFacts): ReportedError | undefined {
  if (typeof thrown === 'string') return reportedError(thrown);
  if (!isShape(thrown)) return undefined;
  const body = thrown['responseBody'];
  if (typeof body === 'string') {
    const parsed = parseJson(body);
    return reportedError(parsed) ?? (parsed === undefined ? reportedError(body.trim()) : undefined);
  }
  if (thrown['data'] !== undefined && isShape(thrown['data'])) return reportedError(thrown['data']);
  if (thrown instanceof Error) return undefined;
  return wire.isSent ? reportedError(thrown) : undefined;
}

/** The body or the event. An error's own fields are not read, because the request is among them. */
function bodyOf(thrown: unknown): unknown {
  if (!isShape(thrown)) return thrown;
  return thrown['responseBody'] ?? thrown['data'] ?? (thrown instanceof Error ? undefined : thrown);
}

/**
 * `fetch` does not return a 407 as a response: it throws an error without a message or code, and
 * does so for no other case that can happen here (undici 6; newer versions name it).
 */
const isProxyLogin = (chain: ReturnType<typeof causeChain>): boolean =>
  chain.some(({ message }) =>
    /proxy authentication required|proxy response \(407\)/i.test(message),
  ) ||
  (chain.length > 1 && chain.at(-1)?.message === '' && chain.at(-1)?.code === undefined);

const UNREADABLE =
  /JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContentGenerated/;

function verdictOfCauses(thrown: unknown, wire: WireFacts): FailureVerdict {
  const chain = causeChain(thrown);
  const hasBegun = wire.status !== undefined;
  for (const { code = '', message } of chain) {
    if (DNS_CODES.has(code)) return { reason: 'dns' };
    if (REFUSED_CODES.has(code)) return { reason: hasBegun ? 'cut' : 'refused' };
    if (TIMEOUT_CODES.has(code)) return { reason: hasBegun ? 'idle' : 'first_byte' };
    if (CERTIFICATE_CODE.test(code)) return { reason: 'certificate', said: `${code} ${message}` };
    if (TLS_CODE.test(code))
      return { reason: 'tls', said: code === 'EPROTO' ? code : `${code} ${message}` };
    if (LOST_CODES.has(code)) return { reason: hasBegun ? 'cut' : 'lost' };
  }
  if (chain.some((error) => /without a finish reason/.test(error.message)))
    return { reason: 'cut' };
  if (chain.some((error) => UNREADABLE.test(error.name))) return { reason: 'malformed' };
  if (wire.isSent && !hasBegun && isProxyLogin(chain)) return { reason: 'proxy', status: 407 };
  if (!wire.isSent) return { reason: 'unbuildable', said: chain[0]?.message ?? '' };
  return hasBegun ? { reason: 'cut' } : { reason: 'lost' };
}

/** An answer in one piece, in any dialect, although a stream was requested. */
function isWholeAnswer(document: unknown): boolean {
  const first: unknown = Array.isArray(document) ? (document as readonly unknown[])[0] : document;
  return (
    isShape(first) &&
    !isShape(first['error']) &&
    ['choices', 'content', 'candidates'].some((name) => Array.isArray(first[name]))
  );
}

/**
 * Classifies any end of a call. Never throws; an unknown error after the request was sent counts as
 * temporary.
 */
export function classifyProviderError(thrown: unknown, context: ErrorContext): FailureVerdict {
  const { wire } = context;
  if (context.isAborted) return { reason: 'aborted' };
  const isRefusal = wire.status !== undefined && wire.status >= 300;
  // The status of a rejection is known, even if its text is lost.
  if (wire.timedOut !== undefined && !isRefusal) return { reason: wire.timedOut };
  if (wire.redirectedTo !== undefined) {
    return {
      reason: 'redirect',
      said: wire.redirectedTo,
      ...(wire.status === undefined ? {} : { status: wire.status }),
    };
  }
  if (wire.document !== undefined) {
    const document = parseJson(wire.document);
    if (isWholeAnswer(document)) return { reason: 'not_streamed' };
    const reported = reportedError(document);
    return reported === undefined
      ? { reason: 'not_a_stream' }
      : verdictOfReport(reported, context, document);
  }
  const reported = reportIn(thrown, wire);
  if (isRefusal) return verdictOfReport(reported ?? {}, context, bodyOf(thrown));
  // The Anthropic client wraps an event that is not JSON into a "500"; its name shows that.
  const body = isShape(thrown) ? thrown['responseBody'] : undefined;
  if (typeof body === 'string' && UNREADABLE.test(body)) return { reason: 'malformed' };
  return reported === undefined
    ? verdictOfCauses(thrown, wire)
    : verdictOfReport(reported, context, bodyOf(thrown));
}
