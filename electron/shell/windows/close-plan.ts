/** What the close button of a window does. Pure, and synchronous on purpose: `preventDefault` after a wait does nothing. */

export interface CloseFacts {
  readonly page: 'index' | 'settings' | 'quick';
  readonly isQuitting: boolean;
  readonly closeToTray: boolean;
  /**
   * `unknown` counts as `missing`: a hidden window must be reachable again. With `off` the user
   * wants no icon; closing the window may then mean to quit, or may not.
   */
  readonly tray: 'available' | 'missing' | 'unknown' | 'off';
  readonly isNoticeShown: boolean;
}

export type ClosePlan =
  | { readonly kind: 'close' }
  | { readonly kind: 'hide'; readonly notice: boolean }
  | { readonly kind: 'minimise'; readonly notice: boolean }
  /** The user is asked first. */
  | { readonly kind: 'ask' }
  | { readonly kind: 'quit' };

export function planClose(facts: CloseFacts): ClosePlan {
  if (facts.isQuitting || facts.page !== 'index') return { kind: 'close' };
  if (!facts.closeToTray) return { kind: 'quit' };
  if (facts.tray === 'off') return { kind: 'ask' };
  const notice = !facts.isNoticeShown;
  return facts.tray === 'available' ? { kind: 'hide', notice } : { kind: 'minimise', notice };
}
