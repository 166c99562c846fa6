import { describe, expect, it } from 'vitest';
import { firstSentence, keyTitle } from '../../../renderer/parts/title-view';

describe('the title of a turn', () => {
  it.each([
    ['Fix the failing test. Then run everything again.', 'Fix the failing test'],
    ['Is the build green? If not, say why.', 'Is the build green?'],
    ['Read v1.2 of the plan and say what is new', 'Read v1.2 of the plan and say what is new'],
    ['First line\nand a second one', 'First line and a second one'],
    ['safe \u202etext here. More', 'safe [U+202E]text here'],
  ])('of %j is its first sentence: %j', (prompt, title) => {
    expect(firstSentence(prompt)).toBe(title);
  });

  it('has at most 80 characters', () => {
    expect(firstSentence('word '.repeat(60)).length).toBeLessThanOrEqual(80);
  });

  it('names the demo instead of its key', () => {
    expect(keyTitle('first-start-practice')).toBe('Demo');
    expect(keyTitle('mender-6')).toBe('mender-6');
  });
});
