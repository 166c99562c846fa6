/** What nobody sees is made visible in every place that shows text of others. */
import { describe, expect, it } from 'vitest';
import { inertLine } from '../../electron/adapters/tools/tool-host';
import { escapeLine } from '../../electron/adapters/log/log';
import { maskSecrets } from '../../electron/adapters/providers/mask-secrets';
import { inert, safeJson } from '../../electron/cli/render';
import { yamlText } from '../../electron/cli/yaml-text';
import { plainLine } from '../../electron/engine/hosts/plan-link';
import { showText } from '../../electron/engine/journal/show-text';
import { filterInbound } from '../../electron/engine/sessions/inbound';
import { inertPieces } from '../../renderer/parts/inert-view';
import { lines } from '../../shared/far-text';
import { questionPart } from '../../shared/questions/recipient';
import { turnTitle } from '../../shared/turn-title';

/** One or two of each kind that Unicode has. */
const HIDDEN = {
  'a control': '\u0085',
  'an escape': '\u001b',
  'a soft hyphen': '\u00ad',
  'a grapheme joiner': '\u034f',
  'a mark of Arabic letters': '\u061c',
  'a filler of Hangul': '\u115f',
  'another filler of Hangul': '\u3164',
  'a vowel that Khmer does not show': '\u17b4',
  'a selector of Mongolian': '\u180b',
  'a separator of Mongolian': '\u180e',
  'a space without width': '\u200b',
  'an override of the direction': '\u202e',
  'a separator of lines': '\u2028',
  'an isolate': '\u2066',
  'a deprecated format': '\u206f',
  'a blank of Braille': '\u2800',
  'a selector of another form': '\ufe00',
  'the selector of emoji behind a letter': '\ufe0f',
  'a mark of the order of bytes': '\ufeff',
  'a halfwidth filler': '\uffa0',
  'an anchor of annotations': '\ufff9',
  'a control of shorthand': '\u{1bca0}',
  'a beam of music': '\u{1d173}',
  'a tag': '\u{e0041}',
  'a selector of ideographs': '\u{e0100}',
};

describe.each(Object.entries(HIDDEN))('%s', (_name, hidden) => {
  const text = `rm a${hidden}b`;

  it.each([
    ['a question', () => showText(text, 100).text],
    ['a hint of a tool', () => inertLine(text)],
    ['a line of a terminal', () => inert(text)],
    ['JSON on a terminal', () => safeJson({ text }, 0)],
    ['YAML on a terminal', () => yamlText({ text })],
    ['the log', () => escapeLine(JSON.stringify({ text }))],
    ['an error of a provider', () => maskSecrets(text, [])],
    ['what a host complains about', () => plainLine(text)],
    ['text of another computer', () => lines(100).parse(text)],
    ['a part of a question', () => questionPart(text, 60)],
    ['the title of a turn', () => turnTitle(text)],
    [
      'a window',
      () =>
        inertPieces(text)
          .map((piece) => (piece.kind === 'text' ? piece.text : piece.code))
          .join(''),
    ],
  ])('T4 does not hide in %s', (_place, shown) => {
    expect(shown()).not.toContain(hidden);
    // Something stands in its place: it cannot be taken for the text without it.
    expect(shown()).not.toContain('ab');
  });

  it('T4 is no message to an agent', () => {
    expect(filterInbound({ peer: '', text: ` ${hidden}\n` })).toEqual({
      kind: 'filtered',
      reason: 'no_content',
    });
  });

  it('T4 keeps its value in JSON', () => {
    expect(JSON.parse(safeJson({ text }, 0))).toEqual({ text });
    expect(JSON.parse(escapeLine(JSON.stringify({ text })))).toEqual({ text });
  });
});

it('T4 leaves what is seen: letters with marks, emoji with their selector, lines and tabs', () => {
  const text = 'Grüße, é, ñ, किताब, 漢字, ⚠️ 🎉\n\tzwei';
  expect(showText(text, 100)).toEqual({ text, isTruncated: false });
  expect(inert(text)).toBe(text);
  expect(inertPieces(text)).toEqual([{ kind: 'text', text }]);
});
