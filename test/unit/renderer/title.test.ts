import { describe, expect, it } from 'vitest';
import { firstSentence, keyTitle } from '../../../renderer/parts/title-view';

describe('the title of a turn', () => {
  it.each([
    ['Fix the failing test. Then run everything again.', 'Fix the failing test'],
    ['Is the build green? If not, say why.', 'Is the build green?'],
    ['Read v1.2 of the plan and say what is new', 'Read v1.2 of the plan and say what is new'],
    ['First line\nand a second one', 'First line'],
    ['\n\n  \r\nAfter empty lines\nmore', 'After empty lines'],
    ['safe \u202etext\u0007 here. More', 'safe text here'],
    ['Sum it up...', 'Sum it up...'],
    ['', ''],
  ])('of %j is its first sentence: %j', (prompt, title) => {
    expect(firstSentence(prompt)).toBe(title);
  });

  it('has at most 80 characters, and is cut between two words', () => {
    expect(firstSentence('words '.repeat(60))).toBe(`${'words '.repeat(13).trim()}…`);
    expect(Array.from(firstSentence('x'.repeat(300)))).toHaveLength(80);
    expect(Array.from(firstSentence('😀'.repeat(300)))).toHaveLength(80);
  });

  it('names the demo instead of its key', () => {
    expect(keyTitle('first-start-practice')).toBe('Demo');
    expect(keyTitle('mender-6')).toBe('mender-6');
  });
});
