import { describe, expect, it } from 'vitest';
import type { BreakerView, HeldItem, ProviderHealth } from '../../../shared/types/outage';
import { breakerModel, waitsOf } from '../../../renderer/charts/breaker-picture-view';
import {
  breakerFacts,
  byUrgency,
  calmHead,
  chosenProvider,
  connectionLook,
  howItEnds,
  openOutages,
  providerHead,
} from '../../../renderer/outages/outages-view';
import { fromText, movedItems, planMove, rowUnder } from '../../../renderer/outages/queue-view';
import { fakeBreaker, fakeHealth } from '../../helpers/fake-outages';

const now = new Date(2026, 2, 24, 14, 31).getTime();
const health = (given: Partial<ProviderHealth>): ProviderHealth =>
  fakeHealth({ provider: 'anthropic', ...given });

describe('the breaker beside an outage', () => {
  const PROVIDER_BREAKER = { name: 'provider.office', dependency: 'provider' } as const;
  const closed = fakeBreaker({
    ...PROVIDER_BREAKER,
    failures: 4,
    failureThreshold: 5,
    explanation: 'Closed: requests go through.',
  });

  it('S2-16 R2 while turns wait and the breaker is still closed, it does not say that calls go through, and the next probe is that of the outage', () => {
    const nextTryAtMs = now + 42_000;
    expect(breakerFacts(health({ state: 'down', breaker: closed, nextTryAtMs }))).toEqual({
      why: 'Still closed: 4 of 5 requests in a row failed. Turns wait anyway, because the provider is down.',
      rest: '',
      nextAtMs: nextTryAtMs,
    });
  });

  it('S2-08 in every other state it has the words of the breaker, one sentence first', () => {
    const open = fakeBreaker({
      ...PROVIDER_BREAKER,
      state: 'open',
      nextTrialAtMs: now + 10_000,
      explanation: 'Open: 5 requests in a row failed. The next request is the probe.',
    });
    expect(breakerFacts(health({ state: 'down', breaker: open, nextTryAtMs: now }))).toEqual({
      why: 'Open: 5 requests in a row failed.',
      rest: 'The next request is the probe.',
      nextAtMs: now + 10_000,
    });
    expect(breakerFacts(health({ state: 'answering', breaker: closed }))).toEqual({
      why: 'Closed: requests go through.',
      rest: '',
    });
  });
});

describe('breakerModel', () => {
  const breaker = (given: Partial<BreakerView> = {}): BreakerView =>
    fakeBreaker({ name: 'provider.office', dependency: 'provider', ...given });

  it.each([
    ['closed', 'closed'],
    ['open', 'open'],
    ['half_open', 'half-open'],
  ] as const)('S2-08 marks the box of %s as the current one', (state, word) => {
    const marks = breakerModel(breaker({ state }));
    expect(marks.boxes.filter(({ isCurrent }) => isCurrent).map(({ name }) => name)).toEqual([
      word,
    ]);
    expect(marks.sentence).toBe(`Circuit breaker: closed, open, half-open. Now ${word}.`);
  });

  it('S2-12 S2-13 writes the thresholds in force on the arrows: 7 failures, 1 success', () => {
    const { arrows } = breakerModel(breaker({ failureThreshold: 7, successThreshold: 1 }));
    expect(arrows.map(({ lines }) => lines.join(' '))).toEqual([
      '7 failures',
      'wait over',
      'probe fails',
      '1 success',
    ]);
  });

  it.each([
    ['10 s to 120 s, at 120', 10_000, 120_000, 120_000, ['10 s', '20 s', '40 s', '80 s', '>120 s']],
    ['10 s to 120 s, at 40', 10_000, 120_000, 40_000, ['10 s', '20 s', '>40 s', '80 s', '120 s']],
    ['one wait alone', 5000, 5000, 5000, ['>5 s']],
    ['no first wait', 0, 2, 2, ['under 0.1 s', '>under 0.1 s']],
    [
      '1 s to 1 h, at 64 s: first, around it, last',
      1000,
      3_600_000,
      64_000,
      ['1 s', '32 s', '>64 s', '128 s', '1 h'],
    ],
  ])('S2-11 draws the waits %s', (_words, initialBackoffMs, maxBackoffMs, backoffMs, texts) => {
    const waits = waitsOf({ state: 'open', initialBackoffMs, maxBackoffMs, backoffMs });
    expect(waits.map(({ text, isCurrent }) => (isCurrent ? `>${text}` : text))).toEqual(texts);
  });

  it('S2-14 has no current wait while it is closed', () => {
    const waits = waitsOf({
      state: 'closed',
      initialBackoffMs: 10_000,
      maxBackoffMs: 120_000,
      backoffMs: 10_000,
    });
    expect(waits.some(({ isCurrent }) => isCurrent)).toBe(false);
  });
});

