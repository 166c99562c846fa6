import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startFakeProvider } from '../../helpers/fake-provider';
import type { FakeDialect, FakeProvider } from '../../helpers/fake-provider';
import type { FakeReply } from '../../helpers/fake-provider-types';
import { ask, DIALECTS, failureOf, rigFor, rigOf } from './provider-harness';
import { SLACK } from '../../helpers/slack';

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
afterEach(() => {
  fake.setScript([]);
});
afterAll(() => fake.stop());

interface Row {
  readonly title: string;
  /** Where the dialect cannot say this. */
  readonly except?: FakeDialect;
  readonly reply: FakeReply | Readonly<Record<FakeDialect, FakeReply>>;
  readonly expect: { kind: string; isRetryable: boolean; status?: number; retryAfterMs?: number };
}

const text = 'one two three four five six';
const ROWS: readonly Row[] = [
  {
    title: 'S0-16 a reset connection',
    reply: { fault: 'reset' },
    expect: { kind: 'network', isRetryable: true },
  },
  {
    title: 'S0-15 408',
    reply: { status: 408 },
    expect: { kind: 'server', isRetryable: true, status: 408 },
  },
  {
    title: 'S2-29 409',
    reply: { status: 409 },
    expect: { kind: 'server', isRetryable: true, status: 409 },
  },
  {
    title: 'S0-15 500',
    reply: { status: 500 },
    expect: { kind: 'server', isRetryable: true, status: 500 },
  },
  {
    title: 'S2-26 503 with Retry-After: 5',
    reply: { status: 503, headers: { 'retry-after': '5' } },
    expect: { kind: 'server', isRetryable: true, status: 503, retryAfterMs: 5_000 },
  },
  {
    title: 'S0-15 529',
    reply: { status: 529 },
    expect: { kind: 'server', isRetryable: true, status: 529 },
  },
  {
    title: 'S0-15 502 with a page of HTML',
    reply: { status: 502, body: '<html>Bad gateway</html>' },
    expect: { kind: 'server', isRetryable: true, status: 502 },
  },
  {
    title: 'S0-14 429',
    reply: { status: 429 },
    expect: { kind: 'rate_limited', isRetryable: true, status: 429 },
  },
  {
    title: 'S2-25 429 with Retry-After: 3600',
    reply: { status: 429, headers: { 'retry-after': '3600' } },
    expect: { kind: 'rate_limited', isRetryable: true, status: 429, retryAfterMs: 3_600_000 },
  },
  {
    title: 'S2-25 hard quota',
    reply: {
      'openai-compatible': {
        status: 429,
        error: {
          message: 'You exceeded your current quota',
          code: 'insufficient_quota',
          type: 'insufficient_quota',
        },
      },
      anthropic: {
        status: 400,
        error: { message: 'Your credit balance is too low to access the Anthropic API.' },
      },
      google: {
        status: 429,
        body: {
          error: {
            code: 429,
            message: 'You exceeded your current quota.',
            status: 'RESOURCE_EXHAUSTED',
            details: [
              { violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }] },
            ],
          },
        },
      },
    },
    expect: { kind: 'quota', isRetryable: false },
  },
  {
    title: 'R4 402',
    reply: { status: 402 },
    expect: { kind: 'quota', isRetryable: false, status: 402 },
  },
  ...[400, 401, 403, 404, 407, 413, 422].map((status) => ({
    title: `S2-29 ${String(status)}`,
    reply: { status },
    expect: { kind: 'config', isRetryable: false, status },
  })),
  {
    title: 'S2-26 a connection cut in the answer',
    reply: { text, fault: 'cut' },
    expect: { kind: 'cut', isRetryable: true },
  },
  {
    title: 'S0-15 a clean end without a finish',
    reply: { text, fault: 'eof' },
    expect: { kind: 'cut', isRetryable: true },
  },
  {
    title: 'S0-15 all of the text and no finish',
    reply: { text, finish: 'none' },
    expect: { kind: 'cut', isRetryable: true },
  },
  {
    title: 'S0-15 an unknown finish',
    reply: { text, finish: 'other' },
    expect: { kind: 'cut', isRetryable: true },
  },
  {
    title: 'S0-15 an event that is no JSON, with a finish after it',
    reply: { text, fault: 'malformed_event' },
    expect: { kind: 'malformed', isRetryable: true },
  },
  {
    title: 'S0-15 an error in the stream, with a finish after it',
    reply: { text, fault: 'error_event' },
    expect: { kind: 'server', isRetryable: true },
  },
  {
    title: 'S0-15 200 with nothing in it',
    reply: { text: [] },
    expect: { kind: 'malformed', isRetryable: true },
  },
  {
    title: 'S0-15 tool_calls without a call',
    // STOP without a call is a plain answer there.
    except: 'google',
    reply: { text: ['a'], toolCalls: [], finish: 'tool_calls' },
    expect: { kind: 'malformed', isRetryable: true },
  },
  {
    title: 'S0-15 200 with a login page',
    reply: { body: '<html>Log in to the hotel</html>', headers: { 'content-type': 'text/html' } },
    expect: { kind: 'malformed', isRetryable: true },
  },
  {
    title: 'S0-15 200 with an error as its body',
    reply: { body: { error: { message: 'slow down', type: 'rate_limit_error' } } },
    expect: { kind: 'rate_limited', isRetryable: true },
  },
  {
    title: 'S2-29 an answer sent whole, which would be paid for again',
    reply: {
      'openai-compatible': { body: { choices: [{ message: { content: 'whole' } }] } },
      anthropic: { body: { type: 'message', content: [{ type: 'text', text: 'whole' }] } },
      google: { body: [{ candidates: [{ content: { parts: [{ text: 'whole' }] } }] }] },
    },
    expect: { kind: 'config', isRetryable: false },
  },
  {
    title: 'S2-29 a redirect that names no address',
    reply: { status: 302 },
    expect: { kind: 'config', isRetryable: false, status: 302 },
  },
];

