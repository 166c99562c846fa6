/** What others do wrong, all in one Holdfast: each is refused in words and counted, the rest goes on. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { composeIn, createWorld, QUIET, turnIn, type World } from '../../helpers/compose-world';
import { readExposition } from '../../helpers/exposition';
import {
  createFakeProvider,
  createFakeTools,
  promptOf,
  resultsSoFar,
} from '../../helpers/fake-world';
import { nodeServer, ODD_SERVER } from '../mcp/servers-world';
import { ACP_AGENT } from '../../helpers/acp-agent-program';

let world: World;
let life: Composition | undefined;
afterEach(async () => {
  await life?.lifecycle.stop('stop');
  life = undefined;
  world.remove();
});

const app = (): Composition => {
  if (life === undefined) throw new Error('not started');
  return life;
};

async function start(config: Record<string, unknown>): Promise<void> {
  const llm = { provider: 'fake', model: 'fake-1', workspace: world.workspace };
  const acp = (mode: string) => ({
    executor: 'acp',
    command: process.execPath,
    args: [ACP_AGENT, mode],
    workspace: world.workspace,
  });
  fs.writeFileSync(
    path.join(world.dataDir, 'config.json'),
    JSON.stringify({
      agents: {
        fake: { ...llm, mcp_servers: [] },
        reader: { ...llm, mcp_servers: ['odd'] },
        drafter: { ...llm, mcp_servers: [], drafts: true },
        nonsense: acp('nonsense'),
        flood: acp('flood'),
      },
      observability: { health_port: 0, metrics_port: 0 },
      ...config,
    }),
  );
  const provider = createFakeProvider({
    dir: world.outside,
    script: (request) => {
      const call = /^call (\S+) (.*)$/s.exec(promptOf(request));
      if (call === null) return { text: 'pong' };
      if (resultsSoFar(request) === 0)
        return { calls: [{ tool: call[1] ?? '', args: JSON.parse(call[2] ?? '{}') as unknown }] };
      const last = request.messages.at(-1);
      return { text: last?.role === 'tool' ? last.content.slice(0, 500) : '' };
    },
  });
  const tools = createFakeTools({ dir: world.outside });
  life = composeIn(world, { providers: [provider], toolHosts: [tools] });
  await life.lifecycle.start();
}

async function ask(agent: string, text: string, session = agent) {
  const { turnId } = await app().holdfast.call('send', { text, agent, session }, 'test');
  await turnIn(app(), turnId, [...QUIET]);
  return app().holdfast.call('turns.show', { turnId }, 'test');
}

/** What a program that watches sees of one family. */
async function counted(name: string): Promise<Readonly<Record<string, number>>> {
  const file = path.join(world.dataDir, 'run', 'metrics.port');
  await expect.poll(() => fs.existsSync(file)).toBe(true);
  const port = fs.readFileSync(file, 'utf8').trim();
  const scrape = await fetch(`http://127.0.0.1:${port}/metrics`);
  return readExposition(await scrape.text()).all(name);
}

/** Another session, meanwhile and afterward. */
const others = async (): Promise<void> => {
  const { turn, answer } = await ask('fake', 'ping', 'other');
  expect([turn.state, answer]).toEqual(['completed', 'pong']);
};

