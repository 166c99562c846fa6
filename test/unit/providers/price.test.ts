import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costOf, mostCostUsd } from '../../../electron/adapters/providers/price';
import { BUILT_IN, PRICES_AS_OF } from '../../../shared/prices/built-in';
import { DEFAULT_BASE_URLS, hasPrices, pricesOf } from '../../../shared/prices/prices';

const anthropic = { kind: 'anthropic' } as const;
const set = { price_input_per_million_usd: 3, price_output_per_million_usd: 15 };
const all = Object.entries(BUILT_IN).flatMap(([host, models]) =>
  Object.entries(models).map(([model, price]) => ({ host, model, price })),
);

describe('cost', () => {
  it.each([
    [{ input: 1_000_000, output: 0 }, 3],
    [{ input: 0, output: 1_000_000 }, 15],
    [{ input: 2_000, output: 1_000 }, 0.021],
    [{ input: 1_000_000, output: 0, cacheRead: 400_000, cacheWrite: 100_000 }, 3],
  ])('of %j tokens is %f dollars at 3 and 15 of the settings', (tokens, costUsd) => {
    expect(costOf(tokens, pricesOf({ ...anthropic, ...set }, 'any')).costUsd).toBeCloseTo(
      costUsd,
      10,
    );
  });

  it('of input from the cache, and put into it, has prices of its own in the built-in list', () => {
    const prices = pricesOf(anthropic, 'claude-sonnet-4-5-20250929');
    const tokens = { input: 100_000, output: 0, cacheRead: 80_000, cacheWrite: 10_000 };
    expect(costOf(tokens, prices).costUsd).toBeCloseTo(0.03 + 0.024 + 0.0375, 10);
    expect(costOf({ input: 10, output: 0, cacheRead: 99 }, prices).costUsd).toBeCloseTo(3e-6, 12);
  });

  it('is not known without prices or counts, nor of a request that is longer than the list says', () => {
    const prices = { input: 1, output: 1, from: 'built-in', mostInputTokens: 200_000 } as const;
    expect(costOf({ input: 1, output: 1 }, undefined)).toEqual({});
    expect(costOf({ input: undefined, output: 1 }, prices)).toEqual({});
    expect(costOf({ input: 200_000, output: 1 }, prices)).not.toEqual({});
    expect(costOf({ input: 200_001, output: 1 }, prices)).toEqual({});
  });

  it('BU-04 is never above what is set aside for a request before it starts', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...all),
        fc.nat(2_000_000),
        fc.nat(32_000),
        fc.nat(1_000_000),
        fc.nat(1_000_000),
        ({ price }, bytes, output, cacheRead, cacheWrite) => {
          const prices = { ...price, from: 'built-in' } as const;
          const tokens = { input: Math.floor(bytes / 2), output, cacheRead, cacheWrite };
          const { costUsd = 0 } = costOf(tokens, prices);
          expect(costUsd).toBeLessThanOrEqual(mostCostUsd({ bytes, json: {} }, prices) + 1e-9);
        },
      ),
    );
  });
});

describe('prices', () => {
  it.each([
    ['by its name', anthropic, 'claude-opus-4-5', 5],
    ['with its date', anthropic, 'claude-opus-4-5-20251101', 5],
    ['with a date of another kind', { kind: 'openai-compatible' }, 'gpt-5-2025-08-07', 1.25],
    ['of another size', { kind: 'openai-compatible' }, 'gpt-5-mini', 0.25],
    ['as Google lists it', { kind: 'google' }, 'models/gemini-2.5-pro', 1.25],
    [
      'at the same address, written out',
      { ...anthropic, base_url: DEFAULT_BASE_URLS.anthropic },
      'claude-opus-5',
      5,
    ],
    ['of a name that is only alike', anthropic, 'claude-opus-4-5-thinking', undefined],
    ['of a name of an object', anthropic, 'constructor', undefined],
    ['of no name', anthropic, '', undefined],
    ['of another provider', anthropic, 'gpt-5', undefined],
    [
      'at a proxy',
      { ...anthropic, base_url: 'https://proxy.example/v1' },
      'claude-opus-5',
      undefined,
    ],
    [
      'at a host that ends alike',
      { ...anthropic, base_url: 'https://api.anthropic.com.example/v1' },
      'claude-opus-5',
      undefined,
    ],
    [
      'at another port',
      { ...anthropic, base_url: 'https://api.anthropic.com:8443/v1' },
      'claude-opus-5',
      undefined,
    ],
    [
      'on this computer',
      { kind: 'openai-compatible', base_url: 'http://127.0.0.1:11434/v1' },
      'gpt-5',
      undefined,
    ],
    ['at no address', { ...anthropic, base_url: 'nowhere' }, 'claude-opus-5', undefined],
  ] as const)('of a model %s', (_, provider, model, input) => {
    expect(pricesOf(provider, model)?.input).toBe(input);
  });

  it('of the settings come first, and one of the two is none', () => {
    expect(pricesOf({ ...anthropic, ...set }, 'claude-opus-5')).toEqual({
      input: 3,
      output: 15,
      from: 'settings',
    });
    const half = { ...anthropic, price_input_per_million_usd: 3 };
    expect(pricesOf(half, 'claude-opus-5')).toBeUndefined();
    expect([anthropic, { ...anthropic, ...set }, half].map(hasPrices)).toEqual([true, true, false]);
    expect(hasPrices({ kind: 'openai-compatible', base_url: 'https://proxy.example' })).toBe(false);
  });

  it('of the list are positive and plausible, and the list says of which day it is', () => {
    for (const { model, price } of all) {
      expect(price.input, model).toBeGreaterThan(0);
      expect(price.output, model).toBeGreaterThan(price.input);
      expect(price.cacheRead ?? 0, model).toBeLessThan(price.input);
      // A date belongs to the request, not to the list.
      expect(model).not.toMatch(/\d{8}|\d{4}-\d{2}/);
    }
    expect(Object.keys(BUILT_IN).toSorted()).toEqual(
      Object.values(DEFAULT_BASE_URLS)
        .map((address) => new URL(address).hostname)
        .toSorted(),
    );
    expect(Number.isNaN(Date.parse(PRICES_AS_OF))).toBe(false);
  });
});
