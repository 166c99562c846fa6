/** Ratio of the text size to the usual one. */
export const textScale = (): number =>
  (Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16) / 16;

/** A picture drawn for the usual text size and scaled as a whole: marks, text, and hit areas. */
export interface ScaledPicture {
  /** Its width in its own units. */
  readonly width: number;
  /** One unit in px. */
  readonly scale: number;
}

const LEAST_WIDTH = 240;

/**
 * The scale is reduced if large text would leave less than 240 units, because texts would overlap.
 */
export function scaledPicture(widthPx: number, wanted: number = textScale()): ScaledPicture {
  const scale = Math.min(wanted, Math.max(1, widthPx / LEAST_WIDTH));
  return { width: Math.max(LEAST_WIDTH, widthPx / scale), scale };
}