describe('a request that cannot be carried out', () => {
  const call = (verb: string, input: object) =>
    (app().holdfast.call as (...args: unknown[]) => Promise<Record<string, unknown>>)(
      verb,
      input,
      'test',
    );
  const closed = async (run: () => Promise<void>): Promise<void> => {
    const config = path.join(world.dataDir, 'config.json');
    fs.chmodSync(config, 0o400);
    try {
      await run();
    } finally {
      fs.chmodSync(config, 0o600);
    }
  };
  const refusedWrite = {
    code: 'CONFIG_WRITE_FAILED',
    message: expect.stringContaining('the file is read-only. Nothing was changed.') as string,
  };

  it('K3 a channel that the settings file does not take leaves no key behind', async () => {
    world = createWorld();
    await start({});
    const channel = { kind: 'webhook', url: 'http://127.0.0.1:9/' };
    await closed(async () => {
      await expect(
        call('channels.add', { name: 'team', channel, key: 'k-12345678', allowPlaintext: true }),
      ).rejects.toMatchObject(refusedWrite);
    });
    expect(await call('channels.add', { name: 'team', channel })).toMatchObject({
      key: { present: false },
    });
  });

  it('K3 a provider that the settings file does not let go keeps its key, and loses it with the next try', async () => {
    world = createWorld();
    const providers = { office: { kind: 'anthropic' } };
    await start({ providers });
    const key = { name: 'office', key: 'k-12345678', allowPlaintext: true };
    expect(await call('provider.setKey', key)).toMatchObject({ key: { present: true } });
    await closed(async () => {
      await expect(call('provider.remove', { name: 'office' })).rejects.toMatchObject(refusedWrite);
    });
    const named = async () => (await call('provider.list', {}))['providers'];
    expect(await named()).toContainEqual(
      expect.objectContaining({ name: 'office', key: expect.objectContaining({ present: true }) }),
    );
    expect(await call('provider.remove', { name: 'office' })).toEqual({ name: 'office' });
    await call('provider.set', { name: 'office', provider: providers.office });
    expect(await named()).toContainEqual(
      expect.objectContaining({ name: 'office', key: expect.objectContaining({ present: false }) }),
    );
  });

  it('I1 the day line of a day at the start of 1970 is refused by its field', async () => {
    world = createWorld();
    await start({});
    for (const range of ['hour', 'day', 'week'])
      for (const untilMs of [0, 1, 86_400_000])
        await expect(call('day.line', { range, untilMs })).rejects.toMatchObject({
          code: 'INPUT_INVALID',
          message: expect.stringMatching(/^"untilMs" is less than \d+\.$/) as string,
        });
    expect(await call('day.line', { range: 'week', untilMs: 691_200_000 })).toMatchObject({
      fromMs: expect.any(Number) as number,
    });
  });
});

