/** Hash routes of the recovery window. Pure parts first, then the hook. */
import { useSyncExternalStore } from 'react';

export type Route =
  | { readonly kind: 'home' }
  | {
      readonly kind: 'decisions';
      readonly turnId?: number;
      /** One item of the inbox, if a turn has several. */
      readonly itemId?: number;
    }
  | { readonly kind: 'sessions'; readonly sessionId?: number }
  /** A session of another computer. */
  | { readonly kind: 'farSession'; readonly host: string; readonly sessionId: number }
  | { readonly kind: 'turn'; readonly turnId: number }
  | { readonly kind: 'drafts'; readonly sessionId: number }
  | { readonly kind: 'runs'; readonly runId?: number }
  | {
      readonly kind: 'events';
      readonly turnId?: number;
      readonly sessionId?: number;
      /** Only events up to this moment, in epoch ms. */
      readonly untilMs?: number;
    }
  /** Delivery of events to the broker. */
  | { readonly kind: 'delivery' }
  | { readonly kind: 'schedule'; readonly taskId?: number }
  /** The form of a new task, or of one being edited. */
  | { readonly kind: 'taskForm'; readonly taskId?: number }
  | { readonly kind: 'outages'; readonly provider?: string }
  | {
      readonly kind: 'agents';
      /** Shown first. */
      readonly agent?: string;
    }
  /** Usage of each provider by day. */
  | { readonly kind: 'usage' }
  /** The search for words in everything that was said and done. */
  | { readonly kind: 'search' }
  /** The computers that share work. */
  | { readonly kind: 'computers' }
  /** What happened at the last restart. */
  | { readonly kind: 'restart' }
  | { readonly kind: 'welcome' };

const idOf = (part: string | undefined): number | undefined =>
  part !== undefined && /^[1-9]\d{0,14}$/.test(part) ? Number(part) : undefined;

/** A provider, an agent, or a host by its name in the settings; other values mean none. */
const nameOf = (part: string | undefined): string | undefined => {
  if (part === undefined || part === '') return undefined;
  try {
    const name = decodeURIComponent(part);
    return name.length <= 64 ? name : undefined;
  } catch {
    return undefined; // a broken escape in an address
  }
};

/** `box-12`: a host, and the session on it. */
function farSessionOf(part: string): Route {
  const at = part.lastIndexOf('-');
  const [host, sessionId] = [nameOf(part.slice(0, Math.max(0, at))), idOf(part.slice(at + 1))];
  return host === undefined || sessionId === undefined
    ? { kind: 'sessions' }
    : { kind: 'farSession', host, sessionId };
}

/** `turn-7`, `session-3`, or `at-1774358460000`, as in addresses of the events page. */
const eventsOf = (part: string | undefined): Route => {
  if (part === 'delivery') return { kind: 'delivery' };
  const [what, id] = part?.split('-') ?? [];
  const given = idOf(id);
  if (given === undefined) return { kind: 'events' };
  switch (what) {
    case 'turn':
      return { kind: 'events', turnId: given };
    case 'session':
      return { kind: 'events', sessionId: given };
    case 'at':
      return { kind: 'events', untilMs: given };
    default:
      return { kind: 'events' };
  }
};

/** Reads a hash, with or without `#` and slash; anything unknown is Home. */
export function parseRoute(hash: string): Route {
  const [page, id, extra] = hash.replace(/^#?\/?/, '').split('/');
  const given = idOf(id);
  if (extra !== undefined) return { kind: 'home' };
  switch (page) {
    case 'decisions': {
      const itemId = id?.startsWith('item-') === true ? idOf(id.slice(5)) : undefined;
      if (itemId !== undefined) return { kind: 'decisions', itemId };
      return given === undefined ? { kind: 'decisions' } : { kind: 'decisions', turnId: given };
    }
    case 'sessions':
      if (id?.startsWith('on-') === true) return farSessionOf(id.slice(3));
      return given === undefined ? { kind: 'sessions' } : { kind: 'sessions', sessionId: given };
    case 'turns':
      return given === undefined ? { kind: 'home' } : { kind: 'turn', turnId: given };
    case 'drafts':
      return given === undefined ? { kind: 'sessions' } : { kind: 'drafts', sessionId: given };
    case 'runs':
      return given === undefined ? { kind: 'runs' } : { kind: 'runs', runId: given };
    case 'schedule': {
      if (id === 'new') return { kind: 'taskForm' };
      const edited = id?.startsWith('edit-') === true ? idOf(id.slice(5)) : undefined;
      if (edited !== undefined) return { kind: 'taskForm', taskId: edited };
      return given === undefined ? { kind: 'schedule' } : { kind: 'schedule', taskId: given };
    }
    case 'outages': {
      const provider = nameOf(id);
      return provider === undefined ? { kind: 'outages' } : { kind: 'outages', provider };
    }
    case 'events':
      return eventsOf(id);
    case 'agents': {
      const agent = nameOf(id);
      return agent === undefined ? { kind: 'agents' } : { kind: 'agents', agent };
    }
    case 'usage':
      return { kind: 'usage' };
    case 'search':
      return { kind: 'search' };
    case 'computers':
      return { kind: 'computers' };
    case 'restart':
      return { kind: 'restart' };
    case 'welcome':
      return { kind: 'welcome' };
    default:
      return { kind: 'home' };
  }
}

/** The hash of a route: `parseRoute(hrefOf(route))` returns the route. */
export function hrefOf(route: Route): string {
  switch (route.kind) {
    case 'home':
      return '#/';
    case 'decisions':
      if (route.itemId !== undefined) return `#/decisions/item-${route.itemId}`;
      return route.turnId === undefined ? '#/decisions' : `#/decisions/${route.turnId}`;
    case 'sessions':
      return route.sessionId === undefined ? '#/sessions' : `#/sessions/${route.sessionId}`;
    case 'farSession':
      return `#/sessions/on-${encodeURIComponent(route.host)}-${route.sessionId}`;
    case 'turn':
      return `#/turns/${route.turnId}`;
    case 'drafts':
      return `#/drafts/${route.sessionId}`;
    case 'runs':
      return route.runId === undefined ? '#/runs' : `#/runs/${route.runId}`;
    case 'schedule':
      return route.taskId === undefined ? '#/schedule' : `#/schedule/${route.taskId}`;
    case 'taskForm':
      return route.taskId === undefined ? '#/schedule/new' : `#/schedule/edit-${route.taskId}`;
    case 'delivery':
      return '#/events/delivery';
    case 'outages':
      return route.provider === undefined
        ? '#/outages'
        : `#/outages/${encodeURIComponent(route.provider)}`;
    case 'events':
      if (route.turnId !== undefined) return `#/events/turn-${route.turnId}`;
      if (route.sessionId !== undefined) return `#/events/session-${route.sessionId}`;
      return route.untilMs === undefined ? '#/events' : `#/events/at-${route.untilMs}`;
    case 'agents':
      return route.agent === undefined ? '#/agents' : `#/agents/${encodeURIComponent(route.agent)}`;
    case 'usage':
    case 'search':
    case 'computers':
    case 'restart':
    case 'welcome':
      return `#/${route.kind}`;
  }
}

export function goTo(route: Route): void {
  window.location.hash = hrefOf(route);
}

const subscribe = (listener: () => void): (() => void) => {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
};

/** The hash of the window; parse it with {@link parseRoute}. */
export function useHash(): string {
  return useSyncExternalStore(subscribe, () => window.location.hash);
}
