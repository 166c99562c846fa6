import type Database from 'better-sqlite3';
import type { EventName } from '../../shared/contract';
import type { Redactor } from '../../shared/redact';
import { watchNatsCredential } from '../adapters/nats/nats-credential';
import { createNatsBroker } from '../adapters/nats/nats-broker';
import { createEventRows } from '../adapters/sqlite/tables/outbox';
import type { GroupCommit, GroupCommitDeps } from '../adapters/sqlite/journal/group-commit';
import { createDelivery, type Delivery } from '../engine/outbox/outbox';
import { createLocalBus } from '../engine/outbox/local-bus';
import { createShedNotice, isShedNotice, shedNotice } from '../engine/outbox/dropped-notice';
import { ownEvent } from '../engine/outbox/internal-events';
import type { CrashPoints } from '../engine/kernel/crash-points';
import { createCoalesced } from '../engine/kernel/coalesce';
import type { Broker } from '../ports/broker';
import type { Breakers } from '../ports/breakers';
import type { Clock } from '../ports/clock';
import type { JournalReads } from '../ports/journal/reads';
import type { JournalEntry } from '../ports/journal/entries';
import type { Ids } from '../ports/ids';
import type { Audit, Log } from '../ports/log';
import type { SettingsPort } from '../ports/settings';
import { natsCredential } from './nats';

/** `queue.changed` is sent at most this often (I6). */
const CHANGED_EVERY_MS = 100;

interface DeliveryPartDeps {
  readonly db: Database.Database;
  readonly settings: SettingsPort;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly crashPoints: CrashPoints;
  readonly audit: Audit;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly emit: (event: EventName, payload: never) => void;
}

/** The events room over the writer and the breakers, which are created after its rows. */
export interface DeliveryPart {
  /** Adds an entry's event to the entry's commit. */
  readonly together: NonNullable<GroupCommitDeps['together']>;
  over(
    journal: GroupCommit,
    reads: Pick<JournalReads, 'originOf' | 'inbox'>,
    breakers: Breakers,
  ): Delivery;
}

export function createDeliveryPart(deps: DeliveryPartDeps): DeliveryPart {
  const { settings, clock, audit, log } = deps;
  const rows = createEventRows(deps.db);
  const isRemote = settings.get('nats.url') !== '';
  let databaseId = '';
  let delivery: Delivery | undefined;
  const eventOf = (entry: JournalEntry, seq: number, atMs: number) =>
    ownEvent(entry, { seq, atMs, databaseId, withText: settings.get('events.include_text') });

  return {
    together(entry, { seq, atMs }) {
      if (entry.kind === 'inbox.opened' && isShedNotice(entry)) rows.markShedTold();
      // Without a broker nothing waits: the bus has it after the commit.
      if (!isRemote || delivery === undefined) return;
      const event = eventOf(entry, seq, atMs);
      if (event !== undefined) rows.insert(event, delivery.bounds(), atMs);
    },
    over(journal, reads, breakers) {
      databaseId = reads.originOf();
      const broker = isRemote
        ? natsBroker(deps)
        : createLocalBus({ audit, sinceMs: clock.nowMs() });
      const queue = rows.queue((work, options) => journal.run(work, options));
      const made = createDelivery({
        queue,
        broker,
        breaker: () => breakers.of('nats', 'broker'),
        clock,
        crashPoints: deps.crashPoints,
        audit,
        log,
        newId: () => deps.ids.newId(),
        maxPending: () => settings.get('limits.max_pending'),
        maxPayloadBytes: () => settings.get('limits.max_payload'),
        onChanged: createCoalesced(
          () => {
            // The last change of a shutdown has no receiver.
            if (!deps.db.open) return;
            const { depth, deadLetters } = made.status();
            deps.emit('queue.changed', { depth, deadLetters } as never);
            deps.emit('status.changed', undefined as never);
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
      delivery = made;
      journal.onCommitted(
        (entries, atMs, firstSeq) => {
          let committed = 0;
          for (const [index, entry] of entries.entries()) {
            const event = eventOf(entry, firstSeq + index, atMs);
            if (event === undefined) continue;
            committed += 1;
            if (!isRemote) void made.publish(event);
          }
          if (isRemote && committed > 0) made.noticeCommitted(committed);
        },
        { skipsSteps: true },
      );
      return made;
    },
  };
}

function natsBroker({
  settings,
  clock,
  ids,
  log,
  redactor,
  ownEnvironment,
}: DeliveryPartDeps): Broker {
  return createNatsBroker({
    url: settings.get('nats.url'),
    stream: settings.get('nats.stream'),
    subjects: settings.get('nats.subjects'),
    replicas: settings.get('nats.replicas'),
    onCredentialChange: (listener) =>
      watchNatsCredential(
        { file: settings.get('nats.credentials_file'), env: ownEnvironment },
        listener,
      ),
    credential: () => natsCredential({ settings, ownEnvironment, redactor }),
    clock,
    random: () => ids.random(),
    log,
  });
}
