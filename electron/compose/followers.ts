/** What runs behind the work: the index of the search, traces, and the upkeep. */
import path from 'node:path';
import { idleTicks } from '../adapters/cron/cron-ticks';
import { createHistoryReads } from '../adapters/sqlite/tables/history';
import { createLazySearch, type LazySearch } from '../engine/search/lazy-search';
import type { SessionsRoom } from '../engine/sessions/intake';
import type { TurnScheduler } from '../engine/turns/scheduler';
import type { SearchIndex } from '../ports/search';
import { oneTurn } from '../read-in-slices';
import { createLazyTraces, type LazyTraces } from '../engine/traces/lazy-traces';
import type { Traces } from '../engine/traces/traces';
import type { Browsers } from '../adapters/browser/browsers';
import { watchDir } from '../data-dir';
import type { Drafts } from '../engine/drafts/drafts';
import { createUpkeep, type Upkeep } from '../engine/upkeep/upkeep';
import type { Core } from './core';

/** After the start the disk is left alone for a while; then the index looks once a minute. */
const SEARCH_TICKS = idleTicks(90_000, '* * * * *');
/** Between two batches, so that a turn that starts waits for one at most. */
const PAUSE_MS = 20;

export function createSearchPart(
  core: Core,
  rooms: () => {
    readonly scheduler: Pick<TurnScheduler, 'running'>;
    readonly sessions: Pick<SessionsRoom, 'find'>;
  },
): LazySearch {
  const { draining, clock } = core;
  const shared = {
    monotonicMs: () => clock.monotonicMs(),
    isIdle: () => rooms().scheduler.running().length === 0,
    isOver: () => draining.aborted,
  };
  return createLazySearch({
    ...core,
    ...shared,
    ticks: SEARCH_TICKS,
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
        ...core,
        ...shared,
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
async function indexOpener(core: Core): Promise<() => SearchIndex> {
  const [{ createJournalTexts }, { openSearchIndex }, { decodeAnswer }, { entryMarks }] =
    await Promise.all([
      import('../adapters/search/journal-texts'),
      import('../adapters/search/search-index'),
      import('../engine/journal/answer-codec'),
      import('../engine/search/search'),
    ]);
  const texts = createJournalTexts({
    ...core,
    decodeAnswer,
    redactText: (text) => core.redactor.redactText(text),
  });
  return () =>
    openSearchIndex({
      ...core,
      file: path.join(core.dataDir, 'search.db'),
      databaseId: core.reads.databaseId(),
      texts,
      seqAt: (atMs) => createHistoryReads(core.db).seqAt(atMs),
      marksOf: entryMarks,
    });
}

export function createTracesPart(core: Core): LazyTraces {
  const endpoint = (): string => core.settings.get('observability.traces_endpoint');
  return createLazyTraces({
    ...core,
    endpoint,
    load: () => loadTraces(core, endpoint),
  });
}

async function loadTraces(core: Core, endpoint: () => string): Promise<Traces> {
  const [{ headersOf, sendSpans }, { createSpanTexts }, { traceIds }, { createTraces }] =
    await Promise.all([
      import('../adapters/traces/otlp-http'),
      import('../engine/traces/span-texts'),
      import('../engine/traces/trace-spans'),
      import('../engine/traces/traces'),
    ]);
  const { version, settings, clock, hasher, ownEnvironment, reads, redactor, log } = core;
  const headers = headersOf(ownEnvironment['OTEL_EXPORTER_OTLP_HEADERS']);
  for (const value of Object.values(headers)) redactor.learn(value);
  return createTraces({
    ...core,
    ids: traceIds(hasher, reads.databaseId()),
    self: { 'service.version': version, 'service.instance.id': reads.databaseId() },
    nowMs: () => clock.nowMs(),
    texts: createSpanTexts({
      ...core,
      redactText: (text) => redactor.redactText(text),
      areSent: () => settings.get('observability.traces_text'),
    }),
    async send(body) {
      if (endpoint() === '') return;
      await sendSpans(endpoint(), headers, body, (why) => {
        log.warn('traces.refused', { why });
      });
    },
    sleep: (ms) => clock.sleep(ms, core.draining).catch(() => undefined),
    onLost(spans, why) {
      log.warn('traces.lost', { spans, why });
    },
  });
}

/** Starts when the disk has been left alone for a while; then it looks every hour. */
const UPKEEP_TICKS = idleTicks(60_000, '17 * * * *');

export const createUpkeepPart = (
  core: Core,
  rooms: { readonly drafts: Drafts; readonly browsers: Browsers },
): Upkeep =>
  createUpkeep({
    ...core,
    ticks: UPKEEP_TICKS,
    database: async () => (await import('../adapters/sqlite/upkeep')).createDatabaseUpkeep(core),
    async removeFiles(beforeMs) {
      await rooms.drafts.sweep(beforeMs);
      const { pruneWatched } = await import('../adapters/command/watched');
      await pruneWatched(watchDir(core.dataDir), beforeMs);
      await rooms.browsers.prune(beforeMs);
    },
  });
