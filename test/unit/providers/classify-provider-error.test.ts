import { describe, expect, it } from 'vitest';
import { classifyProviderError } from '../../../electron/adapters/providers/classify-provider-error';
import type { WireFacts } from '../../../electron/adapters/providers/classify-provider-error';
import {
  FAILURE_REASONS,
  failureKind,
  failureOf,
} from '../../../electron/adapters/providers/failure-words';
import type {
  FailureReason,
  FailureVerdict,
} from '../../../electron/adapters/providers/failure-words';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const wire = (more: Partial<WireFacts> = {}): WireFacts => ({
  status: undefined,
  headers: {},
  isSent: true,
  timedOut: undefined,
  redirectedTo: undefined,
  document: undefined,
  ...more,
});
const classify = (thrown: unknown, more: Partial<WireFacts> = {}): FailureVerdict =>
  classifyProviderError(thrown, { wire: wire(more), isAborted: false, nowMs: NOW_MS });

/** An error as fetch throws it: the code is in the cause. */
const fetchFailed = (code: string, message = code): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
const answered = (status: number, body: unknown): [unknown, Partial<WireFacts>] => [
  Object.assign(new Error('x'), {
    name: 'AI_APICallError',
    statusCode: status,
    responseBody: JSON.stringify(body),
  }),
  { status },
];

