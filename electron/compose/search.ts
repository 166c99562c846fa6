import path from 'node:path';
import { idleTicks } from '../adapters/cron/cron-ticks';
import { createHistoryReads } from '../adapters/sqlite/tables/history';
import { createLazySearch, type LazySearch } from '../engine/search/lazy-search';
import type { SessionsRoom } from '../engine/sessions/intake';
import type { TurnScheduler } from '../engine/turns/scheduler';
import type { SearchIndex } from '../ports/search';
import { oneTurn } from '../read-in-slices';
import type { Core } from './core';

/** After the start the disk is left alone for a while; then the index looks once a minute. */
const TICKS = { firstMs: 90_000, every: '* * * * *' };
/** Between two batches, so that a turn that starts waits for one at most. */
const PAUSE_MS = 20;

export function createSearchPart(
  core: Core,
  rooms: () => {
    readonly scheduler: Pick<TurnScheduler, 'running'>;
    readonly sessions: Pick<SessionsRoom, 'find'>;
  },
): LazySearch {
  const { draining } = core.life;
  const { clock } = core.world;
  const shared = {
    monotonicMs: () => clock.monotonicMs(),
    isIdle: () => rooms().scheduler.running().length === 0,
    isOver: () => draining.aborted,
  };
  return createLazySearch({
    ...core.disk,
    ...core.records,
    ...shared,
    ticks: (work) => idleTicks({ ...TICKS, work }),
    async load() {
      const [{ createIndexing }, { createSearch }, openIndex] = await Promise.all([
        import('../engine/search/indexing'),
        import('../engine/search/search'),
        indexOpener(core),
      ]);
      let opened: SearchIndex | undefined;
      const index = async (): Promise<SearchIndex> => (opened ??= openIndex());
      const indexing = createIndexing({
        ...shared,
        index,
        rest: () => clock.sleep(PAUSE_MS, draining).catch(() => undefined),
      });
      const find = createSearch({
        ...shared,
        ...core.secrets,
        index,
        sessionId: (ref) => rooms().sessions.find(ref).id,
        catchUp: (mostMs) => indexing.catchUp(mostMs),
        rest: oneTurn,
      });
      return {
        indexing,
        find,
        close() {
          opened?.close();
          opened = undefined;
        },
      };
    },
  });
}

/** The index over the texts of the journal. */
async function indexOpener({ dataDir, disk, life, secrets }: Core): Promise<() => SearchIndex> {
  const [{ createJournalTexts }, { openSearchIndex }, { decodeAnswer }, { entryMarks }] =
    await Promise.all([
      import('../adapters/search/journal-texts'),
      import('../adapters/search/search-index'),
      import('../engine/journal/answer-codec'),
      import('../engine/search/search'),
    ]);
  const texts = createJournalTexts({
    ...disk,
    decodeAnswer,
    redactText: (text) => secrets.redactor.redactText(text),
  });
  return () =>
    openSearchIndex({
      file: path.join(dataDir, 'search.db'),
      isReadOnly: life.isReadOnly,
      databaseId: disk.reads.databaseId(),
      texts,
      seqAt: (atMs) => createHistoryReads(disk.db).seqAt(atMs),
      marksOf: entryMarks,
    });
}
