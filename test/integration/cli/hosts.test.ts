/** Another computer over a real sshd on the loopback: its own data, its own Holdfast, its own rights. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtProgram } from '../../helpers/built-program';
import { isLeftOut } from '../../helpers/skips';
import { createSite, until, type Site } from '../rows/site';

const SSHD = '/usr/sbin/sshd';
const why = !fs.existsSync(SSHD) && 'sshd is not installed (openssh-server)';

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

const isListening = (port: number): boolean =>
  fs
    .readFileSync('/proc/net/tcp', 'utf8')
    .includes(`0100007F:${port.toString(16).toUpperCase()} 00000000:0000 0A`);

let near: Site;
let far: Site;
let sshd: ChildProcess;
let bin: string;
/** A command as it is typed here, on the data of this computer. */
const hf = (...args: string[]) =>
  new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    const child = spawn(process.execPath, [builtProgram(), ...args], {
      env: {
        HOME: path.join(near.dataDir, '..'),
        HOLDFAST_HOME: near.dataDir,
        PATH: `${bin}:${process.env['PATH'] ?? ''}`,
        NEAR_API_KEY: 'near-secret-of-this-computer',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (part: Buffer) => (out += part.toString('utf8')));
    child.stderr.on('data', (part: Buffer) => (err += part.toString('utf8')));
    child.on('close', (code) => resolve({ code, out, err }));
  });

/** A server with keys of its own, and an `ssh` that knows it and sends whatever it is allowed to. */
async function startServer(): Promise<number> {
  const port = await freePort();
  const dir = path.join(near.dataDir, '..', 'ssh');
  bin = path.join(dir, 'near-bin');
  const farBin = path.join(dir, 'far-bin');
  for (const folder of [bin, farBin]) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of ['host', 'person'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path.join(dir, name)]);
  const script = (file: string, line: string): void =>
    fs.writeFileSync(file, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  script(
    path.join(farBin, 'holdfast'),
    `env > ${dir}/far-environment; HOLDFAST_HOME=${far.dataDir} exec ${process.execPath} ${builtProgram()} "$@"`,
  );
  fs.writeFileSync(
    path.join(dir, 'sshd_config'),
    [
      `Port ${String(port)}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${dir}/host`,
      `AuthorizedKeysFile ${dir}/person.pub`,
      'StrictModes no',
      'UsePAM no',
      'AcceptEnv *',
      // A home of its own: what a person's shell reads at its start is none of this test's.
      `SetEnv PATH=${farBin}:/usr/bin:/bin HOME=${path.dirname(far.dataDir)}`,
      `PidFile ${dir}/pid`,
    ].join('\n'),
  );
  const hostKey = fs.readFileSync(path.join(dir, 'host.pub'), 'utf8').split(' ').slice(0, 2);
  fs.writeFileSync(path.join(dir, 'known'), `[127.0.0.1]:${String(port)} ${hostKey.join(' ')}\n`);
  fs.writeFileSync(
    path.join(dir, 'config'),
    `SendEnv *\nIdentityFile ${dir}/person\nUserKnownHostsFile ${dir}/known\n`,
  );
  script(path.join(bin, 'ssh'), `exec /usr/bin/ssh -F ${dir}/config "$@"`);
  if (process.getuid?.() === 0) fs.mkdirSync('/run/sshd', { recursive: true });
  sshd = spawn(SSHD, ['-D', '-e', '-f', path.join(dir, 'sshd_config')], { stdio: 'ignore' });
  await until('sshd listens', () => isListening(port));
  return port;
}

const me = (): string =>
  process.env['USER'] ?? execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();

/** What ssh says where nothing listens. */
const REFUSED = /^away could not be reached: ssh: connect to host .* refused\.$/;

describe.skipIf(isLeftOut('hosts over SSH', why))('hosts over SSH', () => {
  let port = 0;
  beforeAll(async () => {
    [near, far] = [await createSite(), await createSite()];
    port = await startServer();
    far.configure();
  });
  afterAll(async () => {
    sshd.kill();
    await Promise.all([near.remove(), far.remove()]);
  });

  it('HO-01 a host is added, asked, told to work and read; what ends here changes nothing there', async () => {
    const host = await far.start();
    const added = await hf('hosts', 'add', 'box', `ssh://${me()}@127.0.0.1:${String(port)}`);
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
    const told = fs.readFileSync(path.join(near.dataDir, '..', 'ssh', 'far-environment'), 'utf8');
    expect(told).not.toContain('near-secret-of-this-computer');
    expect(told).not.toContain(near.dataDir);
  });

  it('HO-02 decisions, sessions and hits of all hosts are one list, each with its host; of another version what is known is read, and the rest is said', async () => {
    near.configure();
    await hf('hosts', 'add', 'box', `ssh://${me()}@127.0.0.1:${String(port)}`);
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
    const program = path.join(near.dataDir, '..', 'ssh', 'far-bin', 'holdfast');
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
      'box has a Holdfast of another version, which this one does not understand.',
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

  it('HO-02 a host that is not there is shown as unreachable, not as empty; a command says so with exit code 3', async () => {
    await hf('hosts', 'add', 'away', `ssh://127.0.0.1:${String(await freePort())}`);
    const { hosts } = JSON.parse((await hf('hosts', 'list', '--json')).out) as {
      hosts: readonly { name: string; isReachable: boolean; problem?: string }[];
    };
    expect(hosts.find(({ name }) => name === 'away')).toMatchObject({
      isReachable: false,
      problem: expect.stringMatching(REFUSED),
    });
    const asked = await hf('status', '--host', 'away', '--json');
    expect(asked.code).toBe(3);
    expect(asked.out).toContain('HOST_UNREACHABLE');
    expect((await hf('status', '--host', 'nobody')).err).toContain('There is no host nobody.');
    expect((await hf('hosts', 'remove', 'away')).code).toBe(0);
  });
});
