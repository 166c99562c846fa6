import { describe, expect, it } from 'vitest';
import { isTooDeep } from '../../../electron/engine/kernel/json-depth';

const nested = (levels: number): unknown =>
  JSON.parse(`${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`) as unknown;

describe('isTooDeep', () => {
  it.each([
    [0, false],
    [2, false],
    [200, false],
    [202, true],
    [100_000, true],
  ])('of %i levels is %o', (levels, isDeep) => {
    expect(isTooDeep(levels === 0 ? 'text' : nested(levels))).toBe(isDeep);
  });

  it('a wide value is none', () => {
    expect(isTooDeep(Array.from({ length: 100_000 }, (_one, at) => ({ at })))).toBe(false);
  });
});
