import { describe, expect, it } from 'vitest';
import { classifyAcpError } from '../../../electron/adapters/acp/classify-acp-error';
import { endWithLimit } from '../../../electron/adapters/acp/prompt-limits';
import { readRateLimit } from '../../../electron/adapters/acp/read-rate-limit';
import { readUpdate } from '../../../electron/adapters/acp/read-report';
import { readClaudeLine } from '../../../electron/adapters/command/claude-stream';
import { failureOf, planEnd } from '../../../electron/engine/executors/command/plan';
import { limitEnd, type UsageLimit } from '../../../shared/limits/read-limit';
import { SENTENCES } from '../limits/limit-sentences';
import { SLACK } from '../../helpers/slack';

const NOW_MS = 1_795_262_400_000;
const endOf = (found: UsageLimit | undefined) =>
  limitEnd(found?.resets, { nowMs: NOW_MS, zone: 'UTC' })?.atMs;
const limit = (data: unknown, message = 'usage limit reached') =>
  endOf(classifyAcpError('codex', { code: -32_603, message, data }).limit);

describe('the reset of a usage limit in the private data of an agent', () => {
  it.each<[string, unknown, number | undefined]>([
    ['seconds since the epoch', { error: { resets_at: 1_795_276_800 } }, 1_795_276_800_000],
    ['a date', { resetsAt: '2026-11-21T16:00:00Z' }, Date.parse('2026-11-21T16:00:00Z')],
    ['seconds from now', { resets_in_seconds: 3_600 }, NOW_MS + 3_600_000],
    [
      'the header of a response',
      { data: { statusCode: 429, responseHeaders: { 'retry-after': '3600' } } },
      NOW_MS + 3_600_000,
    ],
    ['a delay in ms', { retryDelayMs: 3_600_000 }, NOW_MS + 3_600_000],
    ['a delay with its unit', { details: [{ retryDelay: '3600s' }] }, NOW_MS + 3_600_000],
    ['a delay in parts', { metadata: { quotaResetDelay: '1h0m0s' } }, NOW_MS + 3_600_000],
    [
      'a time stamp under the key of a quota',
      { quotaResetTimeStamp: '2026-11-21T16:00:00Z' },
      Date.parse('2026-11-21T16:00:00Z'),
    ],
    [
      'JSON in a text',
      { responseBody: '429 {"error":{"resets_at":1795276800}}' },
      1_795_276_800_000,
    ],
    ['the request', { requestBodyValues: { retry_after: 60 } }, undefined],
    ['text with braces', { responseBody: '{"error": {retry_after: 60}' }, undefined],
    ['a time that is over', { resets_at: 1_500_000_000 }, undefined],
    ['a negative wait', { resets_in_seconds: -5 }, undefined],
    ['nothing', {}, undefined],
  ])('R4 S2-25 %s', (_title, data, atMs) => {
    const expected = atMs !== undefined && atMs <= NOW_MS ? undefined : atMs;
    expect(limit(data)).toBe(expected);
  });

  it('R4 S2-25 in the words alone', () => {
    expect(limit({}, 'Claude AI usage limit reached|1795276800')).toBe(1_795_276_800_000);
  });
});

it('LM-01 hostile data costs little: deep, wide, or much JSON in texts', () => {
  const deep: Record<string, unknown> = {};
  let at = deep;
  for (let level = 0; level < 5_000; level++) at = at['a'] = {} as Record<string, unknown>;
  at['resets_in_seconds'] = 60;
  const text = JSON.stringify({ a: 'b'.repeat(30_000) });
  const startedMs = performance.now();
  for (const data of [
    deep,
    Object.fromEntries(Array.from({ length: 50_000 }, (_, key) => [`k${String(key)}`, text])),
    { a: '['.repeat(1_000_000), b: '{'.repeat(1_000_000), c: `${'{'.repeat(50_000)}}` },
  ])
    expect(limit(data)).toBeUndefined();
  expect(performance.now() - startedMs).toBeLessThan(1_000 * SLACK);
});

