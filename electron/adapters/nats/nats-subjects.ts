import type { Consumer, JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Basics } from '../../engine/kernel/basics';
import type { SubjectEvent, WantedSubject } from '../../ports/triggers';
import { authenticatorOf, tlsOptions } from './nats-connect';
import type { NatsCredential } from './nats-credential';
import { readNatsUrls, type NatsAddress } from './nats-servers';
import { reconnectDelayMs } from './plan-reconnect';

const CONNECT_MS = 5_000;
/** A message that is not on disk by then is delivered again. */
const ACK_WAIT_MS = 5_000;
/** Messages that are taken from the server at once: they are in memory until they are on disk. */
const MAX_AT_ONCE = 64;
/** Without a stream for a subject, it is looked for so often. */
const NO_STREAM_MS = 5_000;
/** What of a message is read; the prompt of a run has less. */
const MAX_BYTES = 8_192;

interface NatsSubjectsDeps extends Pick<Basics, 'clock' | 'log'> {
  readonly url: string;
  /**
   * Distinguishes consumers of this data directory from those of another one on the same server.
   */
  readonly owner: string;
  readonly credential: () => Promise<NatsCredential | undefined>;
  /** Why a task receives nothing, in one sentence; undefined if all is well again. */
  readonly onProblem: (problem: string | undefined) => void;
}

/** Resolves when the event is on disk. False: it was not accepted and will be delivered again. */
type Take = (taskId: number, event: SubjectEvent) => Promise<boolean>;

/** Messages of subjects, each from a separate durable consumer on the server. */
export interface NatsSubjects {
  /** Replaces the wanted subjects. Other consumers are removed. */
  want(subjects: readonly WantedSubject[], take: Take): void;
  stop(): Promise<void>;
}

/**
 * JetStream stores the messages, so none is lost while Holdfast is down: a consumer starts at the
 * time its task was set, and a message is acknowledged when its event is on disk. After a kill in
 * between, the same stream sequence arrives again, which is the same event. GT-02
 */
export function createNatsSubjects(deps: NatsSubjectsDeps): NatsSubjects {
  const { clock, log } = deps;
  const stopping = new AbortController();
  const servers = readNatsUrls(deps.url).servers;
  let wanted: readonly WantedSubject[] = [];
  let take: Take = () => Promise.resolve(false);
  let session: Session | undefined;
  let living: Promise<void> | undefined;
  let problem = '';
  const note = (message: string): void => {
    if (message === problem) return;
    problem = message;
    if (message !== '') log.warn('nats.subjects_not_followed', { message });
    deps.onProblem(message === '' ? undefined : message);
  };

  const connectOnce = async (server: NatsAddress): Promise<'lost' | 'unreachable'> => {
    try {
      const opened = await openSession(deps, server, (...given) => take(...given), note);
      session = opened;
      if (stopping.signal.aborted) await opened.close();
      else {
        note('');
        opened.want(wanted);
      }
      await opened.closed;
      return opened.wasGood() ? 'lost' : 'unreachable';
    } catch (error) {
      note(error instanceof Error ? error.message : String(error));
      return 'unreachable';
    } finally {
      session = undefined;
    }
  };

  const live = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted;) {
      let end: 'lost' | 'unreachable' = 'unreachable';
      for (const server of servers) {
        end = await connectOnce(server);
        if (end === 'lost' || stopping.signal.aborted) break;
      }
      failures = end === 'lost' ? 0 : failures + 1;
      const waitMs = reconnectDelayMs(end, failures);
      await clock.sleep(waitMs, stopping.signal).catch(() => undefined);
    }
  };

  return {
    want(subjects, takeNow) {
      wanted = subjects;
      take = takeNow;
      session?.want(wanted);
      if (subjects.length > 0) living ??= live();
    },
    async stop() {
      stopping.abort();
      await session?.close();
    },
  };
}

interface Session {
  want(subjects: readonly WantedSubject[]): void;
  readonly closed: Promise<unknown>;
  /** True if it applied the wanted subjects at least once. */
  wasGood(): boolean;
  close(): Promise<void>;
}

interface Followed {
  readonly ended: Promise<void>;
  stop(): void;
}

