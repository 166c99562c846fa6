/** History is put away in small batches; the process is killed among them, again and again. */
import { afterEach, expect, it } from 'vitest';
import { databaseProblems, readEvidence, rowsOf } from './evidence';
import { createRealm, decideAll, effectsOf, endRealms, startLife } from './lives';
import type { Realm } from './realm';
import { createRandom } from '../helpers/random';

afterEach(endRealms);

const TURNS = 110;

const journalRows = (realm: Realm): number =>
  rowsOf<{ n: number }>(realm, 'SELECT count(*) AS n FROM journal')[0]?.n ?? 0;

it(`S4-17 killed in 5 prunings of ${String(TURNS)} turns: no turn, no sum and no answer is lost; one that waits all the while keeps its steps, holds up nothing, and goes on`, async () => {
  const realm = createRealm('always');
  const first = startLife(realm);
  await first.ready();
  const waiting = await first.accept('asked a', { channel: 'cli', peer: 'waits' });
  for (let n = 1; n <= TURNS; n += 1)
    await first.accept(`one ${String(n)}`, { channel: 'cli', peer: `p${String(n % 10)}` });
  await first.ask({ kind: 'quiet' });
  await first.stop();
  const before = readEvidence(realm);
  const rows = journalRows(realm);
  const facts = (evidence: typeof before): unknown =>
    evidence?.turns.map(({ id, state, usage, answerStep }) => [id, state, usage, answerStep]);
  const random = createRandom(17);
  let killedWithin = 0;
  for (let round = 0; round < 5; round += 1) {
    const delayMs = random(4);
    const life = startLife(realm, {
      onLine: (line, one) => {
        if (line['prunedBatch'] === true) setTimeout(() => void one.kill(), delayMs);
      },
    });
    await life.ready();
    // Where nothing is left to prune, nothing but its answer comes.
    if ((await life.ask({ kind: 'prune' })) === undefined) killedWithin += 1;
    await life.kill();
    const after = readEvidence(realm);
    expect(facts(after)).toEqual(facts(before));
    expect(after?.steps.get(waiting)).toEqual(before?.steps.get(waiting));
    for (const turn of after?.turns ?? []) {
      if (turn.answerStep === undefined) continue;
      const kept = after?.steps.get(turn.id)?.map(({ step }) => step);
      expect(kept).toContain(turn.answerStep);
    }
    // Steps of closed turns are numbered with gaps from here on.
    expect(databaseProblems(realm).filter((one) => !one.includes('are numbered'))).toEqual([]);
  }
  expect(killedWithin).toBeGreaterThan(0);
  const last = startLife(realm);
  await last.ready();
  await last.ask({ kind: 'prune' });
  await last.kill();
  const left = readEvidence(realm);
  for (const turn of left?.turns ?? [])
    expect(left?.steps.get(turn.id)?.length).toBe(turn.id === waiting ? 3 : 1);
  // Of each turn the 4 rows of its first 2 steps are gone; 1 says what they came to.
  expect(rows - journalRows(realm)).toBeGreaterThan(2 * TURNS);
  const life = startLife(realm);
  await life.ready();
  await decideAll(realm, life);
  expect((await life.call('turns.show', { turnId: waiting })).turn.state).toBe('completed');
  await life.stop();
  expect(effectsOf(realm)).toHaveLength(TURNS + 3);
});
