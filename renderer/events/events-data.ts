/** Pages of events, newest first, loaded as the user scrolls. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { callVerb, useBridge, troubleOf } from '../bridge';
import type { Trouble } from '../bridge';
import { useStatus } from '../status';
import type { VerbInput } from '../../shared/contract';
import type { HistoryEvent } from '../../shared/types';
import { onTop } from './events-view';

export type EventFilter = Omit<VerbInput<'events.list'>, 'before' | 'limit'>;

const FIRST_PAGE = 100;
const NEXT_PAGE = 250;
/** New events are fetched at most this often. */
const NEWER_MS = 1000;
/** A search continues automatically for this many rounds before it asks the user. */
const SEARCH_ROUNDS = 12;

interface Loaded {
  readonly key: string;
  readonly events: readonly HistoryEvent[];
  readonly nextBefore: string | undefined;
  readonly searchedBackToMs: number | undefined;
  readonly hasNewer: boolean;
  readonly trouble: Trouble | undefined;
}

export interface Events extends Omit<Loaded, 'key'> {
  readonly isLoading: boolean;
  /** True once the first page of this filter has arrived. */
  readonly isReady: boolean;
  /** Loads the next page. Does nothing while a page is loading or all are loaded. */
  readonly more: () => void;
  /** Reloads from the newest event. */
  readonly reload: () => void;
}

const NOTHING = {
  events: [],
  nextBefore: undefined,
  searchedBackToMs: undefined,
  hasNewer: false,
  trouble: undefined,
} as const;

/** `isAtTop` decides whether new events appear at once or are only offered. */
export function useEvents(filter: EventFilter, isAtTop: () => boolean): Events {
  const bridge = useBridge();
  const key = JSON.stringify(filter);
  const [loaded, setLoaded] = useState<Loaded>({ key: '', ...NOTHING });
  const [isLoading, setLoading] = useState(false);
  const latest = useRef(loaded);
  useEffect(() => {
    latest.current = loaded;
  });
  /** The latest request: answers to older ones are discarded. */
  const turn = useRef(0);
  const isBusy = useRef(false);

  const read = useCallback(
    async (wanted: string, isFirst: boolean): Promise<void> => {
      const mine = (turn.current += 1);
      const isMine = (): boolean => mine === turn.current;
      isBusy.current = true;
      setLoading(true);
      const given = JSON.parse(wanted) as EventFilter;
      let before = isFirst ? undefined : latest.current.nextBefore;
      let events: readonly HistoryEvent[] = isFirst ? [] : latest.current.events;
      const wantedCount = events.length + 1;
      for (let round = 1; ; round += 1) {
        const answer = await callVerb(bridge, 'events.list', {
          ...given,
          ...(before === undefined ? {} : { before }),
          limit: isFirst ? FIRST_PAGE : NEXT_PAGE,
        });
        if (!isMine()) return;
        if (!answer.ok) {
          setLoaded((known) => ({
            ...(known.key === wanted ? known : { key: wanted, ...NOTHING }),
            trouble: troubleOf(answer),
          }));
          break;
        }
        events = [...events, ...answer.value.events];
        before = answer.value.nextBefore;
        const { searchedBackToMs } = answer.value;
        setLoaded((known) => ({
          key: wanted,
          events,
          nextBefore: before,
          searchedBackToMs,
          hasNewer: known.key === wanted && !isFirst && known.hasNewer,
          trouble: undefined,
        }));
        // A search without results continues for a while; each call is short.
        const isFound = events.length >= wantedCount + (isFirst ? 20 : 0);
        if (before === undefined || searchedBackToMs === undefined) break;
        if (isFound || round >= SEARCH_ROUNDS) break;
      }
      isBusy.current = false;
      setLoading(false);
    },
    [bridge],
  );

  useEffect(() => {
    void read(key, true);
    return () => {
      turn.current += 1;
    };
  }, [key, read]);

  const more = useCallback(() => {
    const { nextBefore, key: known } = latest.current;
    if (isBusy.current || nextBefore === undefined || known !== key) return;
    void read(key, false);
  }, [key, read]);
  const reload = useCallback(() => void read(key, true), [key, read]);

  const newer = useNewer(key, filter, { latest, isBusy, isAtTop, setLoaded });
  useEffect(newer, [newer]);

  const isReady = loaded.key === key;
  const shown = isReady ? loaded : NOTHING;
  return { ...shown, isLoading, isReady, more, reload };
}

/** Fetches new events when the engine reports a write. */
function useNewer(
  key: string,
  filter: EventFilter,
  held: {
    readonly latest: { readonly current: Loaded };
    readonly isBusy: { readonly current: boolean };
    readonly isAtTop: () => boolean;
    readonly setLoaded: (change: (known: Loaded) => Loaded) => void;
  },
): () => void {
  const bridge = useBridge();
  const { status } = useStatus();
  const seq = status?.journal.seq;
  const seen = useRef(seq);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // A search has its own request, and a range in the past gets no new events.
  const isFollowed = filter.text === undefined && filter.untilMs === undefined;
  const { latest, isBusy, isAtTop, setLoaded } = held;
  useEffect(() => () => clearTimeout(timer.current), []);

  return useCallback(() => {
    if (seq === undefined || seq === seen.current) return;
    const isFirst = seen.current === undefined;
    seen.current = seq;
    if (isFirst || !isFollowed || timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      if (isBusy.current || latest.current.key !== key) return;
      const given = JSON.parse(key) as EventFilter;
      void callVerb(bridge, 'events.list', { ...given, limit: FIRST_PAGE }).then((answer) => {
        if (!answer.ok || isBusy.current) return;
        const newest = answer.value.events;
        setLoaded((known) => {
          if (known.key !== key || newest[0]?.id === known.events[0]?.id) return known;
          if (!isAtTop()) return { ...known, hasNewer: true };
          const joined = onTop(newest, known.events);
          return joined === undefined
            ? {
                ...known,
                events: newest,
                nextBefore: answer.value.nextBefore,
                searchedBackToMs: answer.value.searchedBackToMs,
                hasNewer: false,
              }
            : { ...known, events: joined, hasNewer: false };
        });
      });
    }, NEWER_MS);
  }, [seq, isFollowed, bridge, key, latest, isBusy, isAtTop, setLoaded]);
}
