/** How wide the pane beside the list was left; kept by the window, not a setting. */
type Px = `${number}px`;
const KEY = 'holdfast.events.pane';
const DEFAULT: Px = '330px';

/** A width in px as the splitter takes it. */
export function readPaneWidth(): Px {
  const known = localStorage.getItem(KEY);
  return known !== null && /^\d{3}(\.\d+)?px$/.test(known) ? (known as Px) : DEFAULT;
}

export function writePaneWidth(size: string | number | undefined): void {
  if (typeof size === 'string' && size.endsWith('px')) localStorage.setItem(KEY, size);
}
