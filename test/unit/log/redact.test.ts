import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createRedactor,
  isSecretKey,
  LOG_LIMITS,
  MAX_READ,
  redact,
  redactText,
  REDACTED,
} from '../../../shared/redact';
import { SLACK } from '../../helpers/slack';

describe('isSecretKey', () => {
  it.each([
    'authorization',
    'Authorization',
    'proxy-authorization',
    'x-api-key',
    'api_key',
    'apiKey',
    'APIKEY',
    'OPENAI_API_KEY',
    'token',
    'accessToken',
    'refresh_token',
    'client_secret',
    'cookie',
    'Set-Cookie',
    'nkey',
    'seed',
    'nats_seed',
    'password',
    'db.password',
    'passphrase',
    'private_key',
    'privateKey',
    'credentials',
    'userPwd',
    'jwt',
    'secretKey',
    'signing_key',
    'anthropicApiKey',
  ])('R1 hides %s', (key) => {
    expect(isSecretKey(key)).toBe(true);
  });

  it.each([
    'tokens_used',
    'max_tokens',
    'inputTokens',
    'outputTokens',
    'token_count',
    'tokenUsage',
    'tokens',
    'key',
    'sessionKey',
    'session_key',
    'idempotency_key',
    'idempotencyKey',
    'settingKey',
    'publicKey',
    'monkey',
    'keyboard',
    'author',
    'authority',
    'turnId',
    'passed',
    'seedling',
    'tokenizer',
    '',
  ])('R1 keeps %s', (key) => {
    expect(isSecretKey(key)).toBe(false);
  });
});

