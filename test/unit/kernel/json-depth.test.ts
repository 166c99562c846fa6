import { describe, expect, it } from 'vitest';
import { isTooDeep, parseOutside } from '../../../electron/engine/kernel/json-depth';

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

describe('parseOutside', () => {
  const text = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

  it('reads a message around a value of 200 levels', () => {
    expect(parseOutside(`{"params":{"value":${text(200)}}}`)).toBeTypeOf('object');
  });

  it.each(['{', text(300), text(50_000)])('T6 throws for what is no JSON or too deep', (one) => {
    expect(() => parseOutside(one)).toThrow(SyntaxError);
  });
});
