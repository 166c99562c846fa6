import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ActivationEvent, SessionStatus } from '../../../shared/types/work';
import type { Site } from '../rows/site';
import { createSite, until } from '../rows/site';
import { SLACK } from '../../helpers/slack';

let site: Site;
beforeEach(async () => {
  site = await createSite();
  site.configure({ work: { requeue_delay: '1h', requeue_max_delay: '1h' } });
});
afterEach(() => site.remove());

interface History {
  readonly events: readonly ActivationEvent[];
}

describe('the command line over the work of sessions', () => {
  it('S3-15 S3-12 S3-18 S3-26 S3-29 S3-+02 shows the retry in text and JSON; a kill leaves the lease open, shown as left behind, and the next start takes it at once', async () => {
    let mode: 'fail' | 'stall' | 'ok' = 'fail';
    site.fp.setScript(() =>
      mode === 'fail'
        ? { status: 503 }
        : mode === 'stall'
          ? { fault: 'stall_first_byte' }
          : { text: 'ok' },
    );
    const host = await site.start();
    const turnId = await site.send('work', '--session', 's');
    await site.turnIn(turnId, 'waiting');
    const status = await site.json<SessionStatus>('session', 'status', 's');
    expect(status).toMatchObject({ status: 'rescheduling', retryStreak: 1 });
    const shown = await site.json<{ turn: { retry: { streak: number; dueAtMs: number } } }>(
      'turns',
      'show',
      String(turnId),
    );
    expect(new Date(shown.turn.retry.dueAtMs).toISOString()).toBe(status.nextRetryAt);
    const text = (await site.hf('session', 'status', 's')).out;
    expect(text).toContain(`1 consecutive, next in`);
    expect(text).toContain(status.nextRetryAt);
    expect(text).toContain('parked after 10');
    expect(status.retryPosture.lastError).toContain('503');
    expect(text).toContain(status.retryPosture.lastError);
    expect((await site.hf('turns', 'show', String(turnId))).out).toContain(
      'holdfast turns retry 1',
    );
    // S3-+02: the file is edited by hand, and what counts from here on is shown.
    site.configure({ work: { requeue_delay: '2h', requeue_max_delay: '3h', lease_stale: '7m' } });
    await until('the file is read', async () =>
      (await site.hf('session', 'status', 's')).out.includes(
        'first wait 2 h, maximum 3 h, parked after 10; lease renewed every 1 min, stale after 7 min',
      ),
    );
    mode = 'stall';
    expect((await site.hf('turns', 'retry', String(turnId))).code).toBe(0);
    await site.fp.waitForRequests(2);
    const leased = await site.json<SessionStatus>('session', 'status', 's');
    expect(leased.activeLease).toMatchObject({ isAlive: true, turnId, attempt: 2 });
    await site.kill(host);
    const left = await site.json<SessionStatus>('session', 'status', 's');
    expect(left.activeLease).toMatchObject({ isAlive: false, turnId, attempt: 2 });
    expect((await site.hf('session', 'status', 's')).out).toContain('its process has ended');
    // Garbage in the row of the lease does not keep anybody out.
    site.edit("UPDATE turns SET claim_id = 'garbage', lease_owner = x'00ff' WHERE id = 1");
    mode = 'ok';
    const startedMs = Date.now();
    await site.start();
    await site.turnIn(turnId, 'completed');
    expect(Date.now() - startedMs).toBeLessThan(5_000 * SLACK);
    const { events } = await site.json<History>('activation-events', '--session', 's');
    expect(events.map((event) => event.kind)).toEqual([
      'ready',
      'leased',
      'requeued',
      'leased',
      'abandoned',
      'ready',
      'leased',
      'acked',
    ]);
    expect(events[4]).toMatchObject({
      abandonReason: 'wake_failed',
      errorMessage: 'The process that ran it has ended (kill).',
      claimId: leased.activeLease?.claimId,
    });
    // S3-26: the entry that closes the turn, and so takes its message off the pending ones, is the ack.
    expect(
      site.db(
        `SELECT name, turn_id FROM journal JOIN journal_kinds USING (kind) WHERE seq = ?`,
        events.at(-1)?.seq,
      ),
    ).toEqual([{ name: 'turn.closed', turn_id: turnId }]);
  });

  it('S3-33 refuses a kind that is none with the kinds that are, and filters by session, claim and kind', async () => {
    site.fp.setScript(() => ({ text: 'ok' }));
    await site.start();
    await site.turnIn(await site.send('one', '--session', 'a'), 'completed');
    await site.turnIn(await site.send('two', '--session', 'b'), 'completed');
    const bad = await site.hf('activations', 'events', '--kind', 'acked,done');
    expect(bad.code).toBe(2);
    expect(bad.err).toContain('There is no kind "done".');
    expect(bad.err).toContain('ready, leased, blocked, acked, requeued, abandoned');
    const none = await site.hf('activations', 'events', '--kind', ',');
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('There is no kind "".')]);
    const acked = await site.json<History>(
      'agent',
      'activation-events',
      '--kind',
      'acked',
      '--limit',
      '1',
    );
    expect(acked.events.map((event) => [event.session, event.kind])).toEqual([['b', 'acked']]);
    const claim = acked.events[0]?.claimId ?? '';
    const ofClaim = await site.json<History>('activations', 'events', '--claim', claim);
    expect(ofClaim.events.map((event) => event.kind)).toEqual(['leased', 'acked']);
  });
});

