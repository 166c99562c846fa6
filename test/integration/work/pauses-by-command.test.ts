/** What a stranger with a terminal has of a session that waits: kill it, look while nothing runs, answer. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../shared/types';
import type { SessionStatus } from '../../../shared/types/work';
import type { Site } from '../rows/site';
import { createSite, promptIn, resultsIn, until } from '../rows/site';

let site: Site;
beforeEach(async () => {
  site = await createSite();
});
afterEach(() => site.remove());

const call = (name: string, args: unknown) => ({ toolCalls: [{ name, args }] });
const status = (session: string): Promise<SessionStatus> =>
  site.json<SessionStatus>('agent', 'session', 'status', session);
const eventsOf = async (session: string): Promise<readonly SessionEvent[]> =>
  (await site.json<{ events: SessionEvent[] }>('session', 'events', session)).events;
/** Runs the line that the status gives to paste, without the name of the program. */
const paste = (line: string, ...replaced: [string, string]): ReturnType<Site['hf']> =>
  site.hf(
    ...line
      .replace(...replaced)
      .split(' ')
      .slice(1),
  );

describe('a session that waits for a person', () => {
  it('S3-05 S3-07 S3-08 S3-30 S3-31 S3-32 its approval, draft and wake are shown the same after SIGKILL; the pasted command answers while nothing runs, once, and the next start goes on', async () => {
    const agent = { provider: 'fp', model: 'm', workspace: site.workspace, drafts: true };
    site.configure({ agents: { a: agent, b: agent } });
    const calls = [
      call('write_file', { path: 'a.txt', content: 'draft\n' }),
      call('revisit_later', { note: 'look again', in: '1h' }),
      call('shell', { command: 'echo pushed >> pushed.log; git push --dry-run' }),
    ];
    site.fp.setScript((request) => calls[resultsIn(request)] ?? { text: 'done' });
    const host = await site.start();
    const turnId = await site.send('work', '--session', "anna's notes", '--agent', 'a');
    await site.turnIn(turnId, 'requires_action');
    const running = await status("anna's notes");
    await site.kill(host);
    const killed = await status("anna's notes");
    expect(killed).toEqual(running);
    expect(killed).toMatchObject({
      status: 'requires_action',
      stopReason: 'shell needs your approval.',
      pendingEvents: 1,
      runnablePendingEvent: null,
      pendingQueuedWakes: 1,
      queuedWakeBacklog: [{ note: 'look again' }],
      activeLease: null,
      latestOutcome: { kind: 'blocked', blockedReason: 'requires_action' },
      stagedDraftStatus: [{ path: 'a.txt', status: 'ready', sourceChanged: false }],
    });
    const asked = killed.pendingToolConfirmation;
    const commands = asked?.answerWith ?? [];
    expect(JSON.parse(asked?.input ?? '')).toEqual({
      command: 'echo pushed >> pushed.log; git push --dry-run',
    });
    expect((await site.hf('drafts', 'list')).out).toMatch(/a\.txt\s+ready/);
    const request = String(asked?.requestId);
    const confirm = (session: string, number: string, allowed: string) =>
      site.hf(
        ...['session', 'confirm-tool', '--session', session],
        ...['--request', number, '--allowed', allowed],
      );
    // Of another session, of another number, and something that is neither yes nor no.
    expect((await confirm('nobody', request, 'true')).code).toBe(1);
    expect((await confirm("anna's notes", '77', 'true')).err).toContain('has no request 77');
    expect((await confirm("anna's notes", request, 'perhaps')).code).toBe(2);
    expect(commands[0]).toBe(`holdfast approvals allow ${request}`);
    const allowed = await confirm("anna's notes", request, 'true');
    expect(allowed.code).toBe(0);
    const second = await confirm("anna's notes", request, 'false');
    expect(second.code).toBe(4);
    expect(second.err).toContain('was already answered: allowed');
    expect((await eventsOf("anna's notes")).slice(-2, -1)).toMatchObject([
      {
        type: 'user.tool_confirmation',
        isPending: true,
        text: 'allowed (once)',
        tool: 'shell.shell',
      },
    ]);
    // The answer outlives a start that is killed at once.
    await site.kill(await site.start('--no-restore'));
    await site.start();
    await site.turnIn(turnId, 'completed');
    expect((await site.hf('drafts', 'list')).out).toMatch(/a\.txt\s+ready/);
    expect(
      (await eventsOf("anna's notes")).map(({ type, isPending }) => [type, isPending]),
    ).toEqual(
      [
        ...['user.message', 'session.status_changed'],
        ...['span.started', 'session.status_changed', 'agent.tool_use', 'agent.tool_use'],
        ...['span.completed', 'session.status_changed'],
        ...['user.tool_confirmation', 'session.status_changed'],
        ...['span.started', 'session.status_changed', 'agent.tool_use'],
        ...['agent.message', 'span.completed', 'session.status_idle'],
      ].map((type) => [type, false]),
    );
    const told = (await eventsOf("anna's notes")).filter(({ type }) =>
      /^(span|session)/.test(type),
    );
    expect(told.map(({ text }) => text)).toEqual([
      'rescheduling',
      `wake ${String(turnId)}.1`,
      'running',
      `wake ${String(turnId)}.1: blocked: shell needs your approval.`,
      'requires_action: shell needs your approval.',
      'rescheduling: Answered; the turn continues.',
      `wake ${String(turnId)}.2`,
      'running',
      `wake ${String(turnId)}.2: acked`,
      'idle',
    ]);
    const again = await site.show(turnId);
    expect(again.steps.filter(({ tool }) => tool === 'shell.shell')).toHaveLength(1);
    expect(again.turn.sessionKey).toBe("anna's notes");
  });

  it('S3-09 S3-10 S3-11 S3-32 a custom tool: name and input after SIGKILL, an empty and an older result refused, the pasted command gives it once', async () => {
    const tools = [{ name: 'pick', description: 'A person picks' }];
    const agent = { provider: 'fp', model: 'm', workspace: site.workspace, custom_tools: tools };
    site.configure({ agents: { a: agent, b: agent } });
    site.fp.setScript((request) =>
      resultsIn(request) < 2
        ? call('pick', { round: resultsIn(request), of: ['\u001b[31mred', 'blue'] })
        : { text: 'picked' },
    );
    const host = await site.start();
    const turnId = await site.send('work', '--session', 's');
    await site.turnIn(turnId, 'requires_action');
    await site.kill(host);
    const first = (await status('s')).pendingCustomTool;
    expect(first).toMatchObject({ kind: 'custom_tool', tool: 'custom.pick' });
    expect(JSON.parse(first?.input ?? '')).toEqual({ round: 0, of: ['\u001b[31mred', 'blue'] });
    // In a terminal it is text: nothing of it steers one.
    expect((await site.hf('session', 'status', 's')).out).not.toContain('\u001b');
    const give = (output: string) => paste(first?.answerWith[0] ?? '', 'TEXT', output);
    expect((await give('')).code).toBe(2);
    expect((await give('red')).code).toBe(0);
    await site.start();
    await until('the second question', async () => {
      const next = (await status('s')).pendingCustomTool;
      return next !== null && next.requestId !== first?.requestId;
    });
    const older = await give('green');
    expect(older.code).toBe(4);
    expect(older.err).toContain('was already answered: result');
    const second = (await status('s')).pendingCustomTool;
    expect((await paste(second?.answerWith[0] ?? '', 'TEXT', 'blue')).code).toBe(0);
    await site.turnIn(turnId, 'completed');
    const events = await eventsOf('s');
    expect(
      events.filter(({ type }) => type.includes('custom')).map(({ type, tool }) => [type, tool]),
    ).toEqual([
      ['agent.custom_tool_use', 'custom.pick'],
      ['user.custom_tool_result', 'custom.pick'],
      ['agent.custom_tool_use', 'custom.pick'],
      ['user.custom_tool_result', 'custom.pick'],
    ]);
    expect(events.find(({ type }) => type === 'user.custom_tool_result')?.text).toBe('red');
    // Page by page it is the same log.
    const client = await site.client();
    const paged: number[] = [];
    for (let beforeSeq: number | undefined; ;) {
      const page = await client.call('session.events', {
        session: 's',
        limit: 3,
        ...(beforeSeq === undefined ? {} : { beforeSeq }),
      });
      paged.unshift(...page.events.map(({ seq }) => seq));
      beforeSeq = page.events[0]?.seq;
      if (!page.hasMore) break;
    }
    expect(paged).toEqual(events.map(({ seq }) => seq));
    const bodies = site.fp.calls().map(({ body }) => body);
    expect(bodies.at(-1)?.match(/"red"/g)).toHaveLength(1);
    expect(bodies.at(-1)).not.toContain('green');
  });

  it('S3-08 a question that 1,100 answered ones have come after is still answered by its number', async () => {
    site.configure();
    site.fp.setScript((request) =>
      resultsIn(request) === 0 ? call('shell', { command: 'git push' }) : { text: 'done' },
    );
    const host = await site.start();
    const turnId = await site.send('work', '--session', 's');
    await site.turnIn(turnId, 'requires_action');
    await site.stop(host);
    const numbers =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)';
    const [{ seq, asked } = { seq: 0, asked: 0 }] = site.db<{ seq: number; asked: number }>(
      'SELECT (SELECT max(seq) FROM journal) AS seq, requested_seq AS asked FROM requests',
    );
    site.edit(
      `${numbers} INSERT INTO journal (seq, at_ms, kind, turn_id, body)
      SELECT ? + i, at_ms, kind, turn_id, json_set(body, '$.requestId', 100 + i) FROM journal, n WHERE seq = ?`,
      ...[seq, asked],
    );
    site.edit(
      `${numbers} INSERT INTO requests (id, turn_id, session_id, requested_seq, requested_at, answered_seq, answered_at)
      SELECT 100 + i, turn_id, session_id, ? + i, requested_at, ? + i, 1 FROM requests, n WHERE id = 1`,
      ...[seq, seq],
    );
    site.edit('UPDATE fold SET applied_seq = (SELECT max(seq) FROM journal)');
    const said = await site.hf(
      ...['session', 'confirm-tool', '--session', 's', '--request', '1', '--allowed', 'false'],
    );
    expect([said.code, said.out]).toEqual([
      0,
      `Denied. Turn ${String(turnId)} resumes at the next start.\n`,
    ]);
  });

  it('S3-+01 an interrupt by command ends the question, drops the revisit, and goes on with the note', async () => {
    site.configure();
    const calls = [
      call('revisit_later', { note: 'later', in: '1h' }),
      call('shell', { command: 'git push' }),
    ];
    site.fp.setScript((request) =>
      promptIn(request) === 'work' ? (calls[resultsIn(request)] ?? {}) : { text: 'instead' },
    );
    await site.start();
    const turnId = await site.send('work', '--session', 's');
    await site.turnIn(turnId, 'requires_action');
    const cut = await site.hf('session', 'interrupt', 's', '--note', 'do this');
    expect([cut.code, cut.out]).toEqual([0, `Canceled: turn ${String(turnId)}\n`]);
    await site.turnIn(turnId + 1, 'completed');
    expect(await status('s')).toMatchObject({
      status: 'idle',
      pendingRequests: [],
      pendingQueuedWakes: 0,
      pendingEvents: 0,
    });
    expect((await site.show(turnId + 1)).prompt).toBe('do this');
    expect(site.fp.calls().at(-1)?.body).toContain('do this');
  });
});

