/**
 * The window's only connection to main: `window.holdfast`. Typed calls, queries that stay current
 * through events, commands that report errors. No polling.
 */
import {
  createContext,
  startTransition,
  useCallback,
  useContext,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import type {
  Answer,
  EventName,
  EventPayload,
  HoldfastBridge,
  VerbInput,
  VerbOutput,
  WindowVerb,
} from '../shared/contract';
import { t } from '../shared/messages';
import { createPace, windowTimer } from './refetch-pace';

declare global {
  interface Window {
    readonly holdfast?: HoldfastBridge;
  }
}

/** What went wrong, in a form that the user can act on. */
export interface Trouble {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export const BridgeContext = createContext<HoldfastBridge | undefined>(undefined);

/** The bridge of this window. Throws if the page runs outside of Holdfast. */
export function useBridge(): HoldfastBridge {
  const given = useContext(BridgeContext);
  const bridge = given ?? window.holdfast;
  if (!bridge) throw new Error('window.holdfast is missing');
  return bridge;
}

/** Calls a verb; a broken connection becomes an answer too, so callers have one path. */
export async function callVerb<V extends WindowVerb>(
  bridge: HoldfastBridge,
  verb: V,
  input: VerbInput<V>,
): Promise<Answer<VerbOutput<V>>> {
  try {
    const call = bridge.call[verb] as (given: VerbInput<V>) => Promise<Answer<VerbOutput<V>>>;
    return await call(input);
  } catch (thrown) {
    return {
      ok: false,
      code: 'INTERNAL',
      message: thrown instanceof Error ? thrown.message : String(thrown),
      hint: t('error.bridgeHint'),
    };
  }
}

/** What a refused call says. */
export const troubleOf = (answer: Extract<Answer<unknown>, { ok: false }>): Trouble =>
  answer.hint === undefined
    ? { code: answer.code, message: answer.message }
    : { code: answer.code, message: answer.message, hint: answer.hint };

/** Listens to one event while mounted. */
export function useEvent<E extends EventName>(
  event: E,
  listener: (payload: EventPayload<E>) => void,
): void {
  const bridge = useBridge();
  const hear = useEffectEvent(listener);
  useEffect(() => {
    const subscribe = bridge.on[event] as (given: (payload: EventPayload<E>) => void) => () => void;
    return subscribe((payload) => hear(payload));
  }, [bridge, event]);
}

/** Events that make a query's answer outdated. */
const REFETCH: { readonly [V in WindowVerb]?: readonly EventName[] } = {
  'turns.list': ['turn.changed'],
  'turns.show': ['turn.changed', 'inbox.changed'],
  'turns.step': ['turn.changed'],
  'turns.plan': ['turn.changed', 'config.changed'],
  'recovery.list': ['inbox.changed', 'turn.changed'],
  'inbox.list': ['inbox.changed'],
  'approvals.list': ['inbox.changed', 'turn.changed'],
  'approvals.diff': ['turn.changed'],
  'sessions.list': ['session.changed', 'turn.changed'],
  'session.status': ['session.changed', 'turn.changed'],
  'session.events': ['session.changed'],
  'activations.events': ['session.changed'],
  'runs.list': ['turn.changed'],
  'runs.show': ['turn.changed'],
  'runs.plan': ['turn.changed'],
  'skills.list': ['config.changed'],
  'drafts.list': ['session.changed'],
  'drafts.diff': ['session.changed'],
  'agents.list': ['config.changed'],
  'agents.show': ['config.changed'],
  'tools.list': ['config.changed'],
  // Servers start and stop on their own, and report it with the overall status.
  'ext.list': ['config.changed', 'status.changed'],
  'updates.status': ['config.changed', 'status.changed'],
  'provider.list': ['config.changed'],
  'channels.list': ['config.changed', 'status.changed'],
  'provider.status': ['outage.changed', 'config.changed'],
  'breakers.list': ['outage.changed'],
  'breakers.show': ['outage.changed'],
  'outage.queue': ['outage.changed'],
  'outage.list': ['outage.changed'],
  'outage.plot': ['outage.changed'],
  'tasks.list': ['schedule.changed'],
  'tasks.show': ['schedule.changed'],
  'tasks.history': ['schedule.changed'],
  'timers.list': ['schedule.changed'],
  'heartbeat.status': ['schedule.changed', 'config.changed'],
  'schedule.lines': ['schedule.changed'],
  'queue.status': ['queue.changed'],
  'dlq.list': ['queue.changed'],
  'config.list': ['config.changed'],
  'share.status': ['status.changed', 'config.changed'],
  'machines.list': ['turn.changed'],
  'hosts.inbox': ['hosts.changed'],
  'app.info': ['config.changed'],
  'config.get': ['config.changed'],
};

export interface Query<T> {
  readonly data: T | undefined;
  readonly trouble: Trouble | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Verbs whose answer belongs to one turn: an event about another turn does not invalidate it. */
const concerns = (input: unknown, event: EventName, payload: unknown): boolean => {
  if (event !== 'turn.changed') return true;
  const wanted = (input as { readonly turnId?: number }).turnId;
  return wanted === undefined || wanted === (payload as { readonly turnId: number }).turnId;
};

interface Taken<T> {
  /** The input that was answered. */
  readonly key: string | undefined;
  readonly data: T | undefined;
  readonly trouble: Trouble | undefined;
}
const NOTHING_YET: Taken<never> = { key: undefined, data: undefined, trouble: undefined };

/** The last good answer to the same input survives a failed one. */
const taken = <T>(before: Taken<T>, key: string, answer: Answer<T>): Taken<T> =>
  answer.ok
    ? { key, data: answer.value, trouble: undefined }
    : { key, data: before.key === key ? before.data : undefined, trouble: troubleOf(answer) };

/**
 * The answer of a query, fetched again after the events that change it. The last good answer is
 * shown while the next is being fetched; at most one request is in flight, later events are merged,
 * and many events fetch no more often than the pace. Pass `undefined` as input to fetch nothing
 * yet.
 */
export function useVerb<V extends WindowVerb>(
  verb: V,
  input: VerbInput<V> | undefined,
): Query<VerbOutput<V>> {
  const bridge = useBridge();
  const key = input === undefined ? undefined : JSON.stringify(input);
  const [state, setState] = useState<Taken<VerbOutput<V>>>(NOTHING_YET);
  const ask = useRef<() => void>(() => undefined);

  useEffect(() => {
    if (key === undefined) return undefined;
    let isGone = false;
    let isAsking = false;
    let isStale = false;
    let isFirst = true;
    const given = JSON.parse(key) as VerbInput<V>;
    const run = async (): Promise<void> => {
      if (isAsking) {
        isStale = true;
        return;
      }
      isAsking = true;
      do {
        isStale = false;
        const answer = await callVerb(bridge, verb, given);
        if (isGone) return;
        const take = (): void => setState((before) => taken(before, key, answer));
        // The first answer renders a page, in slices between keys and frames. Later ones change
        // little, and the user's next action must see them.
        if (isFirst) startTransition(take);
        else take();
        isFirst = false;
      } while (isStale);
      isAsking = false;
    };
    ask.current = () => void run();
    const pace = createPace({
      nowMs: () => performance.now(),
      later: windowTimer,
      ask: () => void run(),
    });
    const offs = (REFETCH[verb] ?? []).map((event) => {
      const subscribe = bridge.on[event] as (listener: (payload: unknown) => void) => () => void;
      return subscribe((payload) => {
        if (concerns(given, event, payload)) pace.onEvent();
      });
    });
    void run();
    return () => {
      isGone = true;
      pace.stop();
      for (const off of offs) off();
    };
  }, [bridge, verb, key]);

  const reload = useCallback(() => ask.current(), []);
  const isCurrent = state.key === key;
  return {
    data: isCurrent ? state.data : undefined,
    trouble: isCurrent ? state.trouble : undefined,
    isLoading: key !== undefined && !isCurrent,
    reload,
  };
}

export interface Command<V extends WindowVerb> {
  readonly run: (input: VerbInput<V>) => Promise<Answer<VerbOutput<V>>>;
  readonly isBusy: boolean;
  readonly trouble: Trouble | undefined;
  readonly clear: () => void;
}

/** A command with its state: busy while it runs, trouble if it was rejected. */
export function useCommand<V extends WindowVerb>(verb: V): Command<V> {
  const bridge = useBridge();
  const [busy, setBusy] = useState(0);
  const [trouble, setTrouble] = useState<Trouble | undefined>(undefined);
  const run = useCallback(
    async (input: VerbInput<V>) => {
      setBusy((count) => count + 1);
      setTrouble(undefined);
      const answer = await callVerb(bridge, verb, input);
      setBusy((count) => count - 1);
      if (!answer.ok) setTrouble(troubleOf(answer));
      return answer;
    },
    [bridge, verb],
  );
  const clear = useCallback(() => setTrouble(undefined), []);
  return { run, isBusy: busy > 0, trouble, clear };
}
