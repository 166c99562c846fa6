import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectControl, readControlToken } from '../../electron/control/client';
import { isProof, proofOf } from '../../electron/control/proof';
import type { ControlLimits } from '../../electron/control/protocol';
import type { ControlServer } from '../../electron/control/server';
import { createControlServer } from '../../electron/control/server';
import type { Verb } from '../../shared/contract';
import { VERBS } from '../../shared/contract';
import { createFakeHoldfast, recordedLog } from '../integration/control/fake-holdfast';
import type { FakeHoldfast } from '../integration/control/fake-holdfast';
import { writableByOthers } from '../helpers/writable-by-others';
import { THIEF } from '../helpers/other-account';
import { isLeftOut, NOT_ROOT } from '../helpers/skips';

let home: string;
let fake: FakeHoldfast;
let server: ControlServer | undefined;
let log = recordedLog();
let sockets: Socket[] = [];
let impostors: Server[] = [];

const clientCount = (): number => server?.clientCount() ?? 0;

const socketPath = (): string => join(home, 'run', 'control.sock');
const tokenPath = (): string => join(home, 'run', 'control.token');

async function serve(limits: Partial<ControlLimits> = {}): Promise<void> {
  log = recordedLog();
  server = createControlServer({
    socketPath: socketPath(),
    tokenPath: tokenPath(),
    holdfast: fake,
    log,
    version: 'x',
    limits,
  });
  await server.start();
}

interface Raw {
  socket: Socket;
  lines: string[];
  ended: Promise<void>;
  say(message: unknown): void;
  hear(count: number): Promise<Record<string, unknown>[]>;
}

function raw(): Raw {
  const socket = connect(socketPath());
  sockets.push(socket);
  const lines: string[] = [];
  let rest = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    rest += chunk.toString('utf8');
    const pieces = rest.split('\n');
    rest = pieces.pop() ?? '';
    lines.push(...pieces);
  });
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return {
    socket,
    lines,
    ended,
    say: (message) =>
      void socket.write(typeof message === 'string' ? message : `${JSON.stringify(message)}\n`),
    hear: async (count) => {
      const until = Date.now() + 60_000;
      while (lines.length < count && Date.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 5));
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}

async function greeted(): Promise<Raw> {
  const one = raw();
  one.say({ kind: 'hello', token: readControlToken(tokenPath()), version: 't' });
  await one.hear(1);
  return one;
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hf-sec-'));
  fake = createFakeHoldfast();
  sockets = [];
  impostors = [];
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const impostor of impostors) impostor.close();
  await server?.stop();
  server = undefined;
  rmSync(home, { recursive: true, force: true });
});

describe('token handshake', () => {
  it.each([
    ['no token', { kind: 'hello', token: '', version: '' }],
    ['a wrong token of the right length', { kind: 'hello', token: '0'.repeat(64), version: '' }],
    ['a call before the handshake', { kind: 'call', id: 1, verb: 'status.get', input: {} }],
    ['an unknown key', { kind: 'hello', token: '', version: '', extra: 1 }],
    ['a token that is no text', { kind: 'hello', token: { length: 64 }, version: '' }],
    ['null', null],
  ])(
    'C1 %s ends the connection with SENDER_REFUSED and reaches nothing',
    async (_name, message) => {
      await serve();
      const one = raw();
      one.say(message);
      one.say({ kind: 'call', id: 2, verb: 'turns.cancelAll', input: {} });
      await one.ended;
      expect((await one.hear(1)).map((line) => [line['kind'], line['code']])).toEqual([
        ['refused', 'SENDER_REFUSED'],
      ]);
      expect(fake.calls).toEqual([]);
    },
  );

  it('C1 a stranger cannot make the server hold more than one small line', async () => {
    await serve();
    const one = raw();
    one.say('x'.repeat(20_000));
    await one.ended;
    expect(JSON.parse(one.lines[0] ?? '{}')).toMatchObject({
      kind: 'refused',
      code: 'INPUT_INVALID',
    });
  });
});

