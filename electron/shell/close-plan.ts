/** What the close button of a window does. Pure, and synchronous on purpose: `preventDefault` after a wait does nothing. */

export interface CloseFacts {
  readonly page: 'index' | 'settings';
  readonly isQuitting: boolean;
  readonly closeToTray: boolean;
  /**
   * `unknown` counts as none: a window must never hide to nowhere. `off`: nobody wants the icon, and
   * who closes the window wants the end then, or has forgotten.
   */
  readonly tray: 'available' | 'missing' | 'unknown' | 'off';
  readonly isNoticeShown: boolean;
}

export type ClosePlan =
  | { readonly kind: 'close' }
  | { readonly kind: 'hide'; readonly notice: boolean }
  | { readonly kind: 'minimise'; readonly notice: boolean }
  /** A person is asked first. */
  | { readonly kind: 'ask' }
  | { readonly kind: 'quit' };

export function planClose(facts: CloseFacts): ClosePlan {
  if (facts.isQuitting || facts.page === 'settings') return { kind: 'close' };
  if (!facts.closeToTray) return { kind: 'quit' };
  if (facts.tray === 'off') return { kind: 'ask' };
  const notice = !facts.isNoticeShown;
  return facts.tray === 'available' ? { kind: 'hide', notice } : { kind: 'minimise', notice };
}
