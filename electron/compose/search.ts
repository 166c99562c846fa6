import path from 'node:path';
import type { VerbInput, VerbOutput } from '../../shared/contract';
import { createHistoryReads } from '../adapters/sqlite/tables/history';
import { every } from '../adapters/cron/cron-ticks';
import type { Indexing } from '../engine/search/indexing';
import type { SessionsRoom } from '../engine/sessions/intake';
import type { TurnScheduler } from '../engine/turns/scheduler';
import type { SearchIndex } from '../ports/search';
import { oneTurn } from '../read-in-slices';
import type { Core } from './core';

const loadCode = () => import('./load-search');

/** Search over the journal. */
export interface SearchPart {
  find(input: VerbInput<'search.find'>): Promise<VerbOutput<'search.find'>>;
  /** From now on new entries are taken in while nothing runs. */
  start(): void;
  stop(): void;
}

/** After the start the disk is left alone for a while; then the index looks once a minute. */
const FIRST_MS = 90_000;
const EVERY_MINUTE = '* * * * *';
/** Between two batches, so that a turn that starts waits for one at most. */
const PAUSE_MS = 20;

export function createSearchPart(
  core: Core,
  rooms: () => {
    readonly scheduler: Pick<TurnScheduler, 'running'>;
    readonly sessions: Pick<SessionsRoom, 'find'>;
  },
): SearchPart {
  const isIdle = (): boolean => rooms().scheduler.running().length === 0;
  const { draining } = core.life;
  const { redactor } = core.secrets;
  const { clock } = core.world;
  let opened: SearchIndex | undefined;
  const load = async () => {
    const code = await loadCode();
    const texts = code.createJournalTexts({
      ...core.disk,
      ...code,
      redactText: (text) => redactor.redactText(text),
    });
    const index = (): Promise<SearchIndex> =>
      Promise.resolve(
        (opened ??= code.openSearchIndex({
          file: path.join(core.dataDir, 'search.db'),
          isReadOnly: core.life.isReadOnly,
          databaseId: core.disk.reads.databaseId(),
          texts,
          seqAt: (atMs) => createHistoryReads(core.disk.db).seqAt(atMs),
          marksOf: code.entryMarks,
        })),
      );
    const times = { monotonicMs: () => clock.monotonicMs() };
    const isOver = (): boolean => draining.aborted;
    const indexing: Indexing = code.createIndexing({
      ...times,
      index,
      isOver,
      isIdle,
      rest: () => clock.sleep(PAUSE_MS, draining).catch(() => undefined),
    });
    const find = code.createSearch({
      ...times,
      index,
      redactor,
      sessionId: (ref) => rooms().sessions.find(ref).id,
      catchUp: (mostMs) => indexing.catchUp(mostMs),
      rest: oneTurn,
    });
    return { indexing, find };
  };
  let loading: ReturnType<typeof load> | undefined;
  const loaded = () => (loading ??= load());
  // Until it is loaded nothing has been dropped from it: its first work looks at all of it.
  core.disk.journal.onCommitted(
    (entries) => {
      const isGone = entries.some(({ kind }) => kind === 'turn.pruned' || kind === 'session.set');
      if (isGone) void loading?.then(({ indexing }) => indexing.textsWent());
    },
    { skipsSteps: true },
  );
  const work = (): void => {
    if (!isIdle()) return;
    loaded()
      .then(({ indexing }) => indexing.work())
      .catch((error: unknown) => {
        if (!draining.aborted) core.records.log.error('search.index_failed', { error });
      });
  };
  let tick: { stop(): void } | undefined;
  let first: NodeJS.Timeout | undefined;
  return {
    find: async (input) => (await loaded()).find(input),
    start() {
      first = setTimeout(() => {
        work();
        tick = every(EVERY_MINUTE, work);
      }, FIRST_MS);
      first.unref();
    },
    stop() {
      clearTimeout(first);
      tick?.stop();
      opened?.close();
      opened = undefined;
    },
  };
}
