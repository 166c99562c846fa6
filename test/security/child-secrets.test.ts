/** K6: what the settings use as a secret reaches no child that was not given it by name. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Composition } from '../../electron/compose/options';
import { composeIn, createWorld, turnIn, writeConfig, type World } from '../helpers/compose-world';
import { startFakeProvider, type FakeProvider } from '../helpers/fake-provider';
import { ACP_AGENT } from '../helpers/acp-agent-program';

/** Names that say nothing; only the settings do. */
const VALUES = {
  LLMWORD: 'orchid-llm-5f1c77',
  TEAMWORD: 'orchid-team-91ab03',
  BOTWORD: 'orchid-bot-6620de',
  BROKERWORD: 'orchid-broker-0c44e1',
  HEADWORD: 'orchid-head-7be210',
  SERVERWORD: 'orchid-server-d81f5a',
  AGENTWORD: 'orchid-agent-3390ce',
} as const;
const LLM = VALUES.LLMWORD;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const hex = (text: string): string => Buffer.from(text).toString('hex');
/** The same values under other names, as a person's start-up files make them. */
const COPIES = {
  SAME: LLM,
  ADDRESS: `https://api.example.com/v1?word=${LLM}&a=1`,
  LOGIN_LINE: `Basic ${base64(`me:${LLM}`)}`,
  CODED: base64(`{"word":"${LLM}"}`),
  IN_HEX: hex(VALUES.TEAMWORD),
  ESCAPED: encodeURIComponent(`a ${VALUES.TEAMWORD} b`),
  LLMWORD_OLD: 'orchid-before-11aa22',
};
const ORDINARY = {
  EDITOR: 'vim',
  GOPATH: '/home/me/go',
  NODE_ENV: 'production',
  MY_FLAG: 'plain words',
};

let world: World;
let app: Composition | undefined;
let sessions = 0;
let provider: FakeProvider;
/** Asks for one tool call, and answers when it has a result. */
let call: { name: string; args: unknown } | undefined;
beforeEach(async () => {
  world = createWorld();
  call = undefined;
  provider = await startFakeProvider({
    script: ({ body }) =>
      call === undefined || /"role":"tool"/.test(body) ? { text: 'done' } : { toolCalls: [call] },
  });
});
afterEach(async () => {
  await app?.lifecycle.stop('stop');
  app = undefined;
  await provider.stop();
  world.remove();
});

/** Everything that a child could know a value by. */
function formsOf(value: string): string[] {
  return [value, value.toUpperCase(), base64(value).slice(0, 16), hex(value)];
}
function leaksIn(text: string, names = Object.keys(VALUES)): string[] {
  const lower = text.toLowerCase();
  return Object.entries(VALUES)
    .filter(([name]) => names.includes(name))
    .filter(([, value]) => formsOf(value).some((form) => lower.includes(form.toLowerCase())))
    .map(([name]) => name);
}

const dumpOf = (name: string): string => path.join(world.outside, `${name}.env`);
/** A shell that writes down what it was given, then goes on as `then`. */
const dumping = (name: string, then: string) => ({
  command: '/bin/sh',
  args: ['-c', `env >> '${dumpOf(name)}'; ${then}`],
});

function config(extra: Record<string, unknown> = {}): Record<string, unknown> {
  const node = `exec '${process.execPath}'`;
  const server = `${node} '${path.resolve('test/integration/mcp/odd-server.mjs')}'`;
  const acp = `${node} '${ACP_AGENT}' plain`;
  const p = { kind: 'openai-compatible', base_url: provider.baseUrl('openai-compatible') };
  const { workspace } = world;
  return {
    approvals: { mode: 'off' },
    providers: { p: { ...p, api_key_env: 'LLMWORD' } },
    nats: { credentials_env: 'BROKERWORD' },
    channels: {
      own: {
        team: {
          kind: 'webhook',
          url: 'https://example.com/hook',
          secret_env: 'TEAMWORD',
          enabled: false,
        },
        bot: { kind: 'telegram', token_env: 'BOTWORD', chats: ['1'], enabled: false },
        say: { kind: 'command', ...dumping('channel', 'cat > /dev/null') },
      },
    },
    mcp: {
      servers: {
        plain: dumping('mcp', server),
        given: { ...dumping('given', server), env: { SERVERWORD: true } },
        far: {
          url: 'https://example.com/mcp',
          headers_env: { 'X-Word': 'HEADWORD' },
          enabled: false,
        },
      },
    },
    agents: {
      own: { provider: 'p', model: 'm', workspace },
      handed: { provider: 'p', model: 'm', workspace, env: ['AGENTWORD', 'LLMWORD'] },
      line: { executor: 'command', ...dumping('command', 'echo ok'), workspace },
      acp: { executor: 'acp', ...dumping('acp', acp), workspace },
    },
    ...extra,
  };
}

