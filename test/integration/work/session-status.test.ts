import { afterEach, describe, expect, it } from 'vitest';
import { openReadOnly } from '../../../electron/offline/open-data';
import { createFakeProvider, createFakeTools, resultsSoFar } from '../../helpers/fake-world';
import { ENDED, turnIn } from '../../helpers/compose-world';
import { createWorkWorld, failing, historyOf, send, statusOf, type WorkWorld } from './work-world';

let site: WorkWorld;
afterEach(() => site.end());

const SEVEN = [
  'retryPosture',
  'pendingRequests',
  'queuedWakeBacklog',
  'activeLease',
  'latestOutcome',
  'claimHistory',
  'stagedDraftStatus',
] as const;

const FIELDS = [
  'status',
  'stopReason',
  'turns',
  'pendingEvents',
  'runnablePendingEvent',
  'nextRetryAt',
  'retryStreak',
  'pendingQueuedWakes',
  'nextQueuedWakeAt',
  'activeWakeLeaseOwner',
  'activeWakeLeaseAcquiredAt',
  'resilience',
  'stagedDrafts',
  'lastActivationKind',
  'lastActivationAt',
  'lastActivationClaimId',
  'lastActivationReason',
  'pendingCustomTool',
  'pendingToolConfirmation',
] as const;

describe('what can be inspected about a session', () => {
  it('S3-27 S3-30 S3-31 the seven things and the fields of the documents are there, and the same while Holdfast does not run', async () => {
    site = createWorkWorld({
      work: { requeue_delay: '1h', requeue_max_delay: '1h' },
      approvals: { always_ask: ['charge'] },
    });
    const tools = createFakeTools({ dir: site.world.outside });
    const provider = createFakeProvider({
      dir: site.world.outside,
      script: (request) =>
        resultsSoFar(request) === 0
          ? { calls: [{ tool: 'revisit_later', args: { note: 'n', in: '1h' } }] }
          : { text: 'done' },
      gate: (request) => (resultsSoFar(request) === 1 ? failing() : undefined),
    });
    const life = await site.start({ providers: [provider], toolHosts: [tools] });
    const turnId = await send(life, 'work');
    await turnIn(life, turnId, ['waiting']);
    const running = await statusOf(life);
    for (const key of [...SEVEN, ...FIELDS]) expect(running, key).toHaveProperty(key);
    expect(running).toMatchObject({
      status: 'rescheduling',
      pendingEvents: 1,
      pendingQueuedWakes: 1,
      retryStreak: 1,
      retryPosture: { isRetrying: true, lastError: 'The provider failed (500).' },
      queuedWakeBacklog: [{ note: 'n' }],
      activeLease: null,
      latestOutcome: { kind: 'requeued' },
      stagedDrafts: { count: 0, drafts: [] },
      lastActivationKind: 'requeued',
    });
    expect(running.claimHistory.map((event) => event.kind)).toEqual([
      'ready',
      'leased',
      'ready',
      'requeued',
    ]);
    // S3-27: with the wake that this run has queued, and when it is due.
    const [wake] = running.queuedWakeBacklog;
    expect(running.latestOutcome).toMatchObject({
      immediateRetryAt: running.nextRetryAt,
      queuedWakeIds: [wake?.wakeId],
      nextQueuedWakeAt: wake?.dueAt,
    });
    await life.lifecycle.stop('stop');
    const stopped = await openReadOnly(site.world.dataDir);
    try {
      expect(await stopped.holdfast.call('session.status', { session: 's' }, 'cli')).toEqual(
        running,
      );
      await expect(
        stopped.holdfast.call('session.status', { session: 'nobody' }, 'cli'),
      ).rejects.toMatchObject({ code: 'SESSION_UNKNOWN' });
    } finally {
      await stopped.close();
    }
  });

  it('S3-22 S3-33 the history can be filtered by session, claim and kind, a kind that is none is refused with the list, and page by page it is the same', async () => {
    site = createWorkWorld();
    const provider = createFakeProvider({
      dir: site.world.outside,
      script: () => ({ text: 'done' }),
    });
    const life = await site.start({ providers: [provider] });
    for (const session of ['a', 'b'])
      await turnIn(life, await send(life, 'x', session), [...ENDED]);
    const ask = async (
      input: Parameters<typeof historyOf>[1] & {
        kinds?: string[];
        limit?: number;
        afterSeq?: number;
      },
    ) => (await life.holdfast.call('activations.events', input as never, 'test')).events;
    expect((await ask({ session: 'b' })).map((event) => event.session)).toEqual(['b', 'b', 'b']);
    const leased = await ask({ kinds: ['leased'] });
    expect(leased).toHaveLength(2);
    const claim = await ask({ claimId: leased[0]?.claimId ?? '' });
    expect(claim.map((event) => event.kind)).toEqual(['leased', 'acked']);
    expect(await ask({ claimId: 'no such claim' })).toEqual([]);
    expect((await ask({ limit: 2 })).map((event) => event.kind)).toEqual(['leased', 'acked']);
    await expect(ask({ kinds: ['done'] })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringMatching(
        /ready.*leased.*blocked.*acked.*requeued.*abandoned/,
      ) as string,
    });
    // Two messages at once: what the first run takes blocks the second, and one entry says both.
    const both = await Promise.all([send(life, 'one', 'c'), send(life, 'two', 'c')]);
    for (const turnId of both) await turnIn(life, turnId, [...ENDED]);
    const whole = await ask({});
    expect(whole.length).toBeGreaterThan(new Set(whole.map(({ seq }) => seq)).size);
    const paged: typeof whole = [];
    for (let page = await ask({ afterSeq: 0, limit: 1 }); page.length > 0;) {
      paged.push(...page);
      page = await ask({ afterSeq: paged.at(-1)?.seq ?? 0, limit: 1 });
    }
    expect(paged).toEqual(whole);
    expect(claim[0]).toMatchObject({
      agentId: 'fake',
      activationKind: 'pending_events',
      priority: 'normal',
      leaseOwner: expect.stringMatching(/\/w1\.1$/) as string,
    });
  });

  it('S3-22 the tables of the work room are a fold: rebuilt from the journal they are the same', async () => {
    site = createWorkWorld({ work: { requeue_delay: '20ms', max_requeues: 1 } });
    let left = 2;
    const provider = createFakeProvider({
      dir: site.world.outside,
      script: (request) =>
        resultsSoFar(request) === 0
          ? { calls: [{ tool: 'revisit_later', args: { note: 'n', in: '1h' } }] }
          : { text: 'done' },
      gate: (request) =>
        resultsSoFar(request) === 1 && left > 0 ? ((left -= 1), failing()) : undefined,
    });
    const life = await site.start({ providers: [provider] });
    await turnIn(life, await send(life, 'one'), ['parked']);
    await turnIn(life, await send(life, 'two', 'b'), [...ENDED]);
    const before = [await historyOf(life), await statusOf(life), await statusOf(life, 'b')];
    await life.lifecycle.stop('stop');
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(`${site.world.dataDir}/holdfast.db`);
    for (const table of ['activation_events', 'wakes']) db.exec(`DELETE FROM ${table}`);
    db.exec('UPDATE turns SET streak = 9, due_at = 1; UPDATE fold SET applied_seq = 0');
    db.close();
    const again = await site.start({ providers: [provider] });
    expect([await historyOf(again), await statusOf(again), await statusOf(again, 'b')]).toEqual(
      before,
    );
  });
});
