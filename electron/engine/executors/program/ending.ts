/** Why a run of another program was ended from inside. */
export type Ending =
  | { readonly kind: 'deadline'; readonly afterMs: number }
  | { readonly kind: 'limit'; readonly reason: string }
  /** Its provider refuses it again and again. */
  | { readonly kind: 'refused'; readonly status: number; readonly error: string }
  /** Holdfast stops, and nothing is at work. */
  | { readonly kind: 'draining' }
  /** An error of ours. */
  | { readonly kind: 'broken'; readonly error: unknown };

/** The end of a run, from inside or from outside: whoever comes first says why. */
export interface RunEnding {
  /** Aborted by either. */
  readonly signal: AbortSignal;
  /** Undefined while it goes on, and where it was stopped from outside. */
  why(): Ending | undefined;
  stop(why: Ending): void;
  dispose(): void;
}

export function createEnding(outer: AbortSignal): RunEnding {
  const inner = new AbortController();
  let ending: Ending | undefined;
  const onOuter = (): void => inner.abort(outer.reason);
  outer.addEventListener('abort', onOuter, { once: true });
  if (outer.aborted) onOuter();
  return {
    signal: inner.signal,
    why: () => ending,
    stop(why) {
      ending ??= why;
      inner.abort(new Error(why.kind));
    },
    dispose() {
      outer.removeEventListener('abort', onOuter);
      inner.abort(new Error('over'));
    },
  };
}
