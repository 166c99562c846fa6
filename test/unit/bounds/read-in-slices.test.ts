import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { setImmediate as oneTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { guardedStream, STREAM_LIMITS } from '../../../electron/adapters/acp/guarded-stream';
import { createCdpPipe } from '../../../electron/adapters/browser/cdp-pipe';
import { callTelegram } from '../../../electron/adapters/channels/telegram-api';
import { readRecords } from '../../../electron/adapters/command/hook-records';
import { createLineReader } from '../../../electron/adapters/command/claude-stream';
import { createSshCommands } from '../../../electron/adapters/hosts/ssh-command';
import { BUDGET_LIMITS, createMessageBudget } from '../../../electron/adapters/mcp/message-budget';
import { createStdioTransport } from '../../../electron/adapters/mcp/stdio-transport';
import { createFrameReader, encodeMessage } from '../../../electron/control/frames';
import { readInSlices } from '../../../electron/read-in-slices';

/** Counts what happens between two turns of the event loop. */
function turnCounter() {
  let inThisTurn = 0;
  const seen = { most: 0, all: 0, turns: 0 };
  let isOver = false;
  const turn = (): void => {
    inThisTurn = 0;
    seen.turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    seen,
    count(): void {
      inThisTurn += 1;
      seen.all += 1;
      seen.most = Math.max(seen.most, inThisTurn);
    },
    end: () => (isOver = true),
  };
}

const until = async (isTrue: () => boolean): Promise<void> => {
  for (let turns = 0; !isTrue(); turns += 1) {
    if (turns > 200_000) throw new Error('it did not come');
    await oneTurn();
  }
};

const fails = (error: unknown): void => {
  throw error;
};

/** Two slices may fall into one turn as this is counted. */
const MAX_IN_A_TURN = 2 * 64;
const FLOOD = 10_000;
const NOTE = '{"jsonrpc":"2.0","method":"notifications/message","params":{}}\n';

describe('a flood of messages', () => {
  it('T6 HO-02 from another computer is worked through 64 lines at a time, and all before its end', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'holdfast-ssh-'));
    // Its lines, without the computer they come from.
    const program = `#!/bin/sh\nyes '{"state":{}}' | head -n ${String(FLOOD)}\nprintf last\n`;
    await writeFile(path.join(dir, 'ssh'), program, { mode: 0o700 });
    const run = createSshCommands(() => ({ PATH: `${dir}:${process.env['PATH'] ?? ''}` }));
    const turns = turnCounter();
    let last = '';
    const { ended } = run({ destination: 'box' }, [], (line) => {
      turns.count();
      last = line;
    });
    expect(await ended).toMatchObject({ code: 0 });
    turns.end();
    expect([turns.seen.all, last]).toEqual([FLOOD, '{"state":{}}']);
    expect(turns.seen.most).toBeLessThanOrEqual(MAX_IN_A_TURN);
    await rm(dir, { recursive: true });
  });

  it('T6 from a stream is worked through 64 at a time, in order and to the last', async () => {
    const stream = new PassThrough();
    const turns = turnCounter();
    const lines: string[] = [];
    const ended = new Promise<void>((onEnd) => {
      readInSlices(
        stream,
        function* (chunk) {
          for (const line of chunk.toString('utf8').split('\n').slice(0, -1)) {
            lines.push(line);
            turns.count();
            yield;
          }
        },
        { onEnd, onError: fails },
      );
    });
    const sent = Array.from({ length: FLOOD }, (_, at) => String(at));
    stream.end(`${sent.join('\n')}\n`);
    await ended;
    turns.end();
    expect(lines).toEqual(sent);
    expect(turns.seen.most).toBeLessThanOrEqual(MAX_IN_A_TURN);
  });

  it('T6 that is stopped hands on nothing more, and the stream is drained', async () => {
    const stream = new PassThrough();
    let taken = 0;
    const steps = function* () {
      for (;;) {
        taken += 1;
        if (taken === 100) slices.stop();
        yield;
      }
    };
    const slices = readInSlices(stream, steps, { onError: fails });
    stream.write('x');
    await until(() => taken === 100);
    for (let at = 0; at < 10; at += 1) await oneTurn();
    stream.end(Buffer.alloc(1_000_000));
    await until(() => stream.readableEnded);
    expect(taken).toBe(100);
  });

  it.each<[string, boolean]>([
    ['1', true],
    ['null', true],
    ['"a-1.b:c_2"', true],
    ['"\\u001b]0;owned\\u0007\\u001b[2J"', false],
    ['{"a":"\\u001b[2J"}', false],
    ['1.5', false],
    [`"${'a'.repeat(201)}"`, false],
  ])('T6 from an ACP agent has an id that may be printed: %s', async (id, isTaken) => {
    const stdout = new PassThrough();
    const { readable } = guardedStream(
      { stdin: new PassThrough(), stdout },
      STREAM_LIMITS,
      () => undefined,
    );
    stdout.end(`{"jsonrpc":"2.0","id":${id},"result":1}\n`);
    const { done } = await readable.getReader().read();
    expect(done).toBe(!isTaken);
  });

  it('T6 ends once, and harms nobody else, where its reader throws', async () => {
    const stream = new PassThrough();
    const said: string[] = [];
    let taken = 0;
    readInSlices(
      stream,
      // eslint-disable-next-line require-yield -- throws before it gets there
      function* () {
        taken += 1;
        throw new RangeError('Maximum call stack size exceeded');
      },
      { onError: (error) => said.push(String(error)), onEnd: () => said.push('end') },
    );
    stream.write('a');
    await until(() => said.length > 0);
    stream.end('b');
    await until(() => stream.readableEnded);
    for (let at = 0; at < 10; at += 1) await oneTurn();
    expect(taken).toBe(1);
    expect(said).toEqual(['RangeError: Maximum call stack size exceeded', 'end']);
  });

  it('T6 waits while its reader says so, and goes on from there', async () => {
    const stream = new PassThrough();
    let mayRead = true;
    const seen: string[] = [];
    const slices = readInSlices(
      stream,
      function* (chunk) {
        seen.push(chunk.toString('utf8'));
        if (seen.length === 1) {
          mayRead = false;
          stream.pause();
        }
        yield;
      },
      { mayRead: () => mayRead, onError: fails },
    );
    stream.write('a');
    await until(() => seen.length === 1);
    stream.write('b');
    for (let at = 0; at < 10; at += 1) await oneTurn();
    expect(seen).toEqual(['a']);
    mayRead = true;
    slices.resume();
    await until(() => seen.length === 2);
    expect(seen).toEqual(['a', 'b']);
  });

  it('T6 S2-19 from an MCP server is handed on at most 64 at a time', async () => {
    const stdout = new PassThrough();
    const turns = turnCounter();
    const transport = createStdioTransport({
      process: { stdin: new PassThrough(), stdout },
      budget: createMessageBudget(BUDGET_LIMITS),
      onFlood: () => undefined,
    });
    transport.onmessage = turns.count;
    await transport.start();
    stdout.write(NOTE.repeat(FLOOD));
    await until(() => turns.seen.all === FLOOD);
    turns.end();
    expect(turns.seen.most).toBeLessThanOrEqual(MAX_IN_A_TURN);
  });

  it('T6 S2-19 answers that an MCP server does not read wait together: one listener for 40, none after', async () => {
    const stdin = new PassThrough({ highWaterMark: 10 });
    const transport = createStdioTransport({
      process: { stdin, stdout: new PassThrough() },
      budget: createMessageBudget(BUDGET_LIMITS),
      onFlood: () => undefined,
    });
    await transport.start();
    const before = stdin.listenerCount('drain');
    const answer = { jsonrpc: '2.0', id: 1, result: {} } as const;
    const sent = Array.from({ length: 40 }, () => transport.send(answer));
    expect(stdin.listenerCount('drain') - before).toBe(1);
    stdin.resume();
    await Promise.all(sent);
    expect(stdin.listenerCount('drain') - before).toBe(0);
    stdin.pause();
    const unread = transport.send(answer);
    stdin.destroy();
    await expect(unread).resolves.toBeUndefined();
  });

  it('T6 S2-19 an MCP server that reads none of its answers is ended when 64 MB of them wait', async () => {
    const floods: string[] = [];
    const transport = createStdioTransport({
      process: { stdin: new PassThrough(), stdout: new PassThrough() },
      budget: createMessageBudget(BUDGET_LIMITS),
      onFlood: (reason) => floods.push(reason),
    });
    await transport.start();
    const answer = { jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(1024 * 1024) } } as const;
    for (let sent = 0; sent < 64; sent += 1) void transport.send(answer);
    expect(floods).toEqual([]);
    // The stream itself holds one more.
    for (let sent = 0; sent < 2; sent += 1) void transport.send(answer);
    expect(floods[0]).toBe('It does not read what it is sent.');
  });

  it('T6 from an ACP agent is handed on at most 64 at a time', async () => {
    const stdout = new PassThrough();
    const turns = turnCounter();
    const stream = guardedStream(
      { stdin: new PassThrough(), stdout },
      STREAM_LIMITS,
      () => undefined,
    );
    stdout.end(NOTE.repeat(FLOOD));
    for await (const _message of stream.readable) turns.count();
    await stream.drained;
    turns.end();
    expect(turns.seen.all).toBe(FLOOD);
    expect(turns.seen.most).toBeLessThanOrEqual(MAX_IN_A_TURN);
  });

  it('T6 from a browser is handed on at most 64 at a time', async () => {
    const from = new PassThrough();
    const turns = turnCounter();
    const pipe = createCdpPipe(new PassThrough(), from);
    pipe.on('Log.entryAdded', turns.count);
    from.write('{"method":"Log.entryAdded","params":{}}\0'.repeat(FLOOD));
    await until(() => turns.seen.all === FLOOD);
    turns.end();
    expect(turns.seen.most).toBeLessThanOrEqual(MAX_IN_A_TURN);
    pipe.close('it is over');
  });

  it('T6 from the hooks of a command agent is read 64 at a time', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-test-'));
    const file = path.join(folder, 'turn-1.jsonl');
    const line = JSON.stringify({ kind: 'session', attempt: 1, ref: 'x' });
    await writeFile(file, `${line}\n`.repeat(FLOOD));
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    expect(await readRecords(file)).toHaveLength(FLOOD);
    isOver = true;
    expect(turns).toBeGreaterThan(FLOOD / 64 - 1);
    await rm(folder, { recursive: true });
  });

  it('T6 from a command agent yields after each line', () => {
    let lines = 0;
    const reader = createLineReader(() => (lines += 1));
    let steps = 0;
    for (const _line of reader.push(Buffer.from('{"a":1}\n'.repeat(FLOOD)))) {
      steps += 1;
      expect(lines).toBe(steps);
    }
    expect(steps).toBe(FLOOD);
  });
});