describe('the sentences of a provider', () => {
  it.each<[string, Partial<ProviderHealth>, string, string]>([
    [
      'S0-18 down with 14 turns',
      { state: 'down', waiting: 14 },
      'Anthropic is down',
      '14 turns are queued in order and resume automatically when it is back.',
    ],
    [
      'S0-18 down with none',
      { state: 'down', waiting: 0 },
      'Anthropic is down',
      'New turns are queued and resume automatically when it is back.',
    ],
    [
      'X-01 failing at 2 of 3',
      { state: 'failing', failedTurns: 2 },
      'Anthropic is degraded',
      '2 consecutive turns failed. After 3, the provider is marked down and new turns are queued.',
    ],
    [
      'X-03 recovering with its canary',
      { state: 'recovering', ramp: 1, waiting: 13 },
      'Anthropic is back',
      'One turn runs first; the others follow when it completes.',
    ],
    [
      'X-03 recovering, 4 at a time',
      { state: 'recovering', ramp: 4, waiting: 9 },
      'Anthropic is back',
      '9 turns are waiting and follow in order, up to 4 at a time.',
    ],
    [
      'S0-14 a limit that is over at 17:00',
      { state: 'quota', quotaUntilMs: new Date(2026, 2, 24, 17, 0).getTime(), waiting: 2 },
      'Anthropic: usage limit resets at 17:00',
      '2 turns wait and resume automatically then.',
    ],
    [
      'S0-15 a refused key is no outage',
      { state: 'key', waiting: 1 },
      'Anthropic rejected the API key',
      'This is not an outage. 1 turn waits until you change the key.',
    ],
    [
      'S0-20 answering',
      { state: 'answering' },
      'The provider is up',
      'No turns are waiting for a provider.',
    ],
  ])('%s', (_words, given, title, sub) => {
    expect(providerHead(health(given), now, 'en-GB')).toMatchObject({ title, sub });
  });

  it.each([
    [[], 'No providers set up'],
    [[{ waiting: 0 }], 'The provider is up'],
    [[{ waiting: 0 }, { waiting: 2 }], 'All providers are up'],
  ])('says when all is well with %j', (providers, title) => {
    expect(calmHead(providers).title).toBe(title);
  });
});

describe('which provider', () => {
  const providers = [
    health({ provider: 'one', state: 'quota' }),
    health({ provider: 'two', state: 'down' }),
    health({ provider: 'three' }),
    health({ provider: 'four', state: 'key' }),
  ];

  it('S2-16 puts what is down before what only waits for its time', () => {
    expect(byUrgency(providers).map(({ provider }) => provider)).toEqual([
      'two',
      'four',
      'one',
      'three',
    ]);
  });

  it('S2-16 shows the one that was asked for, else the worst, else none', () => {
    expect(chosenProvider(providers, 'one')?.provider).toBe('one');
    expect(chosenProvider(providers, 'gone')?.provider).toBe('two');
    expect(chosenProvider([health({})], undefined)).toBeUndefined();
  });

  it('S0-17 counts outages in the sidebar: down and recovering, not quota and key', () => {
    const outside = {
      providers: (['down', 'recovering', 'quota', 'key', 'failing'] as const).map((state, at) => ({
        provider: String(at),
        state,
        waiting: 0,
        sentence: '',
      })),
      openBreakers: [],
    };
    expect(openOutages({ outside })).toBe(2);
    expect(openOutages({})).toBe(0);
    expect(openOutages(undefined)).toBe(0);
  });
});

