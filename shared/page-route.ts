/** Routes of our pages: valid text after the `#` of a window, and what main may send to it. */
export const MAX_ROUTE_CHARS = 200;
export const PAGE_ROUTE = /^\/[a-z-]*(\/[a-z0-9._-]{1,64}){0,2}$/;

export const isPageRoute = (text: string): boolean =>
  text.length <= MAX_ROUTE_CHARS && PAGE_ROUTE.test(text);

/**
 * The route itself, otherwise the page that contains it: a name with other characters is not a
 * route.
 */
export const nearestRoute = (text: string): string => {
  if (isPageRoute(text)) return text;
  const page = `/${text.split('/')[1] ?? ''}`;
  return isPageRoute(page) ? page : '/';
};
