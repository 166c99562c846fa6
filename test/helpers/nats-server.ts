import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';

const PROGRAM = [
  '/usr/sbin/nats-server',
  '/usr/local/bin/nats-server',
  '/usr/bin/nats-server',
].find((file) => fs.existsSync(file));

/** Why tests with a real broker are left out, where they are. */
export const NO_NATS = PROGRAM === undefined ? 'nats-server is not installed' : undefined;

export async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const running = new Set<ChildProcess>();

/** Ends what a failed test has left. */
export function endNats(): void {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
}

/** A real nats-server on one port with one folder, over as many lives as a test wants. */
export interface NatsServer {
  readonly port: number;
  readonly url: string;
  start(): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  connect(): Promise<NatsConnection>;
  /** Copies that the stream is set up with. */
  replicas(stream?: string): Promise<number>;
  /** Every event of the stream, in its order. */
  stored(stream?: string): Promise<StoredEvent[]>;
}

interface StoredEvent {
  readonly seq: number;
  readonly topic: string;
  readonly id: string;
  readonly payload: string;
}

export async function createNats(
  dir: string,
  options: { readonly hasJetStream?: boolean; readonly args?: readonly string[] } = {},
): Promise<NatsServer> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  const jetStream =
    options.hasJetStream === false ? [] : ['-js', '-sd', path.join(dir, 'nats-store')];
  const server: NatsServer = {
    port,
    url: `nats://127.0.0.1:${String(port)}`,
    async start() {
      const own = spawn(
        PROGRAM ?? '',
        ['-a', '127.0.0.1', '-p', String(port), ...jetStream, ...(options.args ?? [])],
        { stdio: ['ignore', 'ignore', 'pipe'] },
      );
      child = own;
      running.add(own);
      own.once('exit', () => running.delete(own));
      await new Promise<void>((resolve, reject) => {
        own.stderr?.on('data', (text: Buffer) => {
          if (text.toString().includes('Server is ready')) resolve();
        });
        own.once('exit', (code) => reject(new Error(`nats-server ended with ${String(code)}`)));
      });
    },
    async kill() {
      const own = child;
      if (own?.exitCode !== null || own.signalCode !== null) return;
      const gone = new Promise((resolve) => own.once('exit', resolve));
      own.kill('SIGKILL');
      await gone;
    },
    connect: () => connect({ servers: `127.0.0.1:${String(port)}` }),
    async replicas(stream = 'HOLDFAST') {
      const connection = await server.connect();
      try {
        const { config } = await (await jetstreamManager(connection)).streams.info(stream);
        return config.num_replicas;
      } finally {
        await connection.close();
      }
    },
    async stored(stream = 'HOLDFAST') {
      const connection = await server.connect();
      try {
        const { state } = await (await jetstreamManager(connection)).streams.info(stream);
        const events: StoredEvent[] = [];
        if (state.messages === 0) return events;
        const consumer = await jetstream(connection).consumers.get(stream);
        const messages = await consumer.fetch({ max_messages: state.messages, expires: 20_000 });
        for await (const message of messages) {
          const { seq, subject, headers } = message;
          const id = headers?.get('Nats-Msg-Id') ?? '';
          events.push({ seq, topic: subject, id, payload: message.string() });
          if (events.length === state.messages) break;
        }
        return events;
      } finally {
        await connection.close();
      }
    },
  };
  return server;
}

/** Looks again every few milliseconds until it is so; says what it saw last when it never was. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let round = 0; round < 6_000; round += 1) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`never came: ${what}`);
}
