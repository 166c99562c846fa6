import { expect, it } from 'vitest';
import { MAX_PASTED_BYTES, pastedBlock, readPasted } from '../../../renderer/quick/pasted-file';

it.each([
  ['a text', 'a.txt', 'one\ntwo\n', 'a.txt:\n```\none\ntwo\n```'],
  ['one with a fence in it', 'a.md', '```js\nx\n```', 'a.md:\n````\n```js\nx\n```\n````'],
  ['a name that would break the line', 'a\nb.txt', 'x', 'a b.txt:\n```\nx\n```'],
  ['a program', 'a.bin', 'ELF\u0000', undefined],
  ['a picture', 'a.png', '\ufffdPNG', undefined],
])('a pasted file is its text in a block: %s', (_words, name, text, block) => {
  expect(pastedBlock(name, text)).toBe(block);
});

it('a large or binary file is refused by name, the others are taken', async () => {
  const file = (name: string, text: string): File => new File([text], name);
  expect(
    await readPasted([
      file('a.txt', 'x'),
      file('large.log', 'x'.repeat(MAX_PASTED_BYTES + 1)),
      file('b.bin', '\u0000'),
    ]),
  ).toEqual({ blocks: ['a.txt:\n```\nx\n```'], refused: ['large.log', 'b.bin'] });
});