describe.each(DIALECTS)('failures over %s', (dialect) => {
  it.each(ROWS.filter((row) => row.except !== dialect))(
    '$title',
    async ({ reply, expect: expected, title }) => {
      const before = fake.calls().length;
      fake.setScript([
        dialect in reply
          ? (reply as Record<FakeDialect, FakeReply>)[dialect]
          : (reply as FakeReply),
      ]);
      const rig = rigFor(fake, dialect);
      const failure = failureOf(await rig.call(ask('hi')));
      expect(failure).toMatchObject(expected);
      if (expected.retryAfterMs === undefined) expect(failure).not.toHaveProperty('retryAfterMs');
      expect(fake.calls().length - before, 'one call is one request').toBe(1);
      expect(failure.message).toContain(title.includes('login page') ? '127.0.0.1' : 'office');
      expect(failure.hint).toContain('saved');
      if (failure.kind === 'config') expect(failure.hint).toContain('providers.office.');
      expect(rig.logged.map((line) => line.event)).toEqual(['provider.failure']);
    },
  );

  it.each<[string, FakeReply, { readonly inAll?: true }]>([
    [
      'a tool call that cannot be read',
      { toolCalls: [{ name: 'files.read', rawArgs: dialect === 'google' ? '[1]' : '{"a": no' }] },
      { inAll: true },
    ],
    ['an answer with nothing in it', { text: [] }, { inAll: true }],
    ['an unknown finish', { text, finish: 'other' }, { inAll: true }],
    ['a connection cut in the answer', { text, fault: 'cut' }, {}],
    ['a clean end without a finish', { text, fault: 'eof' }, {}],
    ['an error in the stream', { text, fault: 'error_event' }, {}],
  ])('BU-03 of %s is known what it took, as far as told', async (_name, reply, { inAll }) => {
    fake.setScript([{ ...reply, usage: { inputTokens: 2_000_000, outputTokens: 9 } }]);
    const rig = rigFor(fake, dialect, {
      settings: { price_input_per_million_usd: 1, price_output_per_million_usd: 0 },
    });
    const { usage } = failureOf(await rig.call(ask('hi')));
    // Before its end only Anthropic tells anything.
    if (inAll === true || dialect === 'anthropic')
      expect(usage).toMatchObject({ inputTokens: 2_000_000, costUsd: 2 });
    else expect(usage).toBeUndefined();
    if (inAll === true) expect(usage).toMatchObject({ outputTokens: 9 });
  });

  it('BU-03 a request that got no answer took nothing', async () => {
    fake.setScript([{ status: 500 }]);
    expect(failureOf(await rigFor(fake, dialect).call(ask('hi')))).not.toHaveProperty('usage');
  });

  it('S0-16 a closed port counts as network', async () => {
    const gone = await startFakeProvider();
    await gone.stop();
    const failure = failureOf(await rigFor(gone, dialect).call(ask('hi')));
    expect(failure).toMatchObject({ kind: 'network', isRetryable: true });
    expect(failure.message).toContain(`127.0.0.1:${String(gone.port)}`);
  });

  it('S0-16 a server without TLS behind https counts as network', async () => {
    const rig = rigOf({
      kind: dialect,
      base_url: fake.baseUrl(dialect).replace('http:', 'https:'),
    });
    const failure = failureOf(await rig.call(ask('hi')));
    expect(failure).toMatchObject({ kind: 'network', isRetryable: true });
    expect(failure.message).toContain('no secure connection');
  });

  it('S0-16 silence before the first byte ends after the limit, not later', async () => {
    fake.setScript([{ fault: 'stall_first_byte' }]);
    const rig = rigFor(fake, dialect, { timeouts: { firstByteMs: 150, idleMs: 5_000 } });
    const startMs = performance.now();
    const failure = failureOf(await rig.call(ask('hi')));
    const tookMs = performance.now() - startMs;
    expect(failure).toMatchObject({ kind: 'timeout', isRetryable: true });
    expect(tookMs).toBeGreaterThanOrEqual(149);
    expect(tookMs).toBeLessThan(4_000 * SLACK);
  });

  it('S0-16 silence in the middle of the answer ends after the idle limit', async () => {
    fake.setScript([{ text, fault: 'stall_mid_stream' }]);
    const rig = rigFor(fake, dialect, { timeouts: { firstByteMs: 5_000, idleMs: 150 } });
    const seen: string[] = [];
    const failure = failureOf(await rig.call(ask('hi'), { onText: (delta) => seen.push(delta) }));
    expect(failure).toMatchObject({ kind: 'timeout', isRetryable: true });
    expect(seen.join('')).toMatch(/^one /);
  });

  it('S0-16 a slow answer is not a silent one', async () => {
    fake.setScript([{ text, chunkDelayMs: 150 }]);
    const rig = rigFor(fake, dialect, { timeouts: { firstByteMs: 900, idleMs: 900 } });
    expect(await rig.call(ask('hi'))).toMatchObject({ kind: 'answer' });
  });

  it.each(['stall_first_byte', 'stall_mid_stream'] as const)(
    'S0-09 an abort during %s ends the call within 2 s',
    async (fault) => {
      const before = fake.calls().length;
      fake.setScript([{ text, fault }]);
      const stop = new AbortController();
      const call = rigFor(fake, dialect).call(ask('hi'), { signal: stop.signal });
      await fake.waitForRequests(before + 1);
      await new Promise((resolve) => setTimeout(resolve, 50));
      const startMs = performance.now();
      stop.abort(new Error('stopped by the person'));
      expect(failureOf(await call)).toMatchObject({ kind: 'aborted', isRetryable: false });
      expect(performance.now() - startMs).toBeLessThan(2_000 * SLACK);
    },
  );

  it('S0-09 a call that is aborted before it starts sends nothing', async () => {
    const before = fake.calls().length;
    const outcome = await rigFor(fake, dialect).call(ask('hi'), { signal: AbortSignal.abort() });
    expect(failureOf(outcome).kind).toBe('aborted');
    expect(fake.calls().length).toBe(before);
  });
});

