/** The position of a split view's divider, in rem, so that a larger text moves it too. */

type Rem = `${number}rem`;

/** The width of the list until it is moved: the pane, with its answers, needs the larger part. */
const LIST_SIZES = {
  wide: '20.625rem',
  middle: '19rem',
  narrow: '15rem',
} as const satisfies Record<string, Rem>;
type WindowWidth = keyof typeof LIST_SIZES;

export const splitKey = (name: string, isNarrow: boolean): string =>
  `holdfast.split.${name}${isNarrow ? '.narrow' : ''}`;

/** A stored width; undefined if it is missing or implausible. */
export function parseSplit(text: string | null): Rem | undefined {
  const rem = /^(\d{1,2}(?:\.\d{1,6})?)rem$/.exec(text ?? '')?.[1];
  return rem === undefined || Number(rem) < 11 || Number(rem) > 32
    ? undefined
    : `${Number(rem)}rem`;
}

/** The storage of a window may be refused; then the line starts at its usual place. */
export function readSplit(key: string, width: WindowWidth): Rem {
  try {
    const stored = parseSplit(window.localStorage.getItem(key));
    if (stored !== undefined) return stored;
  } catch {
    // No storage, nothing remembered.
  }
  return LIST_SIZES[width];
}

export function writeSplit(key: string, size: unknown): void {
  const rem = typeof size === 'string' ? Number.parseFloat(size) : Number.NaN;
  if (!Number.isFinite(rem)) return;
  try {
    window.localStorage.setItem(key, `${rem.toFixed(3)}rem`);
  } catch {
    // No storage, nothing remembered.
  }
}
