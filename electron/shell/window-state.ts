/** Where the windows were, and whether they may be put there again. Pure. */
import { z } from 'zod';

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const coordinate = z.number().int().min(-100_000).max(100_000);
export const savedBounds = z.strictObject({
  x: coordinate,
  y: coordinate,
  width: z.number().int().min(1).max(100_000),
  height: z.number().int().min(1).max(100_000),
  isMaximised: z.boolean(),
});
export type SavedBounds = z.infer<typeof savedBounds>;

/** Sizes of look.md section 2. */
export const WINDOW_SIZES = {
  index: { width: 1200, height: 800, minWidth: 880, minHeight: 600 },
  settings: { width: 1000, height: 760, minWidth: 800, minHeight: 560 },
} as const;

/** Where a window opens: centred by the system where `x` is absent. */
export interface OpenBounds {
  readonly width: number;
  readonly height: number;
  readonly x?: number;
  readonly y?: number;
}

/** So much of the title bar has to be on a display, or nobody could move the window. */
const VISIBLE_WIDTH = 120;
const VISIBLE_HEIGHT = 40;

/** Restores a place only where enough of its upper edge lies on a display that exists now. */
export function planBounds(
  saved: SavedBounds | undefined,
  displays: readonly Rectangle[],
  size: (typeof WINDOW_SIZES)[keyof typeof WINDOW_SIZES],
): OpenBounds {
  const largest = displays.reduce<{ width: number; height: number }>(
    (most, display) => ({
      width: Math.max(most.width, display.width),
      height: Math.max(most.height, display.height),
    }),
    { width: size.minWidth, height: size.minHeight },
  );
  const fit = (wanted: number, least: number, most: number): number =>
    Math.max(least, Math.min(wanted, most));
  const width = fit(saved?.width ?? size.width, size.minWidth, largest.width);
  const height = fit(saved?.height ?? size.height, size.minHeight, largest.height);
  if (saved === undefined) return { width, height };
  const isReachable = displays.some((display) => {
    const across =
      Math.min(saved.x + width, display.x + display.width) - Math.max(saved.x, display.x);
    const isTopInside =
      saved.y >= display.y && saved.y + VISIBLE_HEIGHT <= display.y + display.height;
    return across >= VISIBLE_WIDTH && isTopInside;
  });
  return isReachable ? { x: saved.x, y: saved.y, width, height } : { width, height };
}