describe('connectionLook', () => {
  const look = (
    given: Partial<BreakerView>,
    of?: Partial<ProviderHealth>,
  ): readonly [string, string, string] => {
    const breaker = fakeBreaker({ name: 'mcp.files', dependency: 'mcp', ...given });
    const { name, word, tone } = connectionLook(
      breaker,
      of === undefined ? undefined : health({ breaker, ...of }),
      now,
      'en-GB',
    );
    return [name, word, tone];
  };

  it.each<[Partial<BreakerView>, readonly [string, string, string]]>([
    [{}, ['files', 'Up', 'ok']],
    [{ failures: 2 }, ['files', 'Degraded', 'attention']],
    [{ state: 'open' }, ['files', 'Down', 'outage']],
    [{ state: 'half_open' }, ['files', 'Checking', 'attention']],
    [{ name: 'nats', dependency: 'broker' }, ['NATS', 'Up', 'ok']],
  ])('S2-20 says of a breaker %j: %j', (given, words) => {
    expect(look(given)).toEqual(words);
  });

  it.each([
    ['closed', 'down', 'open'],
    ['open', 'down', 'open'],
    ['closed', 'trying', 'half_open'],
    ['closed', 'quota', 'closed'],
    ['half_open', 'recovering', 'half_open'],
    ['closed', 'answering', 'closed'],
  ] as const)('R1 a breaker that is %s beside the word of %s is drawn %s', (state, of, lever) => {
    const breaker = fakeBreaker({ name: 'provider.anthropic', dependency: 'provider', state });
    expect(connectionLook(breaker, health({ breaker, state: of }), now).lever).toBe(lever);
  });

  it('S0-14 says until when a limit lasts, though its breaker is closed', () => {
    const quotaUntilMs = new Date(2026, 2, 24, 17, 0).getTime();
    expect(look({ dependency: 'provider' }, { state: 'quota', quotaUntilMs })).toEqual([
      'Anthropic',
      'Limit resets 17:00',
      'waiting',
    ]);
  });
});

describe('howItEnds', () => {
  const ends = (given: Partial<ProviderHealth>): readonly string[] =>
    howItEnds(health(given), now, 'en-GB').map(({ lead, rest, state }) =>
      `${state}: ${lead} ${rest}`.trim(),
    );

  it.each<[string, Partial<ProviderHealth>, readonly string[]]>([
    [
      'X-03 down: a trial, a second success, then the rest',
      { state: 'down', waiting: 14 },
      [
        'now: A probe succeeds. Turn number 1 runs first.',
        'ahead: The next one also succeeds. The circuit breaker closes.',
        'ahead: The rest follow in order, 1, 2, then 4 at a time.',
      ],
    ],
    [
      'X-03 one success closes it, where the settings say so',
      { state: 'down', waiting: 14, breaker: { ...health({}).breaker, successThreshold: 1 } },
      [
        'now: A probe succeeds. The circuit breaker closes. Turn number 1 runs first.',
        'ahead: The next one also succeeds.',
        'ahead: The rest follow in order, 1, 2, then 4 at a time.',
      ],
    ],
    [
      'X-03 three successes close it, where the settings say so',
      { state: 'down', waiting: 14, breaker: { ...health({}).breaker, successThreshold: 3 } },
      [
        'now: A probe succeeds. Turn number 1 runs first.',
        'ahead: The next one also succeeds. 3 consecutive successes close the circuit breaker.',
        'ahead: The rest follow in order, 1, 2, then 4 at a time.',
      ],
    ],
    [
      'X-03 the canary is out: the first step is done',
      { state: 'recovering', waiting: 13, ramp: 1 },
      [
        'done: A probe succeeds. Turn number 1 runs first.',
        'now: The next one also succeeds. The circuit breaker closes.',
        'ahead: The rest follow in order, 1, 2, then 4 at a time.',
      ],
    ],
    [
      'X-03 draining at 2: two steps are done',
      { state: 'recovering', waiting: 3, ramp: 2 },
      [
        'done: A probe succeeds. Turn number 1 runs first.',
        'done: The next one also succeeds. The circuit breaker closes.',
        'now: The rest follow in order, 2 at a time now.',
      ],
    ],
    [
      'X-01 failing at 2 of 3: one more',
      { state: 'failing', failedTurns: 2 },
      [
        'now: A request succeeds. The failure count resets to 0.',
        'ahead: Or it keeps failing. After 1 more failed turn, the provider is marked down.',
      ],
    ],
    [
      'S0-15 a refused key ends with another key',
      { state: 'key' },
      [
        'now: You change the key. The new key is checked at once.',
        'ahead: The rest follow in order, 1, 2, then 4 at a time.',
      ],
    ],
    ['answering: nothing has to end', { state: 'answering' }, []],
  ])('%s', (_words, given, steps) => {
    expect(ends(given)).toEqual(steps);
  });
});

