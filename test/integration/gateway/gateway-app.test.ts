/** The gateway of a whole Holdfast: its settings, its place on disk, its end. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openForDecision } from '../../../electron/offline/open-data';
import { resetData } from '../../../electron/offline/reset-data';
import type { Composition } from '../../../electron/compose/options';
import { clientToken } from '../../helpers/client-token';
import {
  composeIn,
  createWorld,
  turnIn,
  writeConfig,
  type World,
} from '../../helpers/compose-world';
import type { Verb, VerbInput } from '../../../shared/contract';
import { startFakeProvider, type FakeProvider } from '../../helpers/fake-provider';
import { builtProgram } from '../../helpers/built-program';

let world: World;
let provider: FakeProvider;
let app: Composition | undefined;
beforeEach(async () => {
  world = createWorld();
  provider = await startFakeProvider({
    script: () => ({ text: 'hello', usage: { inputTokens: 1_000, outputTokens: 500 } }),
  });
  configure({});
});
afterEach(async () => {
  await app?.lifecycle.stop('stop');
  app = undefined;
  await provider.stop();
  world.remove();
});

function configure(gateway: Record<string, unknown>, more: Record<string, unknown> = {}): void {
  writeConfig(world, {
    observability: { enabled: false },
    gateway: { enabled: true, port: 0, ...gateway },
    providers: {
      claude: {
        kind: 'anthropic',
        base_url: provider.baseUrl('anthropic'),
        price_input_per_million_usd: 10,
        price_output_per_million_usd: 20,
      },
    },
    ...more,
  });
}
async function startApp(): Promise<Composition> {
  app = composeIn(world);
  await app.lifecycle.start();
  const { holdfast } = app;
  await expect
    .poll(async () => (await holdfast.call('gateway.status', {}, 'test')).state)
    .toBe('listening');
  return app;
}
const status = (of: Composition) => of.holdfast.call('gateway.status', {}, 'test');
const token = (): string =>
  fs.readFileSync(path.join(world.dataDir, 'gateway.token'), 'utf8').trim();
const ask = (baseUrl: string, text = 'hi', key = token()) =>
  fetch(`${baseUrl}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: JSON.stringify({
      model: 'm',
      max_tokens: 5,
      temperature: 0,
      stream: true,
      messages: [text],
    }),
  });

describe('the gateway of a running Holdfast', () => {
  it('is off by default: nothing listens and there is no token', async () => {
    writeConfig(world, { observability: { enabled: false } });
    app = composeIn(world);
    await app.lifecycle.start();
    expect(await status(app)).toMatchObject({ state: 'off', providers: [] });
    expect(app.holdfast.status().ports).toBeUndefined();
    expect(fs.existsSync(path.join(world.dataDir, 'gateway.token'))).toBe(false);
  });

  it('S0-38 answers, and counts what it took by provider and day, over a restart', async () => {
    const first = await startApp();
    const { providers, port } = await status(first);
    expect(first.holdfast.status().ports).toMatchObject({ gateway: port });
    const answer = await ask(providers[0]?.baseUrl ?? '');
    expect(await answer.text()).toContain('message_stop');
    const used = async (of: Composition) =>
      (await of.holdfast.call('usage.list', {}, 'test')).lines;
    const line = {
      provider: 'claude',
      source: 'gateway',
      count: 1,
      remembered: 0,
      inputTokens: 1_000,
      outputTokens: 500,
      costUsd: 0.02,
    };
    await expect.poll(() => used(first)).toMatchObject([line]);
    expect((await status(first)).providers[0]).toMatchObject({
      spentTodayUsd: 0.02,
      hasPrices: true,
    });
    const before = token();
    await first.lifecycle.stop('stop');
    const second = await startApp();
    expect(await used(second)).toMatchObject([line]);
    // The token stands in the settings of agents: it is the same as before.
    expect(token()).toBe(before);
  });

  it('S0-38 tells an agent that asks the same twice in one turn the same answer, unpaid, and asks anew for its next turn', async () => {
    const asker = path.join(world.outside, 'asker.mjs');
    fs.writeFileSync(
      asker,
      `import { readFileSync } from 'node:fs';
       const of = (name) => readFileSync(${JSON.stringify(world.dataDir)} + name, 'utf8').trim();
       const body = JSON.stringify({ model: 'm', max_tokens: 5, temperature: 0, stream: true, messages: ['mail?'] });
       for (let time = 0; time < 2; time += 1) {
         const url = 'http://127.0.0.1:' + of('/run/gateway.port') + '/p/claude/v1/messages';
         const headers = { 'x-api-key': of('/gateway.token') };
         const answer = await fetch(url, { method: 'POST', headers, body });
         console.log(answer.status, (await answer.text()).includes('hello'));
       }`,
    );
    const { execPath: command } = process;
    const agent = { executor: 'command', command, args: [asker], workspace: world.workspace };
    configure({}, { agents: { asker: agent } });
    const asking = await startApp();
    for (const asked of [1, 2]) {
      const { turnId } = await asking.holdfast.call(
        'send',
        { agent: 'asker', text: 'look' },
        'test',
      );
      await turnIn(asking, turnId, ['completed']);
      const { answer } = await asking.holdfast.call('turns.show', { turnId }, 'test');
      expect(answer).toContain('200 true\n200 true');
      expect(provider.requests).toHaveLength(asked);
    }
  });

  it('S0-38 gives clients tokens of their own, counts each by its name, and takes a token away while nothing runs', async () => {
    const first = await startApp();
    const { holdfast } = first;
    const call = async <V extends Verb>(verb: V, input: VerbInput<V>, of = holdfast) =>
      of.call(verb, input, 'test');
    const { token: laptop, tokenHash } = clientToken();
    await call('gateway.addClient', { name: 'laptop', tokenHash });
    for (const [name, code] of [
      ['laptop', 'GATEWAY_CLIENT_EXISTS'],
      ['default', 'GATEWAY_CLIENT_EXISTS'],
      ['no name', 'INPUT_INVALID'],
    ] as const)
      await expect(call('gateway.addClient', { name, tokenHash })).rejects.toMatchObject({ code });
    await expect(call('gateway.revokeClient', { name: 'nobody' })).rejects.toMatchObject({
      code: 'GATEWAY_CLIENT_UNKNOWN',
    });
    const baseUrlOf = async (of: Composition) => (await status(of)).providers[0]?.baseUrl ?? '';
    const asLaptop = async (of: Composition) => ask(await baseUrlOf(of), 'hi', laptop);
    expect(await (await asLaptop(first)).text()).toContain('message_stop');
    const line = { client: 'laptop', count: 1, inputTokens: 1_000, costUsd: 0.02 };
    const used = async (of = holdfast) => (await call('usage.list', {}, of)).lines;
    await expect.poll(() => used()).toMatchObject([line]);
    expect((await call('gateway.clients', {})).clients).toMatchObject([
      { name: 'default' },
      { name: 'laptop', addedAtMs: expect.any(Number), lastAnswerAtMs: expect.any(Number) },
    ]);
    expect((await status(first)).providers[0]?.spentTodayUsd).toBe(0.02);
    await first.lifecycle.stop('stop');
    const written = spawnSync('grep', ['-rl', laptop, world.dataDir], { encoding: 'utf8' });
    expect(written.stdout).toBe('');

    const stopped = await openForDecision(world.dataDir);
    const before = token();
    await call('gateway.revokeClient', { name: 'laptop' }, stopped.holdfast);
    expect(await call('gateway.revokeClient', { name: 'default' }, stopped.holdfast)).toEqual({
      name: 'default',
      isReplaced: true,
    });
    const phone = clientToken();
    await call(
      'gateway.addClient',
      { name: 'phone', tokenHash: phone.tokenHash },
      stopped.holdfast,
    );
    await stopped.close();
    expect(token()).not.toBe(before);
    // A reset empties the sums of the work; whoever has a token keeps it.
    const second = await startApp();
    expect((await asLaptop(second)).status).toBe(401);
    expect(await used(second.holdfast)).toMatchObject([line]);
    await second.lifecycle.stop('stop');
    await resetData(world.dataDir);
    const third = await startApp();
    expect((await ask(await baseUrlOf(third), 'hi', phone.token)).status).toBe(200);
    expect((await asLaptop(third)).status).toBe(401);
  });

  it('BU-01 counts requests of clients in budgets by provider and account, refuses the next with the reason, tells it once, and lets it go when more is allowed', async () => {
    const spec = {
      kind: 'anthropic',
      base_url: provider.baseUrl('anthropic'),
      account: 'acme',
      price_input_per_million_usd: 10,
      price_output_per_million_usd: 20,
    };
    configure(
      {},
      {
        providers: { claude: spec, other: spec },
        budgets: {
          caps: {
            shared: { scope: 'account', of: 'acme', per: 'day', usd: 0.02 },
            mine: { scope: 'provider', per: 'day', usd: 5 },
            people: { scope: 'agent', per: 'day', usd: 5 },
          },
        },
      },
    );
    const of = await startApp();
    const askAt = async (name: string, text: string): Promise<Response> => {
      const { providers } = await status(of);
      return ask(providers.find((one) => one.name === name)?.baseUrl ?? '', text);
    };
    await (await askAt('claude', '1')).text();
    // The other provider has the same key behind it.
    const refused = await askAt('other', '2');
    expect(refused.status).toBe(402);
    expect(await refused.text()).toContain('shared');
    const list = async () => (await of.holdfast.call('budgets.list', {}, 'test')).budgets;
    expect(await list()).toMatchObject([
      { name: 'shared', key: 'acme', spentUsd: 0.02, state: 'spent' },
      { name: 'mine', key: 'claude', spentUsd: 0.02, state: 'open' },
      { name: 'people', key: '', spentUsd: 0 },
    ]);
    const { items } = await of.holdfast.call('inbox.list', { includeSettled: false }, 'test');
    expect(items.filter(({ budget }) => budget?.name === 'shared')).toHaveLength(1);
    await of.holdfast.call('budgets.allow', { name: 'shared', key: 'acme', usd: 1 }, 'test');
    const again = await askAt('other', '3');
    await again.text();
    expect(again.status).toBe(200);
    expect((await list()).map(({ spentUsd }) => spentUsd)).toEqual([0.04, 0.02, 0.02, 0]);
  });

  it('S0-38 has a budget for each provider: one is used up, also after a restart, the other goes on, and a higher one counts at once', async () => {
    const spec = {
      kind: 'anthropic',
      base_url: provider.baseUrl('anthropic'),
      price_input_per_million_usd: 10,
      price_output_per_million_usd: 20,
    };
    configure({ budget_usd_per_day: 0.02 }, { providers: { claude: spec, other: spec } });
    let of = await startApp();
    const askAt = async (name: string, text: string) => {
      const { providers } = await status(of);
      return ask(providers.find((one) => one.name === name)?.baseUrl ?? '', text);
    };
    const codes = async (...asked: readonly (readonly [string, string])[]) => {
      const found = [];
      for (const [name, text] of asked) {
        const answer = await askAt(name, text);
        await answer.text();
        found.push(answer.status);
      }
      return found;
    };
    expect(await codes(['claude', '1'], ['claude', '2'], ['other', '3'])).toEqual([200, 402, 200]);
    await of.lifecycle.stop('stop');
    of = await startApp();
    expect(await codes(['claude', '4'], ['claude', '1'])).toEqual([402, 200]);
    expect((await status(of)).providers).toMatchObject([
      { name: 'claude', spentTodayUsd: 0.02, budgetUsd: 0.02 },
      { name: 'other', spentTodayUsd: 0.02, budgetUsd: 0.02 },
    ]);
    await of.holdfast.call(
      'config.set',
      { key: 'gateway.budget_usd_per_day', value: 0.03 },
      'test',
    );
    expect(await codes(['claude', '5'], ['claude', '6'])).toEqual([200, 402]);
    expect(provider.calls()).toHaveLength(3);
  });

  it('S2-16 its calls go through the breaker of their provider, as those of turns do', async () => {
    const { holdfast } = await startApp();
    const { providers } = await status(app as Composition);
    const answer = await ask(providers[0]?.baseUrl ?? '');
    await answer.text();
    const counters = async () =>
      (await holdfast.call('breakers.show', { name: 'provider.claude' }, 'test')).counters;
    await expect.poll(counters).toMatchObject({ allowed: 1, succeeded: 1 });
  });

  it('S0-+07 an hour that the provider names to a client is kept by all, over a restart, until a person calls it off', async () => {
    const limited = { status: 429, headers: { 'retry-after': '3600' } } as const;
    provider.setScript(() => limited);
    const first = await startApp();
    const baseUrl = async (of: Composition) => (await status(of)).providers[0]?.baseUrl ?? '';
    const left = new AbortController();
    const held = fetch(`${await baseUrl(first)}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': token() },
      body: JSON.stringify({
        model: 'm',
        max_tokens: 5,
        temperature: 0,
        stream: true,
        messages: ['hi'],
      }),
      signal: left.signal,
    }).catch(() => 'left');
    await expect.poll(async () => (await status(first)).waiting).toBe(1);
    const [known] = first.holdfast.status().outside?.providers ?? [];
    expect(known).toMatchObject({ provider: 'claude', state: 'quota' });
    left.abort();
    await held;
    await first.lifecycle.stop('stop');
    const second = await startApp();
    const again = ask(await baseUrl(second));
    await expect.poll(async () => (await status(second)).waiting).toBe(1);
    expect(provider.calls()).toHaveLength(1);
    provider.setScript(() => ({ text: 'back' }));
    await second.holdfast.call('outage.probe', { provider: 'claude' }, 'test');
    expect(await (await again).text()).toContain('back');
    expect(provider.calls()).toHaveLength(2);
  });

  it('LM-04 a limit without a time holds the client, who hears comments, until it is asked again; then it is answered', async () => {
    configure({}, { resilience: { limit_first_wait: '5s' } });
    provider.setScript(({ index }) =>
      index === 0
        ? { status: 429, error: { message: 'no credit', type: 'billing_error' } }
        : { text: 'back' },
    );
    const { holdfast } = await startApp();
    const { providers } = await status(app as Composition);
    const held = ask(providers[0]?.baseUrl ?? '');
    await expect.poll(() => holdfast.status().outside?.providers[0]?.state).toBe('quota');
    expect((await status(app as Composition)).waiting).toBe(1);
    expect(holdfast.status().outside?.providers[0]?.sentence).toContain('no reset time was given');
    expect(provider.calls()).toHaveLength(1);
    expect(await (await held).text()).toContain('back');
    expect(provider.calls()).toHaveLength(2);
  });

  it('LM-04 with resilience.wait_for_quota off its client reads at once what the provider said', async () => {
    configure({}, { resilience: { wait_for_quota: false } });
    provider.setScript(() => ({
      status: 429,
      error: { message: 'no credit', type: 'billing_error' },
    }));
    await startApp();
    const { providers } = await status(app as Composition);
    const answer = await ask(providers[0]?.baseUrl ?? '');
    expect([answer.status, await answer.text()]).toEqual([
      429,
      expect.stringContaining('no credit'),
    ]);
    expect(provider.calls()).toHaveLength(1);
  });

  it('R2 leaves no key, no token, no question and no answer in any file but the token and the kept answers', async () => {
    const canary = 'sk-canary-4f1d9a77c0ffee0123456789abcdef';
    provider.setScript(({ index }) =>
      index === 0
        ? { status: 500, error: { message: `bad ${canary} for secret-question` } }
        : { text: 'secret-answer' },
    );
    const { holdfast, lifecycle } = await startApp();
    await holdfast.call('provider.setKey', { name: 'claude', key: canary }, 'test');
    const { providers } = await status(app as Composition);
    const answer = await ask(providers[0]?.baseUrl ?? '', 'secret-question');
    expect(await answer.text()).toContain('secret-answer');
    expect(JSON.stringify(provider.requests)).toContain(canary);
    await lifecycle.stop('stop');
    app = undefined;
    for (const secret of [canary, 'secret-question', 'secret-answer', token()]) {
      const found = spawnSync('grep', ['-rl', secret, world.dataDir], { encoding: 'utf8' });
      const files = found.stdout.split('\n').filter((file) => file !== '');
      const isKept = (file: string): boolean =>
        secret === 'secret-answer' && file.includes('/gateway-answers/');
      expect(files.filter((f) => !f.endsWith('gateway.token') && !isKept(f))).toEqual([]);
    }
  });

  it('is switched on and off while Holdfast runs', async () => {
    const { holdfast } = await startApp();
    const answers = path.join(world.dataDir, 'gateway-answers');
    await (await ask((await status(app as Composition)).providers[0]?.baseUrl ?? '')).text();
    expect(fs.readdirSync(answers)).toHaveLength(1);
    await holdfast.call('config.set', { key: 'gateway.enabled', value: false }, 'test');
    await expect.poll(async () => (await status(app as Composition)).state).toBe('off');
    expect(holdfast.status().ports).toBeUndefined();
    // Nobody comes for its answers any more.
    await expect.poll(() => fs.existsSync(answers)).toBe(false);
    await holdfast.call('config.set', { key: 'gateway.enabled', value: true }, 'test');
    await expect.poll(async () => (await status(app as Composition)).state).toBe('listening');
  });

  it('R25 takes the next free port where another program has its own, and says so', async () => {
    const busy = createServer();
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    const taken = (busy.address() as AddressInfo).port;
    try {
      configure({ port: taken });
      const told = await status(await startApp());
      expect(told).toMatchObject({ state: 'listening', isOtherPort: true });
      expect(told.port).not.toBe(taken);
      expect(fs.readFileSync(path.join(world.dataDir, 'run', 'gateway.port'), 'utf8')).toBe(
        `${String(told.port)}\n`,
      );
    } finally {
      await new Promise((resolve) => busy.close(resolve));
    }
  });

  it('K5 does not listen with a token that others can read, and says why', async () => {
    const file = path.join(world.dataDir, 'gateway.token');
    fs.writeFileSync(file, 'a'.repeat(64), { mode: 0o644 });
    app = composeIn(world);
    await app.lifecycle.start();
    const { holdfast } = app;
    await expect
      .poll(async () => (await holdfast.call('gateway.status', {}, 'test')).problem)
      .toContain('other users can read');
    expect((await status(app)).state).toBe('not_listening');
  });

  it('a stop ends the connections of clients that wait, and the start after it serves', async () => {
    provider.setScript(() => ({ status: 503 }));
    const first = await startApp();
    const { providers } = await status(first);
    const held = ask(providers[0]?.baseUrl ?? '').then(
      (answer) => answer.text(),
      () => 'cut',
    );
    await expect.poll(() => provider.calls().length).toBeGreaterThan(0);
    await first.lifecycle.stop('stop');
    await held.catch(() => 'cut');
    provider.setScript(() => ({ text: 'back' }));
    const again = await status(await startApp());
    const answer = await ask(again.providers[0]?.baseUrl ?? '');
    expect(await answer.text()).toContain('back');
  });
});

describe('a Holdfast that is killed while a client waits', () => {
  const lives: ChildProcess[] = [];
  afterEach(() => {
    for (const child of lives.splice(0)) child.kill('SIGKILL');
  });
  const portFile = (): string => path.join(world.dataDir, 'run', 'gateway.port');

  async function startProcess(): Promise<{ child: ChildProcess; baseUrl: string }> {
    fs.rmSync(portFile(), { force: true });
    const child = spawn(
      process.execPath,
      [builtProgram(), 'start', '--headless', '--data-dir', world.dataDir],
      { stdio: 'ignore', env: { PATH: process.env['PATH'], HOME: world.outside } },
    );
    lives.push(child);
    const written = () => (fs.existsSync(portFile()) ? fs.readFileSync(portFile(), 'utf8') : '');
    await expect.poll(written).toMatch(/^\d+\n$/);
    const port = written().trim();
    return { child, baseUrl: `http://127.0.0.1:${port}/p/claude` };
  }

  it('S0-18 ends its connection at once, in an answer that has begun as in one that has not, and the next start answers the same requests', async () => {
    provider.setScript(({ body }) =>
      body.includes('begun') ? { text: 'one two', fault: 'stall_mid_stream' } : { status: 503 },
    );
    const first = await startProcess();
    const said = (answer: Response): Promise<string> => answer.text().then(() => 'answered');
    const failed = () => 'connection error';
    const begun = await ask(first.baseUrl, 'begun');
    const cut = said(begun).catch(failed);
    const held = ask(first.baseUrl).then(said).catch(failed);
    await expect.poll(() => provider.calls().length).toBeGreaterThan(1);
    const ended = new Promise((resolve) => first.child.once('exit', resolve));
    first.child.kill('SIGKILL');
    await ended;
    // No half answer, no hanging: an agent that sees this asks again.
    expect([await held, await cut]).toEqual(['connection error', 'connection error']);
    provider.setScript(() => ({ text: 'back again' }));
    const second = await startProcess();
    for (const text of ['hi', 'begun'])
      expect(await (await ask(second.baseUrl, text)).text()).toContain('back ');
  });
});
