// Draws the tray glyphs from build/tray/source: run it with Electron after changing an SVG
//   electron build/tray/export.mjs
// PNG in 16, 24, 32 and 48 for light and dark bars, with an outline for bars of the other kind, .ico with all four for Windows, and template
// images (16 and @2x) for macOS. The results are committed: a build needs no display.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BrowserWindow, app } from 'electron';

const here = dirname(fileURLToPath(import.meta.url));
const sizes = [16, 24, 32, 48];

/** An .ico whose images are PNG. @param {{size: number, png: Buffer}[]} images */
const ico = (images) => {
  const head = Buffer.alloc(6 + 16 * images.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(images.length, 4);
  let offset = head.length;
  images.forEach(({ size, png }, index) => {
    const at = 6 + 16 * index;
    head.writeUInt8(size, at);
    head.writeUInt8(size, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(png.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += png.length;
  });
  return Buffer.concat([head, ...images.map(({ png }) => png)]);
};

const draw = `async (svg, size) => {
  const image = new Image();
  image.src = 'data:image/svg+xml;base64,' + btoa(svg);
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width: size, height: size });
  canvas.getContext('2d').drawImage(image, 0, 0, size, size);
  return canvas.toDataURL('image/png').split(',')[1];
}`;

/** The color around a glyph: a panel that is other than expected does not swallow it. */
const outlines = new Map([
  ['light', '#ffffff'],
  ['dark', '#0e1416'],
]);

/**
 * All shapes once more behind the glyph, wider. Behind each shape alone, the outline of one would cut
 * through the next. @param {string} svg @param {string | undefined} colour
 */
const outlined = (svg, colour) =>
  colour === undefined
    ? svg
    : svg.replace(
        /(<svg[^>]*>)([\s\S]*)(<\/svg>)/,
        (_all, open, shapes, close) =>
          `${open}<g fill="${colour}" stroke="${colour}" stroke-width="1.5" stroke-linejoin="round">${shapes}</g>${shapes}${close}`,
      );

const exportAll = async () => {
  const window = new BrowserWindow({ show: false, webPreferences: { sandbox: true } });
  await window.loadURL('about:blank');
  /** @param {string} svg @param {number} size */
  const render = async (svg, size) =>
    Buffer.from(
      await window.webContents.executeJavaScript(`(${draw})(${JSON.stringify(svg)}, ${size})`),
      'base64',
    );
  for (const variant of ['template', 'light', 'dark']) {
    mkdirSync(join(here, variant), { recursive: true });
    for (const file of readdirSync(join(here, 'source', variant))) {
      const state = basename(file, '.svg');
      const plain = readFileSync(join(here, 'source', variant, file), 'utf8').replaceAll(
        /<title>.*?<\/title>/g,
        '',
      );
      const svg = outlined(plain, outlines.get(variant));
      const images = [];
      for (const size of sizes) images.push({ size, png: await render(svg, size) });
      const write = (/** @type {string} */ name, /** @type {Buffer} */ data) =>
        writeFileSync(join(here, variant, name), data);
      if (variant === 'template') {
        for (const [suffix, size] of /** @type {const} */ ([
          ['', 16],
          ['@2x', 32],
        ])) {
          const image = images.find((one) => one.size === size);
          if (image) write(`${state}Template${suffix}.png`, image.png);
        }
        continue;
      }
      for (const { size, png } of images) write(`${state}-${size}.png`, png);
      write(`${state}.ico`, ico(images));
    }
  }
};

// Not awaited: `ready` waits for this module to finish.
void app
  .whenReady()
  .then(exportAll)
  .then(
    () => app.exit(0),
    (error) => {
      console.error(error);
      app.exit(1);
    },
  );