describe('bad input', () => {
  it('S2-19 S2-52 of skills and MCP servers: a SKILL.md with a broken head, a server that says nothing and one that floods are each named with why; the sound skill is there, other sessions go on', async () => {
    world = createWorld();
    for (const [name, text] of [
      ['sound', '---\nname: sound\ndescription: works\n---\nDo it.\n'],
      ['torn', '---\nname: torn\ndescription: [oh\n---\n'],
    ] as const) {
      fs.mkdirSync(path.join(world.dataDir, 'skills', name), { recursive: true });
      fs.writeFileSync(path.join(world.dataDir, 'skills', name, 'SKILL.md'), text);
    }
    const odd = (how: string, more = {}) =>
      nodeServer(ODD_SERVER, [how, path.join(world.outside, how)], more);
    const servers = {
      mute: odd('mute-forever', { handshake_timeout: '400ms' }),
      deluge: odd('flood-line'),
    };
    await start({ mcp: { servers } });
    await others();
    const { skills, hints } = await app().holdfast.call('skills.list', {}, 'test');
    expect(skills.map(({ name, state }) => [name, state]).sort()).toEqual([
      ['sound', 'ready'],
      ['torn', 'broken'],
    ]);
    expect(hints).toContain('1 skill cannot be read; the others work.');
    const why = async (name: string): Promise<string> => {
      const found = (await app().holdfast.call('ext.list', {}, 'test')).servers;
      return found.find((one) => one.name === name)?.reason ?? '';
    };
    await expect.poll(() => why('mute')).toContain('did not respond within 0.4 s');
    await expect.poll(() => why('deluge')).toContain('more than 8 MB');
    const { breakers } = await app().holdfast.call('breakers.list', {}, 'test');
    const failing = breakers.filter(({ failures }) => failures > 0).map(({ name }) => name);
    expect(failing.sort()).toEqual(['mcp.deluge', 'mcp.mute']);
    await others();
  });

  it('S3-29 of agents over ACP: nonsense and a message without end stop only their own turn, which waits for a person with the reason, and count as failures of the agent', async () => {
    world = createWorld();
    await start({});
    const nonsense = await ask('nonsense', 'hello');
    expect(nonsense.turn.reason).toContain('not messages');
    await others();
    const flood = await ask('flood', 'hello');
    expect(flood.turn.reason).toMatch(/more than \d+ MB|\d+ MB/);
    for (const { turn } of [nonsense, flood]) expect(turn.state).toBe('parked');
    const { decisions } = await app().holdfast.call('recovery.list', {}, 'test');
    expect(decisions).toHaveLength(2);
    const { breakers } = await app().holdfast.call('breakers.list', {}, 'test');
    const failing = breakers.filter(({ failures }) => failures > 0).map(({ name }) => name);
    expect(failing.sort()).toEqual(['agent.flood', 'agent.nonsense']);
    await others();
  });

  it('S4-+05 S3-20 of tools and drafts: a result of 5 MB is kept whole outside of the database, a path out of the workspace is told to the model and counted as its error, and nothing is written there', async () => {
    world = createWorld();
    await start({
      approvals: { mode: 'off' },
      mcp: { servers: { odd: nodeServer(ODD_SERVER, ['normal', path.join(world.outside, 'n')]) } },
    });
    const big = await ask('reader', 'call odd__big {"bytes":5000000}');
    expect(big.turn.state).toBe('completed');
    expect(fs.statSync(path.join(world.dataDir, 'holdfast.db')).size).toBeLessThan(2_000_000);
    const out = await ask('drafter', 'call write_file {"path":"../x.txt","content":"x"}');
    expect(out.answer).toContain('TOOL_OUTSIDE_WORKSPACE');
    expect(await counted('holdfast_tool_calls_total')).toMatchObject({
      'agent=drafter,outcome=error,tool=files.write_file': 1,
      'agent=reader,outcome=completed,tool=odd.big': 1,
    });
    expect(fs.existsSync(path.join(world.root, 'x.txt'))).toBe(false);
    expect((await app().holdfast.call('drafts.list', {}, 'test')).drafts).toEqual([]);
    await others();
  });

  it('S3-08 of answers: one for another request, for what was answered, of the wrong kind and to nothing is refused and on record, 5 lines; the question stays and is answered once', async () => {
    world = createWorld();
    await start({ approvals: { tools: { send_email: 'ask' } } });
    const question = async (session: string) => {
      await ask('fake', 'call send_email {"to":"mara"}', session);
      const { requests } = await app().holdfast.call('approvals.list', { session }, 'test');
      if (requests[0] === undefined) throw new Error('nothing asked');
      return requests[0];
    };
    const one = await question('one');
    const two = await question('two');
    const { call } = app().holdfast;
    const { requestId } = one;
    const refused = async (answer: Promise<unknown>, code: string): Promise<void> =>
      expect(answer).rejects.toMatchObject({ code });
    const crossed = { requestId, requestHash: two.requestHash };
    await refused(call('approvals.allow', crossed, 'test'), 'REQUEST_STALE');
    const output = { requestId, requestHash: one.requestHash, output: 'x' };
    const to = (session: string) => ({ session, ...output });
    await refused(call('session.customToolResult', to('two'), 'test'), 'REQUEST_UNKNOWN');
    await refused(call('session.customToolResult', to('one'), 'test'), 'INPUT_INVALID');
    await refused(
      call('approvals.deny', { requestId: 99_999, requestHash: one.requestHash }, 'test'),
      'REQUEST_UNKNOWN',
    );
    await others();
    const exact = { requestId, requestHash: one.requestHash };
    await call('approvals.allow', exact, 'test');
    await turnIn(app(), one.turnId, ['completed']);
    await refused(call('approvals.deny', exact, 'test'), 'REQUEST_ANSWERED');
    const { requests } = await call('approvals.list', {}, 'test');
    expect(requests).toEqual([two]);
    const audit = (): string[] =>
      fs
        .readdirSync(path.join(world.dataDir, 'audit'))
        .flatMap((file) =>
          fs.readFileSync(path.join(world.dataDir, 'audit', file), 'utf8').split('\n'),
        )
        .filter((line) => line.includes('"answer_refused"'));
    // The audit gathers its lines for a moment before it writes them.
    await expect.poll(() => audit().length).toBe(5);
    const effects = fs.readFileSync(path.join(world.outside, 'effects.log'), 'utf8').trim();
    expect(effects.split('\n')).toHaveLength(1);
  });
});
