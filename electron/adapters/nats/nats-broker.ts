import type { Broker, BrokerStanding } from '../../ports/broker';
import type { Clock } from '../../ports/clock';
import type { Log } from '../../ports/log';
import type { NatsCredential } from './nats-credential';
import { openNatsSession, SetupProblem, type NatsSession } from './nats-session';

/** Between two connections that were not made: doubles up to the longest. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;
/** A server that is there and cannot keep events is asked again this late. */
const SETUP_WAIT_MS = 30_000;

interface NatsBrokerDeps {
  readonly url: string;
  readonly stream: string;
  readonly subjects: readonly string[];
  readonly credential: () => Promise<NatsCredential | undefined>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
}

/**
 * NATS with JetStream. Connects in the background and again for ever; a publish counts when JetStream
 * has acknowledged it under the event's id. The packages load with the first connection.
 *
 *   down --start--> connecting --made--> connected --lost--> down --wait--> connected
 *                        \--not made, no JetStream--> down
 */
export function createNatsBroker(deps: NatsBrokerDeps): Broker {
  const { clock, log } = deps;
  const { address, server, isTls } = readNatsUrl(deps.url);
  const listeners = new Set<(standing: BrokerStanding) => void>();
  const stopping = new AbortController();
  let session: NatsSession | undefined;
  let living: Promise<void> | undefined;
  let standing: BrokerStanding = { state: 'down', sinceMs: clock.nowMs(), server };

  const stand = (state: BrokerStanding['state'], problem?: string): void => {
    const isSame = standing.state === state;
    if (isSame && standing.problem === problem) return;
    standing = {
      state,
      server,
      sinceMs: isSame ? standing.sinceMs : clock.nowMs(),
      ...(problem === undefined ? {} : { problem }),
    };
    for (const listener of listeners) listener(standing);
  };

  /** One connection from its beginning to its end; how it failed, where it was not made. */
  const connectOnce = async (): Promise<'lost' | 'unreachable' | 'unusable'> => {
    try {
      const opened = await openNatsSession({
        address,
        isTls,
        stream: deps.stream,
        subjects: deps.subjects,
        credential: await deps.credential(),
      });
      if (stopping.signal.aborted) {
        await opened.close();
        return 'lost';
      }
      session = opened;
      stand('connected');
      log.info('nats.connected', { server });
      const reason = await opened.closed;
      if (!stopping.signal.aborted) log.warn('nats.lost', { server, reason });
      session = undefined;
      stand('down', `The connection to ${server} was lost.`);
      return 'lost';
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const isUnusable = error instanceof SetupProblem;
      const problem = isUnusable ? message : `No connection to ${server}: ${message}.`;
      if (standing.problem !== problem) log.warn('nats.unreachable', { server, message });
      stand('down', problem.slice(0, 400));
      return isUnusable ? 'unusable' : 'unreachable';
    }
  };

  const live = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted;) {
      const end = await connectOnce();
      failures = end === 'lost' ? 0 : failures + 1;
      const waitMs =
        end === 'unusable'
          ? SETUP_WAIT_MS
          : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 10));
      // Spread, so that many clients do not come back in one instant.
      const spreadMs = waitMs * (0.5 + deps.random() / 2);
      await clock.sleep(spreadMs, stopping.signal).catch(() => undefined); // stopping
    }
  };

  return {
    publish: (event, behindId) =>
      session === undefined
        ? Promise.resolve({ kind: 'unreachable', error: `There is no connection to ${server}.` })
        : session.publish(event, behindId),
    standing: () => standing,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      if (living !== undefined) return;
      stand('connecting');
      living = live();
    },
    async stop() {
      stopping.abort();
      await session?.close();
      // A connection that is being made ends by itself: nobody waits for it.
    },
  };
}

/** Where to connect, and how it is shown: without user and password. */
function readNatsUrl(url: string): {
  readonly address: string;
  readonly server: string;
  readonly isTls: boolean;
} {
  const parsed = new URL(url);
  const address = `${parsed.hostname}:${parsed.port === '' ? '4222' : parsed.port}`;
  return { address, server: `${parsed.protocol}//${address}`, isTls: parsed.protocol === 'tls:' };
}
