import { setNonce } from 'get-nonce';

/**
 * The style nonce of this load. The protocol handler writes it into a meta tag; without it (a page
 * opened outside of the app) styles fall under the page's own policy.
 */
export function styleNonce(): string {
  const meta = document.querySelector('meta[name="csp-nonce"]');
  return meta?.getAttribute('content') ?? '';
}

/** Hands the nonce to the style tags of Mantine's scroll lock (W3). */
export function shareNonce(): void {
  const nonce = styleNonce();
  if (nonce !== '') setNonce(nonce);
}
