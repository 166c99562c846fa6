/** How fast events leave the disk for a real JetStream on this computer. */
import { createSystemClock } from '../../../electron/adapters/clock';
import { createNatsBroker } from '../../../electron/adapters/nats/nats-broker';
import { startDelivery } from '../../helpers/delivery-world';
import { createNats, NO_NATS, until } from '../../helpers/nats-server';
import { median } from './numbers';
import { inFolder } from './programs';
import type { Report } from './report';

const EVENTS = 5_000;
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
      credential: () => Promise.resolve(undefined),
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
    await until(() => broker.standing().state === 'connected', 'the connection');
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

export async function addDeliveryFigures(report: Report, repeats: number): Promise<void> {
  for (const topics of [1, 50]) {
    const rates: number[] = [];
    for (let n = 0; NO_NATS === undefined && n < repeats; n += 1)
      rates.push(await drainRate(topics));
    report.add('Events, 5000 of 500 bytes from the disk into JetStream', {
      name: topics === 1 ? 'one topic' : `${String(topics)} topics`,
      value: rates.length === 0 ? undefined : median(rates),
      unit: 'events/s',
      ...(NO_NATS === undefined ? {} : { note: NO_NATS }),
    });
  }
}