describe('S0-16 errors of the connection', () => {
  it.each<[string, FailureReason]>([
    ['ENOTFOUND', 'dns'],
    ['EAI_AGAIN', 'dns'],
    ['ECONNREFUSED', 'refused'],
    ['EHOSTUNREACH', 'refused'],
    ['ENETUNREACH', 'refused'],
    ['ECONNRESET', 'lost'],
    ['EPIPE', 'lost'],
    ['UND_ERR_SOCKET', 'lost'],
    ['ETIMEDOUT', 'first_byte'],
    ['UND_ERR_CONNECT_TIMEOUT', 'first_byte'],
    ['UND_ERR_HEADERS_TIMEOUT', 'first_byte'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
    ['EPROTO', 'tls'],
  ])('%s before an answer is %s', (code, reason) => {
    expect(classify(fetchFailed(code)).reason).toBe(reason);
    expect(['network', 'timeout']).toContain(failureKind(reason));
  });

  it.each([
    'CERT_HAS_EXPIRED',
    'CERT_NOT_YET_VALID',
    'CERT_REVOKED',
    'CERT_UNTRUSTED',
    'CERT_REJECTED',
    'CERT_CHAIN_TOO_LONG',
    'CERT_SIGNATURE_FAILURE',
    'CRL_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_TLS_CERT_ALTNAME_FORMAT',
    'HOSTNAME_MISMATCH',
    'INVALID_CA',
    'INVALID_PURPOSE',
    'PATH_LENGTH_EXCEEDED',
  ])('R4 %s is for a person to look at: 1 request, said with the code', (code) => {
    const verdict = classify(fetchFailed(code, 'why'));
    expect(verdict).toEqual({ reason: 'certificate', said: `${code} why` });
    expect(failureKind('certificate')).toBe('config');
  });

  it.each(['ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE'])('%s after the answer began is cut', (code) => {
    expect(classify(fetchFailed(code), { status: 200 }).reason).toBe('cut');
  });

  it('a host with several addresses is judged by its first error', () => {
    const each = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const all = new TypeError('fetch failed', { cause: new AggregateError([each, each]) });
    expect(classify(all).reason).toBe('refused');
  });

  it('an error that is its own cause ends the search', () => {
    const loop = new Error('loop');
    loop.cause = loop;
    expect(classify(loop).reason).toBe('lost');
  });
});

describe('S2-29 S0-14 S0-15 answers with a status', () => {
  it.each<[number, unknown, FailureReason]>([
    [400, { error: { message: 'bad' } }, 'request'],
    [400, { error: { message: "This model's maximum context length is 8192 tokens" } }, 'too_long'],
    [400, { error: { message: 'prompt is too long: 210000 tokens > 200000 maximum' } }, 'too_long'],
    [
      400,
      {
        error: {
          message: 'API key not valid. Please pass a valid API key.',
          status: 'INVALID_ARGUMENT',
        },
      },
      'key',
    ],
    [400, { error: { message: 'Your credit balance is too low to access the API' } }, 'quota'],
    [401, { error: { message: 'no' } }, 'key'],
    [402, {}, 'quota'],
    [403, { error: { message: 'no' } }, 'forbidden'],
    [404, { error: { message: 'no such model' } }, 'not_found'],
    [405, {}, 'request'],
    [407, {}, 'proxy'],
    [408, {}, 'server'],
    [409, {}, 'server'],
    [413, {}, 'too_long'],
    [418, {}, 'request'],
    [422, {}, 'request'],
    [425, {}, 'server'],
    [429, {}, 'rate_limited'],
    [
      429,
      { error: { message: 'Rate limit reached for requests', code: 'rate_limit_exceeded' } },
      'rate_limited',
    ],
    [429, { error: { message: 'x', code: 'insufficient_quota' } }, 'quota'],
    [429, { error: { message: 'x', type: 'billing_not_active' } }, 'quota'],
    [
      429,
      { error: { message: 'You exceeded your current quota', status: 'RESOURCE_EXHAUSTED' } },
      'rate_limited',
    ],
    [429, { error: { message: 'x limit: 0, model y', status: 'RESOURCE_EXHAUSTED' } }, 'quota'],
    [500, { error: { message: 'x' } }, 'server'],
    [501, {}, 'server'],
    [503, { error: { message: 'insufficient quota of machines' } }, 'server'],
    [504, {}, 'server'],
    [599, {}, 'server'],
    [999, {}, 'server'],
    [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'server'],
  ])('%i %j is %s', (status, body, reason) => {
    expect(classify(...answered(status, body))).toMatchObject({ reason, status });
  });

  it('R4 a word of the prompt in a 400 makes no quota of it', () => {
    const body = { error: { message: 'Invalid value: "my monthly limit and usage limit"' } };
    expect(classify(...answered(400, body)).reason).toBe('request');
  });

  it('S2-25 R39 a subscription limit is quota until its reset', () => {
    const [thrown] = answered(429, {
      error: { type: 'rate_limit_error', message: 'usage limit reached' },
    });
    const headers = { 'anthropic-ratelimit-unified-reset': '1795276800' };
    expect(classify(thrown, { status: 429, headers })).toMatchObject({
      reason: 'quota',
      retryAfterMs: 4 * 3_600_000,
    });
  });

  it('S0-+07 Google says in its details how long to wait', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }];
    const body = { error: { code: 429, message: 'x', status: 'RESOURCE_EXHAUSTED', details } };
    expect(classify(...answered(429, body))).toMatchObject({
      reason: 'rate_limited',
      retryAfterMs: 34_500,
    });
  });

  const inAnHour = NOW_MS / 1_000 + 3_600;
  const raw = String(NOW_MS + 3_600_000);
  it.each<[string, unknown, Record<string, string>, Partial<FailureVerdict>]>([
    [
      'of ChatGPT in its body',
      { error: { type: 'usage_limit_reached', message: 'x', resets_at: inAnHour } },
      {},
      { retryAfterMs: 3_600_000 },
    ],
    [
      'of ChatGPT as a span',
      { error: { message: 'The usage limit has been reached', resets_in_seconds: 432_000 } },
      {},
      { reason: 'quota', retryAfterMs: 432_000_000 },
    ],
    [
      'of Google for a used-up quota',
      {
        error: {
          status: 'RESOURCE_EXHAUSTED',
          message: 'x',
          details: [{ reason: 'QUOTA_EXHAUSTED', metadata: { quotaResetDelay: '2h0m0.5s' } }],
        },
      },
      {},
      { reason: 'quota', retryAfterMs: 7_200_500 },
    ],
    [
      'of OpenRouter in its body',
      { error: { message: 'x', metadata: { headers: { 'X-RateLimit-Reset': raw } } } },
      {},
      { reason: 'rate_limited', retryAfterMs: 3_600_000 },
    ],
    ['in ms in a header', {}, { 'x-ratelimit-reset': raw }, { retryAfterMs: 3_600_000 }],
    ['in seconds in a header', {}, { 'ratelimit-reset': '50' }, { retryAfterMs: 50_000 }],
    [
      'of OpenAI in its sentence',
      { error: { message: 'Rate limit reached. Please try again in 7m12s.' } },
      {},
      { retryAfterMs: 432_000 },
    ],
    [
      'in an answer within the answer',
      { error: { message: 'x', raw: JSON.stringify({ error: { retry_after: 90 } }) } },
      {},
      { retryAfterMs: 90_000 },
    ],
    [
      'in the body before that of a sentence',
      { error: { message: 'Please try again later, in 5 minutes.', retryDelayMs: 1_500 } },
      {},
      { retryAfterMs: 1_500 },
    ],
    [
      'where the one in the body is over',
      { error: { message: 'Please try again in 20s', resets_at: inAnHour - 7_200 } },
      {},
      { retryAfterMs: 20_000 },
    ],
  ])('LM-01 a limit has the time %s', (_title, body, headers, verdict) => {
    const [thrown] = answered(429, body);
    expect(classify(thrown, { status: 429, headers })).toMatchObject(verdict);
  });

  it.each<[string, number, unknown]>([
    ['a time that is over', 429, { error: { message: 'x', resets_at: inAnHour - 7_200 } }],
    ['a time years ahead', 429, { error: { message: 'try again on 2029-01-01 at 10:00' } }],
    ['the sentence of a wrong request', 400, { error: { message: 'try again in 5 minutes' } }],
    ['the sentence of a broken server', 503, { error: { message: 'try again in 5 minutes' } }],
  ])('LM-01 %s is no wait', (_title, status, body) => {
    expect(classify(...answered(status, body))).not.toHaveProperty('retryAfterMs');
  });

  it('LM-01 the window in the headers of a broken server is no wait, nor is what was sent', () => {
    const headers = { 'x-ratelimit-reset': raw };
    const [broken] = answered(503, {});
    expect(classify(broken, { status: 503, headers })).not.toHaveProperty('retryAfterMs');
    const [thrown] = answered(429, { requestBodyValues: { retry_after: 90 } });
    expect(classify(thrown, { status: 429 })).not.toHaveProperty('retryAfterMs');
  });

  it('a Retry-After beside a refused key is not a wait', () => {
    const [thrown] = answered(401, {});
    expect(classify(thrown, { status: 401, headers: { 'retry-after': '5' } })).not.toHaveProperty(
      'retryAfterMs',
    );
  });
});

