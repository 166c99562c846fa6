/**
 * Short notices at the bottom right: what was done, with Undo if that is possible. They never move
 * the page. The component that renders them is loaded with the first one (`toast-host.tsx`).
 */
import { useSyncExternalStore } from 'react';

/** How long a notice stays; the time stops while the pointer or the focus is on it. */
export const TOAST_MS = 6_000;
export const MAX_TOASTS = 3;

export interface Toast {
  readonly message: string;
  readonly title?: string;
  /** Green is for success; denied or dismissed things are gray. */
  readonly tone: 'kept' | 'muted' | 'outage';
  /** Undoes it. */
  readonly undo?: () => void;
  /** When the notice closes, whether or not the action was undone. */
  readonly onGone?: () => void;
  /** A newer notice with the same key replaces it. */
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

/** Shows a notice. It is queued until the component that renders it is loaded. */
export function toast(given: Toast): void {
  if (show !== undefined) show(given);
  else early.push(given);
  if (isUsed) return;
  isUsed = true;
  changed();
}

/** The component was mounted; call the result when it unmounts. */
export function drawToasts(draw: Show): () => void {
  show = draw;
  for (const given of early.splice(0)) draw(given);
  return () => {
    if (show === draw) show = undefined;
  };
}

/** Whether a notice was ever shown in this window. */
export const useToastsUsed = (): boolean => useSyncExternalStore(subscribe, () => isUsed);

const delayed = new Map<string, () => void>();
let pending: ReadonlySet<string> = new Set();
const settle = (): void => {
  pending = new Set(delayed.keys());
  changed();
};

/** Maximum time an action waits for its notice to close. */
const LATEST_MS = 60_000;

/**
 * Runs an irreversible action only after its notice closes, so that Undo is exact: nothing was done
 * yet. Leaving the window runs it at once; a crash before that leaves it undone.
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

/** The keys of pending actions: lists omit their rows. */
export const usePending = (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => pending);

/** Runs at once every action that waits for its notice. */
export function actNow(): void {
  const all = [...delayed.values()];
  delayed.clear();
  for (const run of all) run();
  settle();
}
