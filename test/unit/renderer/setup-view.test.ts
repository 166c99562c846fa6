import { describe, expect, it } from 'vitest';
import { priceText } from '../../../renderer/setup/setup-view';
import { dateText } from '../../../renderer/parts/time-view';
import { PRICES_AS_OF } from '../../../shared/prices/built-in';

describe('the price of the picked model', () => {
  const anthropic = { kind: 'anthropic' } as const;
  const set = { price_input_per_million_usd: 1, price_output_per_million_usd: 2 };
  const listed = { id: 'vendor/model', inputUsd: 3, outputUsd: 4 };
  it.each([
    ['as the provider lists it', listed, { kind: 'openai-compatible' }, '$3', 'as listed'],
    ['as it is set, whatever is listed', listed, { ...anthropic, ...set }, '$1', 'as set'],
    [
      'by the built-in list, with its day',
      { id: 'claude-opus-5' },
      anthropic,
      '$5',
      dateText(PRICES_AS_OF),
    ],
  ] as const)('is shown %s', (_, model, provider, price, who) => {
    const text = priceText(model, provider);
    expect(text).toContain(`${price} per million input tokens`);
    expect(text).toContain(who);
  });

  it('is not shown where nobody knows it', () => {
    expect(priceText({ id: 'unknown' }, anthropic)).toBeUndefined();
    expect(priceText({ id: 'claude-opus-5' }, undefined)).toBeUndefined();
  });
});
