/** A question that is still open when the turn of an outside agent goes on in a new run. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { composeIn, turnIn } from '../../helpers/compose-world';
import {
  allow,
  app,
  begin,
  configure,
  effects,
  ended,
  goOn,
  killAgent,
  nested,
  prompts,
  question,
  questions,
  send,
  useAcpWorld,
  world,
} from './acp-world';

useAcpWorld();

describe('a question that a run leaves open', () => {
  it('S3-07 S3-28 a turn that goes on with its question still open asks the same one, and says that it is blocked by permission: 1 question, answered under its number, 1 effect', async () => {
    configure('plain', nested());
    await begin();
    const turnId = await send('do: run one\ndo: say done');
    const asked = await question();
    await killAgent(turnId);
    const session = 'work';
    for (const attempt of [2, 3]) {
      await goOn(turnId);
      expect(await turnIn(app(), turnId, ['requires_action'])).toMatchObject({ attempt });
      expect(await questions()).toEqual([asked]);
      const { latestOutcome } = await app().holdfast.call('session.status', { session }, 'test');
      expect(latestOutcome).toMatchObject({ kind: 'blocked', blockedReason: 'permission' });
      const { items } = await app().holdfast.call('inbox.list', {}, 'test');
      expect(items.map(({ kind }) => kind)).toEqual(['approval']);
      if (attempt === 2) await killAgent(turnId);
    }
    await allow(asked);
    expect((await ended(turnId)).state).toBe('completed');
    expect(effects()).toEqual(['one']);
    expect((await questions(true)).map(({ answer }) => answer)).toEqual(['allowed']);
    // The run that waits is at work again with the answer: a span of its own, in the same wake.
    const { events } = await app().holdfast.call('session.events', { session }, 'test');
    const wake = `wake ${String(turnId)}.3`;
    const spans = events.filter(({ text }) => text.startsWith(wake));
    expect(spans.map(({ type }) => type)).toEqual([
      ...['span.started', 'span.completed', 'span.started', 'span.completed'],
    ]);
    expect(events.at(-1)?.type).toBe('session.status_idle');
  });

  it('S3-30 S3-24 S3-29 the run that goes on with its answer is the holder of the lease again, under the same claim, and a death then abandons that claim', async () => {
    configure('plain', nested());
    await begin();
    const turnId = await send('do: run one\ndo: hush 60000\ndo: say done');
    const status = () => app().holdfast.call('session.status', { session: 'work' }, 'test');
    const asked = await question();
    expect((await status()).activeLease).toBeNull();
    await allow(asked);
    await expect.poll(effects).toEqual(['one']);
    const { activeLease, activeWakeLeaseOwner, claimHistory, session } = await status();
    expect(session.status).toBe('running');
    const claimId = claimHistory.find(({ kind }) => kind === 'leased')?.claimId;
    expect(activeLease).toMatchObject({ turnId, attempt: 1, isAlive: true, claimId });
    expect(activeWakeLeaseOwner).toBe(activeLease?.owner);
    // What a start finds after SIGKILL: copied by another process, because of the lock in it.
    const image = { ...world, dataDir: path.join(world.root, 'image') };
    expect(spawnSync('cp', ['-r', world.dataDir, image.dataDir]).status).toBe(0);
    for (const name of ['agent.lock', 'lock.db'])
      spawnSync('rm', ['-f', path.join(image.dataDir, name)]);
    const again = composeIn(image, { overrides: { 'resilience.recovery.mode': 'never' } });
    try {
      await again.lifecycle.start();
      const { events } = await again.holdfast.call('activations.events', {}, 'test');
      const told = events.filter(({ kind }) => kind === 'leased' || kind === 'abandoned');
      expect(told.map((event) => [event.kind, event.claimId])).toEqual([
        ['leased', claimId],
        ['abandoned', claimId],
      ]);
    } finally {
      await again.lifecycle.stop('stop');
    }
    await killAgent(turnId);
    expect((await status()).activeLease).toBeNull();
  });

  it('S3-07 S3-08 an answer that comes before the resumed agent asks again counts, and the turn is never queued beside its run', async () => {
    configure('plain', nested());
    await begin();
    const turnId = await send('do: hush 400\ndo: run one\ndo: say done');
    const asked = await question();
    await killAgent(turnId);
    await goOn(turnId);
    await expect.poll(() => prompts().length).toBe(2);
    await allow(asked);
    const { turn } = await app().holdfast.call('turns.show', { turnId }, 'test');
    expect(turn.state).toBe('running');
    expect((await ended(turnId)).attempt).toBe(2);
    expect(effects()).toEqual(['one']);
    expect(await questions(true)).toHaveLength(1);
  });

  it('S3-07 a question that is left open gives way to one about the same call with another reason: 1 question', async () => {
    configure('forget', nested());
    await begin();
    const turnId = await send('do: run one\ndo: run one\ndo: say done');
    await allow(await question());
    await expect.poll(effects).toEqual(['one']);
    const second = await question();
    expect(second.reason).toContain('always ask');
    await killAgent(turnId);
    await goOn(turnId);
    await expect
      .poll(async () => (await questions())[0]?.reason)
      .toContain('was completed before the restart');
    expect(await questions()).toHaveLength(1);
    await expect(allow(second)).rejects.toMatchObject({ code: 'REQUEST_ANSWERED' });
    expect(effects()).toEqual(['one']);
  });
});