describe('errors inside a stream', () => {
  it.each([
    ['overloaded_error', 'server', true],
    ['rate_limit_error', 'rate_limited', true],
    ['authentication_error', 'config', false],
    ['invalid_request_error', 'config', false],
    ['billing_error', 'quota', false],
  ])('S0-15 Anthropic %s as the first event is %s', async (type, kind, isRetryable) => {
    const event = { type: 'error', error: { type, message: 'no' } };
    fake.setScript([
      {
        body: `event: error\ndata: ${JSON.stringify(event)}\n\n`,
        headers: { 'content-type': 'text/event-stream' },
      },
    ]);
    expect(failureOf(await rigFor(fake, 'anthropic').call(ask('hi')))).toMatchObject({
      kind,
      isRetryable,
    });
  });

  it('S0-15 Anthropic: broken JSON as the first event is malformed, not a 500', async () => {
    fake.setScript([
      { body: 'data: {not json\n\n', headers: { 'content-type': 'text/event-stream' } },
    ]);
    const failure = failureOf(await rigFor(fake, 'anthropic').call(ask('hi')));
    expect(failure).toMatchObject({ kind: 'malformed', isRetryable: true });
    expect(failure).not.toHaveProperty('status');
  });

  it('S2-25 Google: an answer that wants to be continued ends with length after 1 request', async () => {
    const before = fake.calls().length;
    const event = {
      candidates: [
        {
          content: { parts: [{ text: 'part' }] },
          finishReason: 'CONTINUATION',
          continuationToken: 'token',
        },
      ],
    };
    const body = `data: ${JSON.stringify(event)}\n\n`;
    fake.setScript([{ body, headers: { 'content-type': 'text/event-stream' } }]);
    const outcome = await rigFor(fake, 'google').call(ask('hi'));
    expect(outcome).toMatchObject({ kind: 'answer', answer: { finish: 'length' } });
    expect(fake.calls().length - before).toBe(1);
  });
});

describe('the fake provider as the other tests use it', () => {
  it('S0-20 is refused while down and answers on the same port when up again', async () => {
    const own = await startFakeProvider({ script: () => ({ text: 'back' }) });
    const rig = rigFor(own, 'anthropic');
    try {
      await own.down();
      expect(failureOf(await rig.call(ask('hi'))).kind).toBe('network');
      await own.up();
      expect(await rig.call(ask('hi'))).toMatchObject({ kind: 'answer' });
      expect(own.calls()).toHaveLength(1);
    } finally {
      await own.stop();
    }
  });

  it('S2-25 shows a call too many as a 500 that names itself', async () => {
    const failure = failureOf(await rigFor(fake, 'google').call(ask('hi')));
    expect(failure).toMatchObject({ kind: 'server', status: 500 });
    expect(failure.message).toContain('script exhausted');
  });
});
