/** Pictures to an animation: one palette, and of each picture only what changed. */
import { createRequire } from 'node:module';

export interface Frame {
  /** Undefined: nothing is on the screen. */
  readonly png: Buffer | undefined;
  readonly shownMs: number;
}

type Palette = number[][];
interface Gifenc {
  GIFEncoder(): {
    writeFrame(
      index: Uint8Array,
      width: number,
      height: number,
      options: Readonly<Record<string, unknown>>,
    ): void;
    finish(): void;
    bytes(): Uint8Array;
  };
  quantize(rgba: Uint8Array, colors: number): Palette;
  applyPalette(rgba: Uint8Array, palette: Palette): Uint8Array;
}
interface Pngjs {
  readonly PNG: {
    readonly sync: {
      read(png: Buffer): { readonly width: number; readonly height: number; readonly data: Buffer };
    };
  };
}

const load = createRequire(import.meta.url);
const EMPTY = [24, 24, 27, 255];

/** @throws if the pictures differ in size */
export function encodeGif(frames: readonly Frame[]): Uint8Array {
  const { GIFEncoder, quantize, applyPalette } = load('gifenc') as Gifenc;
  const { PNG } = load('pngjs') as Pngjs;
  const read = frames.map(({ png }) => (png === undefined ? undefined : PNG.sync.read(png)));
  const first = read.find((one) => one !== undefined);
  if (first === undefined) throw new Error('There is no picture.');
  const { width, height } = first;
  const pixels = read.map((one) => {
    if (one === undefined) {
      const empty = new Uint8Array(width * height * 4);
      for (let at = 0; at < empty.length; at += 4) empty.set(EMPTY, at);
      return empty;
    }
    if (one.width !== width || one.height !== height)
      throw new Error('A picture has another size.');
    return new Uint8Array(one.data);
  });
  // One place of the palette stands for "as before". The colors are those of the busiest pictures.
  const samples = [pixels[0], pixels.at(Math.floor(pixels.length / 3)), pixels.at(-1)];
  const sample = new Uint8Array(width * height * 4 * samples.length);
  for (const [index, one] of samples.entries())
    if (one !== undefined) sample.set(one, index * width * height * 4);
  const palette = [...quantize(sample, 254), EMPTY.slice(0, 3)];
  const same = palette.length;
  palette.push([0, 0, 0]);
  const gif = GIFEncoder();
  let before: Uint8Array | undefined;
  for (const [at, one] of pixels.entries()) {
    const colors = applyPalette(one, palette.slice(0, same));
    const shown = before === undefined ? colors : changed(colors, before, same);
    gif.writeFrame(shown, width, height, {
      ...(before === undefined ? { palette } : {}),
      delay: frames[at]?.shownMs ?? 100,
      transparent: before !== undefined,
      transparentIndex: same,
      dispose: 1,
    });
    before = colors;
  }
  gif.finish();
  return gif.bytes();
}

const changed = (colors: Uint8Array, before: Uint8Array, same: number): Uint8Array =>
  colors.map((color, at) => (color === before[at] ? same : color));
