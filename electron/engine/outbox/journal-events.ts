import type { Broker } from '../../ports/broker';
import type { Breakers } from '../../ports/breakers';
import type { Basics } from '../kernel/basics';
import type { EventRows, RunInCommit } from '../../ports/event-queue';
import type { Ids } from '../../ports/ids';
import type { JournalEntry } from '../../ports/journal/entries';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import type { SettingsPort } from '../../ports/settings';
import { createCoalesced } from '../kernel/coalesce';
import { createShedNotice, isShedNotice, shedNotice } from './dropped-notice';
import { ownEvent } from './internal-events';
import { createLocalBus } from './local-bus';
import { createOutbox, type Outbox } from './outbox';

/** `queue.changed` is sent at most this often (I6). */
const CHANGED_EVERY_MS = 100;

interface JournalEventsDeps extends Pick<Basics, 'clock' | 'crashPoints' | 'audit' | 'log'> {
  readonly rows: EventRows;
  /** Undefined if the events stay in this process. */
  readonly openBroker: (() => Broker) | undefined;
  readonly settings: Pick<SettingsPort, 'get'>;
  readonly ids: Pick<Ids, 'newId'>;
  /** Not called once the database is closed: the last change of a shutdown has no receiver. */
  readonly onChanged: (outbox: Outbox) => void;
}

/** The events of the journal's own entries, over its writer and the breakers, which come later. */
export interface JournalEvents {
  /** Adds an entry's event to the entry's commit, if it goes to a broker. */
  together(entry: JournalEntry, at: { readonly seq: number; readonly atMs: number }): void;
  over(
    journal: Journal & { readonly run: RunInCommit },
    reads: Pick<JournalReads, 'originOf' | 'inbox'>,
    breakers: Pick<Breakers, 'of'>,
  ): Outbox;
}

/**
 * Publishes what the journal commits. With a broker, an event is on disk in the commit of its entry;
 * without one, the local bus gets it after the commit. S2-31, R17
 */
export function createJournalEvents(deps: JournalEventsDeps): JournalEvents {
  const { settings, clock, log, rows, openBroker } = deps;
  let databaseId = '';
  let outbox: Outbox | undefined;
  const eventOf = (entry: JournalEntry, seq: number, atMs: number) =>
    ownEvent(entry, { seq, atMs, databaseId, withText: settings.get('events.include_text') });

  return {
    together(entry, { seq, atMs }) {
      if (entry.kind === 'inbox.opened' && isShedNotice(entry)) rows.markShedTold();
      if (openBroker === undefined || outbox === undefined) return;
      const event = eventOf(entry, seq, atMs);
      if (event !== undefined) rows.insert(event, outbox.bounds(), atMs);
    },
    over(journal, reads, breakers) {
      databaseId = reads.originOf();
      const queue = rows.queue(journal.run);
      const made = createOutbox({
        ...deps,
        queue,
        broker: openBroker?.() ?? createLocalBus({ audit: deps.audit, sinceMs: clock.nowMs() }),
        breaker: () => breakers.of('nats', 'broker'),
        newId: () => deps.ids.newId(),
        maxPending: () => settings.get('limits.max_pending'),
        maxPayloadBytes: () => settings.get('limits.max_payload'),
        onChanged: createCoalesced(
          () => {
            deps.onChanged(made);
          },
          // A burst of changes is one call a moment later.
          (work) => void clock.sleep(CHANGED_EVERY_MS).then(work),
        ),
        shedNotice: createShedNotice({
          clock,
          log,
          queue,
          isOpen: () =>
            reads.inbox({ includeSettled: false, limit: 1_000 }).some((item) => isShedNotice(item)),
          open: async () => {
            await journal.commit([shedNotice(journal.allocate('inbox'))]);
          },
        }),
      });
      outbox = made;
      journal.onCommitted(
        (entries, atMs, firstSeq) => {
          let committed = 0;
          for (const [index, entry] of entries.entries()) {
            const event = eventOf(entry, firstSeq + index, atMs);
            if (event === undefined) continue;
            committed += 1;
            if (openBroker === undefined) void made.publish(event);
          }
          if (openBroker !== undefined && committed > 0) made.noticeCommitted(committed);
        },
        { skipsSteps: true },
      );
      return made;
    },
  };
}
