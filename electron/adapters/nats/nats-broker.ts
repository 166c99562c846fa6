import type { Broker, BrokerHealth } from '../../ports/broker';
import type { Basics } from '../../engine/kernel/basics';
import type { NatsCredential } from './nats-credential';
import { readNatsUrls, withAnnounced, type NatsAddress } from './nats-servers';
import { openNatsSession, SetupProblem, type NatsSession } from './nats-session';
import { reconnectDelayMs, type ConnectEnd } from './plan-reconnect';

interface NatsBrokerDeps extends Pick<Basics, 'clock' | 'log'> {
  /** One address, or several comma-separated servers of one cluster. */
  readonly url: string;
  readonly stream: string;
  readonly replicas: number;
  readonly subjects: readonly string[];
  /** Read for each connection. */
  readonly credential: () => Promise<NatsCredential | undefined>;
  /** Calls back when the credential may have changed; returns how to stop that. */
  readonly onCredentialChange: (listener: () => void) => () => void;
  readonly random: () => number;
}

/**
 * NATS with JetStream. Connects in the background and reconnects forever, to each server of `url`
 * and to those that the cluster announced, in turn; a publish counts when JetStream has
 * acknowledged it under the event's id. The packages load with the first connection.
 *
 *   down --start--> connecting --made--> connected --lost--> down --wait--> connected
 *                        \--no server takes us, no JetStream--> down
 *
 * A changed credential is tried at once: it ends a wait, and an open connection.
 */
export function createNatsBroker(deps: NatsBrokerDeps): Broker {
  const { clock, log } = deps;
  const configured = readNatsUrls(deps.url);
  let servers = configured.servers;
  let server = configured.shown;
  const listeners = new Set<(health: BrokerHealth) => void>();
  const stopping = new AbortController();
  let session: NatsSession | undefined;
  let living: Promise<void> | undefined;
  let waiting: AbortController | undefined;
  let unwatch = (): void => undefined;
  let health: BrokerHealth = { state: 'down', sinceMs: clock.nowMs(), server };

  const become = (state: BrokerHealth['state'], problem?: string): void => {
    const isSame = health.state === state;
    if (isSame && health.problem === problem) return;
    health = {
      state,
      server,
      sinceMs: isSame ? health.sinceMs : clock.nowMs(),
      ...(problem === undefined ? {} : { problem }),
    };
    for (const listener of listeners) listener(health);
  };

  /** One connection from start to end; returns how it ended or failed. */
  const connectTo = async (to: NatsAddress): Promise<ConnectEnd> => {
    server = `${to.isTls ? 'tls' : 'nats'}://${to.address}`;
    try {
      const opened = await openNatsSession({
        server: to,
        stream: deps.stream,
        replicas: deps.replicas,
        subjects: deps.subjects,
        credential: await deps.credential(),
      });
      if (stopping.signal.aborted) {
        await opened.close();
        return 'lost';
      }
      session = opened;
      become('connected');
      log.info('nats.connected', { server });
      servers = withAnnounced(configured.servers, to, opened.announced());
      const reason = await opened.closed;
      // Read again: the cluster may have grown or moved meanwhile.
      servers = withAnnounced(configured.servers, to, opened.announced());
      if (!stopping.signal.aborted) log.warn('nats.lost', { server, reason });
      session = undefined;
      become('down', `The connection to ${server} was lost.`);
      return 'lost';
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const isSetup = error instanceof SetupProblem;
      const problem = isSetup ? message : `No connection to ${server}: ${message}.`;
      if (health.problem !== problem) log.warn('nats.unreachable', { server, message });
      become('down', problem.slice(0, 400));
      if (!isSetup) return 'unreachable';
      return error.isComing ? 'incomplete' : 'unusable';
    }
  };

  /** Tries each server once, until one accepts: while one of a cluster is up, there is no wait. */
  const connectOnce = async (): Promise<ConnectEnd> => {
    let worst: ConnectEnd = 'unreachable';
    for (const to of servers) {
      if (stopping.signal.aborted) break;
      const end = await connectTo(to);
      if (end === 'lost') return end;
      if (end !== 'unreachable' && worst !== 'incomplete') worst = end;
    }
    return worst;
  };

  const live = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted;) {
      const end = await connectOnce();
      failures = end === 'lost' ? 0 : failures + 1;
      const waitMs = reconnectDelayMs(end, failures);
      // Jitter, so that many clients do not reconnect in the same instant.
      const spreadMs = waitMs * (0.5 + deps.random() / 2);
      waiting = new AbortController();
      const isOver = AbortSignal.any([stopping.signal, waiting.signal]);
      await clock.sleep(spreadMs, isOver).catch(() => undefined); // Stopping, or a new credential.
      waiting = undefined;
    }
  };

  const retry = (): void => {
    log.info('nats.credential_changed', { server });
    waiting?.abort();
    // The old credential's permissions may be insufficient; only a new connection shows that.
    void session?.close();
  };

  return {
    publish: (event, behindId) =>
      session === undefined
        ? Promise.resolve({ kind: 'unreachable', error: `There is no connection to ${server}.` })
        : session.publish(event, behindId),
    health: () => health,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      if (living !== undefined) return;
      become('connecting');
      unwatch = deps.onCredentialChange(retry);
      living = live();
    },
    async stop() {
      stopping.abort();
      unwatch();
      await session?.close();
      // A connection that is being made ends on its own: not awaited.
    },
  };
}
