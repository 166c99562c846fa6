import type * as JetStream from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { OutgoingEvent, PublishOutcome } from '../../ports/broker';
import { authenticatorOf, tlsOptions } from './nats-connect';
import type { NatsCredential } from './nats-credential';
import type { NatsAddress } from './nats-servers';

/** Timeout for an answer of the server. */
const CONNECT_MS = 5_000;
const ACK_MS = 2_000;
/** Codes of JetStream's answers (`err_code`). */
const CODES = {
  notEnabled: 10_076,
  notEnabledForAccount: 10_039,
  subjectsTaken: 10_065,
  wrongLastId: 10_070,
} as const;

interface SessionOptions {
  readonly server: NatsAddress;
  readonly stream: string;
  /** Number of copies of the stream in the cluster. */
  readonly replicas: number;
  readonly subjects: readonly string[];
  readonly credential: NatsCredential | undefined;
}

/** One connection, from its first byte to its end. */
export interface NatsSession {
  publish(event: OutgoingEvent, behindId?: string): Promise<PublishOutcome>;
  /** Addresses of the other servers of its cluster, as last announced. */
  announced(): readonly string[];
  /** Why it ended. */
  readonly closed: Promise<string>;
  close(): Promise<void>;
}

/** The server is up but cannot store events. */
export class SetupProblem extends Error {
  /**
   * @param isComing it may be a cluster that is starting; otherwise the server's setup must be
   * changed
   */
  constructor(
    message: string,
    readonly isComing: boolean,
  ) {
    super(message);
  }
}

/** @throws SetupProblem, or the error of a failed connection */
export async function openNatsSession(options: SessionOptions): Promise<NatsSession> {
  const [nats, jetstream] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/jetstream'),
  ]);
  const authenticator = authenticatorOf(nats, options.credential);
  const connection = await nats.connect({
    servers: options.server.address,
    name: 'holdfast',
    reconnect: false,
    timeout: CONNECT_MS,
    ...(options.server.isTls ? { tls: tlsOptions(options.server) } : {}),
    ...(authenticator === undefined ? {} : { authenticator }),
  });
  try {
    await ensureStream(jetstream, connection, options);
  } catch (error) {
    await connection.close();
    throw error;
  }
  const client = jetstream.jetstream(connection, { timeout: ACK_MS });
  let announced = connection.info?.connect_urls ?? [];
  const followCluster = async (): Promise<void> => {
    for await (const { type } of connection.status())
      if (type === 'update') announced = connection.info?.connect_urls ?? announced;
  };
  void followCluster();
  const covers = options.subjects.map(subjectMatcher);
  let reason: string | undefined;
  const closed = connection.closed().then((error) => reason ?? (error ? error.message : 'closed'));

  const refusalOf = (error: unknown, topic: string): PublishOutcome => {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof jetstream.JetStreamApiError && error.code === CODES.wrongLastId)
      return { kind: 'out_of_line' };
    if (error instanceof jetstream.JetStreamApiError || error instanceof jetstream.JetStreamError)
      return { kind: 'refused', error: `The event broker rejected it: ${message}.`.slice(0, 300) };
    if (error instanceof nats.PermissionViolationError)
      return { kind: 'refused', error: `The event broker does not allow ${topic}.` };
    if (isUnanswered(error)) {
      if (!covers.some((isCovered) => isCovered(topic))) {
        return {
          kind: 'refused',
          error: `No stream of the event broker accepts the topic ${topic}.`,
        };
      }
      // Our stream is gone: the next connection creates it again.
      reason = `The stream ${options.stream} no longer exists.`;
      void connection.close();
    }
    return { kind: 'unreachable', error: message };
  };

  return {
    async publish({ id, topic, payload }, behindId) {
      const bytes = new TextEncoder().encode(payload);
      const limit = connection.info?.max_payload ?? Infinity;
      if (bytes.length > limit) {
        const error = `The event has ${String(bytes.length)} bytes; the event broker accepts at most ${String(limit)}.`;
        return { kind: 'too_large', error };
      }
      try {
        const expect = behindId === undefined ? {} : { expect: { lastMsgID: behindId } };
        const ack = await client.publish(topic, bytes, { msgID: id, ...expect });
        return { kind: 'confirmed', isDuplicate: ack.duplicate };
      } catch (error) {
        return refusalOf(error, topic);
      }
    },
    announced: () => announced,
    closed,
    async close() {
      await connection.close();
    },
  };
}

/**
 * The stream is created if it is missing. An existing one is not changed, except for replicas: they
 * are raised if the setting asks for more, never lowered.
 */
async function ensureStream(
  jetstream: typeof JetStream,
  connection: NatsConnection,
  options: SessionOptions,
): Promise<void> {
  const name = options.stream;
  try {
    const manager = await jetstream.jetstreamManager(connection, {
      timeout: CONNECT_MS,
      checkAPI: false,
    });
    try {
      const { config } = await manager.streams.info(name);
      if (config.num_replicas < options.replicas)
        await manager.streams.update(name, { num_replicas: options.replicas });
    } catch (error) {
      if (!(error instanceof jetstream.JetStreamApiError) || error.status !== 404) throw error;
      await manager.streams.add({
        name,
        subjects: [...options.subjects],
        num_replicas: options.replicas,
      });
    }
  } catch (error) {
    if (isUnanswered(error)) throw noJetStream();
    if (!(error instanceof jetstream.JetStreamApiError)) throw error;
    if (error.code === CODES.subjectsTaken) return; // Another stream stores them, which is fine.
    if (error.code === CODES.notEnabled || error.code === CODES.notEnabledForAccount)
      throw noJetStream();
    // A cluster that is choosing its leader: over in seconds, and another server may know more.
    if (error.status === 503) throw error;
    throw new SetupProblem(
      `The event broker cannot provide the stream ${name} with ${copiesText(options.replicas)}: ${error.message}.`,
      true,
    );
  }
}

/** No responder: no stream, or no JetStream. The package does not export its class. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && error.name === 'JetStreamNotEnabled';

const copiesText = (replicas: number): string =>
  replicas === 1 ? '1 copy' : `${String(replicas)} copies (nats.replicas)`;

const noJetStream = (): SetupProblem =>
  new SetupProblem(
    'The event broker runs without JetStream, so it cannot store events. Start it with -js.',
    false,
  );

/** Whether a NATS subject with `*` and `>` covers a topic. */
function subjectMatcher(subject: string): (topic: string) => boolean {
  const wanted = subject.split('.');
  return (topic) => {
    const tokens = topic.split('.');
    for (const [index, token] of wanted.entries()) {
      if (token === '>') return tokens.length > index;
      if (tokens[index] === undefined || (token !== '*' && token !== tokens[index])) return false;
    }
    return tokens.length === wanted.length;
  };
}
