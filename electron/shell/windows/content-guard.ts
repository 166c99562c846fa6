/**
 * What any page in this process may do, set once for every present and future web content (W5, W7):
 * stay on our pages, open nothing, get no permission.
 */
import type { App, Session, WebContents } from 'electron';
import { isOwnPage } from './links';

/** Our own pages may write to the clipboard after a click; there is no other permission. */
export const mayUsePermission = (permission: string, origin: string): boolean =>
  permission === 'clipboard-sanitized-write' &&
  (origin === 'holdfast://app' || origin === 'holdfast://app/');

interface ContentGuardDeps {
  readonly app: Pick<App, 'on'>;
  /** Opens an allowed address in the browser; false if it is not allowed. */
  readonly openInBrowser: (url: string) => boolean;
  readonly onRefused: (what: string) => void;
}

export function guardSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    const isTop = details.isMainFrame;
    answer(
      isTop && isOwnPage(details.requestingUrl) && mayUsePermission(permission, 'holdfast://app'),
    );
  });
  session.setPermissionCheckHandler((_contents, permission, origin) =>
    mayUsePermission(permission, origin),
  );
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, answer) => answer({}));
  // Our pages download nothing. A page that tries gets no file.
  session.on('will-download', (event) => event.preventDefault());
}

export function guardContents(contents: WebContents, deps: ContentGuardDeps): void {
  const stay = (event: { preventDefault(): void; readonly url?: string }, url?: string): void => {
    if (isOwnPage(event.url ?? url ?? '')) return;
    event.preventDefault();
    deps.onRefused('navigation');
  };
  contents.on('will-navigate', (event, url) => stay(event, url));
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame) {
      event.preventDefault();
      deps.onRefused('frame');
      return;
    }
    stay(event);
  });
  contents.on('will-redirect', (event, url) => stay(event, url));
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    if (!deps.openInBrowser(url)) deps.onRefused('window');
    return { action: 'deny' };
  });
}

/** Registers the guard before `ready`, so that no page and no session exists without it. */
export function installContentGuard(deps: ContentGuardDeps): void {
  deps.app.on('web-contents-created', (_event, contents) => guardContents(contents, deps));
  deps.app.on('session-created', (session) => guardSession(session));
}
