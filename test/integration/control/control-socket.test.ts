import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askHolder } from '../../../electron/control/ask-holder';
import { controlSocketPath } from '../../../electron/control/address';
import type { ControlClient } from '../../../electron/control/client';
import { connectControl, readControlToken } from '../../../electron/control/client';
import type { ControlLimits } from '../../../electron/control/protocol';
import type { ControlServer } from '../../../electron/control/server';
import { createControlServer } from '../../../electron/control/server';
import { HoldfastError } from '../../../electron/engine/kernel/errors';
import type { FakeHoldfast } from './fake-holdfast';
import { createFakeHoldfast, recordedLog, snapshot } from './fake-holdfast';
import { SLACK } from '../../helpers/slack';
import { mountSmallDisk } from '../../helpers/small-disk';

let home: string;
let fake: FakeHoldfast;
let servers: ControlServer[];
let clients: ControlClient[];
let children: ChildProcess[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hf-ctl-'));
  fake = createFakeHoldfast();
  servers = [];
  clients = [];
  children = [];
});

afterEach(async () => {
  for (const one of clients) one.close();
  for (const server of servers) await server.stop();
  for (const child of children) child.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

const paths = () => ({
  socketPath: join(home, 'run', 'control.sock'),
  tokenPath: join(home, 'run', 'control.token'),
});

/** A process that listens there, and does not answer. */
async function startOwner(): Promise<ChildProcess> {
  mkdirSync(join(home, 'run'), { mode: 0o700 });
  const script = `require('net').createServer().listen(${JSON.stringify(paths().socketPath)}, () => console.log('up'))`;
  const owner = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(owner);
  await new Promise((resolve) => owner.stdout?.once('data', resolve));
  return owner;
}

async function serve(limits: Partial<ControlLimits> = {}, log = recordedLog()) {
  const server = createControlServer({ ...paths(), holdfast: fake, log, version: '0.1.0', limits });
  servers.push(server);
  const address = await server.start();
  return { server, address, log };
}

const token = (): string => readControlToken(paths().tokenPath) ?? '';

async function client(): Promise<ControlClient> {
  const made = await connectControl({
    socketPath: paths().socketPath,
    token: token(),
    version: 't',
    timeoutMs: 60_000,
  });
  if (made.kind !== 'connected') throw made.error;
  clients.push(made.client);
  return made.client;
}

const codeOf = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'ok',
    (error: unknown) => (error instanceof HoldfastError ? error.code : String(error)),
  );

const until = async (condition: () => boolean, ms = 60_000): Promise<void> => {
  const end = Date.now() + ms;
  while (!condition()) {
    if (Date.now() > end) throw new Error('not within time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

describe('control socket', () => {
  it('S2-39 answers with the value of the facade and tells it that a control client asked', async () => {
    await serve();
    const one = await client();
    expect(await one.call('status.get', {})).toEqual(snapshot());
    expect(fake.calls).toEqual([{ verb: 'status.get', input: {}, origin: 'control' }]);
    expect(one.serverPid).toBe(process.pid);
  });

  it('S2-39 socket and token are 0600 in a 0700 directory, and the token changes with each start', async () => {
    const first = await serve();
    const mode = (path: string): number => statSync(path).mode & 0o777;
    expect([mode(paths().socketPath), mode(paths().tokenPath), mode(join(home, 'run'))]).toEqual([
      0o600, 0o600, 0o700,
    ]);
    const before = token();
    await first.server.stop();
    expect([existsSync(paths().socketPath), existsSync(paths().tokenPath)]).toEqual([false, false]);
    await serve();
    expect(token()).toMatch(/^[0-9a-f]{64}$/);
    expect(token()).not.toBe(before);
  });

  it('S2-39 closes a run directory that others could read', async () => {
    mkdirSync(join(home, 'run'), { mode: 0o777 });
    chmodSync(join(home, 'run'), 0o777);
    await serve();
    expect(statSync(join(home, 'run')).mode & 0o777).toBe(0o700);
  });

  it('S2-39 carries a prompt of 4,000,000 characters and its answer', async () => {
    let seen = 0;
    fake.answers.send = (input) => {
      seen = input.text.length;
      return { turnId: 1, sessionId: 1, sessionKey: 's' };
    };
    fake.answers['logs.tail'] = () => ({
      path: '/l',
      lines: Array.from({ length: 1000 }, () => 'x'.repeat(10_000)),
    });
    await serve();
    const one = await client();
    await one.call('send', { text: 'ü"'.repeat(2_000_000) });
    expect(seen).toBe(4_000_000);
    expect((await one.call('logs.tail', {})).lines.length).toBe(1000);
  });

  it('S2-39 answers calls of one client side by side, each to its own question', async () => {
    fake.answers['turns.cancel'] = async (input) => {
      await new Promise((resolve) => setTimeout(resolve, 60 - input.turnId * 10));
      return { id: input.turnId };
    };
    await serve();
    const one = await client();
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((turnId) => one.call('turns.cancel', { turnId })),
    );
    expect(answers.map((answer) => answer.id)).toEqual([1, 2, 3, 4, 5]);
  });

  it('S2-41 a socket file left by a killed owner is replaced, once, and works', async () => {
    const owner = await startOwner();
    owner.kill('SIGKILL');
    await new Promise((resolve) => owner.once('exit', resolve));
    expect(existsSync(paths().socketPath)).toBe(true);
    const { log } = await serve();
    expect(log.lines.filter((line) => line.event === 'control.stale_socket_removed')).toHaveLength(
      1,
    );
    expect((await (await client()).call('status.get', {})).phase).toBe('running');
  });

  it('S2-41 an owner that ends 300 ms after its lock is free does not keep the next one from starting', async () => {
    const owner = await startOwner();
    const starting = serve();
    setTimeout(() => owner.kill('SIGKILL'), 300);
    await starting;
    expect((await (await client()).call('status.get', {})).phase).toBe('running');
  });

  it('S2-40 a socket that somebody answers on is not taken: LOCK_HELD, the first goes on with its token', async () => {
    await serve();
    const before = token();
    const second = createControlServer({
      ...paths(),
      holdfast: fake,
      log: recordedLog(),
      version: 'x',
    });
    expect(await codeOf(second.start())).toBe('LOCK_HELD');
    await second.stop();
    expect(token()).toBe(before);
    expect((await (await client()).call('status.get', {})).pid).toBe(4242);
  });

  it('S2-39 a 109-byte address is refused instead of cut, and the short name works in its place', async () => {
    const deep = join(home, 'd'.repeat(109 - home.length - 1 - '/run/control.sock'.length));
    mkdirSync(deep, { recursive: true });
    const long = join(deep, 'run', 'control.sock');
    expect(Buffer.byteLength(long)).toBe(109);
    const tokenPath = join(deep, 'run', 'control.token');
    const refused = createControlServer({
      socketPath: long,
      tokenPath,
      holdfast: fake,
      log: recordedLog(),
      version: 'x',
    });
    expect(await codeOf(refused.start())).toBe('DATA_DIR_UNUSABLE');
    const socketPath = controlSocketPath(deep, { XDG_RUNTIME_DIR: join(home, 'r') }, 'linux');
    expect(Buffer.byteLength(socketPath)).toBeLessThanOrEqual(103);
    const server = createControlServer({
      socketPath,
      tokenPath,
      holdfast: fake,
      log: recordedLog(),
      version: 'x',
    });
    servers.push(server);
    await server.start();
    const made = await connectControl({
      socketPath,
      token: readControlToken(tokenPath) ?? '',
      version: 't',
      timeoutMs: 60_000,
    });
    expect(made.kind).toBe('connected');
    if (made.kind === 'connected') made.client.close();
  });

  it('S2-48 says STARTING and STOPPING, while status, focus and stop are answered in every phase', async () => {
    fake.answers['turns.list'] = () => ({ turns: [], hasMore: false });
    fake.answers['instance.focus'] = () => ({ ok: true });
    fake.answers['instance.stop'] = () => ({ ok: true, willResume: 2 });
    await serve();
    const one = await client();
    const seen: string[] = [];
    for (const phase of ['starting', 'running', 'stopping', 'stopped'] as const) {
      fake.snapshot = snapshot({ phase });
      seen.push(await codeOf(one.call('turns.list', {})));
      expect((await one.call('status.get', {})).phase).toBe(phase);
      expect(await one.call('instance.stop', { reason: 'stop' })).toEqual({
        ok: true,
        willResume: 2,
      });
    }
    expect(seen).toEqual(['STARTING', 'ok', 'STOPPING', 'STOPPING']);
  });

  it('S2-48 stop lets the answer that is on its way out, ends clients within 1 s and frees the address', async () => {
    fake.answers['instance.stop'] = async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { ok: true, willResume: 0 };
    };
    const { server } = await serve();
    const one = await client();
    await client();
    const asked = one.call('instance.stop', { reason: 'stop' });
    await until(() => fake.calls.length === 1);
    const began = Date.now();
    await server.stop();
    expect(Date.now() - began).toBeLessThan(1_000 * SLACK);
    expect(await asked).toEqual({ ok: true, willResume: 0 });
    await one.closed;
    expect(existsSync(paths().socketPath)).toBe(false);
    await serve();
  });

  it('S2-48 a call cut off by the end of the connection says that the outcome is not known', async () => {
    fake.answers['turns.cancelAll'] = () => new Promise(() => undefined);
    const { server } = await serve({ stopGraceMs: 30 });
    const one = await client();
    const asked = codeOf(one.call('turns.cancelAll', {}));
    await until(() => fake.calls.length === 1);
    await server.stop();
    expect(await asked).toBe('NOT_RUNNING');
  });

  it('X-06 events reach only who asked for them, and nothing is left behind when the client goes', async () => {
    const { server } = await serve();
    const watcher = await client();
    const other = await client();
    const seen: number[] = [];
    watcher.on('inbox.changed', (payload) => seen.push(payload.open));
    other.on('inbox.changed', () => seen.push(-1));
    await watcher.subscribe(['inbox.changed']);
    fake.emit('inbox.changed', { open: 3 });
    fake.emit('config.changed', { keys: ['a'] });
    await until(() => seen.length === 1);
    await watcher.subscribe([]);
    fake.emit('inbox.changed', { open: 4 });
    await watcher.call('status.get', {});
    expect(seen).toEqual([3]);
    await watcher.subscribe(['inbox.changed', 'turn.changed']);
    expect(fake.listenerCount()).toBe(2);
    watcher.close();
    other.close();
    await until(() => server.clientCount() === 0);
    expect(fake.listenerCount()).toBe(0);
  });
});

describe('asking the holder', () => {
  const ask = (verb: 'focus' | 'takeover', timeoutMs = 20_000) =>
    askHolder(paths().socketPath, token(), verb, timeoutMs);

  it('R14 focus comes back as focused, takeover as leaving, with the reason in the call', async () => {
    fake.answers['instance.focus'] = () => ({ ok: true });
    fake.answers['instance.stop'] = () => ({ ok: true, willResume: 0 });
    await serve();
    expect([await ask('focus'), await ask('takeover')]).toEqual(['focused', 'leaving']);
    expect(fake.calls.map((call) => call.input)).toEqual([{}, { reason: 'takeover' }]);
  });

  it('R14 a holder that starts or stops counts as silent for focus, and one that stops as leaving', async () => {
    const says = (code: 'STARTING' | 'STOPPING') => () => {
      throw new HoldfastError(code, code);
    };
    await serve();
    fake.answers['instance.focus'] = says('STARTING');
    fake.answers['instance.stop'] = says('STOPPING');
    expect([await ask('focus'), await ask('takeover')]).toEqual(['silent', 'leaving']);
    fake.answers['instance.focus'] = says('STOPPING');
    fake.answers['instance.stop'] = says('STARTING');
    expect([await ask('focus'), await ask('takeover')]).toEqual(['silent', 'silent']);
  });

  it('R14 no socket is silent at once; a wrong or missing token and a refusal are refused', async () => {
    const began = Date.now();
    expect(await ask('focus', 2_000)).toBe('silent');
    expect(Date.now() - began).toBeLessThan(500 * SLACK);
    fake.answers['instance.focus'] = () => {
      throw new HoldfastError('SENDER_REFUSED', 'headless has no window');
    };
    await serve();
    expect(await ask('focus')).toBe('refused');
    expect(await askHolder(paths().socketPath, 'f'.repeat(64), 'focus', 20_000)).toBe('refused');
    expect(await askHolder(paths().socketPath, null, 'takeover', 20_000)).toBe('refused');
  });

  it('S2-43 a suspended holder is silent within the time given, and answers again when it goes on', async () => {
    mkdirSync(join(home, 'run'), { mode: 0o700 });
    const script = `require('net').createServer((s) => s.on('error', () => {}).on('data', () => s.write(JSON.stringify({kind:'refused',code:'STOPPING',message:'x'}) + '\\n'))).listen(${JSON.stringify(paths().socketPath)}, () => console.log('up'))`;
    const holder = spawn(process.execPath, ['-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(holder);
    await new Promise((resolve) => holder.stdout?.once('data', resolve));
    holder.kill('SIGSTOP');
    const began = Date.now();
    expect(await askHolder(paths().socketPath, 'f'.repeat(64), 'focus', 400)).toBe('silent');
    const tookMs = Date.now() - began;
    expect(tookMs).toBeGreaterThan(350);
    expect(tookMs).toBeLessThan(1_500 * SLACK);
    holder.kill('SIGCONT');
    expect(await askHolder(paths().socketPath, 'f'.repeat(64), 'focus', 20_000)).toBe('refused');
  });

  it('S2-43 a holder that takes the question and never answers it is silent within the time given', async () => {
    fake.answers['instance.focus'] = () => new Promise(() => undefined);
    await serve({ stopGraceMs: 30 });
    const began = Date.now();
    expect(await ask('focus', 300)).toBe('silent');
    expect(Date.now() - began).toBeLessThan(1_000 * SLACK);
  });
});

describe('token file', () => {
  it('R17 a token that a full disk refuses: DISK_FULL with what to do next, and the start after room was made works', async (context) => {
    const run = dirname(paths().tokenPath);
    mkdirSync(run, { mode: 0o700 });
    const disk = mountSmallDisk(run, 64);
    if (disk.kind === 'refused') return context.skip(`no tmpfs here: ${disk.problem}`);
    try {
      chmodSync(run, 0o700);
      const filler = join(run, 'filler');
      expect(() => {
        writeFileSync(filler, Buffer.alloc(128 * 1024));
      }).toThrow('ENOSPC');
      const refused = await serve().catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'DISK_FULL' });
      expect((refused as HoldfastError).hint).not.toBe('');
      expect(readControlToken(paths().tokenPath)).toBeUndefined();
      await servers.pop()?.stop();
      rmSync(filler);
      await serve();
      expect(token()).toMatch(/^[0-9a-f]{64}$/);
      await servers.pop()?.stop();
    } finally {
      disk.unmount();
    }
  });

  it('S2-46 a server that leaves late does not remove the token of the next one', async () => {
    const { server } = await serve();
    const other = 'a'.repeat(64);
    writeFileSync(paths().tokenPath, other);
    await server.stop();
    expect(readFileSync(paths().tokenPath, 'utf8')).toBe(other);
  });

  it('S2-46 a server that leaves late leaves the address to the next one, who still answers there', async () => {
    const { server } = await serve();
    rmSync(paths().socketPath);
    const { createServer } = await import('node:net');
    const next = createServer((socket) => socket.end('next'));
    await new Promise<void>((resolve) => next.listen(paths().socketPath, resolve));
    await server.stop();
    const said = await new Promise<string>((resolve, reject) => {
      connect(paths().socketPath)
        .once('error', reject)
        .once('data', (data) => resolve(String(data)));
    });
    expect(said).toBe('next');
    expect(
      readdirSync(dirname(paths().socketPath)).filter((name) => name.includes('kept')),
    ).toEqual([]);
    await new Promise((resolve) => next.close(resolve));
  });

  it('S2-39 the address carries the hash of the token, never the token', async () => {
    const { address, log } = await serve();
    const { createHash } = await import('node:crypto');
    expect(address.tokenHash).toBe(createHash('sha256').update(token()).digest('hex'));
    expect(JSON.stringify(log.lines)).not.toContain(token());
  });

  it('S2-39 a raw connection that sends nothing is ended after the handshake time', async () => {
    await serve({ helloTimeoutMs: 150 });
    const raw = connect(paths().socketPath);
    const began = Date.now();
    await new Promise((resolve) => raw.once('close', resolve));
    expect(Date.now() - began).toBeLessThan(1_000 * SLACK);
  });
});