it('LM-03 an overloaded server that names a wait is no limit of the account', () => {
  const failure = classifyAcpError('opencode', {
    code: -32_603,
    message: 'API Error: 529 Overloaded',
    data: { responseHeaders: { 'retry-after': '30' } },
  });
  expect(failure).toMatchObject({ kind: 'provider' });
  expect(failure.limit).toBeUndefined();
});

const internal = (message: string, data?: unknown) => ({ code: -32_603, message, data });

describe('a usage limit as each agent reports it', () => {
  it.each(SENTENCES)('LM-03 %j is a limit and never a refusal or a login, over ACP', (text) => {
    for (const id of ['claude', 'codex', 'gemini', 'opencode', 'other'] as const) {
      const failure = classifyAcpError(id, internal(`Internal error: ${text}`));
      expect(failure.kind).toBe('provider');
      expect(failure.limit).toBeDefined();
    }
  });

  it.each(SENTENCES)('LM-03 %j is a limit in the stream of Claude Code', (text) => {
    const line = JSON.stringify({
      type: 'result',
      subtype: 'success',
      is_error: true,
      api_error_status: 429,
      result: text,
    });
    const answer = readClaudeLine(line).find((event) => event.kind === 'answer')?.answer;
    expect(answer?.limit).toBeDefined();
    const plan = planEnd({
      program: 'command.claude',
      dialect: 'claude',
      end: { kind: 'exited', code: 1, output: '', errors: '' },
      answer,
      isStopped: false,
      why: undefined,
    });
    expect(plan).toMatchObject({ kind: 'failed', limit: { window: expect.any(String) } });
  });

  it('LM-01 Claude over ACP: errorKind without a known sentence, a new and an older adapter', () => {
    // 0.101: `internalErrorForClient(errorKindData(error), result)`; 0.49: the same two parts.
    const failure = classifyAcpError(
      'claude',
      internal('Internal error: Something nobody has read yet', { errorKind: 'rate_limit' }),
    );
    expect(failure).toMatchObject({ kind: 'provider', limit: { window: 'other' } });
    expect(
      classifyAcpError('claude', internal('Internal error: x', { errorKind: 'billing_error' })),
    ).toMatchObject({ kind: 'provider', limit: {} });
    expect(
      classifyAcpError('claude', internal('Internal error: x', { errorKind: 'server_error' }))
        .limit,
    ).toBeUndefined();
  });

  it.each([
    // codex-acp of the protocol's makers, 2.2 and 2.6: `createTurnErrorData`.
    [
      {
        message: "You've hit your usage limit. Upgrade to Pro or try again at 6:34 AM.",
        codexErrorInfo: 'usageLimitExceeded',
      },
      Date.parse('2026-11-22T06:34Z'),
    ],
    [{ message: 'Nothing that can be read.', codexErrorInfo: 'usageLimitExceeded' }, undefined],
    // The adapter of Zed.
    [
      { message: 'Try again in 3h.', codex_error_info: 'usage_limit_exceeded' },
      NOW_MS + 10_800_000,
    ],
  ])('LM-01 Codex: %j', (data, atMs) => {
    const failure = classifyAcpError('codex', internal('Internal error', data));
    expect(failure).toMatchObject({ kind: 'provider', limit: {} });
    expect(endOf(failure.limit)).toBe(atMs);
  });

  it.each([
    [internal('Internal error', { code: 429, status: 'RESOURCE_EXHAUSTED' })],
    [internal('Resource has been exhausted (e.g. check quota).')],
    [{ code: 429, message: 'You have exhausted your daily quota on this model.' }],
  ])('LM-01 Gemini CLI: %j', (error) => {
    expect(classifyAcpError('gemini', error)).toMatchObject({ kind: 'provider', limit: {} });
  });

  it.each([
    [internal('Free usage exceeded, subscribe to Go', { errorName: 'FreeUsageLimitError' })],
    [internal('Internal error', { errorName: 'APIError', message: 'insufficient_quota' })],
  ])('LM-01 opencode: %j', (error) => {
    expect(classifyAcpError('opencode', error)).toMatchObject({ kind: 'provider', limit: {} });
  });
});

