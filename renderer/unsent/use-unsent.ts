/** The unsent text of this window, connected to the bridge, and one field of it for a component. */
import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import type { HoldfastBridge } from '../../shared/contract';
import type { SentText } from '../../shared/types/unsent';
import { callVerb, useBridge, useEvent } from '../bridge';
import { createUnsentStore } from './unsent-store';
import type { FieldView, Keeping, UnsentStore } from './unsent-store';

const stores = new WeakMap<HoldfastBridge, UnsentStore>();

/** One store per window; it writes at once however the user leaves the window. */
function storeOf(bridge: HoldfastBridge): UnsentStore {
  const known = stores.get(bridge);
  if (known !== undefined) return known;
  const made = createUnsentStore({
    async read(field) {
      const answer = await callVerb(bridge, 'unsent.read', { field });
      if (!answer.ok) throw new Error(answer.code);
      return answer.value.kept;
    },
    keep: async (field, text) => (await callVerb(bridge, 'unsent.keep', { field, ...text })).ok,
    nowMs: () => Date.now(),
    later(delayMs, run) {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  });
  const flush = (): void => void made.flush();
  window.addEventListener('blur', flush);
  window.addEventListener('hashchange', flush);
  window.addEventListener('pagehide', flush);
  document.addEventListener('focusout', flush);
  document.addEventListener('visibilitychange', flush);
  window.addEventListener('focus', () => made.readAgain());
  stores.set(bridge, made);
  return made;
}

/** A stop waits for the pages: the last input is written, and then confirmed. */
export function SettleAtStop(): null {
  const bridge = useBridge();
  useEvent('status.changed', ({ phase }) => {
    if (phase !== 'stopping') return;
    void (stores.get(bridge)?.flush() ?? Promise.resolve()).then(() =>
      callVerb(bridge, 'app.settled', {}),
    );
  });
  return null;
}

interface UnsentField extends FieldView {
  readonly change: (text: string) => void;
  /** Call before sending the text, and pass on the result. */
  readonly sending: () => Promise<SentText | undefined>;
  readonly sent: (text: string) => void;
  readonly refused: () => void;
  readonly drop: () => void;
}

/** A field whose text stays on disk until it is sent, across pages, windows, and crashes. */
export function useUnsent(field: string): UnsentField {
  const store = storeOf(useBridge());
  const view = useSyncExternalStore(
    useCallback((listener) => store.follow(field, listener), [store, field]),
    () => store.view(field),
  );
  // Writes the typed text when the field is unmounted.
  useEffect(() => () => void store.flush(), [store, field]);
  return useMemo(
    () => ({
      ...view,
      change: (text) => store.change(field, text),
      sending: () => store.sending(field),
      sent: (text) => store.sent(field, text),
      refused: () => store.refused(field),
      drop: () => store.drop(field),
    }),
    [store, field, view],
  );
}

export interface UnsentForm<T> {
  readonly value: T;
  readonly keeping: Keeping;
  readonly isRead: boolean;
  readonly change: (part: Partial<T>) => void;
  readonly sending: () => Promise<SentText | undefined>;
  /** The acceptance is on disk. */
  readonly sent: () => void;
  readonly refused: () => void;
  readonly drop: () => void;
}

type FormValue = string | boolean | undefined | null | readonly string[];

const sameKind = (known: unknown, said: unknown): boolean =>
  Array.isArray(known)
    ? Array.isArray(said) && said.every((one) => typeof one === 'string')
    : typeof said === 'string' || typeof said === typeof known;

/**
 * Form values from a stored text: only fields that the form has, with the right types. Pure; never
 * throws.
 */
export function formOf<T extends { readonly [K in keyof T]: FormValue }>(
  text: string,
  first: T,
): T {
  try {
    const said: unknown = JSON.parse(text);
    if (typeof said !== 'object' || said === null) return first;
    const known = Object.entries(said).filter(
      ([key, value]) =>
        Object.hasOwn(first, key) && sameKind(first[key as keyof T], value as unknown),
    );
    return { ...first, ...Object.fromEntries(known) };
  } catch {
    return first;
  }
}

/** A form whose fields are stored together; while it equals `first`, nothing is stored. */
export function useUnsentForm<T extends { readonly [K in keyof T]: FormValue }>(
  field: string,
  first: T,
): UnsentForm<T> {
  const { text, keeping, isRead, change, sending, sent, refused, drop } = useUnsent(field);
  const value = useMemo(() => formOf(text, first), [text, first]);
  // It was accepted, but a crash came before the answer: then it equals the form's initial values.
  const isAccepted = isRead && text !== '' && JSON.stringify(value) === JSON.stringify(first);
  useEffect(() => {
    if (isAccepted) drop();
  }, [isAccepted, drop]);
  return {
    value,
    keeping,
    isRead,
    change(part) {
      const next = { ...value, ...part };
      const isFirst = JSON.stringify(next) === JSON.stringify(first);
      change(isFirst ? '' : JSON.stringify(next));
    },
    sending,
    sent: () => sent(text),
    refused,
    drop,
  };
}
