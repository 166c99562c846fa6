/**
 * Deep links and routes. A link can only open one of our pages; it never approves, runs or changes
 * anything (D1). A link that does not match the grammar opens nothing.
 */

import { isPageRoute } from '../../../shared/page-route';
import { table } from '../../../shared/table';
import { parsedUrl } from '../../../shared/parsed-url';

/** A longer link is not ours. */
export const MAX_LINK_CHARS = 200;
const ID = /^[1-9]\d{0,14}$/;

/** The places in `holdfast://open/<place>[/<id>]`, and their pages. */
const PLACES = table<{ readonly plain?: string; readonly withId?: string }>({
  home: { plain: '/' },
  decisions: { plain: '/decisions' },
  decision: { withId: '/decisions/' },
  sessions: { plain: '/sessions' },
  session: { withId: '/sessions/' },
  turns: { plain: '/turns' },
  turn: { withId: '/turns/' },
  schedule: { plain: '/schedule' },
  task: { withId: '/schedule/' },
  outages: { plain: '/outages' },
  events: { plain: '/events' },
  agents: { plain: '/agents' },
  usage: { plain: '/usage' },
});

/** The route of a link; undefined for anything that is not exactly one of ours. */
export function parseLink(text: string): string | undefined {
  if (text.length > MAX_LINK_CHARS || !/^holdfast:\/\/open\/[a-z]+(\/\d+)?\/?$/.test(text)) {
    return undefined;
  }
  const url = parsedUrl(text);
  if (url === undefined) return undefined;
  const [place = '', id, ...rest] = url.pathname.split('/').filter((part) => part !== '');
  if (rest.length > 0 || !Object.hasOwn(PLACES, place)) return undefined;
  const target = PLACES[place];
  if (id === undefined) return target?.plain;
  return target?.withId !== undefined && ID.test(id) ? target.withId + id : undefined;
}

export const isRoute = isPageRoute;

/**
 * The page of one provider, or the page of all providers if its name does not fit into an address.
 */
export function outageRoute(provider: string): string {
  const route = `/outages/${provider}`;
  return isRoute(route) ? route : '/outages';
}

/** Pages of ours: the main window, the settings window and the small one that takes a prompt. */
export type Page = 'index' | 'settings' | 'quick';

export const pageUrl = (page: Page, route = '/'): string =>
  `holdfast://app/${page}.html${isRoute(route) && route !== '/' ? `#${route}` : ''}`;

/** True for an address that our windows may show (W5). */
export function isOwnPage(text: string): boolean {
  const url = parsedUrl(text);
  return (
    url?.protocol === 'holdfast:' &&
    url.host === 'app' &&
    url.username === '' &&
    url.password === '' &&
    url.port === '' &&
    url.search === '' &&
    ['/index.html', '/settings.html', '/quick.html'].includes(url.pathname)
  );
}

/** The route that a window shows now. */
export function routeOf(url: string): string {
  const hash = url.indexOf('#');
  const route = hash < 0 ? '/' : url.slice(hash + 1);
  return isRoute(route) ? route : '/';
}
