import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../electron/ports/provider';
import type { AttemptState } from '../../../electron/ports/attempts';
import type { McpServerSettings } from '../../../shared/settings/mcp';
import {
  createServersWorld,
  FAST,
  isAlive,
  nodeServer,
  ODD_SERVER,
  pidOf,
  realServer,
  waitFor,
  type ServersWorld,
} from './servers-world';
import { freePort } from '../../helpers/nats-server';
import { SLACK } from '../../helpers/slack';

let worlds: ServersWorld[] = [];
afterEach(async () => {
  await Promise.all(worlds.map((made) => made.end()));
  worlds = [];
});

function world(
  settings: Record<string, McpServerSettings>,
  options?: Parameters<typeof createServersWorld>[1],
): ServersWorld {
  const made = createServersWorld(settings, options);
  worlds.push(made);
  return made;
}

/** An odd server that writes its notes, unless it is quiet, into the world's folder. */
function odd(
  how = 'normal',
  more: Partial<McpServerSettings> = {},
  options = {},
  isQuiet = false,
): ServersWorld {
  const made = world({}, options);
  const args = isQuiet ? [how] : [how, made.notes];
  made.current.settings = { odd: nodeServer(ODD_SERVER, args, more) };
  return made;
}

async function started(made: ServersWorld, name = 'odd'): Promise<ServersWorld> {
  await made.servers.reconcile();
  made.servers.startAll();
  await made.until(name, 'running');
  return made;
}

/** The processes that an odd server has told of: itself and what it started. */
const pidsIn = (made: ServersWorld): number[] =>
  made
    .noted()
    .filter((line) => /^(start|child) /.test(line))
    .map((line) => Number(line.split(' ')[1]));

describe('real servers', () => {
  it('S4-32 S2-19 every tool of the three reference servers has a class by its hints; killed in a call each is unknown or may be tried again by that class, and comes back', async () => {
    const made = world(
      {
        fs: nodeServer(realServer('filesystem'), ['/tmp']),
        memory: nodeServer(realServer('memory')),
        all: nodeServer(realServer('everything')),
      },
      { respawn: FAST },
    );
    made.servers.startAll();
    for (const name of ['fs', 'memory', 'all']) await made.until(name, 'running');
    const purities = (name: string) =>
      Object.fromEntries(
        made
          .need(name)
          .host.tools()
          .map((tool) => [tool.name, tool.purity ?? 'unknown']),
      );
    expect(purities('fs')).toMatchObject({
      read_text_file: 'world',
      write_file: 'external',
      list_directory: 'world',
    });
    expect(purities('memory')).toMatchObject({ read_graph: 'world', delete_entities: 'external' });
    const wipe = made
      .need('memory')
      .host.tools()
      .find((tool) => tool.name === 'delete_entities');
    expect(wipe).toMatchObject({ isIdempotent: true, isProposedForGate: true });
    expect(Object.keys(purities('all')).length).toBeGreaterThan(5);

    const file = join(made.dir, 'a.txt');
    const killedIn = async (name: string, tool: string, args: JsonValue) => {
      const pid = pidOf(made.need(name).state());
      // It has the call, and never comes to it.
      process.kill(pid, 'SIGSTOP');
      const calling = made.call(name, tool, args);
      await new Promise((resolve) => setImmediate(resolve));
      process.kill(pid, 'SIGKILL');
      const outcome = await calling;
      expect(pidOf(await made.until(name, 'running'))).not.toBe(pid);
      return outcome;
    };
    const entity = { name: 'a', entityType: 'b', observations: ['c'] };
    expect(
      await Promise.all([
        killedIn('fs', 'write_file', { path: file, content: 'x' }),
        killedIn('memory', 'create_entities', { entities: [entity] }),
        killedIn('all', 'trigger-long-running-operation', { duration: 60, steps: 1 }),
      ]),
    ).toMatchObject([
      { kind: 'unknown' },
      { kind: 'unknown' },
      { kind: 'failed', isRetryable: true },
    ]);
    expect(existsSync(file)).toBe(false);
    expect(await made.call('all', 'get-sum', { a: 1, b: 2 })).toMatchObject({ kind: 'result' });
  });

  it('S4-32 the operator has the last word on a class', async () => {
    const made = world({
      fs: nodeServer(realServer('filesystem'), ['/tmp'], { purity: { write_file: 'side_effect' } }),
    });
    made.servers.startAll();
    await made.until('fs', 'running');
    const write = made
      .need('fs')
      .host.tools()
      .find((tool) => tool.name === 'write_file');
    expect(write?.purity).toBe('side_effect');
    expect(write?.isIdempotent).toBeUndefined();
  });

  it('reads and writes through server-filesystem; a tool that says no has finished', async () => {
    const made = world({});
    const folder = join(made.dir, 'work');
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.txt'), 'kept');
    made.current.settings = { fs: nodeServer(realServer('filesystem'), [folder]) };
    await started(made, 'fs');
    const read = await made.call('fs', 'read_text_file', { path: join(folder, 'a.txt') });
    expect(read).toEqual({ kind: 'result', content: 'kept', isError: false });
    const path = join(folder, 'b.txt');
    expect(await made.call('fs', 'write_file', { path, content: 'new' })).toMatchObject({
      kind: 'result',
      isError: false,
    });
    expect(readFileSync(path, 'utf8')).toBe('new');
    const outside = await made.call('fs', 'read_text_file', { path: '/etc/hostname' });
    expect(outside).toMatchObject({ kind: 'result', isError: true });
  });
});