async function start(settings = config()): Promise<Composition> {
  const bin = path.join(world.outside, 'bin');
  fs.mkdirSync(bin);
  const shell = path.join(bin, 'sh');
  fs.writeFileSync(shell, `#!/bin/sh\nenv >> '${dumpOf('login')}'\nexec /bin/sh "$@"\n`, {
    mode: 0o755,
  });
  // The start-up files of the login shell know one of them, too.
  fs.writeFileSync(path.join(world.outside, '.profile'), `export FROM_PROFILE=${LLM}x\n`);
  writeConfig(world, settings);
  app = composeIn(world, {
    env: {
      PATH: process.env['PATH'],
      HOME: world.outside,
      SHELL: shell,
      ...VALUES,
      ...COPIES,
      ...ORDINARY,
    },
  });
  await app.lifecycle.start();
  return app;
}

/** What the agent's shell says, as it stands in the journal and was sent to the provider. */
async function shellSays(running: Composition, command: string, agent = 'own'): Promise<string> {
  call = { name: 'shell', args: { command: `${command}; echo it-ran-$((40+2))` } };
  const { turnId } = await running.holdfast.call(
    'send',
    { text: command, agent, session: `s${String((sessions += 1))}` },
    'test',
  );
  const turn = await turnIn(running, turnId, ['completed', 'failed', 'waiting', 'held', 'parked']);
  const shown = await running.holdfast.call('turns.show', { turnId, withTexts: true }, 'test');
  expect(turn.state).toBe('completed');
  const sent = provider.calls().at(-1)?.body ?? '';
  const said = JSON.stringify(shown) + sent.slice(0, sent.indexOf('"tools":['));
  expect(said).toContain('it-ran-42');
  return said;
}

const dump = async (name: string): Promise<string> =>
  vi.waitUntil(
    () => fs.existsSync(dumpOf(name)) && fs.readFileSync(dumpOf(name), 'utf8'),
    240_000,
  ) as Promise<string>;

describe('K6 a variable that settings name as a secret', () => {
  it('K6 reaches no shell, MCP server, command agent, ACP agent, channel or login shell, under no name and in no form', async () => {
    const running = await start();
    const said = await shellSays(
      running,
      `printenv ${[...Object.keys(VALUES), ...Object.keys(COPIES)].join(' ')}; env`,
    );
    expect(leaksIn(said)).toEqual([]);
    expect(said).toContain('MY_FLAG=plain words');
    expect(said).not.toContain(COPIES.LLMWORD_OLD);
    for (const agent of ['line', 'acp']) {
      const { turnId } = await running.holdfast.call(
        'send',
        { text: 'do: say hello', agent },
        'test',
      );
      await turnIn(running, turnId, ['completed', 'failed', 'waiting', 'held', 'parked']);
    }
    await running.holdfast.call('channels.test', { name: 'say' }, 'test').catch(() => undefined);
    for (const name of ['login', 'mcp', 'command', 'acp', 'channel']) {
      const env = await dump(name);
      expect([name, leaksIn(env)]).toEqual([name, []]);
      for (const [variable, value] of Object.entries(ORDINARY))
        if (name !== 'login') expect(`${name} ${env}`).toContain(`${variable}=${value}`);
    }
  });

  it('K6 that is handed to one by name reaches that one alone', async () => {
    const running = await start();
    expect(leaksIn(await dump('given'))).toEqual(['SERVERWORD']);
    const handed = await shellSays(running, 'env', 'handed');
    expect(leaksIn(handed)).toEqual(['LLMWORD', 'AGENTWORD']);
  });

  it('K6 follows the settings while Holdfast runs: a new name at once, an old one still, and one in an entry that is not in force', async () => {
    const p = { kind: 'openai-compatible', base_url: provider.baseUrl('openai-compatible') };
    const settings = config({ mcp: {}, channels: {} });
    const running = await start({
      ...settings,
      providers: { p: { ...p, api_key_env: 'LLMWORD' } },
    });
    expect(leaksIn(await shellSays(running, 'printenv LLMWORD; true'))).toEqual([]);
    await running.holdfast.call(
      'config.set',
      { key: 'providers', value: { p: { ...p, api_key_env: 'BOTWORD' } } },
      'test',
    );
    const later = await shellSays(running, 'printenv LLMWORD BOTWORD SAME; true');
    expect(leaksIn(later)).toEqual([]);
    const file = path.join(world.dataDir, 'config.json');
    const written = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>;
    const wrong = { ...p, kind: 'no such kind', api_key_env: 'TEAMWORD' };
    fs.writeFileSync(file, JSON.stringify({ ...written, providers: { p, wrong } }));
    await vi.waitUntil(
      async () => (await running.holdfast.call('config.list', {}, 'test')).problems.length > 0,
      240_000,
    );
    expect(leaksIn(await shellSays(running, 'printenv TEAMWORD LLMWORD BOTWORD; true'))).toEqual(
      [],
    );
  });
});
