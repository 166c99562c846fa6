/** The engine's turns, page by page, updated by events. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { callVerb, useBridge, useEvent, troubleOf } from '../bridge';
import type { Trouble } from '../bridge';
import { NO_TURNS, TURN_FILTERS, joinOlder, putTurn, takeNewest } from './turn-list-view';
import type { HeldTurns, TurnFilter } from './turn-list-view';

const FIRST_PAGE = 100;
const PAGE = 300;
/** Up to this many changed older turns are fetched one by one; more reload from the start. */
const MAX_SINGLE = 12;
const GATHER_MS = 200;

interface TurnPages {
  readonly held: HeldTurns;
  readonly isLoading: boolean;
  readonly trouble: Trouble | undefined;
  /** Loads the next older page, one at a time. */
  readonly loadOlder: () => void;
}

export function useTurnPages(filter: TurnFilter): TurnPages {
  const bridge = useBridge();
  const [state, setState] = useState<{
    readonly filter: TurnFilter;
    readonly held: HeldTurns;
    readonly trouble: Trouble | undefined;
  }>({ filter, held: NO_TURNS, trouble: undefined });
  const [isLoading, setLoading] = useState(true);
  const latest = useRef({ filter, held: state.held });
  const isAsking = useRef(false);
  useEffect(() => {
    latest.current = { filter, held: state.held };
  });

  const ask = useCallback(
    async (
      page: { readonly limit: number; readonly beforeId?: number },
      take: (held: HeldTurns, page: HeldTurns) => HeldTurns,
    ): Promise<void> => {
      const wanted: readonly (typeof TURN_FILTERS)[number][] = TURN_FILTERS;
      const states = wanted.find((one) => one.name === filter)?.states;
      const answer = await callVerb(bridge, 'turns.list', {
        ...page,
        ...(states ? { states: [...states] } : {}),
      });
      if (latest.current.filter !== filter) return;
      setState((before) => {
        const held = before.filter === filter ? before.held : NO_TURNS;
        return answer.ok
          ? { filter, held: take(held, answer.value), trouble: undefined }
          : { filter, held, trouble: troubleOf(answer) };
      });
      setLoading(false);
    },
    [bridge, filter],
  );

  useEffect(() => {
    latest.current = { filter, held: NO_TURNS };
    void ask({ limit: FIRST_PAGE }, (_held, page) => page);
  }, [ask, filter]);

  const changed = useRef(new Set<number>());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEvent('turn.changed', ({ turnId }) => {
    changed.current.add(turnId);
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      const ids = [...changed.current];
      changed.current.clear();
      void ask({ limit: FIRST_PAGE }, takeNewest).then(() => {
        const covered = latest.current.held.turns[FIRST_PAGE - 1]?.id ?? 0;
        const older = ids.filter((id) => id < covered);
        if (older.length > MAX_SINGLE) return;
        for (const id of older) {
          void ask({ limit: 1, beforeId: id + 1 }, (held, page) =>
            putTurn(held, id, page.turns[0]?.id === id ? page.turns[0] : undefined),
          );
        }
      });
    }, GATHER_MS);
  });

  const loadOlder = useCallback(() => {
    const { held } = latest.current;
    const last = held.turns.at(-1)?.id;
    if (!held.hasMore || last === undefined || isAsking.current) return;
    isAsking.current = true;
    void ask({ limit: PAGE, beforeId: last }, joinOlder).finally(() => {
      isAsking.current = false;
    });
  }, [ask]);

  const isCurrent = state.filter === filter;
  return {
    held: isCurrent ? state.held : NO_TURNS,
    isLoading: isLoading || !isCurrent,
    trouble: isCurrent ? state.trouble : undefined,
    loadOlder,
  };
}
