/**
 * The pages of the sidebar, in the order of their keys. Pure: sidebar, keys, and palette share it.
 */
import type { StatusSnapshot } from '../shared/types';
import type { Route } from './route';

export interface PageRow {
  readonly route: Route;
  readonly label:
    | 'nav.home'
    | 'nav.decisions'
    | 'nav.sessions'
    | 'nav.schedule'
    | 'nav.outages'
    | 'nav.events'
    | 'nav.agents'
    | 'nav.usage'
    | 'nav.search'
    | 'nav.computers';
  /** Kinds of routes that belong to this page. */
  readonly kinds: readonly Route['kind'][];
}

export const PAGES: readonly PageRow[] = [
  { route: { kind: 'home' }, label: 'nav.home', kinds: ['home', 'restart'] },
  { route: { kind: 'decisions' }, label: 'nav.decisions', kinds: ['decisions'] },
  {
    route: { kind: 'sessions' },
    label: 'nav.sessions',
    kinds: ['sessions', 'farSession', 'turn', 'drafts', 'runs'],
  },
  { route: { kind: 'schedule' }, label: 'nav.schedule', kinds: ['schedule', 'taskForm'] },
  { route: { kind: 'outages' }, label: 'nav.outages', kinds: ['outages'] },
  { route: { kind: 'events' }, label: 'nav.events', kinds: ['events', 'delivery'] },
  { route: { kind: 'agents' }, label: 'nav.agents', kinds: ['agents'] },
  { route: { kind: 'usage' }, label: 'nav.usage', kinds: ['usage'] },
  { route: { kind: 'search' }, label: 'nav.search', kinds: ['search'] },
];

/**
 * Linked only while work is shared; otherwise the settings and the palette offer to start sharing.
 * DW-28
 */
const COMPUTERS: PageRow = {
  route: { kind: 'computers' },
  label: 'nav.computers',
  kinds: ['computers'],
};

export const pagesOf = (status: Pick<StatusSnapshot, 'shared'> | undefined): readonly PageRow[] =>
  status?.shared === undefined ? PAGES : [...PAGES, COMPUTERS];

/** The page that a route belongs to; undefined for the first start. */
export const placeOf = (route: Route): PageRow | undefined =>
  [...PAGES, COMPUTERS].find((page) => page.kinds.includes(route.kind));