describe('what Claude reports of its limit while it works', () => {
  const info = {
    status: 'rejected',
    resetsAt: 1_795_276_800,
    rateLimitType: 'five_hour',
    utilization: 1.02,
  };
  const reached = readRateLimit(info);

  it('LM-01 LM-09 is read from the usage update of ACP and from its stream', () => {
    const update = { sessionUpdate: 'usage_update', used: 1, size: 2 };
    const told = (rate: unknown) =>
      readUpdate({ sessionId: 's', update: { ...update, _meta: { '_claude/rateLimit': rate } } })
        .event;
    expect(told(info)).toEqual({
      kind: 'limit',
      notice: {
        status: 'reached',
        used: 1,
        limit: { window: 'session', resets: { atMs: 1_795_276_800_000 } },
      },
    });
    expect(
      told({ status: 'allowed_warning', utilization: 0.83, rateLimitType: 'seven_day' }),
    ).toEqual({
      kind: 'limit',
      notice: { status: 'warning', used: 0.83, limit: { window: 'weekly' } },
    });
    expect(told({ status: 'else' })).toEqual({ kind: 'sign' });
    expect(
      readClaudeLine(JSON.stringify({ type: 'rate_limit_event', rate_limit_info: info })),
    ).toEqual([{ kind: 'limit', notice: reached }]);
  });

  const failed = (kind: 'provider' | 'refused' | 'died', found?: UsageLimit) =>
    ({
      kind: 'failure',
      failure: { kind, message: 'm', hint: 'h', ...(found === undefined ? {} : { limit: found }) },
    }) as const;
  const answered = (outputTokens: number) =>
    ({ kind: 'ok', value: { stop: 'end_turn', inputTokens: 0, outputTokens } }) as const;
  const sentence = "You've hit your session limit · resets 8pm (America/New_York)";

  it('LM-01 its exact time stands above the sentence, and makes a failed prompt a limit', () => {
    const end = endWithLimit(failed('provider', { window: 'other' }), {
      notice: reached,
      said: '',
    });
    expect(end).toMatchObject({ failure: { limit: reached?.limit } });
    expect(endWithLimit(failed('refused'), { notice: reached, said: '' })).toMatchObject({
      failure: { kind: 'provider', limit: reached?.limit },
    });
    expect(endWithLimit(failed('died'), { notice: reached, said: '' })).toEqual(failed('died'));
    const warned = readRateLimit({ ...info, status: 'allowed_warning' });
    expect(endWithLimit(failed('refused'), { notice: warned, said: '' })).toEqual(
      failed('refused'),
    );
  });

  it('LM-03 a limit that comes as an answer is one only if nothing else was said', () => {
    expect(endWithLimit(answered(0), { notice: reached, said: sentence })).toMatchObject({
      failure: { kind: 'provider', limit: reached?.limit },
    });
    for (const [end, said] of [
      [answered(12), sentence],
      [answered(0), `${sentence} ${'and more '.repeat(60)}`],
      [answered(0), 'Done.'],
    ] as const)
      expect(endWithLimit(end, { notice: reached, said })).toBe(end);
    expect(endWithLimit(answered(0), { notice: undefined, said: sentence })).toEqual(answered(0));
  });
});

it('LM-03 a rate limit without a word of a used-up limit is still a failure that may pass', () => {
  expect(classifyAcpError('other', internal('429 Too Many Requests')).limit).toBeUndefined();
  expect(failureOf({ message: 'API Error: 429', status: 429 }).kind).toBe('rate_limited');
});