describe('S3-34 the orchestrator', () => {
  it('S3-34 S3-25 as a client prints a block of an activity from another shell within 1 s, goes on over a kill, and ends cleanly on Ctrl+C', async () => {
    site.fp.setScript(() => ({ text: 'ok' }));
    let host = await site.start();
    const watcher = site.launch(['orchestrator', '--watch', '--log']);
    const client = await site.client();
    // Whatever it has missed while it connected is no work of this test.
    await until('it watches', async () => {
      await client.call('send', { text: 'first', session: 's' });
      await new Promise((resolve) => setTimeout(resolve, 300));
      return watcher.out().includes(' acked\n');
    });
    const { turnId } = await client.call('send', { text: 'now', session: 'other' });
    const sentMs = Date.now();
    await until('its block is printed', () => /acked\nsession\s+other/.test(watcher.out()));
    expect(Date.now() - sentMs).toBeLessThan(1_000 * SLACK);
    expect(watcher.out()).toMatch(new RegExp(`turn\\s+${String(turnId)}, attempt 1`));
    await site.kill(host);
    host = await site.start();
    const again = await site.send('after the kill', '--session', 'third');
    await until('it follows again', () =>
      new RegExp(`acked\\nsession\\s+third\\n[\\s\\S]*turn\\s+${String(again)}`).test(
        watcher.out(),
      ),
    );
    watcher.child.kill('SIGINT');
    const ended = await watcher.ended;
    expect([ended.code, ended.err.includes('Stopped.')]).toEqual([0, true]);
  });

  it('S3-34 where nothing runs it is the host: does what is open, then ends when idle; with --watch it takes messages until Ctrl+C', async () => {
    site.fp.setScript(() => ({ fault: 'stall_first_byte' }));
    const first = await site.start();
    const turnId = await site.send('work', '--session', 's');
    await site.fp.waitForRequests(1);
    await site.kill(first);
    site.fp.setScript(() => ({ text: 'ok' }));
    const once = await site.launch(['orchestrator', '--json']).ended;
    expect([once.code, once.err]).toEqual([
      0,
      'Holdfast is not running. This command runs it until it ends.\n',
    ]);
    const kinds = once.out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as ActivationEvent).kind);
    expect(kinds.slice(-4)).toEqual(['abandoned', 'ready', 'leased', 'acked']);
    expect((await site.show(turnId)).turn.state).toBe('completed');
    expect((await site.hf('stop')).code).toBe(3);

    const host = site.launch(['orchestrator', '--watch', '--log']);
    await until('it takes messages', async () => (await site.hf('pause')).code === 0);
    await site.hf('resume');
    const sent = await site.send('more', '--session', 'm');
    await until('its block is printed', () => /acked\nsession\s+m\b/.test(host.out()));
    expect(host.out()).toMatch(new RegExp(`turn\\s+${String(sent)}, attempt 1`));
    host.child.kill('SIGINT');
    expect((await host.ended).code).toBe(0);
    expect((await site.hf('send', 'x')).code).toBe(3);
  });

  it('S3-34 where it is the host and its reader goes away (`| head`) it stops in order: 0, and nothing is cut off', async () => {
    site.fp.setScript(() => ({ text: 'ok' }));
    const host = site.launch(['orchestrator', '--watch', '--log']);
    await until('it takes messages', async () => (await site.hf('pause')).code === 0);
    await site.hf('resume');
    host.child.stdout?.destroy();
    await site.send('nobody reads this', '--session', 's');
    expect((await host.ended).code).toBe(0);
    expect(
      site.db(`SELECT name FROM journal JOIN journal_kinds USING (kind) ORDER BY seq DESC LIMIT 1`),
    ).toEqual([{ name: 'marker.stopped' }]);
  });

  it('S3-34 ends after --max-cycles, after --idle-timeout-ms, and with --stop-when-idle only when nothing is left', async () => {
    site.fp.setScript(() => ({ text: 'ok', delayMs: 300 }));
    await site.start();
    const idle = site.launch(['orchestrator', '--watch', '--idle-timeout-ms', '200']);
    expect((await idle.ended).err).toContain('The idle timeout is reached.');
    const five = site.launch(['orchestrator', '--watch', '--max-cycles', '5']);
    const client = await site.client();
    let isOver = false;
    void five.ended.then(() => (isOver = true));
    await until('five cycles', async () => {
      await client.call('send', { text: 'x', session: 'c' });
      await new Promise((resolve) => setTimeout(resolve, 200));
      return isOver;
    });
    const told = await five.ended;
    expect(told.err).toContain('The maximum number of cycles is reached.');
    // What is printed seconds after the command began was just now, not still to come.
    expect(told.out).toContain('  just now  acked  ');
    expect(told.out).not.toMatch(/  in \d/);
    const ids: number[] = [];
    for (let n = 0; n < 4; n += 1)
      ids.push((await client.call('send', { text: 'y', session: 'd' })).turnId);
    const until4 = await site.launch(['orchestrator', '--stop-when-idle', '--watch']).ended;
    expect(until4.err).toContain('Nothing more to do.');
    for (const id of ids) expect((await site.show(id)).turn.state).toBe('completed');
  });
});

