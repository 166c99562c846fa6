/** Zoom, pan, and width of one timeline, remembered while the window is open. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, PointerEvent, RefObject } from 'react';
import { clockText } from '../parts/time-view';
import { frameOf } from './step-timeline-layout';
import { FIT } from './step-timeline-shapes';
import type { Frame, Zoom } from './step-timeline-shapes';
import type { TimelinePlan } from './step-timeline-plan';
import { centre, panBy, zoomBy } from './step-timeline-zoom';

/** The zoom of every viewed timeline; forgotten when the window closes. */
const zooms = new Map<string, Zoom>();

interface TimelineView {
  readonly frame: Frame;
  /** False until the width is known, to avoid drawing rows twice. */
  readonly isMeasured: boolean;
  readonly zoom: Zoom;
  readonly setZoom: (zoom: Zoom) => void;
  readonly trackRef: RefObject<HTMLDivElement | null>;
  /** Handlers for the element that contains the tracks. */
  readonly drag: {
    readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void;
    readonly onPointerMove: (event: PointerEvent<HTMLElement>) => void;
    readonly onPointerUp: (event: PointerEvent<HTMLElement>) => void;
  };
  /** True during and just after a drag: then a click opens nothing. */
  readonly hasDragged: () => boolean;
  /** `+ - 0`, left, and right; true if the key was handled. */
  readonly onKey: (event: KeyboardEvent) => boolean;
  readonly showMoment: (atMs: number) => void;
}

/** Used if the width cannot be measured. */
const FALLBACK = { widthPx: 638, textScale: 1 };
/** Width of a digit at 11 px. */
const PX_PER_CHAR = 5.9;
const DRAG_FROM_PX = 4;
const PAN_SHARE = 0.2;

export function useTimelineView(
  zoomKey: string,
  plan: TimelinePlan,
  bodyRef: RefObject<HTMLDivElement | null>,
): TimelineView {
  const trackRef = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<typeof FALLBACK | undefined>(undefined);
  const { widthPx, textScale } = size ?? FALLBACK;
  const [zoom, setZoomState] = useState<Zoom>(() => zooms.get(zoomKey) ?? FIT);
  const setZoom = useCallback(
    (next: Zoom) => {
      zooms.set(zoomKey, next);
      setZoomState(next);
    },
    [zoomKey],
  );

  useLayoutEffect(() => {
    const track = trackRef.current;
    if (!track) return undefined;
    const measure = (): void => {
      const width = Math.floor(track.getBoundingClientRect().width);
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      const next = { widthPx: width, textScale: rem > 0 ? rem / 16 : 1 };
      setSize((before) => {
        if (width <= 0) return before ?? FALLBACK;
        const isSame = before?.widthPx === width && before.textScale === next.textScale;
        return isSame ? before : next;
      });
    };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(track);
    return () => watch.disconnect();
  }, []);

  // Memoized: scrolling renders again.
  const frame = useMemo(
    () =>
      frameOf(plan, widthPx, zoom, {
        utcOffsetMs: -new Date(plan.fromMs).getTimezoneOffset() * 60_000,
        timePx:
          clockText(plan.fromMs, plan.fromMs, undefined, true).length * PX_PER_CHAR * textScale,
        textScale,
      }),
    [plan, widthPx, textScale, zoom],
  );
  const latest = useRef({ frame, zoom });
  useEffect(() => {
    latest.current = { frame, zoom };
  });

  const xOf = useCallback(
    (clientX: number): number => clientX - (trackRef.current?.getBoundingClientRect().left ?? 0),
    [],
  );

  // Not a React handler: React's wheel handlers are passive and could not prevent the page zoom.
  useEffect(() => {
    const body = bodyRef.current;
    if (!body) return undefined;
    const onWheel = (event: WheelEvent): void => {
      const now = latest.current;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        setZoom(zoomBy(now.frame, now.zoom, Math.exp(-event.deltaY / 240), xOf(event.clientX)));
      } else if (event.deltaX !== 0 && now.zoom.kind === 'span') {
        event.preventDefault();
        setZoom(panBy(now.frame, now.zoom, event.deltaX));
      }
    };
    body.addEventListener('wheel', onWheel, { passive: false });
    return () => body.removeEventListener('wheel', onWheel);
  }, [bodyRef, setZoom, xOf]);

  const dragged = useRef<{ x: number; leftPx: number; isMoving: boolean } | undefined>(undefined);
  const wasDrag = useRef(false);
  return {
    frame,
    isMeasured: size !== undefined,
    zoom,
    setZoom,
    trackRef,
    hasDragged: () => wasDrag.current,
    showMoment: (atMs) => setZoom(centre(frame, zoom, atMs)),
    drag: {
      onPointerDown(event) {
        wasDrag.current = false;
        dragged.current =
          event.button === 0 && zoom.kind === 'span'
            ? { x: event.clientX, leftPx: frame.leftPx, isMoving: false }
            : undefined;
      },
      onPointerMove(event) {
        const from = dragged.current;
        if (!from) return;
        if (event.buttons === 0) {
          dragged.current = undefined;
          return;
        }
        const byPx = from.x - event.clientX;
        if (!from.isMoving && Math.abs(byPx) < DRAG_FROM_PX) return;
        if (!from.isMoving) event.currentTarget.setPointerCapture(event.pointerId);
        wasDrag.current = true;
        from.isMoving = true;
        // Relative to the start of the drag: moves arrive faster than renders.
        const now = latest.current;
        setZoom(panBy(now.frame, now.zoom, from.leftPx + byPx - now.frame.leftPx));
      },
      onPointerUp() {
        dragged.current = undefined;
      },
    },
    onKey(event) {
      switch (event.key) {
        case '+':
        case '=':
          setZoom(zoomBy(frame, zoom, 1.6, widthPx / 2));
          return true;
        case '-':
          setZoom(zoomBy(frame, zoom, 1 / 1.6, widthPx / 2));
          return true;
        case '0':
          setZoom(FIT);
          return true;
        case 'ArrowLeft':
        case 'ArrowRight':
          if (zoom.kind === 'fit') return false;
          setZoom(panBy(frame, zoom, (event.key === 'ArrowLeft' ? -1 : 1) * PAN_SHARE * widthPx));
          return true;
        default:
          return false;
      }
    },
  };
}
