/** `holdfast dlq list` on the data of a Holdfast that has stopped, with letters that are real. */
import { afterEach, describe, expect, it } from 'vitest';
import { openReadOnly } from '../../../electron/offline/open-data';
import {
  composeIn,
  createWorld as createData,
  type World as Data,
} from '../../helpers/compose-world';
import { freePort } from '../../helpers/nats-server';
import { createFakeHoldfast } from '../control/fake-holdfast';
import { createWorld, type World } from './cli-world';

let data: Data;
afterEach(() => data.remove());

/** So many events beyond the one that fits: each one that is pushed out is a dead letter. */
async function shed(count: number): Promise<World> {
  data = createData({
    nats: { url: `nats://127.0.0.1:${String(await freePort())}` },
    limits: { max_pending: 1 },
  });
  const life = composeIn(data);
  expect(await life.lifecycle.start()).toEqual({ kind: 'started' });
  // The event of the start itself is the first that goes.
  await Promise.all(
    Array.from({ length: count }, (_, n) =>
      life.holdfast.call(
        'events.publish',
        { topic: 'orders.paid', payload: '{}', id: `e${String(n)}` },
        'test',
      ),
    ),
  );
  await life.lifecycle.stop('stop');
  return createWorld({
    dataDir: data.dataDir,
    fake: createFakeHoldfast(),
    offline: { openReadOnly },
  });
}

const READABLE = /^(just now|\d+ (s|min|h|d) ago|in \d+ (s|min|h|d))$/;

describe('dlq list', () => {
  it('S2-+01 shows id, topic, time that people read and reason, newest first, and the place of the rest', async () => {
    const world = await shed(4);
    const all = await world.run('dlq', 'list');
    expect(all.code).toBe(0);
    const rows = all.out
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/));
    expect(rows[0]).toEqual(['ID', 'TOPIC', 'FAILED', 'REASON']);
    expect(rows.slice(1, 4).map(([id, topic]) => [id, topic])).toEqual([
      ['e2', 'orders.paid'],
      ['e1', 'orders.paid'],
      ['e0', 'orders.paid'],
    ]);
    for (const [, , failedAt, reason] of rows.slice(1))
      expect([failedAt, reason]).toEqual([expect.stringMatching(READABLE), 'dropped: queue full']);
    const part = await world.run('dlq', 'list', '--topic', 'orders.paid', '--limit', '2');
    expect(part.out).toContain('\n1 more; for older ones: holdfast dlq list --cursor e1\n');
    const rest = await world.run(
      'dlq',
      'list',
      '--topic',
      'orders.paid',
      '--before',
      'e1',
      '--json',
    );
    const { letters, hasMore } = JSON.parse(rest.out) as {
      letters: { id: string; failedAtMs: number }[];
      hasMore: boolean;
    };
    expect([letters.map(({ id }) => id), hasMore]).toEqual([['e0'], false]);
  });

  it('S2-+01 without a limit shows 1000 of 1005 and says that 5 more are older', async () => {
    const world = await shed(1_005);
    const { code, out } = await world.run('dlq', 'list');
    const lines = out.trimEnd().split('\n');
    expect([code, lines.length]).toEqual([0, 1_002]);
    expect(lines.at(-1)).toMatch(/^5 more; for older ones: holdfast dlq list --cursor e4$/);
  });

  it('S2-+01 where there is none it says so and ends with 0', async () => {
    const world = await shed(0);
    expect(await world.run('dlq', 'list')).toMatchObject({ code: 0, out: 'No dead letters.\n' });
    expect(JSON.parse((await world.run('dlq', 'list', '--json')).out)).toEqual({
      letters: [],
      total: 0,
      hasMore: false,
    });
  });
});
