/** Where the windows were, and whether they can be placed there again. Pure. */

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface SavedBounds extends Rectangle {
  readonly isMaximised: boolean;
}

const FARTHEST = 100_000;
const isWhole = (value: unknown, least: number): value is number =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= FARTHEST;

/** Reads a position from a file; undefined if it is not exactly one. */
export function readBounds(value: unknown): SavedBounds | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { x, y, width, height, isMaximised } = value as Partial<Record<string, unknown>>;
  if (!isWhole(x, -FARTHEST) || !isWhole(y, -FARTHEST)) return undefined;
  if (!isWhole(width, 1) || !isWhole(height, 1) || typeof isMaximised !== 'boolean')
    return undefined;
  return { x, y, width, height, isMaximised };
}

/** The smallest size at which every page fits, and the first size. */
export const WINDOW_SIZES = {
  index: { width: 1200, height: 800, minWidth: 880, minHeight: 600 },
  settings: { width: 1000, height: 760, minWidth: 800, minHeight: 560 },
  /** The window for a prompt. It has no title bar and closes automatically. */
  quick: { width: 660, height: 480, minWidth: 660, minHeight: 480 },
  /**
   * The main window during the first start. It cannot be made smaller, unless the display is
   * smaller.
   */
  firstStart: { width: 1000, height: 720, minWidth: 880, minHeight: 600 },
} as const;

/** Where a window opens: centered by the system if `x` is absent. */
interface OpenBounds {
  readonly width: number;
  readonly height: number;
  readonly x?: number;
  readonly y?: number;
}

/** This much of the title bar must be on a display, or the user could not move the window. */
const VISIBLE_WIDTH = 120;
const VISIBLE_HEIGHT = 40;

/** Restores a position only if enough of its upper edge is on a display that exists now. */
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

/**
 * The main window after the first start: its usual size, or the size that the user gave it, around
 * the same center, and on its display as far as it fits.
 */
export function growAfterFirstStart(now: Rectangle, display: Rectangle): Rectangle {
  const { width: wide, height: high } = WINDOW_SIZES.index;
  const width = Math.max(now.width, Math.min(wide, display.width));
  const height = Math.max(now.height, Math.min(high, display.height));
  const within = (wanted: number, from: number, room: number): number =>
    Math.max(from, Math.min(wanted, from + room));
  return {
    x: within(
      Math.round(now.x - (width - now.width) / 2),
      display.x,
      Math.max(0, display.width - width),
    ),
    y: within(
      Math.round(now.y - (height - now.height) / 2),
      display.y,
      Math.max(0, display.height - height),
    ),
    width,
    height,
  };
}
