import { describe, expect, it } from 'vitest';
import { parseSplit, splitKey } from '../../../renderer/parts/split-sizes';

describe('the place of the line', () => {
  it.each([
    ['20.625rem', '20.625rem'],
    ['11rem', '11rem'],
    ['32.000rem', '32rem'],
    ['10.9rem', undefined],
    ['33rem', undefined],
    ['330px', undefined],
    ['-5rem', undefined],
    ['1e3rem', undefined],
    ['', undefined],
    [null, undefined],
  ])('reads %j as %j', (text, size) => {
    expect(parseSplit(text)).toBe(size);
  });

  it('remembers a small window by itself', () => {
    expect(splitKey('decisions', true)).not.toBe(splitKey('decisions', false));
  });
});
