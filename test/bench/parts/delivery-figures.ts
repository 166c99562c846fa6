/** How fast events leave the disk for a real JetStream on this computer. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { createSystemClock } from '../../../electron/adapters/clock/system-clock';
import { createNatsBroker } from '../../../electron/adapters/nats/nats-broker';
import { startDelivery } from '../../helpers/delivery-world';
import { createNats, NO_NATS, until } from '../../helpers/nats-server';
import { median } from './numbers';
import { inFolder } from './programs';
import type { Report } from './report';

const EVENTS = 5_000;
const RAW_WINDOW = 50;
const silent = (): void => undefined;

/** Events a second, from the first to the last row of a full queue, on so many topics. */
async function drainRate(topics: number): Promise<number> {
  return inFolder(async (dir) => {
    const nats = await createNats(dir);
    const clock = createSystemClock();
    const broker = createNatsBroker({
      url: nats.url,
      stream: 'BENCH',
      subjects: ['bench.>'],
      replicas: 1,
      credential: () => Promise.resolve(undefined),
      onCredentialChange: () => () => undefined,
      clock,
      random: () => 0,
      log: { debug: silent, info: silent, warn: silent, error: silent },
    });
    const life = await startDelivery({ dataDir: dir, broker, clock });
    const payload = JSON.stringify('x'.repeat(500));
    await Promise.all(
      Array.from({ length: EVENTS }, (_, n) =>
        life.delivery.publish({ topic: `bench.${String(n % topics)}`, payload }),
      ),
    );
    await nats.start();
    life.delivery.start();
    await until(() => broker.health().state === 'connected', 'the connection');
    const beganMs = clock.monotonicMs();
    const before = life.delivery.status().depth;
    await life.delivery.drain();
    const rate = (before * 1_000) / (clock.monotonicMs() - beganMs);
    await life.delivery.stop();
    await life.journal.close();
    life.db.close();
    await nats.kill();
    return rate;
  });
}

/** What JetStream itself takes in on this computer: the same events from memory, so many at once. */
async function rawRate(): Promise<number> {
  return inFolder(async (dir) => {
    const nats = await createNats(dir);
    await nats.start();
    const connection = await connect({ servers: nats.url });
    await (await jetstreamManager(connection)).streams.add({ name: 'RAW', subjects: ['raw.>'] });
    const client = jetstream(connection);
    const payload = new TextEncoder().encode(JSON.stringify('x'.repeat(500)));
    const beganMs = performance.now();
    for (let first = 0; first < EVENTS; first += RAW_WINDOW) {
      await Promise.all(
        Array.from({ length: RAW_WINDOW }, (_, n) =>
          client.publish('raw.0', payload, { msgID: String(first + n) }),
        ),
      );
    }
    const rate = (EVENTS * 1_000) / (performance.now() - beganMs);
    await connection.close();
    await nats.kill();
    return rate;
  });
}

export async function addDeliveryFigures(report: Report, repeats: number): Promise<void> {
  const raw: number[] = [];
  for (let n = 0; NO_NATS === undefined && n < repeats; n += 1) raw.push(await rawRate());
  for (const topics of [1, 50]) {
    const rates: number[] = [];
    for (let n = 0; NO_NATS === undefined && n < repeats; n += 1)
      rates.push(await drainRate(topics));
    report.add('Events, 5000 of 500 bytes from the disk into JetStream', {
      name: topics === 1 ? 'one topic' : `${String(topics)} topics`,
      value: rates.length === 0 ? undefined : median(rates),
      unit: 'events/s',
      note: NO_NATS ?? `from memory, ${String(RAW_WINDOW)} at once: ${median(raw).toFixed(0)}`,
    });
  }
}
