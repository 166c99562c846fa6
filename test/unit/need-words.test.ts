import { describe, expect, it } from 'vitest';
import { needText } from '../../shared/need-words';

describe('what a shared turn needs, in words', () => {
  it.each([
    ['label:gpu', 'label gpu'],
    ['agent:coder', 'agent coder'],
    ['acp:own', 'external agent own'],
    ['provider:office', 'provider office'],
    ['task:a:b', 'task a:b'],
    ['os:darwin', 'macOS'],
    ['os:plan9', 'plan9'],
    ['gpu', 'gpu'],
    [':gpu', ':gpu'],
  ])('DW-28 says of %s: %s', (need, text) => {
    expect(needText(need)).toBe(text);
  });
});