describe('contract on the socket', () => {
  it('C2 verbs of the windows are refused: every one of them, by surface', async () => {
    await serve({ maxCallsInFlight: 100 });
    const one = await greeted();
    const windowVerbs = (Object.keys(VERBS) as Verb[]).filter(
      (verb) => VERBS[verb].surface === 'window',
    );
    expect(windowVerbs.length).toBeGreaterThan(2);
    windowVerbs.forEach((verb, id) => one.say({ kind: 'call', id, verb, input: {} }));
    const answers = (await one.hear(1 + windowVerbs.length)).slice(1);
    expect(answers.map((line) => (line['answer'] as { code: string }).code)).toEqual(
      windowVerbs.map(() => 'SENDER_REFUSED'),
    );
    expect(fake.calls).toEqual([]);
  });

  it.each([
    ['__proto__', {}, 'VERB_UNKNOWN'],
    ['constructor', {}, 'VERB_UNKNOWN'],
    ['status.get ', {}, 'VERB_UNKNOWN'],
    ['status.get', { extra: 1 }, 'INPUT_INVALID'],
    ['turns.show', { turnId: '1' }, 'INPUT_INVALID'],
    ['turns.show', { turnId: 1.5 }, 'INPUT_INVALID'],
    ['turns.show', [], 'INPUT_INVALID'],
    ['turns.list', { states: Array.from({ length: 100_000 }, () => 'held') }, 'INPUT_INVALID'],
    ['send', { text: 'x'.repeat(4_000_001) }, 'INPUT_INVALID'],
    ['recovery.resume', { turnId: 1 }, 'INPUT_INVALID'],
  ])('I1 %s with a wrong input is refused and reaches no handler', async (verb, input, code) => {
    await serve();
    const made = await connectControl({
      socketPath: socketPath(),
      token: readControlToken(tokenPath()) ?? '',
      version: '',
      timeoutMs: 60_000,
    });
    if (made.kind !== 'connected') throw made.error;
    await expect(made.client.call(verb as Verb, input as never)).rejects.toMatchObject({ code });
    made.client.close();
    expect(fake.calls).toEqual([]);
  });

  it('I1 a prototype key in the input is refused and changes no prototype', async () => {
    await serve();
    const one = await greeted();
    one.say('{"kind":"call","id":1,"verb":"status.get","input":{"__proto__":{"polluted":1}}}\n');
    expect((await one.hear(2))[1]).toMatchObject({ id: 1 });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('I1 a line above 64 KB is refused with a typed error and the connection ends', async () => {
    await serve();
    const one = await greeted();
    one.say(`{"kind":"call","id":1,"verb":"send","input":{"text":"${'x'.repeat(70_000)}"}}\n`);
    await one.ended;
    expect(JSON.parse(one.lines[1] ?? '{}')).toMatchObject({
      kind: 'refused',
      code: 'INPUT_INVALID',
    });
    expect(fake.calls).toEqual([]);
  });

  it('D1 navigate belongs to windows: a control client cannot subscribe to it', async () => {
    await serve();
    const one = await greeted();
    one.say({ kind: 'subscribe', id: 1, events: ['navigate'] });
    await one.ended;
    expect(JSON.parse(one.lines[1] ?? '{}')).toMatchObject({
      kind: 'refused',
      code: 'INPUT_INVALID',
    });
  });

  it('I3 what a failing handler says arrives with its code, and the payload is not in the log', async () => {
    await serve();
    fake.answers.send = () => {
      throw new Error('boom');
    };
    const one = await greeted();
    one.say({ kind: 'call', id: 5, verb: 'send', input: { text: 'canary-4711' } });
    expect((await one.hear(2))[1]).toMatchObject({
      kind: 'answer',
      id: 5,
      answer: { ok: false, code: 'INTERNAL' },
    });
    expect(JSON.stringify(log.lines)).not.toContain('canary-4711');
  });
});

describe('bounds', () => {
  it('I6 the 33rd client is refused and the others go on', async () => {
    await serve();
    const clients = await Promise.all(Array.from({ length: 32 }, () => greeted()));
    const late = raw();
    await late.ended;
    expect(JSON.parse(late.lines[0] ?? '{}')).toMatchObject({
      kind: 'refused',
      code: 'RATE_LIMITED',
    });
    clients[31]?.say({ kind: 'call', id: 1, verb: 'status.get', input: {} });
    expect((await clients[31]?.hear(2))?.[1]).toMatchObject({ answer: { ok: true } });
    clients[0]?.socket.destroy();
    await clients[0]?.ended;
    const until = Date.now() + 60_000;
    while (clientCount() > 31 && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await (await greeted()).hear(1))[0]).toMatchObject({ kind: 'welcome' });
  });

  it('I6 of 1,000 connections at once no more than 64 are open, the log gets no more than 11 lines of them, and those that came before go on', async () => {
    await serve();
    const first = await greeted();
    let most = 0;
    const flood = Array.from({ length: 1_000 }, () => {
      const socket = connect(socketPath());
      socket.on('error', () => undefined);
      socket.on('connect', () => (most = Math.max(most, clientCount())));
      sockets.push(socket);
      return new Promise((resolve) => socket.on('close', resolve).resume());
    });
    first.say({ kind: 'call', id: 1, verb: 'status.get', input: {} });
    expect((await first.hear(2))[1]).toMatchObject({ answer: { ok: true } });
    await Promise.all(flood);
    expect(most).toBeLessThanOrEqual(64);
    const told = log.lines.filter((line) => line.event === 'control.too_many_clients');
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThanOrEqual(11);
  });

  it('I6 20 calls at once on a bucket of 10: 10 answered, 10 RATE_LIMITED', async () => {
    await serve({ callBurst: 10, callsPerSecond: 0.001, maxCallsInFlight: 100 });
    const one = await greeted();
    for (let id = 0; id < 20; id += 1) one.say({ kind: 'call', id, verb: 'status.get', input: {} });
    const answers = (await one.hear(21))
      .slice(1)
      .map((line) => (line['answer'] as { ok: boolean; code?: string }).code ?? 'ok');
    expect([
      answers.filter((code) => code === 'ok').length,
      answers.filter((code) => code === 'RATE_LIMITED').length,
    ]).toEqual([10, 10]);
  });

  it('I6 a 9th call while 8 are being answered is RATE_LIMITED', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    fake.answers['tools.list'] = async () => {
      await gate;
      return { tools: [] };
    };
    await serve();
    const one = await greeted();
    for (let id = 0; id < 9; id += 1) one.say({ kind: 'call', id, verb: 'tools.list', input: {} });
    expect((await one.hear(2))[1]).toMatchObject({ id: 8, answer: { code: 'RATE_LIMITED' } });
    release();
    expect(await one.hear(10)).toHaveLength(10);
  });

  it('I6 a client that leaves its events unread is dropped; memory stays bounded and others still hear', async () => {
    await serve();
    const deaf = await greeted();
    deaf.say({ kind: 'subscribe', id: 1, events: ['turn.delta'] });
    await deaf.hear(2);
    deaf.socket.pause();
    const good = await greeted();
    good.say({ kind: 'subscribe', id: 1, events: ['turn.delta'] });
    await good.hear(2);
    for (let turnId = 1; turnId <= 60 && clientCount() === 2; turnId += 1) {
      fake.emit('turn.delta', { turnId, text: 'x'.repeat(50_000), isWithdrawn: false });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(clientCount()).toBe(1);
    expect(log.lines.some((line) => line.event === 'control.client_dropped')).toBe(true);
    const before = good.lines.length;
    fake.emit('turn.delta', { turnId: 99, text: 'last', isWithdrawn: false });
    expect((await good.hear(before + 1)).at(-1)).toMatchObject({ payload: { turnId: 99 } });
  });

  it('I6 a client that leaves its answers unread is not read further and is dropped after the stall time', async () => {
    fake.answers['logs.tail'] = () => ({
      path: '/l',
      lines: Array.from({ length: 400 }, () => 'x'.repeat(10_000)),
    });
    await serve({ stallTimeoutMs: 300 });
    const deaf = await greeted();
    deaf.socket.pause();
    for (let id = 0; id < 8; id += 1) deaf.say({ kind: 'call', id, verb: 'logs.tail', input: {} });
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (let id = 8; id < 60; id += 1) deaf.say({ kind: 'call', id, verb: 'logs.tail', input: {} });
    const until = Date.now() + 60_000;
    while (clientCount() > 0 && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(clientCount()).toBe(0);
    expect(fake.calls.length).toBeLessThanOrEqual(8);
  });
});

describe('directory of the socket', () => {
  it('K5 a symlink in place of the run directory is refused with a hint', async () => {
    const elsewhere = join(home, 'elsewhere');
    mkdirSync(elsewhere);
    chmodSync(elsewhere, 0o777);
    symlinkSync(elsewhere, join(home, 'run'));
    server = createControlServer({
      socketPath: socketPath(),
      tokenPath: tokenPath(),
      holdfast: fake,
      log,
      version: 'x',
    });
    await expect(server.start()).rejects.toMatchObject({ code: 'DATA_DIR_UNSAFE' });
  });
});

/** Listens as a program of our own account would, says `answers`, and keeps what it heard. */
async function listenFalsely(answers: readonly object[]): Promise<{ heard: () => string }> {
  mkdirSync(join(home, 'run'), { mode: 0o700 });
  let heard = '';
  const impostor = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString('utf8');
      for (const answer of answers) socket.write(`${JSON.stringify(answer)}\n`);
    });
  });
  await new Promise<void>((resolve) => impostor.listen(socketPath(), resolve));
  impostors.push(impostor);
  return { heard: () => heard };
}

