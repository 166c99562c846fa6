/** How much larger the text is than usual. */
export const textScale = (): number =>
  (Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16) / 16;

/** A picture drawn for usual text and shown larger as a whole: marks, words and what finds them. */
export interface ScaledPicture {
  /** Its width in the units that it is drawn in. */
  readonly width: number;
  /** One of them in px. */
  readonly scale: number;
}

const LEAST_WIDTH = 240;

/** Where large text would leave less than 240 units, it grows less: words would lie on each other. */
export function scaledPicture(widthPx: number, wanted: number = textScale()): ScaledPicture {
  const scale = Math.min(wanted, Math.max(1, widthPx / LEAST_WIDTH));
  return { width: Math.max(LEAST_WIDTH, widthPx / scale), scale };
}