describe('the event log of a session', () => {
  it('S3-32 100,000 events: the last n with their mark of processed or pending, in less than 1 s', async () => {
    site.fp.setScript(() => ({ text: 'ok' }));
    const host = await site.start();
    await site.turnIn(await site.send('one', '--session', 's'), 'completed');
    await site.stop(host);
    site.edit(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
      INSERT INTO journal (seq, at_ms, kind, turn_id, body)
      SELECT (SELECT max(seq) FROM journal) + i, 1, 3, NULL, '{"sessionId":1,"note":""}' FROM n`);
    site.edit(`INSERT INTO session_events (session_id, seq, kind, turn_id, text_seq)
      SELECT 1, seq, kind, NULL, NULL FROM journal WHERE kind = 3`);
    site.edit('UPDATE fold SET applied_seq = (SELECT max(seq) FROM journal)');
    site.fp.setScript(() => ({ fault: 'stall_first_byte' }));
    await site.start();
    await site.send('two', '--session', 's');
    const client = await site.client();
    const startedMs = performance.now();
    const { events, hasMore } = await client.call('session.events', { session: 's', limit: 8 });
    expect(performance.now() - startedMs).toBeLessThan(1_000 * SLACK);
    expect([events.length, hasMore]).toEqual([8, true]);
    const messages = events.filter(({ type }) => type === 'user.message');
    expect(messages).toMatchObject([{ isPending: true, text: 'two' }]);
    const text = (await site.hf('session', 'events', 's', '--limit', '8')).out;
    expect(text.trim().split('\n')).toHaveLength(9);
    expect(text).toMatch(/processed\s+user\.interrupt[\s\S]*pending\s+user\.message\s+two/);
  });
});
