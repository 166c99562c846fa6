/** A session that goes on over a hundred kills: its log and what the model is told of it are whole. */
import { afterEach, describe, expect, it } from 'vitest';
import { databaseProblems, rowsOf } from './evidence';
import { createRealm, endRealms, requestsOf, startLife } from './lives';

afterEach(endRealms);

const KILLS = 100;
const CHAT = { channel: 'cli', peer: 'main' };
const numbers = Array.from({ length: KILLS }, (_, n) => n);

describe('one session', () => {
  it('S3-35 100 wakes with SIGKILL after each: 100 answers in order, none twice, the conversation whole', async () => {
    const realm = createRealm('always', { 'resilience.recovery.resume_delay': '0s' });
    let life = startLife(realm);
    for (const n of numbers) {
      await life.ready();
      const turnId = await life.accept(`wake ${String(n)}`, CHAT);
      // Before, while and after it is answered, as it comes.
      await new Promise((resolve) => setTimeout(resolve, (n * 7) % 40));
      await life.kill();
      life = startLife(realm);
      await life.ready();
      await expect
        .poll(async () => (await life.call('turns.show', { turnId })).turn.state, {
          interval: 10,
          timeout: 120_000,
        })
        .toBe('completed');
    }
    const [session] = (await life.call('sessions.list', {})).sessions;
    const { events } = await life.call('session.events', {
      session: session?.key ?? '',
      limit: 500,
      life: false,
    });
    expect(
      events.filter((event) => event.type === 'agent.message').map((event) => event.text),
    ).toEqual(numbers.map((n) => `done: wake ${String(n)}`));
    const seqs = events.map((event) => event.seq);
    expect(new Set(seqs).size).toBe(seqs.length);
    expect(rowsOf(realm, 'SELECT count(*) AS n FROM turns')).toEqual([{ n: KILLS }]);
    // At most one call per kill was cut off and made again.
    expect(requestsOf(realm).length).toBeLessThanOrEqual(2 * KILLS);
    expect(requestsOf(realm).at(-1)?.before).toContain(`done: wake ${String(KILLS - 2)}`);
    await life.stop();
    expect(databaseProblems(realm)).toEqual([]);
    // 200 lives, of which each takes several seconds where all else is busy.
  }, 900_000);
});
