/**
 * The real Claude Code against a provider on the loopback: installed once into a cache outside of
 * the repository. Skipped, with a plain message, only where no registry can be reached.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeRequest } from '../../helpers/fake-provider';
import type { Site } from '../rows/site';
import { createSite, until } from '../rows/site';

const VERSION = '2.1.197';
const cache = path.join(os.homedir(), '.cache', 'holdfast-agents', `claude-code-${VERSION}`);
const claude = path.join(cache, 'node_modules', '.bin', 'claude');

/** Undefined where it runs here. */
function whyNot(): string | undefined {
  const isThere = (): boolean => {
    try {
      return execFileSync(claude, ['--version'], { encoding: 'utf8' }).includes(VERSION);
    } catch {
      return false;
    }
  };
  if (isThere()) return undefined;
  try {
    fs.mkdirSync(cache, { recursive: true });
    fs.writeFileSync(path.join(cache, 'package.json'), '{"private":true}');
    execFileSync(
      'npm',
      ['install', '--no-audit', '--no-fund', `@anthropic-ai/claude-code@${VERSION}`],
      {
        cwd: cache,
        stdio: 'pipe',
        timeout: 120_000,
      },
    );
    // Where npm runs no scripts of packages: it links the program of this platform.
    execFileSync(process.execPath, ['node_modules/@anthropic-ai/claude-code/install.cjs'], {
      cwd: cache,
      stdio: 'pipe',
    });
  } catch (error) {
    return `it could not be installed: ${String(error).slice(0, 200)}`;
  }
  return isThere() ? undefined : 'it was installed and does not start';
}

const reason = whyNot();
if (reason !== undefined) process.stderr.write(`Skipped: the real Claude Code; ${reason}\n`);

let site: Site;

beforeEach(async () => {
  site = await createSite();
  site.configure({
    agents: {
      c: {
        executor: 'command',
        command: claude,
        workspace: site.workspace,
        env: ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY', 'DISABLE_AUTOUPDATER'],
      },
    },
  });
});
afterEach(() => site.remove());

/** Starts Holdfast in a terminal that knows where the provider is. */
async function start(
  env: Readonly<Record<string, string>> = {},
): Promise<Awaited<ReturnType<Site['start']>>> {
  const host = site.launch(['start', '--headless'], '', {
    ANTHROPIC_BASE_URL: site.fp.baseUrl('anthropic').replace(/\/v1$/, ''),
    ANTHROPIC_API_KEY: 'sk-test',
    DISABLE_AUTOUPDATER: '1',
    ...env,
  });
  await until('the host is ready', () => host.out().includes('\n'));
  return host;
}

/** Results of tools that the model is shown. */
const seen = (request: FakeRequest): number =>
  (JSON.stringify(request.json).match(/"type":"tool_result"/g) ?? []).length;

