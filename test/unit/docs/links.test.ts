/** Links between documents lead to pages and headings that exist. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { at, documents, read } from './project-docs';

const pages = documents.filter((path) => path.endsWith('.md'));

const prose = (markdown: string): string => markdown.replace(/^ *```[^]*?^ *```/gm, '');

/** The anchor of a heading, as code hosts and VitePress make it. */
export const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

const anchorsOf = (path: string): string[] =>
  [...prose(read(path)).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** What is wrong with the links of one page. */
function deadLinks(path: string): string[] {
  return [...prose(read(path)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(at(target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
}

describe('links of the documents', () => {
  it('makes anchors as a reader sees them in the address', () => {
    expect(anchorOf('What `holdfast mcp` offers, and why')).toBe(
      'what-holdfast-mcp-offers-and-why',
    );
    expect(anchorOf('Exit codes of the [command line](cli.md)')).toBe(
      'exit-codes-of-the-command-line',
    );
  });

  it.each(pages)('%s links to pages and headings that exist', (path) => {
    expect(deadLinks(path)).toEqual([]);
  });

  it('docs/index.md lists every page of docs/ once', () => {
    const listed = [...read('docs/index.md').matchAll(/\]\(([^)#]+\.md)\)/g)].map(
      ([, link = '']) => `docs/${link}`,
    );
    const wanted = pages.filter((path) => path.startsWith('docs/') && path !== 'docs/index.md');
    expect([...new Set(listed)].toSorted()).toEqual(wanted.toSorted());
  });

  it('pages of docs/ link only to pages of docs/: the site has no others', () => {
    const outside = pages
      .filter((path) => path.startsWith('docs/'))
      .flatMap((path) =>
        [...prose(read(path)).matchAll(/\]\((\.[^)#\s]+)/g)]
          .map(([, link = '']) => join(dirname(path), link))
          .filter((target) => !target.startsWith('docs/')),
      );
    expect(outside).toEqual([]);
  });
});
