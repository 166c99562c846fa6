/** The position of a split view's divider: in rem, so that it moves with the text size. */

type Rem = `${number}rem`;

/** The list's width until the user changes it: the pane with the answers needs more room. */
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

/** The window's storage can be blocked; then the divider starts at its default position. */
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