describe('S2-29 x-should-retry', () => {
  it.each<[string, number, unknown, FailureReason]>([
    ['false', 409, {}, 'server_final'],
    ['false', 503, {}, 'server_final'],
    ['FALSE ', 500, {}, 'server_final'],
    ['false', 429, {}, 'quota'],
    ['false', 400, {}, 'request'],
    ['false', 401, {}, 'key'],
    ['true', 400, {}, 'server'],
    ['true', 404, {}, 'server'],
    ['true', 413, {}, 'server'],
    ['true', 503, {}, 'server'],
    ['true', 429, {}, 'rate_limited'],
    ['true', 429, { error: { code: 'insufficient_quota' } }, 'quota'],
    ['maybe', 503, {}, 'server'],
    ['maybe', 400, {}, 'request'],
  ])('%s beside %i %j is %s', (word, status, body, reason) => {
    const [thrown] = answered(status, body);
    const verdict = classify(thrown, { status, headers: { 'x-should-retry': word } });
    expect(verdict).toMatchObject({ reason, status });
  });

  it('says nothing beside an answer that began with 200', () => {
    const headers = { 'x-should-retry': 'false' };
    expect(classify({ type: 'overloaded_error' }, { status: 200, headers }).reason).toBe('server');
  });
});

describe('errors inside an answer that began with 200', () => {
  it.each<[unknown, FailureReason]>([
    [{ type: 'overloaded_error', message: 'x' }, 'server'],
    [{ type: 'api_error', message: 'x' }, 'server'],
    [{ message: 'something' }, 'server'],
    ['a bare string', 'server'],
    [{ code: 503, message: 'x', status: 'UNAVAILABLE' }, 'server'],
    [{ type: 'rate_limit_error', message: 'x' }, 'rate_limited'],
    [{ code: 429, message: 'x' }, 'rate_limited'],
    [{ code: 'insufficient_quota', message: 'x' }, 'quota'],
    [{ code: '401', message: 'x' }, 'key'],
    [{ type: 'invalid_request_error', message: 'x' }, 'request'],
    [{ code: 'context_length_exceeded', message: 'x' }, 'too_long'],
    [Object.assign(new Error('x'), { name: 'AI_JSONParseError' }), 'malformed'],
    [Object.assign(new Error('x'), { name: 'AI_TypeValidationError' }), 'malformed'],
    [
      Object.assign(new Error('Response stream ended without a finish reason.'), {
        name: 'AI_InvalidResponseDataError',
      }),
      'cut',
    ],
    [Object.assign(new Error('x'), { name: 'AI_InvalidResponseDataError' }), 'malformed'],
    [undefined, 'cut'],
    [null, 'cut'],
    [42, 'cut'],
  ])('%j is %s', (thrown, reason) => {
    expect(classify(thrown, { status: 200 }).reason).toBe(reason);
  });
});