describe('the waiting queue', () => {
  const items = (count: number, canary = false): readonly HeldItem[] =>
    Array.from({ length: count }, (_, at) => ({
      position: at + 1,
      turnId: at + 1,
      sessionId: 1,
      sessionKey: 'main',
      provider: 'office',
      agent: 'Helper',
      channel: 'window',
      source: 'user' as const,
      promptStart: `turn ${String(at + 1)}`,
      cause: 'outage' as const,
      sinceMs: now,
      keptSteps: 0,
      merged: 0,
      isCanary: canary && at === 0,
    }));

  it.each<[string, number, number, { turnId: number; beforeTurnId?: number } | undefined]>([
    ['down by one', 0, 1, { turnId: 1, beforeTurnId: 3 }],
    ['up by one', 2, 1, { turnId: 3, beforeTurnId: 2 }],
    ['to the front', 3, 0, { turnId: 4, beforeTurnId: 1 }],
    ['to the end', 0, 3, { turnId: 1 }],
    ['beyond the end: to the end', 0, 99, { turnId: 1 }],
    ['beyond the front: to the front', 2, -5, { turnId: 3, beforeTurnId: 1 }],
    ['to where it is: nothing', 2, 2, undefined],
    ['a row that is not there: nothing', 9, 0, undefined],
  ])('S0-20 moves a row %s', (_words, from, to, move) => {
    expect(planMove(items(4), from, to)).toEqual(move);
  });

  it('S0-20 never puts a row before the one that tries the provider now, nor moves that one', () => {
    expect(planMove(items(4, true), 3, 0)).toEqual({ turnId: 4, beforeTurnId: 2 });
    expect(planMove(items(4, true), 0, 2)).toBeUndefined();
  });

  it('S0-20 does not take the last of 1,000 loaded rows for the end of 1,200', () => {
    expect(planMove(items(4), 0, 3, 1200)).toBeUndefined();
    expect(planMove(items(4), 0, 2, 1200)).toEqual({ turnId: 1, beforeTurnId: 4 });
  });

  it('S0-20 numbers the rows anew after a move, 2 1 3', () => {
    const moved = movedItems(items(3), { turnId: 2, beforeTurnId: 1 });
    expect(moved.map(({ turnId, position }) => [turnId, position])).toEqual([
      [2, 1],
      [1, 2],
      [3, 3],
    ]);
  });

  it('S0-18 says that 4 heartbeats became 1, else agent and where it came from', () => {
    const [item] = items(1);
    if (item === undefined) throw new Error('no item');
    expect(fromText(item)).toBe('Helper, window');
    expect(fromText({ ...item, source: 'schedule' })).toBe('Helper, schedule');
    expect(fromText({ ...item, source: 'heartbeat', merged: 3 })).toBe('4 merged into 1');
  });

  it.each([
    [-20, 0],
    [0, 0],
    [29, 0],
    [30, 1],
    [1000, 9],
  ])('a pointer %i px below the head is over row %i', (offsetPx, row) => {
    expect(rowUnder(offsetPx, 30, 10)).toBe(row);
  });
});
