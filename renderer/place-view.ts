/** Which part of a page scrolls, and its distance from the top. */
import { nearestRoute } from '../shared/page-route';
import type { ScrollBox } from '../shared/scroll-boxes';

/** Innermost first: a page that contains one of these does not scroll as a whole. */
const BOXES: readonly (readonly [name: ScrollBox, selector: string])[] = [
  ['chat', '.chat'],
  ['list', '.long-list'],
  ['pane', '.split-pane'],
  ['page', '#content'],
];

export const boxElement = (name: ScrollBox): HTMLElement | null =>
  document.querySelector<HTMLElement>(BOXES.find(([known]) => known === name)?.[1] ?? '#content');

export const boxOf = (element: Element): ScrollBox | undefined =>
  BOXES.find(([, selector]) => element.matches(selector))?.[0];

/** A chat that is scrolled to its end follows it as it grows. */
export const isAtEnd = (
  name: ScrollBox,
  at: { readonly scrollTop: number; readonly scrollHeight: number; readonly clientHeight: number },
): boolean => name === 'chat' && at.scrollHeight - at.scrollTop - at.clientHeight < 48;

/** The route of a hash. */
export const routeOfHash = (hash: string): string => nearestRoute(hash.replace(/^#/, '') || '/');
