/**
 * A night without anybody, in the real engine with real kills: usage limits, an outage, a sleep, budgets,
 * a question on the phone and tasks. What the world saw is held against what was to be done.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { databaseProblems } from './evidence';
import { endRealms } from './lives';
import { beginNight, KILLS, type Night } from './night';
import { judgeMorning, playNight, turnsOf } from './night-story';

/** `HOLDFAST_NIGHT_SEED` repeats one night; several are separated by commas. */
const SEEDS = (process.env['HOLDFAST_NIGHT_SEED'] ?? '1,2').split(',').map(Number);

const nights: Night[] = [];
afterEach(async () => {
  for (const night of nights.splice(0)) await night.end();
  endRealms();
});

async function wholeNight(seed: number): Promise<void> {
  const night = await beginNight(seed);
  nights.push(night);
  try {
    await playNight(night);
    await judgeMorning(night);
    await night.stop();
    expect(databaseProblems(night.realm)).toEqual([]);
  } catch (error) {
    const turns = await night.does(turnsOf).catch(() => []);
    console.error(
      [
        `HOLDFAST_NIGHT_SEED=${String(seed)} repeats the night. Killed at:`,
        ...night.story,
        ...turns.map((one) => `${one.sessionKey} ${one.state} ${one.reason}`),
      ].join('\n'),
    );
    throw error;
  }
}

describe('a night of ten hours', () => {
  it(`LM-06 BU-02 PH-05 GT-01 CH-03 with ${String(KILLS)} kills, seeds ${SEEDS.join(' and ')}: what could be done is done once, nothing on record is paid again, and one digest says so`, async () => {
    await Promise.all(SEEDS.map(wholeNight));
  });
});