describe('a server that ends', () => {
  it('S2-19 killed in the middle of an effect: unknown, started again, not sent again', async () => {
    const made = await started(odd('normal', {}, { respawn: FAST }));
    const pid = pidOf(made.need('odd').state());
    const calling = made.call('odd', 'work', { ms: 10_000 });
    await waitFor(() => made.noted().some((line) => line.startsWith('call work')));
    process.kill(pid, 'SIGKILL');
    const outcome = await calling;
    expect(outcome).toMatchObject({ kind: 'unknown' });
    expect(outcome.kind === 'unknown' && outcome.message).toContain('SIGKILL');
    await made.until('odd', 'running');
    expect(pidOf(made.need('odd').state())).not.toBe(pid);
    expect(await made.call('odd', 'look')).toMatchObject({ kind: 'result', content: 'look ok' });
    expect(made.noted().filter((line) => line.startsWith('call work'))).toHaveLength(1);
  });

  it('S2-19 killed in the middle of a read: failed, may be tried again', async () => {
    const made = await started(odd('normal', { purity: { work: 'world' } }, { respawn: FAST }));
    const calling = made.call('odd', 'work', { ms: 10_000 });
    await waitFor(() => made.noted().some((line) => line.startsWith('call work')));
    process.kill(pidOf(made.need('odd').state()), 'SIGKILL');
    expect(await calling).toMatchObject({ kind: 'failed', isRetryable: true });
  });

  it('S2-19 killed six times it has failed: tools withdrawn with the reason; a person restarts it', async () => {
    const made = await started(odd('normal', {}, { respawn: FAST }));
    for (let time = 1; time <= 6; time += 1) {
      const state = await made.until('odd', 'running');
      expect(made.need('odd').host.tools().length).toBeGreaterThan(3);
      process.kill(pidOf(state), 'SIGKILL');
      await waitFor(() => made.need('odd').state() !== state);
    }
    const failed = await made.until('odd', 'failed');
    expect(failed).toMatchObject({ reason: expect.stringContaining('restarted 5 times') });
    expect(made.need('odd').host.tools()).toEqual([]);
    expect(made.need('odd').host.whyAbsent?.('odd__work')).toContain('has failed');
    expect(await made.call('odd', 'work')).toMatchObject({ kind: 'failed' });
    await made.need('odd').restart();
    await made.until('odd', 'running');
    expect(await made.call('odd', 'look')).toMatchObject({ kind: 'result' });
  });

  it('S2-19 S2-51 counts restarts on over a restart of Holdfast: 3 before and 2 after it, then failed at once in the next; a person restarts it, another set-up begins at 0', async () => {
    const kill = async (made: ServersWorld, times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        const state = await made.until('odd', 'running');
        process.kill(pidOf(state), 'SIGKILL');
        await waitFor(() => made.need('odd').state() !== state);
      }
    };
    const attempts = new Map<string, AttemptState>();
    const start = async (more: Partial<McpServerSettings> = {}): Promise<ServersWorld> => {
      const made = odd('normal', more, { respawn: FAST, attempts }, true);
      await made.servers.reconcile();
      made.servers.startAll();
      return made;
    };
    const first = await start();
    await kill(first, 3);
    await first.until('odd', 'running');
    await first.servers.stop(500);
    expect(attempts.get('odd')).toMatchObject({ streak: 3 });
    const second = await start();
    await kill(second, 3);
    const reason = expect.stringContaining('restarted 5 times') as string;
    expect(await second.until('odd', 'failed')).toMatchObject({ reason });
    await second.servers.stop(500);
    const third = await start();
    expect(await third.until('odd', 'failed')).toMatchObject({ reason });
    await (await start({ call_timeout: '20s' })).until('odd', 'running');
    await third.need('odd').restart();
    await third.until('odd', 'running');
    expect(attempts.size).toBe(0);
  });

  it.each([
    ['no list of parts', { content: 'done' }],
    ['parts without a kind', { content: [{ text: 'done' }] }],
    ['a part that is none', { content: [null] }],
  ])(
    'S2-19 a result with %s: unknown for an effect, failed for a read, counted by its breaker; the server stays',
    async (_what, result) => {
      const made = await started(odd());
      const message = 'Its response is not a tool result and cannot be read.';
      expect(await made.call('odd', 'work-raw', { result })).toEqual({ kind: 'unknown', message });
      expect(await made.call('odd', 'look-raw', { result })).toEqual({
        kind: 'failed',
        message,
        isRetryable: true,
      });
      expect(made.noted().filter((line) => line.startsWith('did '))).toHaveLength(2);
      expect(made.breakers.list().map(({ failures }) => failures)).toEqual([2]);
      expect(await made.call('odd', 'look', {})).toMatchObject({ kind: 'result' });
    },
  );

  it.each([
    [
      'a kind of part that is not known yet',
      { content: [{ type: 'hologram' }] },
      '[hologram, not shown]',
      false,
    ],
    ['more than is known', { content: [{ type: 'text', text: 'ok', more: 1 }], x: 1 }, 'ok', false],
    [
      'an error that is not true or false',
      { content: [{ type: 'text', text: 'ok' }], isError: 'no' },
      'ok',
      false,
    ],
    [
      'a picture without data',
      { content: [{ type: 'image' }], isError: true },
      '[image , 0 bytes, not shown]',
      true,
    ],
    ['nothing', {}, '', false],
  ])('S2-19 a result with %s is one', async (_what, result, content, isError) => {
    const made = await started(odd());
    const end = { kind: 'result', content, isError };
    expect(await made.call('odd', 'work-raw', { result })).toEqual(end);
  });

  it('S2-19 a call between two lives waits for the next one', async () => {
    const made = await started(
      odd('normal', {}, { respawn: { windowMs: 300_000, backoffMs: [300] } }),
    );
    process.kill(pidOf(made.need('odd').state()), 'SIGKILL');
    await made.until('odd', 'restarting');
    expect(await made.call('odd', 'look')).toMatchObject({ kind: 'result', content: 'look ok' });
  });

  it('S2-19 dies while it begins: the reason carries its last words', async () => {
    const made = odd('dies', {}, { respawn: { windowMs: 300_000, backoffMs: [10] } });
    await made.servers.reconcile();
    made.servers.startAll();
    const state = await made.until('odd', 'failed');
    expect(state).toMatchObject({
      reason: expect.stringMatching(/exit code 7.*no such database/),
    });
    expect(made.noted().filter((line) => line.startsWith('start'))).toHaveLength(2);
  });

  it('S2-19 an answer that does not come: timeout is unknown for an effect, progress extends it', async () => {
    const made = await started(odd('normal', { call_timeout: '1500ms' }));
    expect(await made.call('odd', 'work', { ms: 4_000, progress: true })).toMatchObject({
      kind: 'result',
    });
    const late = await made.call('odd', 'work', { ms: 60_000 });
    expect(late).toMatchObject({ kind: 'unknown', message: 'There was no response within 1.5 s.' });
    expect(await made.call('odd', 'look')).toMatchObject({ kind: 'result' });
  });

  it.each(['6h', '30d', '52w'])(
    'S2-19 a timeout of %s, with progress 120 times that, waits for an answer of 300 ms',
    async (timeout) => {
      const made = await started(
        odd('normal', { call_timeout: timeout, handshake_timeout: timeout }),
      );
      expect(await made.call('odd', 'work', { ms: 300, progress: true })).toMatchObject({
        kind: 'result',
      });
    },
  );

  it('S2-19 progress extends an answer to 120 times the timeout: then its outcome is unknown, and the server is told', async () => {
    const made = await started(odd('normal', { call_timeout: '250ms' }));
    const startedAtMs = Date.now();
    const late = await made.call('odd', 'work', { ms: 600_000, every: 20, progress: true });
    expect(late).toMatchObject({
      kind: 'unknown',
      message: 'There was only progress for 30 s, and no result.',
    });
    expect(Date.now() - startedAtMs).toBeGreaterThanOrEqual(29_900);
    await waitFor(() => made.noted().some((line) => line.startsWith('cancelled')));
    expect(await made.call('odd', 'look')).toMatchObject({ kind: 'result' });
  }, 120_000);

  it('a stopped call tells the server so', async () => {
    const made = await started(odd());
    const stop = new AbortController();
    const calling = made.call('odd', 'work', { ms: 5_000 }, stop.signal);
    await waitFor(() => made.noted().some((line) => line.startsWith('call work')));
    stop.abort(new Error('stopped'));
    expect(await calling).toMatchObject({ kind: 'unknown' });
    await waitFor(() => made.noted().some((line) => line.startsWith('cancelled')));
  });
});