const values = (count: number): string => `[${'0,'.repeat(count)}0]`;

describe('a message of many small values', () => {
  it('T6 S2-19 from an MCP server ends it before the message is read', async () => {
    const stdout = new PassThrough();
    const floods: string[] = [];
    let messages = 0;
    const transport = createStdioTransport({
      process: { stdin: new PassThrough(), stdout },
      budget: createMessageBudget(BUDGET_LIMITS),
      onFlood: (reason) => floods.push(reason),
    });
    transport.onmessage = () => (messages += 1);
    await transport.start();
    stdout.write(`{"jsonrpc":"2.0","id":1,"result":${values(200_000)}}\n`);
    await until(() => floods.length > 0);
    expect([floods, messages]).toEqual([['It sent a message of more than 100000 values.'], 0]);
  });

  it('T6 from an ACP agent ends it before the message is read', async () => {
    const stdout = new PassThrough();
    const why: string[] = [];
    const stream = guardedStream({ stdin: new PassThrough(), stdout }, STREAM_LIMITS, (reason) =>
      why.push(reason),
    );
    stdout.write(`{"jsonrpc":"2.0","id":1,"result":${values(200_000)}}\n`);
    await stream.drained;
    expect(why).toEqual(['It sent a message of more than 100000 values.']);
  });

  it('T6 from a browser ends it before the message is read', async () => {
    const from = new PassThrough();
    const pipe = createCdpPipe(new PassThrough(), from);
    let events = 0;
    pipe.on('Log.entryAdded', () => (events += 1));
    from.write(`{"method":"Log.entryAdded","params":${values(200_000)}}\0`);
    expect(await pipe.closed).toBe('it sent a message that is too large');
    expect(events).toBe(0);
  });

  it('T6 S2-53 from the server of a channel is given up before the answer is read', async () => {
    const server = createServer((_request, response) =>
      response.end(`{"ok":true,"result":${values(200_000)}}`),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const asked = callTelegram(
      {
        name: 'Phone',
        baseUrl: `http://127.0.0.1:${String(port)}`,
        token: () => Promise.resolve('1:a'),
      },
      'getUpdates',
      {},
      { timeoutMs: 600_000, signal: new AbortController().signal },
    );
    await expect(asked).rejects.toMatchObject({ code: 'CHANNEL_DOWN' });
    await new Promise((resolve) => server.close(resolve));
  });

  it('T6 from a command agent is dropped, and the next line is read', () => {
    const lines: string[] = [];
    const reader = createLineReader((line) => lines.push(line));
    for (const chunk of [values(200_000), `\n${'x'.repeat(9_000_000)}\n{"a":1}\n{"b":`, '2}'])
      for (const _line of reader.push(Buffer.from(chunk)));
    reader.end();
    expect(lines).toEqual(['{"a":1}', '{"b":2}']);
  });

  it.each([
    ['in one line', (text: string) => [`${text}\n`]],
    [
      'in parts',
      (text: string) =>
        [text.slice(0, 20_000), text.slice(20_000)].map(
          (part, at) => `${JSON.stringify({ kind: 'part', text: part, isLast: at === 1 })}\n`,
        ),
    ],
  ])('T6 S2-39 on the control socket is refused %s', (_how, linesOf) => {
    const faults: string[] = [];
    const messages: unknown[] = [];
    const reader = createFrameReader({
      maxFrameBytes: 65_536,
      maxMessageBytes: 26_000_000,
      maxValues: 20_000,
      onMessage: (message) => messages.push(message),
      onFault: (fault) => faults.push(fault),
    });
    for (const line of linesOf(values(20_001))) reader.push(Buffer.from(line));
    expect([faults, messages]).toEqual([['too_many_values'], []]);
  });

  it('T6 S2-39 in parts is refused on the control socket at the part with one too many, not at the end', () => {
    const faults: string[] = [];
    const reader = createFrameReader({
      maxFrameBytes: 65_536,
      maxMessageBytes: 26_000_000,
      maxValues: 20_000,
      onMessage: () => undefined,
      onFault: (fault) => faults.push(fault),
    });
    const part = (text: string): Buffer =>
      Buffer.from(`${JSON.stringify({ kind: 'part', text, isLast: false })}\n`);
    reader.push(part('[' + '0,'.repeat(15_000)));
    expect(faults).toEqual([]);
    reader.push(part('0,'.repeat(5_000)));
    expect(faults).toEqual(['too_many_values']);
  });

  it('T6 S2-39 of 2.4 MB of escapes is put together, read and handed on in a step each on the control socket', () => {
    const messages: unknown[] = [];
    const reader = createFrameReader({
      maxFrameBytes: 65_536,
      maxMessageBytes: 26_000_000,
      maxValues: 20_000,
      onMessage: (message) => messages.push(message),
      onFault: (fault) => messages.push(fault),
    });
    const lines = encodeMessage({ kind: 'call', text: '\u0001'.repeat(400_000) });
    for (const line of lines.slice(0, -1)) reader.push(Buffer.from(line));
    const seen: number[] = [];
    for (const _step of reader.steps(Buffer.from(lines.at(-1) ?? ''))) seen.push(messages.length);
    expect(seen).toEqual([0, 0, 1]);
    expect(messages).toHaveLength(1);
  });

  it('T6 S2-39 of 5,001 empty parts is refused on the control socket', () => {
    const faults: string[] = [];
    const reader = createFrameReader({
      maxFrameBytes: 65_536,
      maxMessageBytes: 26_000_000,
      onMessage: () => undefined,
      onFault: (fault) => faults.push(fault),
    });
    reader.push(Buffer.from('{"kind":"part","text":"","isLast":false}\n'.repeat(5_001)));
    expect(faults).toEqual(['message_too_large']);
  });
});
