// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { CopyAsMarkdown } from '../../renderer/parts/copy-as-markdown';
import { Markdown } from '../../renderer/parts/markdown';
import { markdownBlocks } from '../../renderer/parts/markdown-view';
import { nodeMarkdown } from '../../renderer/parts/selection-markdown';
import { show } from './render';

const TEXT = [
  '## Why',
  '',
  'It **races** with *a* ~~free~~ `port`, see [the issue](https://example.org/1).',
  'Next line \\* \\<b>.',
  '',
  '- [x] **done** work',
  '- [ ] open work',
  '- one',
  '  - deeper',
  '- two',
  '',
  '3. third',
  '4. fourth',
  '',
  '> said',
  '',
  '| file | lines |',
  '| --- | ---: |',
  '| a.ts | 12 |',
  '',
  '```ts',
  "const port = '`free`';",
  '',
  'port();',
  '```',
  '',
  '---',
].join('\n');

const drawn = (text: string): HTMLElement => {
  const { container } = show(<Markdown text={text} />);
  const found = container.querySelector<HTMLElement>('.md');
  if (!found) throw new Error('not drawn as Markdown');
  return found;
};

it('draws [x] and [ ] as boxes where a list item begins, and nowhere else', () => {
  const shown = drawn(
    '- [x] done\n- [ ] `open`\n- [y] text\n\n1. [X] done\n\n[x] text\n\n- see [x]',
  );
  const boxes = [...shown.querySelectorAll('[role="img"]')];
  expect(
    boxes.map((box) => [box.getAttribute('aria-label'), box.parentElement?.textContent]),
  ).toEqual([
    ['Done', ' done'],
    ['Not done', ' open'],
    ['Done', ' done'],
  ]);
  expect(shown.textContent).toContain('[y] text');
});

describe('Copy as Markdown', () => {
  it('gives back the Markdown that was drawn', () => {
    expect(nodeMarkdown(drawn(TEXT))).toBe(TEXT);
  });

  it('makes a fence that is longer than any run of backticks in the code', () => {
    const text = '````\na ``` b\n````';
    expect(nodeMarkdown(drawn(text))).toBe(text);
  });

  it.each([
    ['code with backticks around a picture', '`` x` ![p](https://evil.example/p.png) `y ``'],
    ['code that begins and ends with a backtick', '`` `x` ``'],
    [
      'an address that would end early, before a picture',
      '[see](<https://a.example/)![p](https://evil.example/p.png)>)',
    ],
    ['an address with a backslash and a bracket', '[see](<https://a.example/\\)>)'],
    ['an exclamation mark before a link', '\\![see](https://evil.example/p.png)'],
    ['a language of backticks', '~~~ ```x\ncode\n~~~\n\nafter'],
  ])('T4 makes no picture, link or code of what was not shown as one: %s', (_what, text) => {
    expect(markdownBlocks(nodeMarkdown(drawn(text)))).toEqual(markdownBlocks(text));
  });

  it('copies what is selected when the menu asks for it, and nothing without a selection', async () => {
    const { fake } = show(
      <>
        <CopyAsMarkdown />
        <Markdown text={'a **bold** word'} />
      </>,
    );
    await navigator.clipboard.writeText('before');
    act(() => fake.emit('copy.markdown', {}));
    expect(await navigator.clipboard.readText()).toBe('before');
    window.getSelection()?.selectAllChildren(screen.getByText('bold').parentElement as HTMLElement);
    act(() => fake.emit('copy.markdown', {}));
    expect(await navigator.clipboard.readText()).toBe('a **bold** word');
  });
});
