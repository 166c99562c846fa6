import { describe, expect, it } from 'vitest';
import { chosenParts } from '../../story/parts/chosen-parts';

const names = ['first', 'busy', 'tray'] as const;

describe('npm run screens --only', () => {
  it('takes all parts without it, and with it the named ones in their own order', () => {
    expect(chosenParts(names, ['--quick'])).toEqual(names);
    expect(chosenParts(names, ['--quick', '--only=tray, first'])).toEqual(['first', 'tray']);
  });

  it.each([
    ['--only=busi', 'No part busi. Use --only= with some of: first, busy, tray'],
    ['--only=first,a,b', 'No part a, b. Use --only= with some of: first, busy, tray'],
    ['--only=', '--only= names no part. Use --only= with some of: first, busy, tray'],
    ['--only', '--only names no part. Use --only= with some of: first, busy, tray'],
  ])('refuses %s with the list, where it took no picture before and said nothing', (arg, said) => {
    expect(() => chosenParts(names, [arg])).toThrow(said);
  });
});