describe('what was decided before the error', () => {
  it('an abort wins over everything', () => {
    const verdict = classifyProviderError(fetchFailed('ECONNRESET'), {
      wire: wire({ timedOut: 'idle', status: 500 }),
      isAborted: true,
      nowMs: NOW_MS,
    });
    expect(verdict).toEqual({ reason: 'aborted' });
  });

  it('our own limit wins over the error that it caused', () => {
    expect(classify(new Error('aborted'), { timedOut: 'idle', status: 200 }).reason).toBe('idle');
    expect(classify(new Error('aborted'), { timedOut: 'first_byte' }).reason).toBe('first_byte');
  });

  it.each<[number, FailureReason]>([
    [401, 'key'],
    [422, 'request'],
    [503, 'server'],
  ])('S2-29 %i whose text never comes is what its status says', (status, reason) => {
    expect(classify(new Error('aborted'), { timedOut: 'idle', status })).toEqual({
      reason,
      status,
    });
  });

  it('an error before anything was sent is a request that could not be built', () => {
    expect(classify(new Error('unsupported'), { isSent: false })).toMatchObject({
      reason: 'unbuildable',
    });
  });
});

describe('S2-30 words', () => {
  const facts = { provider: 'office', model: 'm-1', host: 'api.example.com', secrets: [] };
  it.each(FAILURE_REASONS)('%s says what happened and what is kept, in plain words', (reason) => {
    const failure = failureOf(
      { reason, status: 400, said: 'because', retryAfterMs: 42_000 },
      facts,
    );
    expect(failure.message).toMatch(/office|api\.example\.com/);
    expect(failure.message.endsWith('.')).toBe(true);
    expect(failure.hint).toContain('saved');
    expect(`${failure.message} ${failure.hint}`).not.toMatch(/oops|please|failed|!|undefined/i);
    if (failure.kind === 'config') {
      expect(failure.isRetryable).toBe(false);
      expect(failure.hint).toContain('providers.office.');
    }
  });

  it.each([
    [42_000, 'in 42 s'],
    [90_000, 'in 2 min'],
    [3_600_000 * 3 + 60_000, 'in 3 h 1 min'],
  ])('a wait of %i ms reads "%s"', (retryAfterMs, text) => {
    expect(failureOf({ reason: 'rate_limited', retryAfterMs }, facts).hint).toContain(text);
  });
});
