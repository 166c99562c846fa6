import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPortableTexts } from '../../../electron/engine/journal/portable-text';
import { cutText } from '../../../shared/cut-text';

describe('a text that is too long for its place', () => {
  it.each<[string, number, string]>([
    ['short', 5, 'short'],
    ['longer', 5, 'long…'],
    ['in /home/ada/work now', 15, 'in …'],
    ['in /home/ada/work now', 18, 'in /home/ada/work…'],
    ['{"path":"/home/ada/work/a.ts"}', 20, '{"path":"…'],
    ['rm --dir=/home/ada/work/a.ts', 20, 'rm --dir=…'],
    ['/home/ada/work/a.ts', 12, '/home/ada/…'],
    ['at C:\\Users\\ada\\work', 14, 'at …'],
    ['😀😀😀', 4, '😀…'],
  ])('%# %s in %i characters is %s', (text, most, cut) => {
    expect(cutText(text, most)).toBe(cut);
  });

  const ROOT = '/tmp/run-1/tmp/world-2/data';
  const texts = createPortableTexts({ workspace: [], home: [], data: [ROOT] });

  it('DW-18 cut anywhere, it leaves no part of a folder of this computer, 5,000 cuts', () => {
    const word = fc.constantFrom('see', `${ROOT}/a.ts`, `"${ROOT}"`, `{"at":"${ROOT}/b"}`, '--to');
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 120 }),
        (words, most) => {
          const text = `told ${words.join(' ')}`;
          const cut = cutText(text, most);
          expect(cut.length).toBeLessThanOrEqual(most);
          if (text.length > most) expect(text.startsWith(cut.slice(0, -1))).toBe(true);
          expect(texts.out(cut)).not.toMatch(/run-1|world-2|\/tmp/);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