describe('a server that is reached by its address', () => {
  /** server-everything over streamable HTTP on a free port of this computer. */
  async function remote(port: number): Promise<{ readonly end: () => Promise<void> }> {
    const child = spawn(process.execPath, [realServer('everything'), 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await waitFor(() => /listening|running|started/i.test(said), 60_000);
    return {
      end: async () => {
        const gone = once(child, 'exit');
        child.kill('SIGKILL');
        await gone;
      },
    };
  }

  it('S2-19 works over streamable HTTP; gone, it is looked for again, and found', async () => {
    const port = await freePort();
    let server = await remote(port);
    try {
      const url = `http://127.0.0.1:${String(port)}/mcp`;
      const made = world(
        { all: { url, headers_env: { 'X-Key': 'REMOTE_TOKEN' } } },
        {
          env: { REMOTE_TOKEN: 'remote-secret' },
          // The server's own start may take long beside other suites.
          respawn: {
            windowMs: 300_000,
            backoffMs: [100, 400, 1_600, ...Array.from({ length: 30 }, () => 3_000)],
          },
        },
      );
      made.servers.startAll();
      await made.until('all', 'running');
      expect(made.learned).toEqual(['remote-secret']);
      expect(await made.call('all', 'echo', { message: 'hello' })).toMatchObject({
        kind: 'result',
        content: expect.stringContaining('hello'),
      });
      await server.end();
      expect(await made.call('all', 'echo', { message: 'anybody' })).toMatchObject({
        kind: 'failed',
        isRetryable: true,
      });
      expect(made.need('all').state().kind).not.toBe('running');
      server = await remote(port);
      await made.until('all', 'running');
      // The whole answer, so that a failure says why.
      expect(await made.call('all', 'echo', { message: 'again' })).toEqual(
        expect.objectContaining({ kind: 'result' }),
      );
    } finally {
      await server.end();
    }
  });

  it('S2-19 S2-10 its breaker open after 6 failed starts, a server that is up at last is called at once: its handshake is the first success', async () => {
    const port = await freePort();
    const made = world(
      { all: { url: `http://127.0.0.1:${String(port)}/mcp` } },
      {
        respawn: {
          windowMs: 300_000,
          backoffMs: Array.from({ length: 40 }, (_, at) => (at < 6 ? 10 : 3_000)),
        },
      },
    );
    made.servers.startAll();
    const breaker = made.breakers.of('mcp.all', 'mcp');
    await waitFor(() => breaker.view().state === 'open', 60_000);
    const server = await remote(port);
    try {
      await made.until('all', 'running');
      expect(await made.call('all', 'echo', { message: 'hello' })).toEqual(
        expect.objectContaining({ kind: 'result' }),
      );
    } finally {
      await server.end();
    }
  });

  it('S2-52 is skipped where the variable of a header is not set', async () => {
    const made = world({ all: { url: 'https://a.example/mcp', headers_env: { Key: 'NO_SUCH' } } });
    made.servers.startAll();
    expect(await made.until('all', 'skipped')).toMatchObject({ reason: 'NO_SUCH is not set.' });
  });
});

describe('a server that wants a login', () => {
  /** A door in front of server-everything that opens for one key, as a server with OAuth does. */
  async function guarded(): Promise<{
    url: string;
    asked: string[];
    key: string;
    end: () => void;
  }> {
    const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
    const { StreamableHTTPServerTransport } =
      await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
    const door = { asked: [] as string[], key: 'Bearer good' };
    const server = createServer((request, response) => {
      door.asked.push(String(request.headers.authorization ?? 'nothing'));
      if (request.headers.authorization !== door.key) {
        response.writeHead(401, {
          'www-authenticate':
            'Bearer realm="x", resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource"',
        });
        response.end('{"error":"invalid_token"}');
        return;
      }
      const mcp = new McpServer({ name: 'guarded', version: '1' });
      mcp.registerTool('hello', { description: 'says hello' }, () => ({
        content: [{ type: 'text', text: 'hello' }],
      }));
      // Without sessions: each request stands for itself.
      const transport = new StreamableHTTPServerTransport();
      void mcp
        .connect(transport as Parameters<typeof mcp.connect>[0])
        .then(() => transport.handleRequest(request, response));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return Object.assign(door, {
      url: `http://127.0.0.1:${String(port)}/mcp`,
      end: () => {
        server.closeAllConnections();
        server.close();
      },
    });
  }

  it('S2-52 without a key it has failed at once, says where one goes, and is asked once', async () => {
    const door = await guarded();
    try {
      const made = world({ team: { url: door.url } });
      made.servers.startAll();
      const state = await made.until('team', 'failed');
      expect(state).toEqual({
        kind: 'failed',
        reason: expect.stringMatching(
          /^It needs OAuth or a token \(HTTP 401, Bearer\), .*headers_env.*then restart the server\.$/,
        ) as string,
      });
      expect(door.asked).toEqual(['nothing']);
      expect(made.breakers.list().filter((one) => one.state !== 'closed')).toEqual([]);
    } finally {
      door.end();
    }
  });

  it('S2-52 names the header of a key that is refused, works with a good one, and says so when that ends', async () => {
    const door = await guarded();
    try {
      const made = world(
        { team: { url: door.url, headers_env: { Authorization: 'TEAM_AUTH' } } },
        { env: { TEAM_AUTH: 'Bearer old-secret' }, respawn: FAST },
      );
      made.servers.startAll();
      const refused = await made.until('team', 'failed');
      expect(JSON.stringify(refused)).toContain('that headers_env sends as Authorization');
      expect(JSON.stringify([refused, made.logged])).not.toContain('old-secret');
      made.own['TEAM_AUTH'] = 'Bearer good';
      await made.need('team').restart();
      await made.until('team', 'running');
      expect(await made.call('team', 'hello', {})).toMatchObject({
        kind: 'result',
        content: 'hello',
      });
      door.key = 'Bearer newer';
      expect(await made.call('team', 'hello', {})).toMatchObject({
        kind: 'failed',
        isRetryable: false,
        message: expect.stringContaining('rejected the API key') as string,
      });
      await made.until('team', 'failed');
    } finally {
      door.end();
    }
  });
});

describe('a server that misbehaves', () => {
  it('S2-19 never answers: killed with all it has started, after its handshake time', async () => {
    const made = odd(
      'mute-forever',
      { handshake_timeout: '3s' },
      { respawn: { windowMs: 1, backoffMs: [] } },
    );
    await made.servers.reconcile();
    made.servers.startAll();
    const state = await made.until('odd', 'failed');
    expect(state).toMatchObject({
      reason: expect.stringContaining(
        'It did not respond within 3 s. If it needs longer, for example to be downloaded first, set "handshake_timeout" of this server to more, such as "60s".',
      ),
    });
    const pids = pidsIn(made);
    expect(pids).toHaveLength(2);
    await waitFor(() => pids.every((pid) => !isAlive(pid)));
  });

  it('S2-19 leaves no orphan when the process exits in the middle of the handshake', async () => {
    const made = odd('mute-forever');
    const program = `
      import { startServerProcess } from ${JSON.stringify(join(import.meta.dirname, '../../../electron/adapters/mcp/server-process.ts'))};
      await startServerProcess({ command: process.execPath, args: [${JSON.stringify(ODD_SERVER)}, 'mute-forever', ${JSON.stringify(made.notes)}], cwd: '/', env: {}, onErrorLine() {} });
      const { existsSync, readFileSync } = await import('node:fs');
      while (!existsSync(${JSON.stringify(made.notes)}) || !readFileSync(${JSON.stringify(made.notes)}, 'utf8').includes('child')) await new Promise((r) => setTimeout(r, 20));
      process.exit(0);`;
    const bundle = join(made.dir, 'exits.mjs');
    const { build } = await import('vite');
    const source = join(made.dir, 'source.mjs');
    writeFileSync(source, program);
    await build({
      configFile: false,
      logLevel: 'error',
      root: made.dir,
      ssr: { noExternal: true },
      build: {
        ssr: source,
        outDir: made.dir,
        emptyOutDir: false,
        minify: false,
        rolldownOptions: { output: { format: 'esm', entryFileNames: 'exits.mjs' } },
      },
    });
    const child = spawn(process.execPath, [bundle], { stdio: 'ignore' });
    const code = await new Promise((resolve) => child.on('exit', resolve));
    expect(code).toBe(0);
    const pids = pidsIn(made);
    expect(pids).toHaveLength(2);
    await waitFor(() => pids.every((pid) => !isAlive(pid)));
  });

  it.each([
    ['flood-line', /message of more than 8 MB/],
    ['flood-lines', /more than (20000 messages|64 MB)/],
  ])('S2-19 %s: ended with a clear reason', async (how, reason) => {
    // All that it writes is read first.
    const patient = { handshake_timeout: '60s' };
    const made = odd(how, patient, { respawn: { windowMs: 1, backoffMs: [] } });
    await made.servers.reconcile();
    made.servers.startAll();
    const state = await made.until('odd', 'failed');
    expect(state).toMatchObject({ reason: expect.stringMatching(reason) });
    const pid = Number(made.noted()[0]?.split(' ')[1]);
    await waitFor(() => !isAlive(pid));
  });

  it('S2-19 one that describes 3 of its 12 tools badly works with the 9 others and says so; one whose words nobody can read has failed, in one sentence', async () => {
    const made = world({}, { respawn: { windowMs: 1, backoffMs: [] } });
    const ways = ['odd-tools', 'no-tools', 'odd-hello', 'refuses'];
    made.current.settings = Object.fromEntries(
      ways.map((how) => [how, nodeServer(ODD_SERVER, [how])]),
    );
    await made.servers.reconcile();
    made.servers.startAll();
    expect(await made.until('odd-tools', 'running')).toMatchObject({
      tools: 9,
      reason: expect.stringMatching(/^3 of its 12 tools are left out: /) as string,
    });
    expect(await made.call('odd-tools', 'bare')).toMatchObject({ content: 'bare ok' });
    const reasonOf = async (how: string) => {
      const state = await made.until(how, 'failed');
      return state.kind === 'failed' ? state.reason : '';
    };
    expect(await reasonOf('no-tools')).toMatch(
      /^It did not list its tools\. Its answer cannot be read\./,
    );
    expect(await reasonOf('odd-hello')).toMatch(/^Its first response does not follow the protocol/);
    expect(await reasonOf('refuses')).toMatch(/^It refused to start: .*not today\./);
  });

  it('tools that come while it begins, and those that come and go while it runs, are those on offer', async () => {
    const made = await started(odd('late-tools'));
    const offered = (): readonly string[] =>
      made
        .need('odd')
        .host.tools()
        .map((tool) => tool.name);
    await waitFor(() => offered().includes('late'));
    await made.call('odd', 'late');
    await waitFor(() => offered().includes('grown'));
    expect(offered()).toEqual(['grown']);
  });

  it('a result of 5 MB comes through whole', async () => {
    const made = await started(odd());
    const outcome = await made.call('odd', 'big', { bytes: 5_000_000 });
    expect(outcome.kind === 'result' && outcome.content.length).toBe(5_000_000);
  });
});

describe('what a server is given', () => {
  it('S2-+05 no secrets but the declared ones, our markers, and values of its own', async () => {
    const made = odd(
      'normal',
      { env: { MAIL_TOKEN: true, LEVEL: 'debug' } },
      { env: { MAIL_TOKEN: 'declared-token', OTHER_TOKEN: 'hidden-token', PLAIN: 'yes' } },
    );
    await started(made);
    const outcome = await made.call('odd', 'env');
    const env = JSON.parse(outcome.kind === 'result' ? outcome.content : '{}') as Record<
      string,
      string
    >;
    expect(env).toMatchObject({
      MAIL_TOKEN: 'declared-token',
      LEVEL: 'debug',
      PLAIN: 'yes',
      HOLDFAST_INSTANCE: 'test-instance',
      HOLDFAST_RUN: 'test-run',
      HOLDFAST_MCP_SERVER: 'odd',
    });
    expect(env['OTHER_TOKEN']).toBeUndefined();
    expect(made.learned).toContain('declared-token');
  });

  it('offers its idempotency key, and its standard error goes to the log', async () => {
    const made = await started(odd());
    await made.call('odd', 'look');
    expect(made.noted()).toContain('call look {} key-1');
    expect(made.logged).toContainEqual({
      event: 'mcp.stderr',
      facts: { server: 'odd', line: 'odd server begins' },
    });
  });

  it('S2-52 an unset variable skips it and names it; once it is there a restart finds it', async () => {
    const made = odd('normal', { requires: { env: ['FOO'] } });
    await made.servers.reconcile();
    made.servers.startAll();
    const state = await made.until('odd', 'skipped');
    expect(state).toEqual({ kind: 'skipped', reason: 'FOO is not set.' });
    expect(made.need('odd').host.tools()).toEqual([]);
    expect(made.noted()).toEqual([]);
    made.own['FOO'] = '';
    await made.need('odd').restart();
    await made.until('odd', 'skipped');
    made.own['FOO'] = 'here';
    await made.servers.reconcile();
    await made.until('odd', 'running');
    expect(made.need('odd').host.tools().length).toBeGreaterThan(0);
  });
});

describe('settings that change, and the stop', () => {
  it('starts what is new, stops what is gone, restarts what changed, leaves the rest alone', async () => {
    const made = await started(odd());
    const pid = pidOf(made.need('odd').state());
    const host = made.servers.hosts()[0];
    const { odd: same } = made.current.settings;
    if (same === undefined) throw new Error('no settings');
    made.current.settings = { odd: same, second: nodeServer(ODD_SERVER) };
    await made.servers.reconcile();
    await made.until('second', 'running');
    expect(pidOf(made.need('odd').state())).toBe(pid);
    expect(made.servers.hosts()[0]).toBe(host);
    made.current.settings = { odd: { ...same, enabled: false } };
    await made.servers.reconcile();
    await made.until('odd', 'disabled');
    expect(made.servers.find('second')).toBeUndefined();
    expect(isAlive(pid)).toBe(false);
  });

  it('S2-49 a call in hand and a server that takes 3 s to leave both come to their end', async () => {
    const made = odd('normal', { env: { LEAVE_AFTER_MS: '3000' } });
    await started(made);
    const pid = pidOf(made.need('odd').state());
    const calling = made.call('odd', 'work', { ms: 300 });
    await waitFor(() => made.noted().some((line) => line.startsWith('call work')));
    const fromMs = performance.now();
    await made.servers.stop(4_500);
    expect(await calling).toMatchObject({ kind: 'result', content: 'worked' });
    expect(made.noted().slice(-2)).toEqual(['input closed', 'left']);
    expect(isAlive(pid)).toBe(false);
    expect(performance.now() - fromMs).toBeLessThan(6_000 * SLACK);
  });

  it('S2-49 one that ignores every word is gone after the grace', async () => {
    const made = odd('mute-forever', { handshake_timeout: '30s' });
    await made.servers.reconcile();
    made.servers.startAll();
    await waitFor(() => made.noted().length === 2);
    await made.servers.stop(300);
    const pids = pidsIn(made);
    await waitFor(() => pids.every((pid) => !isAlive(pid)));
  });
});
