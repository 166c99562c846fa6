/** Two starts of the built program in the same moment, again and again on one folder. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Launched, Site } from '../integration/rows/site';
import { createSite, until } from '../integration/rows/site';

/** The promise names 100; alone, with `npm run test:kill`, it makes them all. */
const ROUNDS = process.env['npm_lifecycle_event'] === 'test:kill' ? 100 : 5;

let site: Site;
beforeEach(async () => {
  site = await createSite();
  site.configure();
});
afterEach(() => site.remove());

const isUp = ({ child, out }: Launched): boolean => child.exitCode === null && out().includes('\n');
const hasEnded = ({ child }: Launched): boolean => child.exitCode !== null;

it(
  `S2-40 2 parallel starts, ${String(ROUNDS)} rounds, on no lock file and on that of a killed one: one owns the folder, the other is told so and ends`,
  async () => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const two = [1, 2].map(() => site.launch(['start', '--headless']));
      await until('one is up and one has ended', () => two.some(isUp) && two.some(hasEnded));
      const winner = two.find(isUp)!;
      const loser = await two.find(hasEnded)!.ended;
      const record = JSON.parse(fs.readFileSync(path.join(site.dataDir, 'agent.lock'), 'utf8')) as {
        pid: number;
      };
      expect(record.pid).toBe(winner.child.pid);
      // On a slow machine one of them comes so late that it is no race any more, but a takeover.
      if (loser.code !== 0)
        expect([loser.code, loser.err]).toEqual([4, expect.stringContaining(String(record.pid))]);
      if (round % 2 === 0) await site.stop(winner);
      else await site.kill(winner);
    }
    expect(site.db('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  },
  ROUNDS * 20_000,
);
