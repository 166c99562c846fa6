/**
 * The page the window opens with, and reporting the current one: after a crash it opens what
 * matters most, or where the user was. The shell decides (`decide-landing.ts`); this is its input
 * and output.
 */
import { useEffect, useRef, useState } from 'react';
import type { ScrollBox } from '../shared/scroll-boxes';
import { callVerb, useBridge } from './bridge';
import { parseRoute } from './route';
import { nearestRoute } from '../shared/page-route';

/** Innermost first: a page that contains one of these does not scroll as a whole. */
const BOXES: readonly (readonly [name: ScrollBox, selector: string])[] = [
  ['chat', '.chat'],
  ['list', '.long-list'],
  ['pane', '.split-pane'],
  ['page', '#content'],
];

const boxElement = (name: ScrollBox): HTMLElement | null =>
  document.querySelector<HTMLElement>(BOXES.find(([known]) => known === name)?.[1] ?? '#content');

const boxOf = (element: Element): ScrollBox | undefined =>
  BOXES.find(([, selector]) => element.matches(selector))?.[0];

/** A chat that is scrolled to its end follows as it grows. */
export const isAtEnd = (
  name: ScrollBox,
  at: { readonly scrollTop: number; readonly scrollHeight: number; readonly clientHeight: number },
): boolean => name === 'chat' && at.scrollHeight - at.scrollTop - at.clientHeight < 48;

/** The route of a hash. */
export const routeOfHash = (hash: string): string => nearestRoute(hash.replace(/^#/, '') || '/');

/** Delay between the last move and the write. */
const PLACE_AFTER_MS = 300;
/** How long a page may take to reach its former length. */
const SCROLL_FOR_MS = 5_000;
/** A position that stays this long is stored. */
const STEADY_MS = 400;

/** Asks once which page to open; true when that is known. */
export function useLandingPage(): boolean {
  const bridge = useBridge();
  const isAsked = useRef(false);
  const [isLanded, setLanded] = useState(false);
  useEffect(() => {
    if (isAsked.current) return;
    isAsked.current = true;
    const hash = window.location.hash;
    const asked = routeOfHash(hash);
    void callVerb(bridge, 'app.landing', { asked }).then((answer) => {
      setLanded(true);
      if (!answer.ok) return;
      const { route, box, top, isStoryOver } = answer.value;
      if (isStoryOver)
        void callVerb(bridge, 'config.set', { key: 'app.first_start_done', value: true });
      // A link or notice that arrived in the meantime is newer.
      if (window.location.hash !== hash) return;
      if (route !== asked) window.location.replace(`#${route}`);
      if (box !== undefined && top !== undefined) scrollTo(`#${route}`, box, top);
    });
  }, [bridge]);
  return isLanded;
}

/** Until the page is long enough and stable, or the user scrolls. */
function scrollTo(hash: string, box: ScrollBox, top: number): void {
  const endMs = performance.now() + SCROLL_FOR_MS;
  let steadyMs: number | undefined;
  let isTaken = false;
  const take = (): void => {
    isTaken = true;
  };
  const kinds = ['wheel', 'keydown', 'pointerdown'] as const;
  for (const kind of kinds) window.addEventListener(kind, take, { once: true });
  const step = (): void => {
    const now = performance.now();
    const isHere = routeOfHash(window.location.hash) === routeOfHash(hash);
    const element = boxElement(box);
    const isThere = element !== null && Math.abs(element.scrollTop - top) <= 2;
    if (!isThere) {
      steadyMs = undefined;
      if (element !== null) element.scrollTop = top;
    } else steadyMs ??= now;
    const isSteady = steadyMs !== undefined && now - steadyMs >= STEADY_MS;
    if (isTaken || !isHere || isSteady || now > endMs) {
      for (const kind of kinds) window.removeEventListener(kind, take);
      return;
    }
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/** Reports where the user is: shortly after each page change, and after scrolling. */
export function useKeepPlace(isLanded: boolean, hash: string): void {
  const bridge = useBridge();
  useEffect(() => {
    if (!isLanded) return undefined;
    const route = routeOfHash(hash);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let scrolled: HTMLElement | undefined;
    const keep = (): void => {
      clearTimeout(arrival);
      clearTimeout(timer);
      arrival = timer = undefined;
      const box = scrolled?.isConnected === true ? boxOf(scrolled) : undefined;
      const at =
        scrolled === undefined || box === undefined || isAtEnd(box, scrolled)
          ? {}
          : { box, top: Math.max(0, Math.round(scrolled.scrollTop)) };
      void callVerb(bridge, 'app.place', { route, ...at });
    };
    // On a separate timer, so that continuous scrolling is reported too.
    let arrival: typeof timer = setTimeout(keep, PLACE_AFTER_MS);
    const onScroll = (event: Event): void => {
      const element = event.target;
      if (!(element instanceof HTMLElement) || boxOf(element) === undefined) return;
      scrolled = element;
      clearTimeout(timer);
      timer = setTimeout(keep, PLACE_AFTER_MS);
    };
    const atOnce = (): void => {
      if (arrival !== undefined || timer !== undefined) keep();
    };
    document.addEventListener('scroll', onScroll, { capture: true, passive: true });
    window.addEventListener('blur', atOnce);
    window.addEventListener('pagehide', atOnce);
    return () => {
      clearTimeout(arrival);
      clearTimeout(timer);
      document.removeEventListener('scroll', onScroll, { capture: true });
      window.removeEventListener('blur', atOnce);
      window.removeEventListener('pagehide', atOnce);
    };
  }, [bridge, isLanded, hash]);
}

/** Leaving the first-start page in any way ends it: it opens automatically only once. */
export function useLeaveFirstStart(hash: string): void {
  const bridge = useBridge();
  const wasThere = useRef(false);
  const isThere = parseRoute(hash).kind === 'welcome';
  useEffect(() => {
    if (isThere) {
      wasThere.current = true;
      return;
    }
    if (!wasThere.current) return;
    wasThere.current = false;
    const key = 'app.first_start_done';
    void callVerb(bridge, 'config.get', { key }).then((known) => {
      if (known.ok && known.value.value === false)
        void callVerb(bridge, 'config.set', { key, value: true });
    });
  }, [bridge, isThere]);
}
