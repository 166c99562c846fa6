/** How much larger the text is than usual. */
export const textScale = (): number =>
  (Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16) / 16;

/** A picture drawn for usual text size and scaled as a whole: marks, text and hit areas. */
export interface ScaledPicture {
  /** Its width in the units that it is drawn in. */
  readonly width: number;
  /** One of them in px. */
  readonly scale: number;
}

const LEAST_WIDTH = 240;

/** If large text would leave less than 240 units, the scale is reduced: texts would overlap. */
export function scaledPicture(widthPx: number, wanted: number = textScale()): ScaledPicture {
  const scale = Math.min(wanted, Math.max(1, widthPx / LEAST_WIDTH));
  return { width: Math.max(LEAST_WIDTH, widthPx / scale), scale };
}