async function openSession(
  deps: NatsSubjectsDeps,
  server: NatsAddress,
  take: Take,
  note: (message: string) => void,
): Promise<Session> {
  const [nats, jetstream] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/jetstream'),
  ]);
  const authenticator = authenticatorOf(nats, await deps.credential());
  const connection: NatsConnection = await nats.connect({
    servers: server.address,
    name: 'holdfast tasks',
    reconnect: false,
    timeout: CONNECT_MS,
    ...(server.isTls ? { tls: tlsOptions(server) } : {}),
    ...(authenticator === undefined ? {} : { authenticator }),
  });
  const manager = await jetstream.jetstreamManager(connection, {
    timeout: CONNECT_MS,
    checkAPI: false,
  });
  const client = jetstream.jetstream(connection, { timeout: CONNECT_MS });
  const followed = new Map<string, Followed>();
  /** One change at a time. */
  let settled: Promise<void> = Promise.resolve();
  let isGood = false;
  let retrying: AbortController | undefined;
  /** The stream may be created later. */
  const retryLater = (subjects: readonly WantedSubject[]): void => {
    if (connection.isClosed()) return;
    retrying?.abort();
    retrying = new AbortController();
    deps.clock.sleep(NO_STREAM_MS, retrying.signal).then(
      () => want(subjects),
      () => undefined,
    );
  };
  const apply = async (subjects: readonly WantedSubject[]): Promise<void> => {
    const names = new Map(subjects.map((one) => [consumerName(deps.owner, one), one]));
    for (const [name, one] of followed) {
      if (names.get(name)?.isActive === true) continue;
      one.stop();
      followed.delete(name);
    }
    let missing: string | undefined;
    for (const [name, one] of names) {
      if (!one.isActive || followed.has(name)) continue;
      const made = await followSubject({ manager, client, take }, name, one);
      if (made === undefined) missing = one.subject;
      else follow(name, made);
    }
    await removeOthers(manager, deps.owner, new Set(names.keys()));
    isGood = true;
    note(
      missing === undefined ? '' : `No stream of the event broker stores the subject ${missing}.`,
    );
    if (missing !== undefined) retryLater(subjects);
  };
  const follow = (name: string, made: Followed): void => {
    followed.set(name, made);
    void made.ended.then(() => {
      // Stopped by us, or the consumer or its stream was removed: those are looked for again.
      if (followed.get(name) !== made) return;
      followed.delete(name);
      retryLater(now);
    });
  };
  let now: readonly WantedSubject[] = [];
  const want = (subjects: readonly WantedSubject[]): void => {
    now = subjects;
    retrying?.abort();
    settled = settled
      .then(() => apply(subjects))
      .catch((error: unknown) => {
        if (connection.isClosed()) return;
        note(error instanceof Error ? error.message : String(error));
        // The next connection tries everything again, after a wait.
        return connection.close();
      });
  };
  return {
    want,
    closed: connection.closed().finally(() => retrying?.abort()),
    wasGood: () => isGood,
    async close() {
      for (const one of followed.values()) one.stop();
      await connection.close();
    },
  };
}

const prefixOf = (owner: string): string => `holdfast-${owner}-task-`;

/** For this task and subject: another subject means another consumer. */
const consumerName = (
  owner: string,
  { taskId, subject }: Pick<WantedSubject, 'taskId' | 'subject'>,
): string =>
  `${prefixOf(owner)}${String(taskId)}-${subject.replace(/[^A-Za-z0-9_-]/g, (sign) => (sign === '.' ? '_' : sign === '*' ? '-any' : '-rest'))}`;

async function followSubject(
  {
    manager,
    client,
    take,
  }: { readonly manager: JetStreamManager; readonly client: JetStreamClient; readonly take: Take },
  name: string,
  { taskId, subject, sinceMs }: WantedSubject,
): Promise<Followed | undefined> {
  const stream = await streamOf(manager, subject);
  if (stream === undefined) return undefined;
  await manager.consumers.info(stream, name).catch(() =>
    manager.consumers.add(stream, {
      durable_name: name,
      filter_subject: subject,
      ack_policy: 'explicit',
      ack_wait: ACK_WAIT_MS * 1_000_000,
      deliver_policy: 'by_start_time',
      opt_start_time: new Date(sinceMs).toISOString(),
      max_ack_pending: MAX_AT_ONCE,
    }),
  );
  const consumer: Consumer = await client.consumers.get(stream, name);
  const messages = await consumer.consume({
    max_messages: MAX_AT_ONCE,
    abort_on_missing_resource: true,
  });
  const run = async (): Promise<void> => {
    for await (const message of messages) {
      if (await take(taskId, eventOf(stream, message)).catch(() => false)) message.ack();
      else message.nak(ACK_WAIT_MS);
    }
  };
  return {
    ended: run().catch(() => undefined),
    stop() {
      messages.stop();
    },
  };
}

/** Undefined if no stream stores it. */
async function streamOf(manager: JetStreamManager, subject: string): Promise<string | undefined> {
  try {
    return await manager.streams.find(subject);
  } catch (error) {
    if (error instanceof Error && /no stream matches/i.test(error.message)) return undefined;
    throw error;
  }
}

/**
 * The sequence alone would repeat if the stream was deleted and created again, so the time is part
 * of the ID.
 */
function eventOf(stream: string, message: JsMsg): SubjectEvent {
  const atMs = Math.floor(message.info.timestampNanos / 1_000_000);
  const text = new TextDecoder().decode(message.data.subarray(0, MAX_BYTES));
  return {
    id: `${stream}-${String(message.seq)}-${String(atMs)}`,
    subject: message.subject,
    text,
    atMs,
  };
}

/** Removes consumers of tasks that are gone or wait for something else. */
async function removeOthers(
  manager: JetStreamManager,
  owner: string,
  kept: ReadonlySet<string>,
): Promise<void> {
  for await (const stream of manager.streams.names()) {
    for await (const { name } of manager.consumers.list(stream))
      if (name.startsWith(prefixOf(owner)) && !kept.has(name))
        await manager.consumers.delete(stream, name);
  }
}
