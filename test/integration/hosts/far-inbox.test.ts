/** What waits on another computer, as the window asks for it, over a real sshd. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { VerbOutput } from '../../../shared/contract';
import type { FarAsk, HostInbox, HostView } from '../../../shared/types';
import { builtProgram } from '../../helpers/built-program';
import { composeIn, createWorld, type World } from '../../helpers/compose-world';
import { isLeftOut } from '../../helpers/skips';
import { startSshServer, whyNoSshd, type SshServer } from '../../helpers/ssh-server';
import { callsThenDone, createSite, until, type Site } from '../rows/site';

let near: World;
let app: Composition;
let far: Site;
let server: SshServer;
let farHost: Awaited<ReturnType<Site['start']>>;
let changes = 0;

const box = async (): Promise<HostInbox | undefined> =>
  (await app.holdfast.call('hosts.inbox', {}, 'test')).hosts.find(({ name }) => name === 'box');
const view = (): HostView | undefined => app.holdfast.status().hosts?.[0];
/** Until what waits there is so; the list is read again only where a change was told. */
async function told(what: string, isSo: (inbox: HostInbox) => boolean): Promise<HostInbox> {
  let [seen, last] = [-1, undefined as HostInbox | undefined];
  await until(what, async () => {
    if (seen === changes) return false;
    seen = changes;
    last = await box();
    return last !== undefined && isSo(last);
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}; it is ${JSON.stringify([last, view()])}`);
  });
  return last as HostInbox;
}
const set = (address?: string): Promise<unknown> =>
  app.holdfast.call(
    'config.set',
    { key: 'hosts.addresses', value: address === undefined ? {} : { box: address } },
    'test',
  );

/** A call there that waits for permission to write `name`. */
const ask = (name: string): Promise<number> => {
  far.fp.setScript(callsThenDone({ name: 'write_file', args: { path: name, content: 'x' } }));
  return far.send('write', '--agent', 'a', '--session', name);
};

describe.skipIf(isLeftOut('the inbox of hosts', whyNoSshd))('the inbox of hosts', () => {
  beforeAll(async () => {
    [near, far] = [createWorld(), await createSite()];
    server = await startSshServer(near, far);
    far.configure({ approvals: { tools: { 'files.write_file': 'ask' } } });
    farHost = await far.start();
    app = composeIn(near, { env: { ...server.nearEnvironment } });
    await app.lifecycle.start();
    app.holdfast.on('hosts.changed', () => (changes += 1));
  });
  afterAll(async () => {
    await app.lifecycle.stop('stop');
    server.stop();
    near.remove();
    await far.remove();
  });

  it('HO-02 no host is set: nothing is listed, and nothing is told', async () => {
    expect(await app.holdfast.call('hosts.inbox', {}, 'test')).toEqual({ hosts: [] });
    expect(changes).toBe(0);
  });

  it('HO-02 a decision there is listed here with its facts when it is asked, and no longer when it is over', async () => {
    await set(server.address);
    const quiet = await told('the list of box is there', (one) => one.waiting !== undefined);
    expect(quiet).toEqual({
      name: 'box',
      tells: true,
      waiting: { asks: [], hidden: 0, others: 0 },
    });
    const turnId = await ask('a.txt');
    const { waiting } = await told('it is asked', (one) => one.waiting?.asks.length === 1);
    expect(waiting?.asks[0]).toMatchObject({
      kind: 'call',
      turnId,
      agent: 'a',
      sessionKey: 'a.txt',
      tool: 'files.write_file',
      file: 'a.txt',
      args: expect.stringContaining('"content"') as string,
      requestHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    await far.hf('turns', 'cancel', String(turnId), '--yes');
    await told('it is over', (one) => one.waiting?.asks.length === 0);
  });

  it('HO-02 after a cut it is not known what waits, which is no empty list, and is known again when the host is back', async () => {
    const turnId = await ask('b.txt');
    await told('it is asked', (one) => one.waiting?.asks.length === 1);
    await server.stopListening();
    server.cut();
    expect(await told('box is away', (one) => one.waiting === undefined)).toEqual({ name: 'box' });
    await until('it is told so', () => view()?.kind === 'unreachable');
    await server.listen();
    await told('box is back', (one) => one.waiting?.asks.length === 1);
    await far.hf('turns', 'cancel', String(turnId), '--yes');
  });

  /** The one question there, and its answer. */
  const asked = async (
    name: string,
  ): Promise<{ readonly turnId: number; readonly call: FarAsk }> => {
    const turnId = await ask(name);
    const { waiting } = await told('it is asked', (one) => one.waiting?.asks[0]?.turnId === turnId);
    return { turnId, call: waiting!.asks[0]! };
  };
  const answer = (call: FarAsk, kind: 'allow' | 'deny') => {
    const requestId = 'requestId' in call ? call.requestId : 0;
    return app.holdfast.call(
      'hosts.answer',
      {
        host: 'box',
        requestHash: call.requestHash,
        answer: kind === 'allow' ? { kind, requestId, scope: 'once' } : { kind, requestId },
      },
      'test',
    );
  };
  const written = (name: string): boolean => fs.existsSync(path.join(far.workspace, name));
  const answers = () =>
    far
      .audit()
      .filter(({ event }) => /approval|request/.test(event) && /answer|allow|den/.test(event));

  it('HO-02 an answer here is carried out there, by the Holdfast there, and counts once', async () => {
    const { turnId, call } = await asked('c.txt');
    const before = answers().length;
    expect(await answer(call, 'allow')).toEqual({ outcome: 'counted', why: '' });
    await far.turnIn(turnId, 'completed');
    expect(written('c.txt')).toBe(true);
    expect((await answer(call, 'deny')).outcome).toBe('not_counted');
    await until('it is in the audit log', () => answers().length > before);
    expect(answers().length).toBe(before + 1);
    expect(far.db('SELECT 1 FROM turns').length).toBeGreaterThan(0);
    const denied = await asked('d.txt');
    expect((await answer(denied.call, 'deny')).outcome).toBe('counted');
    await far.turnIn(denied.turnId, 'completed');
    expect(written('d.txt')).toBe(false);
  });

  it('HO-02 an answer that comes too late says so, and changes nothing', async () => {
    const { turnId, call } = await asked('e.txt');
    const late = fs.readFileSync(server.farProgram, 'utf8');
    // Somebody there is faster, while the answer is on its way.
    fs.writeFileSync(
      server.farProgram,
      late.replace(
        '\n',
        `\nif [ "$2" = answer ]; then HOLDFAST_HOME=${far.dataDir} ${process.execPath} ${builtProgram()} approvals deny ${String('requestId' in call ? call.requestId : 0)}; fi >/dev/null\n`,
      ),
    );
    const outcome = await answer(call, 'allow');
    fs.writeFileSync(server.farProgram, late);
    expect(outcome).toMatchObject({
      outcome: 'not_counted',
      why: expect.stringMatching(/answered/),
    });
    await far.turnIn(turnId, 'completed');
    expect(written('e.txt')).toBe(false);
  });

  it('HO-02 an answer whose connection is cut is not known to have counted; given again, it does not count twice', async () => {
    const { turnId, call } = await asked('f.txt');
    const ours = fs.readFileSync(server.farProgram, 'utf8');
    // It counts there, and the connection ends before a word of it comes back.
    fs.writeFileSync(
      server.farProgram,
      ours.replace(
        '\n',
        `\nif [ "$2" = answer ]; then HOLDFAST_HOME=${far.dataDir} ${process.execPath} ${builtProgram()} "$@" >/dev/null; kill -9 $PPID; exit 1; fi\n`,
      ),
    );
    const before = answers().length;
    const first = await answer(call, 'allow');
    fs.writeFileSync(server.farProgram, ours);
    expect(first).toMatchObject({ outcome: 'unknown', why: expect.stringMatching(/ended before/) });
    await far.turnIn(turnId, 'completed');
    expect((await answer(call, 'allow')).outcome).toBe('not_counted');
    expect(answers().length).toBe(before + 1);
    expect(written('f.txt')).toBe(true);
  });

  /** From now on it is one from before answers over the connection that is kept. Returns its program of before. */
  const becomeOlder = async (): Promise<string> => {
    const ours = fs.readFileSync(server.farProgram, 'utf8');
    const older = `\nif [ "$2" = link ]; then HOLDFAST_HOME=${far.dataDir} ${process.execPath} ${builtProgram()} "$@" | sed -u 's/,"answers"//'; exit; fi\n`;
    fs.writeFileSync(server.farProgram, ours.replace('\n', older));
    await set();
    await set(server.address);
    await until('box is back', () => view()?.kind === 'connected');
    return ours;
  };

  it('HO-02 its sessions are asked for, in whichever words it has for them; without a connection it is not known which there are', async () => {
    const sessions = () => app.holdfast.call('hosts.sessions', { host: 'box' }, 'test');
    const there = far.db<{ key: string; agent: string }>('SELECT key, agent FROM sessions');
    const answered = await sessions();
    expect(answered).toMatchObject({ kind: 'told', hidden: 0, hasMore: false });
    const listed = answered.kind === 'told' ? answered.sessions : [];
    expect(listed.map(({ key }) => key).toSorted()).toEqual(there.map(({ key }) => key).toSorted());
    expect(listed.find(({ key }) => key === 'f.txt')).toMatchObject({ agent: 'a', status: 'idle' });
    const ours = await becomeOlder();
    expect(await sessions()).toEqual(answered);
    const says = (line: string): void =>
      fs.writeFileSync(server.farProgram, `#!/bin/sh\n${line}\n`);
    says(`echo '{"conversations":[]}'`);
    expect(await sessions()).toEqual({
      kind: 'untold',
      why: 'box runs a version of Holdfast that is not compatible with this one.',
    });
    says(`echo '{"error":{"code":"DISK_FULL","message":"The disk is full."}}'; exit 5`);
    expect(await sessions()).toEqual({ kind: 'untold', why: 'The disk is full.' });
    fs.writeFileSync(server.farProgram, ours);
    await server.stopListening();
    expect(await sessions()).toMatchObject({
      kind: 'untold',
      why: expect.stringMatching(/^The connection to box ended before it responded: .*refused/),
    });
    server.cut();
    await until('it is told so', () => view()?.kind !== 'connected');
    expect(await sessions()).toEqual({
      kind: 'untold',
      why: 'There is no connection to box now.',
    });
    await server.listen();
    await until('box is back', () => view()?.kind === 'connected');
  });

  it('HO-02 25 questions of each kind go over the one connection that is kept, also while nothing runs there', async () => {
    const { id } = far.db<{ id: number }>("SELECT id FROM sessions WHERE key = 'c.txt'")[0] as {
      id: number;
    };
    const call = app.holdfast.call.bind(app.holdfast);
    const askAll = async () => [
      await call('hosts.sessions', { host: 'box' }, 'test'),
      await call('hosts.transcript', { host: 'box', sessionId: id }, 'test'),
      await call('hosts.step', { host: 'box', turnId: 1, step: 1 }, 'test'),
      await call('hosts.search', { host: 'box', words: 'write' }, 'test'),
    ];
    const before = server.calls();
    const first = await askAll();
    expect(first.map(({ kind }) => kind)).toEqual(['told', 'told', 'told', 'told']);
    for (let n = 1; n < 25; n += 1) expect(await askAll()).toEqual(first);
    expect(server.calls()).toBe(before);
    await far.stop(farHost);
    expect((await askAll()).map(({ kind }) => kind)).toEqual(['told', 'told', 'told', 'told']);
    farHost = await far.start();
    await until('it runs again', () => {
      const now = view();
      return now?.kind === 'connected' && now.phase === 'running';
    });
    expect(server.calls()).toBe(before);
  });

  it('HO-02 a conversation there is read part by part, by its number alone, and an older version says that it cannot', async () => {
    const { id } = far.db<{ id: number }>("SELECT id FROM sessions WHERE key = 'c.txt'")[0] as {
      id: number;
    };
    const read = (more: object = {}) =>
      app.holdfast.call('hosts.transcript', { host: 'box', sessionId: id, ...more }, 'test');
    const whole = await read();
    expect(whole).toMatchObject({ kind: 'told', hidden: 0, session: { id, key: 'c.txt' } });
    expect(whole).not.toHaveProperty('nextBefore');
    const events = whole.kind === 'told' ? whole.events : [];
    expect(events.map(({ type }) => type)).toEqual([
      'user.message',
      'agent.tool_use',
      'agent.message',
    ]);
    expect(events[0]).toMatchObject({ text: 'write' });
    expect(events[1]).toMatchObject({ tool: 'files.write_file', stepState: 'completed' });
    const opened = await app.holdfast.call(
      'hosts.step',
      { host: 'box', turnId: events[1]?.turnId ?? 0, step: events[1]?.stepIndex ?? 0 },
      'test',
    );
    expect(opened).toMatchObject({
      kind: 'told',
      step: { tool: 'files.write_file', args: expect.stringContaining('c.txt') as string },
    });
    expect(opened.kind === 'told' && opened.step.result).toMatch(/wrote|written/i);
    const step = { host: 'box', turnId: 4_000, step: 1 };
    expect(await app.holdfast.call('hosts.step', step, 'test')).toMatchObject({ kind: 'untold' });
    const before = await read({ beforeSeq: events[2]?.seq });
    expect(before.kind === 'told' && before.events).toEqual(events.slice(0, 2));
    // Another session has its number as a name.
    await far.hf('sessions', 'create', '--agent', 'a', '--key', String(id));
    expect(await read()).toMatchObject({ session: { id, key: 'c.txt' } });
    await far.hf('sessions', 'archive', 'c.txt');
    expect(await read()).toMatchObject({ session: { id } });
    const listed = async (...args: string[]): Promise<readonly string[]> => {
      const { sessions } = await far.json<VerbOutput<'sessions.list'>>('sessions', 'list', ...args);
      return sessions.map(({ key }) => key);
    };
    expect(await listed()).not.toContain('c.txt');
    expect(await listed('--archived')).toEqual(['c.txt']);
    await far.hf('sessions', 'unarchive', 'c.txt');
    expect(await read({ sessionId: 4_000 })).toEqual({
      kind: 'untold',
      why: 'There is no session "4000".',
    });
    const ours = await becomeOlder();
    // It has the command as well: asked in either way it tells the same.
    const calls = server.calls();
    expect(await read()).toMatchObject({ session: { id } });
    expect(server.calls()).toBe(calls + 1);
    const older = fs.readFileSync(server.farProgram, 'utf8');
    // As the version before this one refuses what it does not have.
    fs.writeFileSync(
      server.farProgram,
      older.replace('\n', '\nif [ "$2" = transcript ]; then set -- hosts transcribe --json; fi\n'),
    );
    expect(await read()).toEqual({ kind: 'older' });
    fs.writeFileSync(server.farProgram, ours);
  });

  it('HO-02 what moves no count there is told here, with the name of the host: many within 5 s as one more', async () => {
    const news: number[] = [];
    const off = app.holdfast.on('hosts.news', ({ host }) => {
      if (host === 'box') news.push(performance.now());
    });
    await far.hf('sessions', 'rename', 'c.txt', 'A walrus');
    await until('it is told', () => news.length > 0);
    for (const title of ['Two', 'Three', 'Four'])
      await far.hf('sessions', 'rename', 'c.txt', title);
    await until('the rest is told', () => news.length > 1);
    off();
    expect((news[1] ?? 0) - (news[0] ?? 0)).toBeGreaterThan(4_500);
  });

  it('HO-02 a search there finds its words with its filters, and takes no word for an option', async () => {
    const search = (words: string, more: object = {}) =>
      app.holdfast.call('hosts.search', { host: 'box', words, ...more }, 'test');
    const found = await search('write', { session: 'c.txt', agent: 'a', sinceMs: 0 });
    expect(found).toMatchObject({ kind: 'told', hidden: 0 });
    const hits = found.kind === 'told' ? found.hits : [];
    expect(new Set(hits.map(({ session }) => session))).toEqual(new Set(['c.txt']));
    expect(hits.map(({ part }) => part)).toContain('prompt');
    expect(await search('write', { untilMs: 1_000 })).toMatchObject({ kind: 'told', hits: [] });
    for (const words of ['--host elsewhere', '--help', "it's; $(touch /tmp/never)"])
      expect(await search(words)).toMatchObject({ kind: 'told', hits: [] });
  });

  it('HO-02 a version before this one tells none, a later one more than is known, a hostile one is cut off', async () => {
    const ours = fs.readFileSync(server.farProgram, 'utf8');
    const become = async (line: string): Promise<void> => {
      fs.writeFileSync(server.farProgram, `#!/bin/sh\n${line}\n`);
      await set();
      await set(server.address);
    };
    const hello = (more: object): string =>
      `echo '${JSON.stringify({ holdfast: { link: [1], version: '9.0.0', ...more } })}'`;
    const state = `echo '{"state":{"phase":"running","needsYou":3,"running":0}}'`;
    await become(`${hello({})}; ${state}; exec cat`);
    expect(await told('box tells none', (one) => one.tells === false)).toEqual({
      name: 'box',
      tells: false,
    });
    expect(view()).toMatchObject({ kind: 'connected', needsYou: 3 });
    const asks = { list: [{ kind: 'dream' }, 7, null], more: 1, others: 2, mood: 'good' };
    await become(
      `${hello({ tells: ['asks', 'moods'] })}; ${state}; echo '${JSON.stringify({ asks })}'; exec cat`,
    );
    const later = await told('box tells more', (one) => one.waiting !== undefined);
    expect(later.waiting).toEqual({ asks: [], hidden: 4, others: 2 });
    await become(
      `${hello({ tells: ['asks'] })}; ${state}; printf '{"asks":"'; head -c 3000000 /dev/zero | tr '\\0' x; exec cat`,
    );
    await until('box is cut off', () => {
      const now = view();
      return now?.kind === 'unreachable' && now.why === 'It sent too much data.';
    });
    expect(await box()).toEqual({ name: 'box' });
    fs.writeFileSync(server.farProgram, ours);
  });
});
