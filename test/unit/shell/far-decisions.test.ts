import { describe, expect, it } from 'vitest';
import { farNotice, followFarDecisions } from '../../../electron/shell/notices/far-decisions';
import type { Notice, NoticeOutcome } from '../../../electron/shell/notices/notification-policy';
import type { FarAsk, HostInbox } from '../../../shared/types';
import { farCall, farTurn } from '../../helpers/far-asks';

const inbox = (name: string, ...asks: readonly FarAsk[]): HostInbox => ({
  name,
  tells: true,
  waiting: { asks: [...asks], hidden: 0, others: 0 },
});

function follow(outcome: NoticeOutcome = { kind: 'shown' }, urgent: readonly string[] = []) {
  const world = {
    hosts: [] as readonly HostInbox[],
    hasHosts: true,
    outcome,
    told: [] as Notice[],
    asked: 0,
    failed: [] as unknown[],
  };
  let changed = (): void => undefined;
  const following = followFarDecisions({
    engine: {
      call: () => {
        world.asked += 1;
        return Promise.resolve({ hosts: world.hosts });
      },
      status: () => (world.hasHosts ? { hosts: [] } : {}),
      on: (_event: string, listener: () => void) => {
        changed = listener;
      },
    } as never,
    settings: {
      get: (key: string) => (key === 'notifications.urgent' ? urgent : false),
    } as never,
    notify: (notice) => {
      world.told.push(notice);
      return Promise.resolve(world.outcome);
    },
    onFailed: (error) => world.failed.push(error),
  });
  const change = async (...hosts: readonly HostInbox[]): Promise<void> => {
    world.hosts = hosts;
    changed();
    await new Promise(setImmediate);
  };
  const titles = (): readonly string[] => world.told.map(({ title }) => title);
  return { world, following, change, titles };
}

describe('notices of what waits on other computers', () => {
  it('HO-02 a new decision is told once, with its host, also after a cut; another question is another one', async () => {
    const { change, titles, world } = follow();
    await change(inbox('box', farCall), inbox('attic', farCall, farTurn));
    expect(titles()).toEqual([
      '1 request needs your decision on box',
      '2 requests need your decision on attic',
    ]);
    await change({ name: 'box' }, inbox('attic', farTurn));
    await change(inbox('box', farCall));
    expect(titles()).toHaveLength(2);
    await change(inbox('box', farCall, { ...farCall, requestHash: 'c'.repeat(64) }));
    expect(titles().slice(2)).toEqual(['1 request needs your decision on box']);
    expect(new Set(world.told.map(({ kind, route }) => `${kind} ${route}`))).toEqual(
      new Set(['decision /decisions']),
    );
    expect(world.failed).toEqual([]);
  });

  it('HO-02 what is held back while nobody is to be disturbed is told afterward if it still waits, once', async () => {
    const { change, following, world, titles } = follow({
      kind: 'suppressed',
      reason: 'do_not_disturb',
    });
    await change(inbox('box', farCall, farTurn));
    expect(titles()).toHaveLength(1);
    // One that came when the quiet was over is told by itself.
    world.hosts = [inbox('box', farTurn, { ...farCall, requestHash: 'c'.repeat(64) })];
    expect((await following.heldBack()).map(({ title }) => title)).toEqual([
      '1 request needs your decision on box',
    ]);
    expect(await following.heldBack()).toEqual([]);
  });

  it('HO-02 a call that a person has marked as urgent is told at any hour, apart from the others', async () => {
    const { change, world } = follow({ kind: 'shown' }, ['shell.shell']);
    await change(inbox('box', farCall, farTurn));
    expect(world.told.map(({ key, isUrgent, standsFor }) => [key, isUrgent, standsFor])).toEqual([
      ['far:box:urgent', true, 1],
      ['far:box', undefined, 1],
    ]);
  });

  it('HO-02 nothing is asked where no host is set', async () => {
    const { change, world } = follow();
    world.hasHosts = false;
    const before = world.asked;
    await change(inbox('box', farCall));
    expect([world.asked, world.told]).toEqual([before, []]);
  });

  it('HO-03 the question is shown only where details are, inert and without what looks like a secret', () => {
    expect(farNotice('box', [farCall], false)?.title).toBe('1 request needs your decision on box');
    expect(farNotice('box', [farCall], true)?.title).toMatch(/^box: Allow `rm -rf build`/);
    const key = `sk-ant-api03-${'Ab1'.repeat(30)}`;
    const question = `Was ${key} sent\u202e\u001b[2J?`;
    const title = farNotice('box', [{ ...farTurn, question }], true)?.title ?? '';
    expect(title).not.toMatch(/[\u202e\u001b]|Ab1Ab1/);
    expect(title).toMatch(/^box: Was … sent/);
    expect(farNotice('box', [], true)).toBeUndefined();
  });
});
