/**
 * `holdfast://app/`: serves only the two windows from `dist/renderer` (W3, W4).
 *
 * Decode, then normalize, then prove that the result is inside the root, then the same after
 * resolving symbolic links. The content policy is sent as a header, with a new nonce per page.
 */
import { readFile, realpath } from 'node:fs/promises';
import { extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { table } from '../../../shared/table';

const MIME = table<string>({
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
});

/** Placeholder in our pages for the nonce of the load. */
const NONCE_PLACEHOLDER = '__NONCE__';
/** The placeholder for the locale of times, numbers and money. */
const FORMATS_PLACEHOLDER = '__FORMATS__';

/** The content policy of a page (W3). Without a nonce (no page) no style may be inline at all. */
export function contentPolicy(nonce: string | undefined): string {
  const style = nonce === undefined ? "'self'" : `'self' 'nonce-${nonce}'`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${style}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The file that a request may read, decided before the disk is accessed. */
type FilePlan =
  | { readonly kind: 'file'; readonly path: string; readonly mime: string }
  | { readonly kind: 'refuse'; readonly status: 400 | 404 | 405 };

const isInside = (root: string, target: string): boolean => {
  const way = relative(root, target);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};

/** Decides from the method and the address alone; does not access the disk. */
export function planFile(root: string, method: string, address: string): FilePlan {
  if (method !== 'GET') return { kind: 'refuse', status: 405 };
  // The raw text is checked, too: the parser resolves `..` silently, and our pages never send it.
  if (/(^|[/\\]|%2f|%5c)(\.|%2e){2}([/\\]|%2f|%5c|$)/i.test(address)) {
    return { kind: 'refuse', status: 400 };
  }
  let path: string;
  try {
    const url = new URL(address);
    if (url.protocol !== 'holdfast:' || url.host !== 'app') return { kind: 'refuse', status: 404 };
    path = decodeURIComponent(url.pathname);
  } catch {
    return { kind: 'refuse', status: 400 };
  }
  if (/[\u0000-\u001f\\:]/.test(path)) return { kind: 'refuse', status: 400 };
  const target = resolve(root, `.${path}`);
  const mime = MIME[extname(target).toLowerCase()];
  if (!isInside(root, target) || mime === undefined) return { kind: 'refuse', status: 404 };
  return { kind: 'file', path: target, mime };
}

interface AppProtocolDeps {
  /** Folder of the built windows. */
  readonly root: string;
  /** A new unguessable value per page. */
  readonly newNonce: () => string;
  /** The name of a locale: letters, digits and hyphens. */
  readonly formats: string;
  /** Scripts are served once this resolves: before that, their calls would not be answered. */
  readonly mayRun: Promise<void>;
}

const refusal = (status: number): Response =>
  new Response('', {
    status,
    headers: { 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' },
  });

/** The handler for `protocol.handle('holdfast', …)`. */
export function createAppProtocol({ root, newNonce, formats, mayRun }: AppProtocolDeps) {
  return async (request: { readonly method: string; readonly url: string }): Promise<Response> => {
    const plan = planFile(root, request.method, request.url);
    if (plan.kind === 'refuse') return refusal(plan.status);
    if (plan.mime === MIME['.js']) await mayRun;
    let body: Buffer;
    try {
      const [realRoot, realTarget] = await Promise.all([realpath(root), realpath(plan.path)]);
      if (!isInside(realRoot, realTarget)) return refusal(404);
      body = await readFile(realTarget);
    } catch {
      return refusal(404); // Missing, a folder, or unreadable: the page cannot tell, and need not.
    }
    const isPage = plan.mime.startsWith('text/html');
    const nonce = isPage ? newNonce() : undefined;
    const content =
      nonce === undefined
        ? new Uint8Array(body)
        : body
            .toString('utf8')
            .replaceAll(NONCE_PLACEHOLDER, nonce)
            .replaceAll(FORMATS_PLACEHOLDER, formats);
    return new Response(content, {
      status: 200,
      headers: {
        'content-type': plan.mime,
        'content-security-policy': contentPolicy(nonce),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cache-control': isPage ? 'no-store' : 'no-cache',
      },
    });
  };
}

/** Folder of the built windows, next to the built main process. */
export const rendererRoot = (appPath: string): string => join(appPath, 'dist', 'renderer');
