import { describe, expect, it } from 'vitest';
import { changeNumbers } from '../../../electron/cli/verbs/drafts';

describe('drafts apply --only', () => {
  it.each([
    ['1', [0]],
    ['1,3-5', [0, 2, 3, 4]],
    ['2, 2, 1-2', [1, 0]],
    ['4000', [3999]],
  ])('S3-21 %s names the changes that drafts diff shows by these numbers', (text, numbers) => {
    expect(changeNumbers(text)).toEqual(numbers);
  });

  it.each(['', '0', '0-2', '3-1', '1,', 'a', '1;2', '-1', '1-2-3', '4001', '1-999999'])(
    'S3-21 refuses %j before anything is changed',
    (text) => {
      expect(() => changeNumbers(text)).toThrow(/names no changes/);
    },
  );
});