describe('redactText', () => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLWNhbmFyeQ';
  const nkey = `SU${'AB2C3D4E5F6G7H'.repeat(4)}`;
  it.each([
    ['an OpenAI key', 'failed for sk-proj-CANARY_abc-123456', 'failed for [redacted]'],
    ['an Anthropic key', 'x sk-ant-api03-CANARYCANARY y', 'x [redacted] y'],
    ['a bearer', 'sent Bearer CANARY.abc-def_1= ok', 'sent Bearer [redacted] ok'],
    [
      'a header with basic',
      'Authorization: Basic Q0FOQVJZOmNhbmFyeQ==',
      'Authorization: [redacted]',
    ],
    ['a cookie header', 'Cookie: sid=CANARY; theme=dark', 'Cookie: [redacted]'],
    ['a JWT', `got ${jwt}.`, 'got [redacted].'],
    ['an NKey seed', `seed ${nkey} end`, 'seed [redacted] end'],
    [
      'user information',
      'nats://canary:CANARY@127.0.0.1:4222/x',
      'nats://[redacted]@127.0.0.1:4222/x',
    ],
    ['a password with @', 'https://u:p@CANARY@host/x', 'https://[redacted]@host/x'],
    ['?key=', 'GET /v1?alt=sse&key=CANARY&x=1', 'GET /v1?alt=sse&key=[redacted]&x=1'],
    ['?access_token=', '/cb?access_token=CANARY#top', '/cb?access_token=[redacted]#top'],
    ['a variable', 'OPENAI_API_KEY=CANARYplain', 'OPENAI_API_KEY=[redacted]'],
    ['JSON in text', '{"api_key":"CANARYplain","n":1}', '{"api_key":"[redacted]","n":1}'],
    [
      'escaped JSON in text',
      '{\\"password\\":\\"CANARYplain\\"}',
      '{\\"password\\":\\"[redacted]\\"}',
    ],
    ['a Google key', `AIzaSyCANARY${'x'.repeat(30)}`, REDACTED],
    ['a GitHub token', 'ghp_CANARYcanaryCANARYcanary', REDACTED],
    ['a private key', '-----BEGIN PRIVATE KEY-----\nCANARY\n-----END PRIVATE KEY-----', REDACTED],
  ])('R1 hides %s', (_what, text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  it.each([
    'max_tokens: 4096, tokens_used=1234, "inputTokens": 99',
    'risk-assessment for task-force-one, desk-lamp',
    'resilience.recovery.mode is safe_only',
    'https://api.example.com/v1/models?limit=10',
    'mail to someone@example.com about http://example.com/a@b',
    'step 3 of turn 42: write_file notes.txt (12 bytes)',
  ])('R1 leaves alone: %s', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it('R4 takes under 1 s for 64 KB of the worst texts', () => {
    const worst = [
      'a',
      'sk-',
      '://',
      'eyJ',
      '?key=',
      '-',
      'a.b-c_',
      'Bearer ',
      'token=',
      '-----BEGIN PRIVATE KEY-----',
      ' ',
      '{"',
    ];
    for (const piece of worst) {
      const text = piece.repeat(Math.ceil(65_536 / piece.length));
      const startMs = performance.now();
      redactText(text);
      expect(performance.now() - startMs, JSON.stringify(piece)).toBeLessThan(1000 * SLACK);
    }
  });
});

describe('redact', () => {
  const canary = 'CANARY-7f3a9c';
  const cyclic: Record<string, unknown> = { token: canary };
  cyclic['self'] = cyclic;
  const cause = new Error('refused: Bearer CANARY-7f3a9c', {
    cause: { headers: { cookie: canary } },
  });
  const failing = {
    get value(): string {
      throw new Error(canary);
    },
  };

  it.each<[string, unknown]>([
    ['a nested object', { a: { b: [{ apiKey: canary }] } }],
    ['a Map', new Map([['password', canary]])],
    ['a Map in a Map', new Map([['x', new Map([['secret', canary]])]])],
    ['a Set of texts', new Set([`Bearer ${canary}`])],
    ['an error with causes', new Error('outer', { cause })],
    [
      'an error with facts',
      Object.assign(new Error('x'), { config: { headers: { authorization: canary } } }),
    ],
    ['an AggregateError', new AggregateError([cause], 'several')],
    ['a cycle', cyclic],
    ['a Buffer', Buffer.from(canary)],
    ['a typed array in an object', { body: new Uint8Array(Buffer.from(canary)) }],
    ['a URL', new URL(`https://u:${canary}@host/?key=${canary}`)],
    ['a list of headers', ['Content-Type', 'x', 'X-Api-Key', canary]],
    ['name and value', [{ name: 'OPENAI_API_KEY', value: canary }]],
    ['tokens as texts', { tokens: [canary], refreshTokens: canary }],
    ['an object under a secret name', { credentials: { user: 'u', pass: canary } }],
    ['a getter that throws', failing],
    ['a field name', { [`https://u:${canary}@host`]: 1 }],
    ['15 levels', [...Array(15).keys()].reduce<unknown>((inner) => ({ inner }), { token: canary })],
    [
      'a class',
      new (class {
        readonly password = canary;
      })(),
    ],
    ['a symbol and a function', { a: Symbol(canary), b: () => canary }],
  ])('R1 leaks nothing from %s', (_what, value) => {
    const text = JSON.stringify(redact(value));
    expect(text).not.toContain('CANARY');
  });

  it('R1 keeps what is useful: counts of tokens, flags, causes, sizes', () => {
    expect(
      redact({
        tokens_used: 12,
        max_tokens: 4096,
        usage: { inputTokens: 3 },
        hasToken: true,
        token: null,
      }),
    ).toEqual({
      tokens_used: 12,
      max_tokens: 4096,
      usage: { inputTokens: 3 },
      hasToken: true,
      token: null,
    });
    expect(redact(new Error('outer', { cause: new TypeError('inner') }))).toMatchObject({
      name: 'Error',
      message: 'outer',
      cause: { name: 'TypeError', message: 'inner' },
    });
    expect(redact({ body: Buffer.alloc(12), at: new Date(0), n: 10n, x: Number.NaN })).toEqual({
      body: '[12 bytes]',
      at: '1970-01-01T00:00:00.000Z',
      n: '10',
      x: 'NaN',
    });
  });

  it('R1 does not change what it was given', () => {
    const value = { token: canary, list: [1, { password: canary }] };
    const before = structuredClone(value);
    redact(value);
    expect(value).toEqual(before);
  });

  it('R4 cuts a text at 8 KB and says how long it was; a secret at the cut is hidden whole', () => {
    const text = `${'x'.repeat(LOG_LIMITS.maxText - 12)} sk-${'s'.repeat(60)} ${'y'.repeat(20_000)}`;
    const cut = redact(text) as string;
    expect(cut.length).toBeLessThan(LOG_LIMITS.maxText + 40);
    expect(cut).not.toContain('sss');
    expect(cut).toContain(`[${String(text.length)} characters]`);
  });

  it('R4 is bounded in width and in all: 10^6 entries take under 1 s', () => {
    const wide = Array.from({ length: 1_000_000 }, (_, n) => ({ n }));
    const startMs = performance.now();
    expect((redact(wide) as unknown[]).length).toBe(LOG_LIMITS.maxEntries + 1);
    const deep = Object.fromEntries(
      wide.slice(0, 1000).map((item, n) => [`k${String(n)}`, wide.slice(0, 200).concat(item)]),
    );
    redact(deep);
    expect(performance.now() - startMs).toBeLessThan(1000 * SLACK);
  });

  it('R1 never throws and always gives JSON (500 random values)', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withMap: true,
          withSet: true,
          withBigInt: true,
          withDate: true,
          withTypedArray: true,
          withNullPrototype: true,
        }),
        (value) => {
          JSON.stringify(redact(value));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('T5 a field called __proto__ stays a field', () => {
    const result = redact(JSON.parse('{"__proto__": {"polluted": 1}}')) as object;
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe('learned values', () => {
  it('R1 hides a key that looks like nothing, also escaped and encoded', () => {
    const redactor = createRedactor();
    const key = 'hunter2 "quoted"/ä';
    redactor.learn(key);
    for (const text of [key, JSON.stringify({ note: key }), `/x/${encodeURIComponent(key)}/y`]) {
      expect(redactor.redactText(text)).not.toContain('hunter2');
    }
    expect(redactor.redact({ note: `a ${key} b` })).toEqual({ note: 'a [redacted] b' });
  });

  it('R1 does not learn fragments that would hide half the log', () => {
    const redactor = createRedactor();
    redactor.learn('abc');
    redactor.learn('   ');
    expect(redactor.redactText('abc def')).toBe('abc def');
  });
});

describe('R4 what is read in one call is bounded', () => {
  const secret = 'orchid-4f1d9a77c0ffee0123456789abcdef';
  const redactor = createRedactor();
  redactor.learn(secret);
  const filler = (chars: number): string => 'word '.repeat(chars / 5 + 1).slice(0, chars);

  it('R4 a text is searched up to the bound, and what follows is withheld, whatever it is', () => {
    const text = `${filler(1_000)}${secret}${filler(MAX_READ)}${secret} the end`;
    const clean = redactor.redactText(text);
    expect(clean).toContain(' [redacted]');
    expect(clean).not.toContain('4f1d9a');
    expect(clean).not.toContain('the end');
    expect(clean.endsWith(`… [${String(text.length)} characters]`)).toBe(true);
    expect(clean.length).toBeLessThan(MAX_READ);
  });

  it('R1 no part of a secret stands before the bound, wherever in it the bound falls', () => {
    for (let inside = 1; inside < secret.length; inside += 1) {
      for (const form of [
        secret,
        Array.from(secret).join(' - '),
        Buffer.from(secret).toString('hex'),
      ]) {
        const text = `${filler(MAX_READ - inside)}${form} `.padEnd(MAX_READ + 500, 'z');
        expect(redactor.redactText(text).replaceAll('word ', '')).toMatch(
          /^w?o?r?d?… \[\d+ characters\]$/,
        );
      }
    }
  });

  it('R4 a text of exactly the bound is shown whole', () => {
    const text = filler(MAX_READ);
    expect(redactor.redactText(text)).toBe(text);
  });

  it('S2-+05 a value that is too long to be searched is taken to hold a secret', () => {
    expect(redactor.holds(filler(MAX_READ), 8)).toBe(false);
    expect(redactor.holds(filler(MAX_READ + 1), 8)).toBe(true);
  });

  it('R4 of many texts in one value only so many characters are kept, and the others are counted', () => {
    const texts = Array.from({ length: 90 }, () => filler(6_000));
    const clean = redactor.redact({ texts }) as { texts: readonly string[] };
    expect(JSON.stringify(clean).length).toBeLessThan(LOG_LIMITS.maxKept + 90 * 30);
    expect(clean.texts).toHaveLength(90);
    expect(clean.texts[0]).toBe(texts[0]);
    expect(clean.texts.at(-1)).toBe('… [6000 characters]');
  });

  it('R4 of many texts that come to nothing only so many characters are read', () => {
    const key = `-----BEGIN PRIVATE KEY-----${'A'.repeat(40_000)}`;
    const clean = redactor.redact(Array(20).fill(key)) as readonly string[];
    const read = clean.filter((text) => text.startsWith('[redacted]')).length;
    expect(read).toBe(Math.ceil(MAX_READ / key.length) - 1);
    expect(clean.at(-1)).toBe(`… [${String(key.length)} characters]`);
  });
});

describe('R1 a JWT wherever it stands in a longer run', () => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.Zq81xKp0Lm44Rt';
  it.each([
    ['after a name of a host', `api-example.${jwt}`],
    ['after a part that is long enough', `some-long-head.payload.${jwt}`],
    ['after a dash', `x-${jwt}`],
    ['after another', `${jwt} ${jwt}`],
    ['encrypted, in five parts', 'eyJhbGciOiJkaXIifQ..c2VjcmV0aXY.Y2lwaGVydGV4dA.Zq81xKp0Lm44Rt'],
  ])('R1 it is hidden %s', (_name, text) => {
    const clean = redactText(`a ${text} b`);
    expect(clean).toMatch(/^a .*\[redacted\] b$/);
    expect(clean).not.toMatch(/eyJ|Zq81|c2Vj/);
  });
  it('R1 names with dots are left as they are', () => {
    const text = 'window.electron-builder.config.files and eyJ.a.b';
    expect(redactText(text)).toBe(text);
  });
});