describe('the orchestrator at its defaults', () => {
  it('S3-34 S3-+03 ends after 10 activations without --watch, and looks at once at new work with a poll of 60 s', async () => {
    site.configure();
    let isHeld = true;
    site.fp.setScript(() => (isHeld ? { fault: 'stall_first_byte' } : { text: 'ok' }));
    const host = await site.start();
    const client = await site.client();
    for (let n = 1; n <= 12; n += 1)
      await client.call('send', { text: 'x', session: `s${String(n)}`, agent: 'a' });
    await site.kill(host);
    isHeld = false;
    const ended = await site.launch(['orchestrator', '--log']).ended;
    expect(ended.err).toContain('The maximum number of cycles is reached.');
    // The runs that the kill ended count as well: an activation each.
    const ends = ended.out.match(/ (acked|requeued|abandoned|blocked)$/gm) ?? [];
    expect(ends).toHaveLength(10);
    await site.start();
    await site.turnIn(12, 'completed');
    const watcher = site.launch(['orchestrator', '--watch', '--poll-interval-ms', '60000']);
    const next = await site.client();
    let sent = 0;
    await until('it watches', async () => {
      sent += 1;
      await next.call('send', { text: 'x', session: 'watched', agent: 'a' });
      await new Promise((resolve) => setTimeout(resolve, 200));
      return watcher.out().includes('acked');
    });
    expect(sent).toBeLessThan(100);
  });
});
