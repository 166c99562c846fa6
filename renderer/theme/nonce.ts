import { setNonce } from 'get-nonce';

/**
 * The style nonce of this page load. The protocol handler writes it into a meta tag. Without it (a
 * page opened outside the app) the page's own policy applies to styles.
 */
export function styleNonce(): string {
  const meta = document.querySelector('meta[name="csp-nonce"]');
  return meta?.getAttribute('content') ?? '';
}

/** Passes the nonce to the style tags of Mantine's scroll lock (W3). */
export function shareNonce(): void {
  const nonce = styleNonce();
  if (nonce !== '') setNonce(nonce);
}
