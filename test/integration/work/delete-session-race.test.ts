/** A session that is deleted in the moment in which something comes for it. */
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import {
  composeIn,
  createWorld,
  QUIET,
  turnIn,
  writeConfig,
  type World,
} from '../../helpers/compose-world';
import { createFakeProvider, promptOf, resultsSoFar } from '../../helpers/fake-world';

let world: World;
let app: Composition;
beforeEach(async () => {
  world = createWorld();
  writeConfig(world, {});
  const provider = createFakeProvider({
    dir: world.outside,
    script: (request) =>
      promptOf(request) === 'later' && resultsSoFar(request) === 0
        ? { calls: [{ tool: 'revisit_later', args: { note: 'look at it', in: '1h' } }] }
        : { text: 'done' },
  });
  app = composeIn(world, { providers: [provider] });
  await app.lifecycle.start();
});
afterEach(async () => {
  await app.lifecycle.stop('stop');
  world.remove();
});

const send = (text: string, session = 'notes') =>
  app.holdfast.call('send', { text, session, agent: 'fake' }, 'test');
const remove = () => app.holdfast.call('session.delete', { session: 'notes' }, 'test');
const sessions = async () =>
  (await app.holdfast.call('sessions.list', {}, 'test')).sessions.map(({ key, title }) => [
    key,
    title,
  ]);
function count(query: string): number {
  const db = new Database(path.join(world.dataDir, 'holdfast.db'), { readonly: true });
  try {
    return Number(db.prepare(query).pluck().get());
  } finally {
    db.close();
  }
}
/** How many wakes are still to come. */
const wakes = (): number => count("SELECT count(*) FROM wakes WHERE state = 'pending'");
/** A session that wants to be woken later. */
async function begun(): Promise<void> {
  const { turnId } = await send('later');
  expect((await turnIn(app, turnId, [...QUIET])).state).toBe('completed');
  expect(wakes()).toBe(1);
}

/** Lets as much happen as `steps` of a promise chain take: a commit needs a turn of the event loop. */
const after = async (steps: number): Promise<void> => {
  for (let step = 0; step < steps; step += 1) await Promise.resolve();
};

/** Both begin within one turn of the event loop, `lead` steps apart; a negative lead turns them round. */
async function together<T>(other: () => Promise<T>, lead: number) {
  const late = async <U>(work: () => Promise<U>, steps: number): Promise<U> => {
    await after(steps);
    return work();
  };
  return Promise.allSettled([late(remove, -lead), late(other, lead)] as const);
}
const LEADS = Array.from({ length: 31 }, (_, at) => (at - 15) * 2);

describe('a session that is deleted', () => {
  it('second look 21: with a message of the same moment it stays whole, or is gone and the message has another one, at 31 instants', async () => {
    const seen = new Set<string>();
    for (const lead of LEADS) {
      await begun();
      const [deleted, sent] = await together(() => send('hello'), lead);
      expect(sent.status).toBe('fulfilled');
      if (sent.status === 'fulfilled') await turnIn(app, sent.value.turnId, [...QUIET]);
      seen.add(deleted.status);
      if (deleted.status === 'fulfilled') {
        expect([await sessions(), wakes()]).toEqual([[['notes', 'notes']], 0]);
      } else {
        expect(deleted.reason).toMatchObject({ code: 'SESSION_BUSY' });
        expect([await sessions(), wakes()]).toEqual([[['notes', 'notes']], 1]);
      }
      await remove();
    }
    expect([...seen].sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('S1-14 S1-23 with a timer and a heartbeat of the same moment, at 31 instants, holds up no timer and no wake of another session', async () => {
    for (const lead of LEADS) {
      await begun();
      const about = { session: 'notes', author: 'outside', message: 'gone' };
      const set = async () => {
        await Promise.allSettled([
          app.holdfast.call('timers.set', { ...about, seconds: 1 }, 'test'),
          app.holdfast.call('heartbeat.start', { ...about, seconds: 10 }, 'test'),
        ]);
      };
      const [deleted] = await together(set, lead);
      const isGone = () =>
        remove().then(
          () => true,
          () => false,
        );
      if (deleted.status === 'rejected') await expect.poll(isGone, { timeout: 60_000 }).toBe(true);
    }
    await send('hello', 'stays');
    const timer = { session: 'stays', seconds: 1, message: 'still here' };
    await app.holdfast.call('timers.set', timer, 'test');
    const prompts = async () =>
      (await app.holdfast.call('turns.list', { limit: 100 }, 'test')).turns.map(
        ({ promptStart }) => promptStart,
      );
    await expect
      .poll(prompts, { timeout: 60_000 })
      .toContainEqual(expect.stringMatching('still here'));
    await expect
      .poll(async () => (await app.holdfast.call('timers.list', {}, 'test')).timers, {
        timeout: 60_000,
      })
      .toEqual([]);
    await expect
      .poll(() => count('SELECT count(*) FROM heartbeats WHERE is_on = 1 AND session_id > 0'), {
        timeout: 60_000,
      })
      .toBe(0);
  });

  it('second look 21: with a fork of the same moment it stays and the fork is made, or it is gone and so is the fork, at 31 instants', async () => {
    const seen = new Set<string>();
    for (const lead of LEADS) {
      await begun();
      const turnId = (await app.holdfast.call('turns.list', {}, 'test')).turns[0]?.id ?? 0;
      const fork = () => app.holdfast.call('session.fork', { session: 'notes', turnId }, 'test');
      const [deleted, forked] = await together(fork, lead);
      expect(deleted.status).not.toBe(forked.status);
      seen.add(deleted.status);
      expect(await sessions()).toHaveLength(deleted.status === 'fulfilled' ? 0 : 2);
      for (const [session] of await sessions())
        if (session !== 'notes')
          await app.holdfast.call('session.delete', { session: session ?? '' }, 'test');
      if (deleted.status === 'rejected') await remove();
    }
    expect([...seen].sort()).toEqual(['fulfilled', 'rejected']);
  });
});