const ask = (token: string, timeoutMs = 400) =>
  connectControl({ socketPath: socketPath(), token, version: 't', timeoutMs });

const TOKEN = 'ab'.repeat(32);
const WELCOME = { kind: 'welcome', version: 'x', pid: 1 };

describe('C3 the server proves that it knows the token before it hears a word', () => {
  it.each<[string, readonly object[]]>([
    ['says nothing', []],
    ['welcomes at once', [WELCOME]],
    ['gives a wrong proof', [{ kind: 'proof', mac: '0'.repeat(64) }, WELCOME]],
    [
      'gives the proof of another question',
      [{ kind: 'proof', mac: proofOf(TOKEN, '1'.repeat(64), '') }, WELCOME],
    ],
    [
      'gives a proof with another token',
      [{ kind: 'proof', mac: proofOf('', '1'.repeat(64), '') }, WELCOME],
    ],
    ['gives a proof of another form', [{ kind: 'proof', mac: 'x' }, WELCOME]],
    [
      'answers a call that was not made',
      [{ kind: 'answer', id: 1, answer: { ok: true, value: 1 } }, WELCOME],
    ],
    ['gives events', [{ kind: 'event', name: 'status.changed', payload: {} }, WELCOME]],
    ['refuses', [{ kind: 'refused', code: 'STOPPING', message: 'x' }, WELCOME]],
  ])('C3 what %s gets a question, and neither token nor request', async (_name, answers) => {
    const { heard } = await listenFalsely(answers);
    const made = await ask(TOKEN);
    expect(made.kind).toMatch(/refused|silent/);
    const lines = heard().trim().split('\n');
    expect(lines.map((line) => Object.keys(JSON.parse(line) as object))).toEqual([
      ['kind', 'nonce'],
    ]);
    expect(heard()).not.toContain(TOKEN);
  });

  it('C3 two questions are never the same, and without a token nothing is said at all', async () => {
    const { heard } = await listenFalsely([]);
    await ask(TOKEN);
    await ask(TOKEN);
    const nonces = heard()
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { nonce: string }).nonce);
    expect(new Set(nonces).size).toBe(2);
    const before = heard();
    expect((await ask('')).kind).toBe('refused');
    expect(heard()).toBe(before);
  });

  it('C3 the server answers one question of the right form, and its answer opens nothing', async () => {
    await serve();
    const one = raw();
    const nonce = 'cd'.repeat(32);
    one.say({ kind: 'challenge', nonce });
    const token = readControlToken(tokenPath()) ?? '';
    expect(await one.hear(1)).toEqual([
      { kind: 'proof', mac: proofOf(token, nonce, socketPath()) },
    ]);
    one.say({ kind: 'challenge', nonce });
    await one.ended;
    expect((await one.hear(2))[1]).toMatchObject({ kind: 'refused', code: 'SENDER_REFUSED' });
    for (const wrong of [{ nonce: 'cd' }, { nonce: 1 }, { nonce, extra: 1 }, {}]) {
      const other = raw();
      other.say({ kind: 'challenge', ...wrong });
      await other.ended;
      expect((await other.hear(1))[0]).toMatchObject({ kind: 'refused', code: 'SENDER_REFUSED' });
    }
    const late = raw();
    late.say({ kind: 'challenge', nonce });
    await late.hear(1);
    late.say({ kind: 'call', id: 1, verb: 'turns.cancelAll', input: {} });
    await late.ended;
    expect(fake.calls).toEqual([]);
  });

  it('C3 a proof of one pipe is none at another; case of letters is none of its parts', () => {
    const [one, other] = ['\\\\.\\pipe\\holdfast-a', '\\\\.\\pipe\\holdfast-b'];
    const mac = proofOf(TOKEN, TOKEN, one);
    expect(isProof(mac, TOKEN, TOKEN, one.toUpperCase().replace('PIPE', 'pipe'))).toBe(true);
    expect(isProof(mac, TOKEN, TOKEN, other)).toBe(false);
    expect(isProof(mac.slice(1), TOKEN, TOKEN, one)).toBe(false);
    expect(isProof(mac, TOKEN.toUpperCase(), TOKEN, one)).toBe(false);
  });
});

