import { describe, expect, it } from 'vitest';
import { filterInbound } from '../../../electron/engine/sessions/inbound';

describe('what comes in through a channel', () => {
  it.each([
    ['nothing at all', {}, 'no_content'],
    ['empty text', { text: '' }, 'no_content'],
    ['only white space', { text: ' \n\t ' }, 'no_content'],
    ['only invisible characters', { text: '\u200b\u2060\ufeff' }, 'no_content'],
    ['a sticker', { event: 'sticker' }, 'sticker'],
    ['a reaction', { event: 'reaction', text: '👍' }, 'reaction'],
    ['a receipt', { event: 'receipt' }, 'receipt'],
    ['somebody is typing', { event: 'typing' }, 'typing'],
    ['an edit of an earlier message', { event: 'edited', text: 'new words' }, 'edited'],
  ] as const)('S2-53 filters %s', (_what, event, reason) => {
    expect(filterInbound({ peer: 'p', ...event })).toEqual({ kind: 'filtered', reason });
  });

  it.each([
    ['a message', { text: 'hello' }, 'hello'],
    ['an emoji', { text: '👍' }, '👍'],
    ['a picture without words', { media: [{ kind: 'image', name: 'a.png' }] }, '[image: a.png]'],
    ['words and a voice note', { text: 'hear', media: [{ kind: 'audio' }] }, 'hear\n[audio]'],
  ] as const)('S2-53 lets %s through', (_what, event, text) => {
    expect(filterInbound({ peer: 'p', ...event })).toEqual({ kind: 'accept', text });
  });
});