describe.skipIf(reason !== undefined)('the real Claude Code', () => {
  it('S4-20 is killed in its second call: one call is unknown, the conversation goes on, the first is not repeated', async () => {
    site.fp.setScript((request) => {
      const text = JSON.stringify(request.json);
      if (!text.includes('"tools":[{')) return { text: 'a title' };
      if (text.includes('Already done')) return { text: 'All done.' };
      const command = ['echo one >> effects.log', 'echo two >> effects.log; tail -f /dev/null'][
        seen(request)
      ];
      return command === undefined
        ? { text: 'All done.' }
        : {
            toolCalls: [
              {
                id: `toolu_${String(seen(request))}`,
                name: 'Bash',
                args: { command, description: 'x' },
              },
            ],
          };
    });
    const host = await start();
    const turnId = await site.send('do it', '--agent', 'c');
    await until('the second call is at work', () => site.effects().length === 2);
    await site.kill(host);
    await start();
    await site.turnIn(turnId, 'completed');
    expect((await site.show(turnId)).answer).toBe('All done.');
    const states = site.db<{ tool: string; state: string }>(
      "SELECT tool, state FROM turn_steps WHERE turn_id = ? AND tool LIKE 'claude.%'",
      turnId,
    );
    expect(states).toEqual([
      { tool: 'claude.shell', state: 'completed' },
      { tool: 'claude.shell', state: 'ambiguous' },
    ]);
    expect(site.effects()).toEqual(['one', 'two']);
    const last = JSON.stringify(site.fp.calls().at(-1)?.json);
    expect(last).toContain('shell: echo one');
    expect(last).toContain('Outcome unknown');
  });

  it('in a terminal that is only watched: after a kill the list says what ended, what is unknown, and how to go on', async () => {
    site.fp.setScript((request) => {
      if (!JSON.stringify(request.json).includes('"tools":[{')) return { text: 'a title' };
      const command = ['echo one >> effects.log', 'echo two >> effects.log; sleep 30'][
        seen(request)
      ];
      return {
        toolCalls: [{ name: 'Bash', args: { command: command ?? 'true', description: 'x' } }],
      };
    });
    const home = path.join(site.workspace, '..', 'person');
    const settings = path.join(home, '.claude', 'settings.json');
    fs.mkdirSync(path.dirname(settings), { recursive: true });
    const before = JSON.stringify({ permissions: { allow: ['Bash'] } });
    fs.writeFileSync(settings, before);
    const run = async (...args: string[]) => {
      const ended = await site.launch(args, '', { HOME: home }).ended;
      expect(ended.err).toBe('');
      return ended.out;
    };
    expect(await run('hooks', 'install', 'claude', '--dry-run')).toContain('+ ');
    expect(fs.readFileSync(settings, 'utf8')).toBe(before);
    await run('hooks', 'install', 'claude');
    const terminal = spawn(claude, ['-p', 'do it', '--allowedTools', 'Bash'], {
      cwd: site.workspace,
      detached: true,
      stdio: 'ignore',
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        ANTHROPIC_BASE_URL: site.fp.baseUrl('anthropic').replace(/\/v1$/, ''),
        ANTHROPIC_API_KEY: 'sk-test',
        DISABLE_AUTOUPDATER: '1',
      },
    });
    await until('the second call is at work', () => site.effects().length === 2);
    process.kill(-(terminal.pid ?? 0), 'SIGKILL');
    const { sessions } = JSON.parse(await run('watch', 'list', '--json')) as {
      sessions: { session: string; state: string; finished: unknown[]; open: unknown[] }[];
    };
    expect(sessions).toHaveLength(1);
    expect(sessions[0]).toMatchObject({
      state: 'in_call',
      cwd: site.workspace,
      prompt: 'do it',
      finished: [{ tool: 'Bash', about: 'echo one >> effects.log' }],
      open: [{ tool: 'Bash', about: 'echo two >> effects.log; sleep 30' }],
    });
    expect(await run('watch', 'list')).toContain(`claude --resume ${sessions[0]?.session ?? ''}`);
    await run('hooks', 'remove', 'claude');
    expect(JSON.parse(fs.readFileSync(settings, 'utf8'))).toEqual(JSON.parse(before));
  });

  it('a terminal that was killed goes on in Holdfast, in the same conversation; not while it is alive, nor while it has been opened there again', async () => {
    site.fp.setScript((request) => {
      const text = JSON.stringify(request.json);
      if (!text.includes('"tools":[{')) return { text: 'a title' };
      if (text.includes('go on here') && !text.includes('once more')) return { text: 'Here I am.' };
      if (text.includes('and now')) return { text: 'Here again.' };
      const command = 'echo one >> effects.log; sleep 30';
      return { toolCalls: [{ name: 'Bash', args: { command, description: 'x' } }] };
    });
    const home = path.dirname(site.workspace);
    fs.mkdirSync(path.join(home, '.claude'), { recursive: true });
    expect((await site.hf('hooks', 'install', 'claude')).code).toBe(0);
    const open = (...args: string[]) =>
      spawn(claude, ['-p', ...args, '--allowedTools', 'Bash'], {
        cwd: site.workspace,
        detached: true,
        stdio: 'ignore',
        env: {
          PATH: process.env['PATH'],
          HOME: home,
          ANTHROPIC_BASE_URL: site.fp.baseUrl('anthropic').replace(/\/v1$/, ''),
          ANTHROPIC_API_KEY: 'sk-test',
          DISABLE_AUTOUPDATER: '1',
        },
      });
    const kill = async (terminal: ReturnType<typeof open>): Promise<void> => {
      const isGone = once(terminal, 'exit');
      process.kill(-(terminal.pid ?? 0), 'SIGKILL');
      await isGone;
    };
    const terminal = open('the word is heron');
    await until('its call is at work', () => site.effects().length === 1);
    await start();
    const { conversations } = await site.json<{
      conversations: { ref: string; firstWords: string }[];
    }>('session', 'adopt', 'c');
    expect(conversations).toMatchObject([{ firstWords: 'the word is heron' }]);
    const ref = conversations[0]?.ref ?? '';
    const refused = await site.hf('session', 'adopt', 'c', '--id', ref);
    expect(refused.err).toContain('A watched terminal is still in this conversation.');
    await kill(terminal);
    await site.json('session', 'adopt', 'c', '--id', ref, '--session', 'heron');
    const turnId = await site.send('go on here', '--session', 'heron');
    await site.turnIn(turnId, 'completed');
    expect((await site.show(turnId)).answer).toBe('Here I am.');
    expect(JSON.stringify(site.fp.calls().at(-1)?.json)).toContain('the word is heron');
    const sessions = site.db<{ ref: string }>('SELECT ref FROM outside_sessions');
    expect(sessions).toEqual([{ ref }]);
    // Not handed back, and opened in a terminal all the same: it says under which number it is.
    const again = open('once more', '--resume', ref);
    await until('it works there', () => site.effects().length === 2);
    const beside = await site.send('and now', '--session', 'heron');
    await site.turnIn(beside, 'parked');
    expect((await site.show(beside)).turn.reason).toContain('A watched terminal is in this');
    await kill(again);
    await site.hf('recovery', 'resume', String(beside));
    await site.turnIn(beside, 'completed');
    expect((await site.show(beside)).answer).toBe('Here again.');
  });

  it('LM-01 LM-12 at the limit of its plan a terminal says when it resets, and continues here once then; a turn waits until the time that it names', async () => {
    const resetsAtMs = Math.ceil(Date.now() / 60_000) * 60_000 + 2 * 3_600_000;
    const limited = {
      status: 429,
      headers: {
        'x-should-retry': 'false',
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-reset': String(resetsAtMs / 1_000),
        'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      },
      error: { message: 'This request would exceed the rate limit.', type: 'rate_limit_error' },
    };
    site.fp.setScript(() => limited);
    const home = path.dirname(site.workspace);
    fs.mkdirSync(path.join(home, '.claude'), { recursive: true });
    const plan = { CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-of-a-test' };
    site.configure({
      agents: {
        c: {
          executor: 'command',
          command: claude,
          workspace: site.workspace,
          env: ['ANTHROPIC_BASE_URL', 'DISABLE_AUTOUPDATER', ...Object.keys(plan)],
        },
      },
    });
    const PATH = `${path.dirname(claude)}:${process.env['PATH'] ?? ''}`;
    const added = await site.launch(['hooks', 'install', 'claude'], '', { HOME: home, PATH }).ended;
    // It is asked for its version, and knows this event.
    expect(added.out).toContain('StopFailure');
    type Watched = { readonly session: string; readonly limit?: { readonly resetsAtMs: number } };
    let met: Watched | undefined;
    // Where it only prints, the program may be gone before its last hook has run.
    for (let run = 0; run < 4 && met === undefined; run += 1) {
      const terminal = spawn(claude, ['-p', 'the word is heron'], {
        cwd: site.workspace,
        stdio: 'ignore',
        env: {
          PATH: process.env['PATH'],
          HOME: home,
          TZ: 'UTC',
          ANTHROPIC_BASE_URL: site.fp.baseUrl('anthropic').replace(/\/v1$/, ''),
          DISABLE_AUTOUPDATER: '1',
          ...plan,
        },
      });
      await once(terminal, 'exit');
      const { sessions } = await site.json<{ sessions: Watched[] }>('terminals', 'list');
      met = sessions.find(({ limit }) => limit !== undefined);
    }
    expect(met?.limit?.resetsAtMs).toBe(resetsAtMs);
    // Three hours go by for what the hooks wrote.
    const ref = met?.session ?? '';
    const file = path.join(site.dataDir, 'watch', `${ref}.jsonl`);
    const said = `resets ${new Date(Date.now() - 60_000).toISOString()}`;
    const lines = fs.readFileSync(file, 'utf8').trim().split('\n');
    const earlier = lines.map((line) => {
      const one = JSON.parse(line) as { atMs: number; said?: string };
      const shown = one.said === undefined ? {} : { said };
      return `${JSON.stringify({ ...one, ...shown, atMs: one.atMs - 3 * 3_600_000 })}\n`;
    });
    fs.writeFileSync(file, earlier.join(''));
    site.fp.setScript(() => ({ text: 'Here I am.' }));
    expect((await site.hf('config', 'set', 'limits.continue_terminals', 'true')).code).toBe(0);
    expect((await site.hf('config', 'set', 'limits.margin', '0s')).code).toBe(0);
    await start(plan);
    const rows = () => site.db<{ id: number; state: string }>('SELECT id, state FROM turns');
    await until('it has continued', () => rows().some(({ state }) => state === 'completed'));
    expect(rows()).toHaveLength(1);
    expect((await site.show(rows()[0]?.id ?? 0)).answer).toBe('Here I am.');
    expect(site.db<{ ref: string }>('SELECT ref FROM outside_sessions WHERE ref = ?', ref)).toEqual(
      [{ ref }],
    );
    const asked = JSON.stringify(site.fp.calls().at(-1)?.json);
    expect(asked).toContain('the word is heron');
    expect(asked).toContain('Your usage limit has reset.');
    site.fp.setScript(() => limited);
    const turnId = await site.send('do it', '--agent', 'c');
    await site.turnIn(turnId, 'waiting');
    const { items } = await site.json<{ items: { cause: string; untilMs: number }[] }>(
      'outage',
      'queue',
    );
    expect(items).toMatchObject([{ cause: 'quota' }]);
    expect(Math.abs((items[0]?.untilMs ?? 0) - resetsAtMs)).toBeLessThanOrEqual(120_000);
  });

  it("asks with the login of the person's subscription that is in their home, and changes nothing of it", async () => {
    site.fp.setScript((request) =>
      JSON.stringify(request.json).includes('"tools":[{') ? { text: 'Done.' } : { text: 'a title' },
    );
    const home = path.join(site.workspace, '..', 'person');
    const file = path.join(home, '.claude', '.credentials.json');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const login = JSON.stringify({
      claudeAiOauth: {
        accessToken: 'sk-ant-oat01-of-the-person',
        refreshToken: 'sk-ant-ort01-of-the-person',
        expiresAt: Date.now() + 86_400_000,
        scopes: ['user:inference', 'user:profile'],
        subscriptionType: 'max',
      },
    });
    fs.writeFileSync(file, login, { mode: 0o600 });
    await start({ HOME: home, ANTHROPIC_API_KEY: '' });
    const turnId = await site.send('say done', '--agent', 'c');
    await site.turnIn(turnId, 'completed');
    expect((await site.show(turnId)).answer).toBe('Done.');
    const asked = site.fp.calls().map(({ headers }) => headers['authorization']);
    expect(new Set(asked)).toEqual(new Set(['Bearer sk-ant-oat01-of-the-person']));
    expect(fs.readFileSync(file, 'utf8')).toBe(login);
  });
});
