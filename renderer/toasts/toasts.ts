/**
 * Short notes at the bottom right: what was done, and Undo if possible. They never move the page.
 * The part that draws them is loaded with the first one (`toast-host.tsx`).
 */
import { useSyncExternalStore } from 'react';

/** How long a note stays; it waits while the pointer or the focus is on it. */
export const TOAST_MS = 6_000;
export const MAX_TOASTS = 3;

export interface Toast {
  readonly message: string;
  readonly title?: string;
  /** Green is for success; denied or dismissed is gray. */
  readonly tone: 'kept' | 'muted' | 'outage';
  /** Takes it back. */
  readonly undo?: () => void;
  /** When it is gone, taken back or not. */
  readonly onGone?: () => void;
  /** A newer one with the same key replaces it. */
  readonly key?: string;
}

type Show = (given: Toast) => void;

let show: Show | undefined;
const early: Toast[] = [];
let isUsed = false;
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const changed = (): void => {
  for (const listener of listeners) listener();
};

/** Shows a note. Before the part that draws them is loaded, it is stored for it. */
export function toast(given: Toast): void {
  if (show !== undefined) show(given);
  else early.push(given);
  if (isUsed) return;
  isUsed = true;
  changed();
}

/** What draws them has come; the answer is for when it goes. */
export function drawToasts(draw: Show): () => void {
  show = draw;
  for (const given of early.splice(0)) draw(given);
  return () => {
    if (show === draw) show = undefined;
  };
}

/** Whether a note was ever shown in this window. */
export const useToastsUsed = (): boolean => useSyncExternalStore(subscribe, () => isUsed);

const delayed = new Map<string, () => void>();
let pending: ReadonlySet<string> = new Set();
const settle = (): void => {
  pending = new Set(delayed.keys());
  changed();
};

/** Longest that an act waits for its note to go. */
const LATEST_MS = 60_000;

/**
 * Does something that has no way back only when its note is gone, so that Undo is exact: nothing was
 * done. Leaving the window does it at once; what dies before that has done nothing.
 */
export function actLater(key: string, message: string, run: () => void): void {
  const finish = (isDone: boolean): void => {
    clearTimeout(timer);
    if (delayed.get(key) !== run) return;
    delayed.delete(key);
    if (isDone) run();
    settle();
  };
  const timer = setTimeout(() => finish(true), LATEST_MS);
  delayed.set(key, run);
  settle();
  toast({
    message,
    tone: 'muted',
    key,
    undo: () => finish(false),
    onGone: () => finish(true),
  });
}

/** What is about to be done, by its key: lists leave it out. */
export const usePending = (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => pending);

/** Does at once what still waits for its note. */
export function actNow(): void {
  const all = [...delayed.values()];
  delayed.clear();
  for (const run of all) run();
  settle();
}