describe('C4 a client looks whose the socket is before it connects', () => {
  it.each(writableByOthers(0o770, 0o777, 0o1777, 0o720))(
    'C4 in a folder that others may write to (%o) it is not connected to',
    async (mode) => {
      await serve();
      chmodSync(join(home, 'run'), mode);
      const made = await ask(readControlToken(tokenPath()) ?? '');
      expect(made).toMatchObject({ kind: 'absent', error: { code: 'DATA_DIR_UNSAFE' } });
      expect(clientCount()).toBe(0);
      chmodSync(join(home, 'run'), 0o700);
      const again = await ask(readControlToken(tokenPath()) ?? '', 60_000);
      expect(again.kind).toBe('connected');
      if (again.kind === 'connected') again.client.close();
    },
  );

  it('C4 below a folder that others may write to, behind a link, or as a link it is not connected to', async () => {
    await serve();
    const token = readControlToken(tokenPath()) ?? '';
    const at = async (path: string) =>
      (await connectControl({ socketPath: path, token, version: '', timeoutMs: 400 })).kind;
    symlinkSync(join(home, 'run'), join(home, 'way'));
    symlinkSync(socketPath(), join(home, 'run', 'link.sock'));
    expect(await at(join(home, 'way', 'control.sock'))).toBe('absent');
    expect(await at(join(home, 'run', 'link.sock'))).toBe('absent');
    chmodSync(home, 0o777);
    expect(await at(socketPath())).toBe('absent');
    chmodSync(home, 0o700);
    expect(clientCount()).toBe(0);
  });

  it.skipIf(isLeftOut('a control socket of another account', NOT_ROOT))(
    'C4 of another account, folder or socket, it is not connected to',
    async () => {
      await serve();
      for (const theirs of [join(home, 'run'), socketPath()]) {
        chownSync(theirs, THIEF, THIEF);
        const made = await ask(readControlToken(tokenPath()) ?? '');
        expect(made).toMatchObject({
          kind: 'absent',
          error: {
            code: 'DATA_DIR_UNSAFE',
            message: `${theirs} belongs to another account (uid ${String(THIEF)}, not 0), so it is not the control socket of your Holdfast. Nothing was sent to it.`,
          },
        });
        chownSync(theirs, 0, 0);
      }
      expect(clientCount()).toBe(0);
    },
  );

  it.each<[string, (folder: string) => void]>([
    ['a folder that all may write to', (folder) => (mkdirSync(folder), chmodSync(folder, 0o777))],
    ['a link to such a folder', (folder) => symlinkSync(home, folder)],
    ['a link to nothing', (folder) => symlinkSync('/nonexistent/x', folder)],
    ['a file', (folder) => writeFileSync(folder, '')],
  ])(
    'C4 %s at the address outside of D does not keep the server from another one',
    async (_name, take) => {
      const outside = join(home, 'taken');
      take(outside);
      log = recordedLog();
      server = createControlServer({
        socketPath: join(outside, 'x.sock'),
        tokenPath: tokenPath(),
        holdfast: fake,
        log,
        version: 'x',
      });
      const { socketPath: real } = await server.start();
      expect(dirname(real)).not.toBe(outside);
      expect(statSync(dirname(real)).mode & 0o777).toBe(0o700);
      const made = await connectControl({
        socketPath: real,
        token: readControlToken(tokenPath()) ?? '',
        version: '',
        timeoutMs: 60_000,
      });
      if (made.kind !== 'connected') throw made.error;
      expect((await made.client.call('status.get', {})).phase).toBe('running');
      made.client.close();
      await server.stop();
      expect(existsSync(dirname(real))).toBe(false);
    },
  );
});
