/** Another computer over a real sshd on the loopback: its own data, its own Holdfast, its own rights. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtProgram } from '../../helpers/built-program';
import { isLeftOut } from '../../helpers/skips';
import { freePort, startSshServer, whyNoSshd, type SshServer } from '../../helpers/ssh-server';
import { createSite, type Site } from '../rows/site';

let near: Site;
let far: Site;
let server: SshServer;
/** A command as it is typed here, on the data of this computer. */
const hf = (...args: string[]) =>
  new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    const child = spawn(process.execPath, [builtProgram(), ...args], {
      env: { ...server.nearEnvironment, HOLDFAST_HOME: near.dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (part: Buffer) => (out += part.toString('utf8')));
    child.stderr.on('data', (part: Buffer) => (err += part.toString('utf8')));
    child.on('close', (code) => resolve({ code, out, err }));
  });

/** What ssh says where nothing listens. */
const REFUSED = /^away could not be reached: ssh: connect to host .* refused\.$/;

describe.skipIf(isLeftOut('hosts over SSH', whyNoSshd))('hosts over SSH', () => {
  beforeAll(async () => {
    [near, far] = [await createSite(), await createSite()];
    server = await startSshServer(near, far);
    far.configure();
  });
  afterAll(async () => {
    server.stop();
    await Promise.all([near.remove(), far.remove()]);
  });

  it('HO-01 a host is added, asked, told to work and read; what ends here changes nothing there', async () => {
    const host = await far.start();
    const added = await hf('hosts', 'add', 'box', server.address);
    expect([added.code, added.err]).toEqual([0, '']);
    const asked = await hf('status', '--host', 'box', '--json');
    expect(JSON.parse(asked.out)).toMatchObject({ phase: 'running', dataDir: far.dataDir });
    const text = `it's "here"; $(touch /tmp/never) \\ ok`;
    const sent = await hf('send', text, '--host', 'box', '--wait', '--agent', 'a');
    expect([sent.code, sent.err]).toEqual([0, '']);
    expect(far.db<{ p: string }>('SELECT prompt_start AS p FROM turns')).toEqual([{ p: text }]);
    expect(near.db('SELECT 1 FROM turns')).toEqual([]);
    // The exit code is the far one.
    expect((await hf('turns', 'show', '99', '--host=box')).code).not.toBe(0);
    const { hosts } = JSON.parse((await hf('hosts', 'list', '--json')).out) as {
      hosts: readonly unknown[];
    };
    expect(hosts).toMatchObject([
      { name: 'box', isReachable: true, phase: 'running', needsYou: 0 },
    ]);
    await far.stop(host);
  });

  it('HO-03 nothing of this computer travels, even where ssh may send all of its environment', () => {
    const told = server.farEnvironment();
    expect(told).not.toContain('near-secret-of-this-computer');
    expect(told).not.toContain(near.dataDir);
  });

  it('HO-02 decisions, sessions and hits of all hosts are one list, each with its host; of another version what is known is read, and the rest is said', async () => {
    near.configure();
    await hf('hosts', 'add', 'box', server.address);
    const [here, there] = [await near.start(), await far.start()];
    await hf('send', 'a walrus of here', '--wait', '--agent', 'a', '--session', 'near-one');
    await hf('send', 'a walrus of there', '--host', 'box', '--wait', '--agent', 'a');
    await hf('hosts', 'add', 'away', `ssh://127.0.0.1:${String(await freePort())}`);
    const found = JSON.parse((await hf('hosts', 'search', 'walrus', '--json')).out) as {
      hits: readonly { host: string; part: string; excerpt: string }[];
      hosts: readonly { host: string; isReachable: boolean; problem?: string }[];
    };
    const prompts = found.hits.filter(({ part }) => part === 'prompt');
    expect(prompts.map(({ host, excerpt }) => [host, excerpt])).toEqual([
      ['box', 'a walrus of there'],
      ['this computer', 'a walrus of here'],
    ]);
    expect(found.hosts).toEqual([
      { host: 'this computer', isReachable: true },
      { host: 'box', isReachable: true },
      { host: 'away', isReachable: false, problem: expect.stringMatching(REFUSED) },
    ]);
    const sessions = await hf('hosts', 'sessions');
    expect(sessions.out).toMatch(/this computer +\d+ +near-one/);
    expect(sessions.out).toMatch(/^box /m);
    expect(sessions.out).toContain('away: unreachable. away could not be reached: ');
    expect((await hf('hosts', 'inbox')).out).toContain('away: unreachable.');
    await Promise.all([near.stop(here), far.stop(there)]);
    // The next version knows more fields; an older one may know less.
    const program = server.farProgram;
    const ours = fs.readFileSync(program, 'utf8');
    const answers = (value: object): void =>
      fs.writeFileSync(program, `#!/bin/sh\necho '${JSON.stringify(value)}'\n`);
    const session = {
      id: 1,
      key: 'k',
      title: 't',
      agent: 'a',
      status: 'dreaming',
      lastEventAtMs: 1,
    };
    const joined = async () =>
      JSON.parse((await hf('hosts', 'sessions', '--json')).out) as {
        sessions: readonly { host: string; status: string; title: string }[];
        hosts: readonly { host: string; problem?: string }[];
      };
    answers({ sessions: [{ ...session, mood: 'good' }], more: true });
    expect((await joined()).sessions.find(({ host }) => host === 'box')?.status).toBe('dreaming');
    // One entry that is not understood, and one that is longer than here, cost no other.
    answers({
      sessions: [{ ...session, title: 'ü'.repeat(2_001) }, { id: 'two' }, { ...session, id: 3 }],
    });
    const box = (await joined()).sessions.filter(({ host }) => host === 'box');
    expect(box.map(({ title }) => title)).toEqual(['ü'.repeat(2_000), 't']);
    expect((await joined()).hosts.find(({ host }) => host === 'box')).toEqual({
      host: 'box',
      isReachable: true,
      problem: '1 of 3 entries are not shown: ask box itself, with --host box.',
    });
    answers({ conversations: [] });
    expect((await joined()).hosts.find(({ host }) => host === 'box')?.problem).toBe(
      'box runs a version of Holdfast that is not compatible with this one.',
    );
    answers({ error: { code: 'NOT_RUNNING', message: 'It is not running.', hint: '' } });
    expect((await joined()).hosts.find(({ host }) => host === 'box')?.problem).toBe(
      'It is not running.',
    );
    const listed = JSON.parse((await hf('hosts', 'list', '--json')).out) as {
      hosts: readonly { name: string }[];
    };
    expect(listed.hosts.find(({ name }) => name === 'box')).toMatchObject({
      isReachable: true,
      problem: 'It is not running.',
    });
    fs.writeFileSync(program, ours);
    expect((await hf('hosts', 'remove', 'away')).code).toBe(0);
  });

  it('HO-02 a host that is not there is shown as unreachable, not as empty; a command and the joined lists say so with exit code 3', async () => {
    await hf('hosts', 'add', 'away', `ssh://127.0.0.1:${String(await freePort())}`);
    const { hosts } = JSON.parse((await hf('hosts', 'list', '--json')).out) as {
      hosts: readonly { name: string; isReachable: boolean; problem?: string }[];
    };
    expect(hosts.find(({ name }) => name === 'away')).toMatchObject({
      isReachable: false,
      problem: expect.stringMatching(REFUSED),
    });
    for (const [words, said] of [
      [['inbox'], 'Nothing needs your decision on the computers that responded.'],
      [['sessions'], ''],
      [['search', 'nothing-like-this'], 'No matches on the computers that responded.'],
    ] as const) {
      const joined = await hf('hosts', ...words);
      expect(joined).toMatchObject({ code: 3, out: expect.stringContaining(said) as string });
      expect(joined.out).toContain('away: unreachable.');
    }
    const asked = await hf('status', '--host', 'away', '--json');
    expect(asked.code).toBe(3);
    expect(asked.out).toContain('HOST_UNREACHABLE');
    const nobody = await hf('status', '--host', 'nobody');
    expect(nobody).toMatchObject({ code: 1 });
    expect(nobody.err).toContain('There is no host nobody.');
    expect((await hf('hosts', 'remove', 'away')).code).toBe(0);
  });
});
