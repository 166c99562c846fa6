// The site of docs/. Its sidebar is docs/index.md, so that a page is listed in only one place.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const srcDir = /** @type {string} */ (process.env['DOCS_SOURCE']);
const index = readFileSync(join(srcDir, 'index.md'), 'utf8');

/** Sections of the index, each with its links in order. */
const sidebar = index
  .split(/^## /m)
  .slice(1)
  .map((part) => ({
    text: part.slice(0, part.indexOf('\n')),
    collapsed: false,
    items: [...part.matchAll(/\[([^\]]+)\]\(([^)#]+)\.md\)/g)].map(([, text = '', path = '']) => ({
      text: text[0]?.toUpperCase() + text.slice(1),
      link: `/${path}`,
    })),
  }));

export default {
  title: 'Holdfast',
  description: 'Auto-resume for AI agents on your own computer',
  srcDir,
  outDir: process.env['DOCS_OUTPUT'],
  // No fonts, scripts or images from other hosts: the site must work where it is built.
  themeConfig: {
    sidebar,
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'CLI', link: '/reference/cli' },
      { text: 'Settings', link: '/reference/settings' },
    ],
    outline: [2, 3],
    search: { provider: 'local' },
  },
  vite: {
    // The pages are a link next to VitePress: resolved to their real folder, its packages would not
    // be found.
    resolve: { preserveSymlinks: true },
    server: { fs: { strict: false } },
  },
};
