/** One page that shows all pictures side by side. Pure. */

export interface Picture {
  readonly page: string;
  readonly variant: string;
  /** Relative to the page. */
  readonly file: string;
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const STYLE = `
body { font: 13px/20px system-ui, sans-serif; margin: 24px; background: #777; color: #fff; }
h2 { margin: 32px 0 8px; font-size: 17px; }
nav a { color: inherit; margin-right: 12px; }
.row { display: flex; gap: 16px; overflow-x: auto; padding-bottom: 12px; }
figure { margin: 0; flex: none; }
figcaption { font-size: 12px; margin-bottom: 4px; }
img { display: block; width: 720px; height: auto; }
a img { border: 1px solid #0006; }
.glyphs { display: flex; gap: 12px; align-items: center; padding: 12px; flex-wrap: wrap; }
.glyphs img { width: auto; }
.template, .light { background: #f4f6f6; color: #15201f; }
.dark { background: #0e1416; }
`;

export function indexPage(pictures: readonly Picture[]): string {
  const names = [...new Set(pictures.map(({ page }) => page))];
  const links = names.map((name) => `<a href="#${escape(name)}">${escape(name)}</a>`).join('');
  const sections = names.map((name) => {
    const own = pictures.filter(({ page }) => page === name);
    return `<h2 id="${escape(name)}">${escape(name)}</h2>\n${name === 'tray' ? glyphs(own) : row(own)}`;
  });
  return [
    '<!doctype html>',
    '<html lang="en"><meta charset="utf-8"><title>Holdfast, every page</title>',
    `<style>${STYLE}</style>`,
    `<h1>Every page, ${String(pictures.length)} pictures</h1>`,
    `<nav>${links}</nav>`,
    ...sections,
    '</html>',
    '',
  ].join('\n');
}

function row(pictures: readonly Picture[]): string {
  const figures = pictures.map(
    ({ page, variant, file }) =>
      `<figure><figcaption>${escape(variant)}</figcaption><a href="${escape(file)}"><img loading="lazy" src="${escape(file)}" alt="${escape(`${page}, ${variant}`)}"></a></figure>`,
  );
  return `<div class="row">${figures.join('\n')}</div>`;
}

function glyphs(pictures: readonly Picture[]): string {
  const sets = [...new Set(pictures.map(({ variant }) => variant))];
  return sets
    .map((set) => {
      const images = pictures
        .filter(({ variant }) => variant === set)
        .map(
          ({ file }) => `<img src="${escape(file)}" alt="${escape(file)}" title="${escape(file)}">`,
        );
      return `<div class="glyphs ${escape(set)}">${escape(set)} ${images.join(' ')}</div>`;
    })
    .join('\n');
}
