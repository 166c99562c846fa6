// node build/make-icons.mjs: draws the app icon (two posts and what they hold, white on the one
// brand color) and writes build/icons/. The results are committed; run it after a change here.
import { mkdirSync, writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { inProject } from './setup/machine.mjs';

const brand = [0x0b, 0x6a, 0x73];
const white = [0xff, 0xff, 0xff];

/** @typedef {{x:number, y:number, w:number, h:number, r:number, colour:number[]}} Box on a grid of 16 */

/** The background leaves a margin if there is space for one; the posts are on whole pixels. */
const boxesFor = (/** @type {number} */ size) => {
  const margin = size >= 64 ? 0.75 : 0;
  const glyph = (/** @type {number} */ v) => (size >= 64 ? 8 + (v - 8) * 0.72 : 8 + (v - 8) * 0.75);
  const box = (
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {number} */ w,
    /** @type {number} */ h,
    r = 0,
  ) => ({
    x: glyph(x),
    y: glyph(y),
    w: glyph(x + w) - glyph(x),
    h: glyph(y + h) - glyph(y),
    r: r * 0.72,
    colour: white,
  });
  const side = 16 - 2 * margin;
  return [
    { x: margin, y: margin, w: side, h: side, r: side * 0.22, colour: brand },
    box(2, 2, 3, 12, 1),
    box(11, 2, 3, 12, 1),
    box(4, 7, 8, 2),
  ];
};

/** @param {Box} box @param {number} x @param {number} y */
const covers = (box, x, y) => {
  const dx = Math.max(box.x + box.r - x, x - (box.x + box.w - box.r), 0);
  const dy = Math.max(box.y + box.r - y, y - (box.y + box.h - box.r), 0);
  return dx * dx + dy * dy <= box.r * box.r;
};

/** Straight RGBA pixels, each the mean of 8 x 8 samples. @param {number} size */
const pixels = (size) => {
  const boxes = boxesFor(size);
  const fine = 8;
  const data = Buffer.alloc(size * size * 4);
  for (let index = 0; index < size * size; index += 1) {
    const sum = [0, 0, 0, 0];
    for (let sample = 0; sample < fine * fine; sample += 1) {
      const x = ((index % size) + ((sample % fine) + 0.5) / fine) * (16 / size);
      const y = (Math.floor(index / size) + (Math.floor(sample / fine) + 0.5) / fine) * (16 / size);
      const top = boxes.findLast((box) => covers(box, x, y));
      if (top)
        [...top.colour, 255].forEach(
          (value, channel) => (sum[channel] = (sum[channel] ?? 0) + value),
        );
    }
    const hits = (sum[3] ?? 0) / 255;
    for (let channel = 0; channel < 3; channel += 1) {
      data[index * 4 + channel] = hits === 0 ? 0 : Math.round((sum[channel] ?? 0) / hits);
    }
    data[index * 4 + 3] = Math.round((sum[3] ?? 0) / (fine * fine));
  }
  return data;
};

const crcTable = Array.from({ length: 256 }, (_, start) => {
  let value = start;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

/** @param {Buffer} data */
const crc32 = (data) => {
  let value = 0xffffffff;
  for (const byte of data) value = (crcTable[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
};

/** @param {string} type @param {Buffer} body */
const pngChunk = (type, body) => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const chunk = Buffer.alloc(named.length + 8);
  chunk.writeUInt32BE(body.length, 0);
  named.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(named), named.length + 4);
  return chunk;
};

/** @param {number} size */
const png = (size) => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const image = pixels(size);
  const rows = Array.from({ length: size }, (_, row) =>
    Buffer.concat([Buffer.of(0), image.subarray(row * size * 4, (row + 1) * size * 4)]),
  );
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
};

/** Windows: a directory of PNG images. @param {Map<number, Buffer>} images */
const ico = (images) => {
  const sizes = [16, 24, 32, 48, 64, 128, 256];
  const head = Buffer.alloc(6 + 16 * sizes.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(sizes.length, 4);
  let offset = head.length;
  sizes.forEach((size, index) => {
    const at = 6 + 16 * index;
    const { length } = images.get(size) ?? Buffer.alloc(0);
    head.writeUInt8(size % 256, at);
    head.writeUInt8(size % 256, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += length;
  });
  return Buffer.concat([head, ...sizes.map((size) => images.get(size) ?? Buffer.alloc(0))]);
};

/** macOS: typed PNG images behind one another. @param {Map<number, Buffer>} images */
const icns = (images) => {
  const types = {
    ic11: 32,
    ic12: 64,
    ic07: 128,
    ic13: 256,
    ic08: 256,
    ic14: 512,
    ic09: 512,
    ic10: 1024,
  };
  const entries = Object.entries(types).map(([type, size]) => {
    const image = images.get(size) ?? Buffer.alloc(0);
    const head = Buffer.alloc(8);
    head.write(type, 'latin1');
    head.writeUInt32BE(image.length + 8, 4);
    return Buffer.concat([head, image]);
  });
  const head = Buffer.alloc(8);
  head.write('icns', 'latin1');
  head.writeUInt32BE(8 + entries.reduce((sum, entry) => sum + entry.length, 0), 4);
  return Buffer.concat([head, ...entries]);
};

const images = new Map([16, 24, 32, 48, 64, 128, 256, 512, 1024].map((size) => [size, png(size)]));
mkdirSync(inProject('build', 'icons'), { recursive: true });
for (const [size, image] of images) {
  // 1024 pixels are for macOS only and live in its own format.
  if (size <= 512) writeFileSync(inProject('build', 'icons', `${size}x${size}.png`), image);
}
writeFileSync(inProject('build', 'icons', 'icon.ico'), ico(images));
writeFileSync(inProject('build', 'icons', 'icon.icns'), icns(images));
