import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigEntry, ConfigProblem, StatusSnapshot } from '../../../shared/types';
import { SETTINGS } from '../../../shared/settings';
import { ALL_KEYS, otherValue } from '../../helpers/setting-samples';
import { createWorld } from '../cli/cli-world';
import type { FakeHoldfast } from '../control/fake-holdfast';
import type { RecoveryList, Site } from './site';
import { callsThenDone, createSite, promptIn, stalledEffect, until } from './site';
import { waitUntil } from '../../helpers/bounded-wait';

let site: Site;

beforeEach(async () => {
  site = await createSite();
});
afterEach(() => site.remove());

const file = (): string => path.join(site.dataDir, 'config.json');
const get = (key: string): Promise<ConfigEntry> => site.json<ConfigEntry>('config', 'get', key);
const errorOf = (ended: { out: string }): { code: string; message: string; hint?: string } =>
  (JSON.parse(ended.out) as { error: { code: string; message: string } }).error;

describe('settings', () => {
  it('S0-07 S1-33 the block of the documents, pasted by hand before the first start, is echoed and holds a listed tool', async () => {
    const block = { mode: 'safe_only', side_effect_tools: ['send_email', 'shell'] };
    site.configure({ resilience: { recovery: block } });
    expect(await site.json('config', 'get', 'resilience.recovery')).toMatchObject(block);
    expect((await site.hf('turns', 'list')).code).toBe(3);
    expect(fs.readdirSync(site.dataDir)).toEqual(['config.json']);
    site.fp.setScript(callsThenDone(stalledEffect('x')));
    const host = await site.start();
    expect(await site.json('config', 'get', 'resilience.recovery')).toMatchObject(block);
    await site.send('mail');
    await until('the effect happened', () => site.effects().length === 1);
    await site.kill(host);
    await site.start();
    expect((await site.show(1)).turn.state).toBe('held');
    expect(site.effects()).toHaveLength(1);
  });

  it('S0-36 S0-37 defaults and 3 modes, set by hand, by command and for one start; anything else is refused with the list', async () => {
    site.configure();
    const host = await site.start();
    expect(await get('resilience.recovery.mode')).toMatchObject({
      value: 'safe_only',
      default: 'safe_only',
      source: 'default',
      applies: 'hot',
      choices: ['safe_only', 'always', 'never'],
    });
    expect(await get('resilience.recovery.side_effect_tools')).toMatchObject({
      value: [],
      default: [],
      source: 'default',
    });
    for (const mode of ['always', 'never', 'safe_only']) {
      expect((await site.hf('config', 'set', 'resilience.recovery.mode', mode)).code).toBe(0);
      expect(await get('resilience.recovery.mode')).toMatchObject({ value: mode, source: 'file' });
    }
    const refused = await site.hf('config', 'set', 'resilience.recovery.mode', 'maybe', '--json');
    expect(refused.code).toBe(2);
    const { code, message } = errorOf(refused);
    expect(code).toBe('CONFIG_INVALID');
    for (const word of ['resilience.recovery.mode', 'safe_only', 'always', 'never'])
      expect(message).toContain(word);
    const bad = await site.hf(
      'config',
      'set',
      'resilience.recovery.side_effect_tools',
      '[1]',
      '--json',
    );
    expect([bad.code, errorOf(bad).message]).toEqual([
      2,
      expect.stringContaining('resilience.recovery.side_effect_tools'),
    ]);
    const unknown = await site.hf('config', 'set', 'resilience.recovery.mood', 'always', '--json');
    expect([unknown.code, errorOf(unknown).code]).toEqual([2, 'CONFIG_UNKNOWN_KEY']);
    expect(JSON.stringify(errorOf(unknown))).toContain('resilience.recovery.mode');
    expect(await get('resilience.recovery.mode')).toMatchObject({ value: 'safe_only' });
    // By hand, while it runs: within 2 s, no restart.
    site.configure({ resilience: { recovery: { mode: 'never' } } });
    await until(
      'the edit is in force',
      async () => (await get('resilience.recovery.mode')).value === 'never',
      5_000,
    );
    await site.stop(host);
    await site.start('--set', 'resilience.recovery.mode=always');
    expect(await get('resilience.recovery.mode')).toMatchObject({
      value: 'always',
      source: 'command line',
    });
  });

  it('S0-02 each of all keys is set by command, through the door of the windows and by hand, is in force at once or named as "at the next start", and is read back the same; null is the default again', async () => {
    site.configure();
    const host = await site.start();
    let client = await site.client();
    const cli = createWorld({ dataDir: site.dataDir, fake: {} as FakeHoldfast });
    const wrong: unknown[] = [];
    const check = (door: string, key: string, found: unknown, wanted: unknown): void => {
      if (!isDeepStrictEqual(found, wanted)) wrong.push([door, key, found, wanted]);
    };
    const read = (key: string): Promise<ConfigEntry> => client.call('config.get', { key });
    const set = (key: string, value: ConfigEntry['value']): Promise<ConfigEntry> =>
      client.call('config.set', { key, value });
    for (const [at, key] of ALL_KEYS.entries()) {
      // A fast machine asks more on one connection than is looked at.
      if (at % 10 === 9) {
        client.close();
        client = await site.client();
      }
      const value = otherValue(key) as ConfigEntry['value'];
      const before = await read(key);
      const word = typeof value === 'string' ? value : JSON.stringify(value);
      const told = await cli.run('config', 'set', key, word);
      const when = told.out.includes('It takes effect at the next start.') ? 'restart' : 'hot';
      check('command', key, [told.code, when], [0, SETTINGS[key].applies]);
      const got = JSON.parse((await cli.run('config', 'get', key, '--json')).out) as ConfigEntry;
      check('command', key, [got.value, got.source, got.applies], [value, 'file', when]);
      const empty = await set(key, null);
      check('null', key, [empty.value, empty.source], [SETTINGS[key].default, 'default']);
      await set(key, value);
      const entry = await read(key);
      check('window', key, [entry.value, entry.source], [value, 'file']);
      await set(key, before.source === 'default' ? null : before.value);
    }
    client.close();
    const tree: Record<string, unknown> = {};
    for (const key of ALL_KEYS) {
      const parts = key.split('.');
      const leaf = parts.pop() ?? '';
      let node = tree;
      for (const part of parts) node = (node[part] ??= {}) as Record<string, unknown>;
      node[leaf] = otherValue(key);
    }
    const values = async (): Promise<unknown> => {
      const { entries } = await site.json<{ entries: ConfigEntry[] }>('config', 'list');
      return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
    };
    const wanted = Object.fromEntries(ALL_KEYS.map((key) => [key, otherValue(key)]));
    fs.writeFileSync(file(), JSON.stringify(tree, null, 2));
    await until('the edit is in force', async () => isDeepStrictEqual(await values(), wanted));
    await site.stop(host);
    await site.start();
    expect(await values()).toEqual(wanted);
    expect(wrong).toEqual([]);
  });

  it.each([
    ['resilience.recovery.mode=nevr', 'must be one of safe_only, always, never; "nevr" is not.'],
    ['resilience.recovery.mod=never', 'There is no setting called "resilience.recovery.mod".'],
  ])('S0-02 a start with --set %s is refused with 2 and runs nothing', async (set, said) => {
    const refused = await site.hf('start', '--headless', '--set', set);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(said);
    expect((await site.hf('turns', 'list')).code).toBe(3);
  });

  it('S1-33 a file that a person broke is kept byte by byte, named with its line, and Holdfast starts on the last good settings', async () => {
    site.configure({ resilience: { recovery: { mode: 'never' } } });
    await site.stop(await site.start());
    const broken = '{\n  "resilience": {\n    "recovery": { "mode": "always", }\n  }\n}\n';
    fs.writeFileSync(file(), broken);
    await site.start();
    expect(fs.readFileSync(file(), 'utf8')).toBe(broken);
    const status = await site.json<StatusSnapshot>('status');
    expect(status.recovery.mode).toBe('never');
    const problem = status.configProblems.find((one: ConfigProblem) => one.level !== 'hint');
    expect(problem?.line).toBe(3);
    expect(problem?.message).toContain('config.json');
    const refused = await site.hf('config', 'set', 'limits.turn_steps', '5', '--json');
    expect(refused.code).not.toBe(0);
    expect(fs.readFileSync(file(), 'utf8')).toBe(broken);
    expect((await site.hf('config', 'path')).out.trim()).toBe(file());
    // BOM and CRLF are taken.
    fs.writeFileSync(
      file(),
      `\uFEFF${JSON.stringify({ resilience: { recovery: { mode: 'always' } } }, null, 2).replaceAll('\n', '\r\n')}`,
    );
    await until(
      'the corrected file is in force',
      async () => (await get('resilience.recovery.mode')).value === 'always',
      5_000,
    );
  });

  it('S4-21 S4-22 the sample block of skill_resume loads and is echoed; a policy that is none is refused with the 4 that are', async () => {
    const block = { default: 'retry', per_skill: { deploy: 'discard_skill', notify: 'skip' } };
    site.configure({ skill_resume: block });
    const host = await site.start();
    expect(await site.json('config', 'get', 'skill_resume')).toMatchObject(block);
    // A name that is no skill is kept, with a hint.
    const { configProblems, tray } = await site.json<StatusSnapshot>('status');
    expect(tray).toBe('idle');
    expect(configProblems.map((one) => [one.level, one.message])).toEqual([
      ['hint', expect.stringContaining('deploy, notify; a name that is not a skill is ignored')],
    ]);
    const bad = await site.hf('config', 'set', 'skill_resume.default', 'again', '--json');
    expect(bad.code).toBe(2);
    for (const word of ['retry', 'skip', 'discard_skill', 'prompt'])
      expect(errorOf(bad).message).toContain(word);
    await site.hf('config', 'set', 'skill_resume.default', 'skip');
    expect((await get('skill_resume.default')).value).toBe('skip');
    await site.stop(host);
    // By hand: the last good value is in force, and it is said which one was not taken.
    site.configure({ skill_resume: { default: 'again' } });
    await site.start();
    expect((await get('skill_resume.default')).value).toBe('skip');
    const [problem] = (await site.json<StatusSnapshot>('status')).configProblems;
    expect(problem?.message).toMatch(/skill_resume\.default.*retry.*"again"/);
  });

  it('S0-+01 a turn cut off 25 h ago is shown as stale and not run; 24h at default, at max_age 48h it goes on', async () => {
    site.configure();
    site.fp.setScript(() => ({ fault: 'stall_first_byte' }));
    const host = await site.start();
    const turnId = await site.send('yesterday');
    await site.fp.waitForRequests(1);
    expect((await get('resilience.recovery.max_age')).value).toBe('24h');
    await site.kill(host);
    const backMs = 25 * 3_600_000;
    site.edit(
      'UPDATE turns SET started_at = started_at - ?, accepted_at = accepted_at - ?',
      backMs,
      backMs,
    );
    site.edit('UPDATE journal SET at_ms = at_ms - ?', backMs);
    site.fp.setScript(() => ({ text: 'ok' }));
    const second = await site.start();
    const list = await site.json<RecoveryList>('recovery', 'list');
    expect(list.lastStart.map((one) => one.action)).toEqual(['stale']);
    expect(list.decisions.map((one) => [one.turnId, one.kind])).toEqual([[turnId, 'stale']]);
    expect(site.fp.calls()).toHaveLength(1);
    await site.hf('recovery', 'discard', String(turnId));
    site.fp.setScript(() => ({ fault: 'stall_first_byte' }));
    const again = await site.send('yesterday too');
    await site.fp.waitForRequests(2);
    await site.kill(second);
    site.edit(
      'UPDATE turns SET started_at = started_at - ?, accepted_at = accepted_at - ? WHERE id = ?',
      backMs,
      backMs,
      again,
    );
    site.edit('UPDATE journal SET at_ms = at_ms - ? WHERE turn_id = ?', backMs, again);
    expect((await site.hf('config', 'set', 'resilience.recovery.max_age', '48h')).code).toBe(0);
    site.fp.setScript(() => ({ text: 'ok' }));
    await site.start();
    await site.turnIn(again, 'completed');
  });
});

describe('reset and upgrade', () => {
  it('S4-30 S4-33 S0-31 reset wipes turns and inbox, never audit and settings; the next start is known and resumes nothing', async () => {
    site.configure({ resilience: { recovery: { mode: 'never' } } });
    expect((await site.hf('start', '--reset', '--yes')).code).toBe(0);
    expect(fs.readdirSync(site.dataDir)).toEqual(['config.json']);
    let answers = 0;
    site.fp.setScript(() => {
      answers += 1;
      const timer = { name: 'timer', args: { seconds: 3_600, message: 'tea', id: 'x' } };
      return answers === 1 ? { toolCalls: [timer] } : { fault: 'stall_first_byte' };
    });
    const host = await site.start();
    await site.send('kept');
    await site.fp.waitForRequests(2);
    const timers = async (): Promise<number> =>
      (await site.json<{ timers: unknown[] }>('timers', 'list')).timers.length;
    expect(await timers()).toBe(1);
    await site.json('tasks', 'add', 'look at the mail', '--schedule', 'every 5h');
    const tasks = await site.json('tasks', 'list');
    await site.kill(host);
    await site.stop(await site.start());
    const audit = site.audit();
    const settings = fs.readFileSync(file(), 'utf8');
    for (const answer of ['n\n', '']) {
      const refused = await site.launch(['start', '--reset'], answer).ended;
      expect(refused.code).toBe(5);
    }
    expect((await site.show(1)).turn.state).toBe('held');
    expect((await site.hf('start', '--reset', '--yes')).code).toBe(0);
    expect((await site.json<{ turns: unknown[] }>('turns', 'list')).turns).toEqual([]);
    expect((await site.json<{ items: unknown[] }>('inbox', 'list')).items).toEqual([]);
    // A schedule is no work in flight (R20); what wakes a conversation that is gone, goes.
    expect(await site.json('tasks', 'list')).toEqual(tasks);
    expect(await timers()).toBe(0);
    expect(site.audit().slice(0, audit.length)).toEqual(audit);
    expect(site.audit().at(-1)?.event).toBe('reset');
    expect(fs.readFileSync(file(), 'utf8')).toBe(settings);
    expect(fs.readdirSync(path.join(site.dataDir, 'backups')).length).toBeGreaterThan(0);
    expect((await site.hf('start', '--reset', '--yes')).code).toBe(0);
    const calls = site.fp.calls().length;
    site.fp.setScript(() => ({ text: 'new' }));
    await site.start();
    const status = await site.json<StatusSnapshot>('status');
    expect([status.restart?.reason, status.restart?.resumedTurns]).toEqual(['clean', []]);
    const next = await site.send('new work');
    expect(next).toBeGreaterThan(1);
    await site.turnIn(next, 'completed');
    expect(site.fp.calls()).toHaveLength(calls + 1);
    expect(await site.json('tasks', 'list')).toEqual(tasks);
  });

  it('S4-31 a database of a newer version: start, reading and deciding end with 4, name path and both versions, and change no byte', async () => {
    site.configure();
    await site.stop(await site.start());
    const database = path.join(site.dataDir, 'holdfast.db');
    const bytes = fs.readFileSync(database);
    const found = bytes.readUInt32BE(60);
    bytes.writeUInt32BE(found + 40, 60);
    fs.writeFileSync(database, bytes);
    for (const args of [
      ['start', '--headless'],
      ['turns', 'list'],
      ['turns', 'cancel', '1'],
    ]) {
      const ended = await site.hf(...args);
      expect([args[0], ended.code]).toEqual([args[0], 4]);
      const said = ended.out + ended.err;
      for (const word of [database, String(found), String(found + 40)])
        expect(said).toContain(word);
      expect(said).toMatch(/holdfast |install|update/i);
      expect(said).not.toMatch(/\n\s+at /);
    }
    expect(fs.readFileSync(database).equals(bytes)).toBe(true);
    expect(fs.existsSync(`${database}-wal`)).toBe(false);
  });

  it('S4-29 new work in a start without recovery does not touch the kept turn; the next start goes on with it', async () => {
    site.configure();
    site.fp.setScript(() => ({ fault: 'stall_first_byte' }));
    const host = await site.start();
    await site.send('kept', '--session', 's');
    await site.fp.waitForRequests(1);
    await site.kill(host);
    const kept = (): unknown[] => [
      site.db('SELECT * FROM turns WHERE id = 1'),
      site.db('SELECT * FROM steps WHERE turn_id = 1'),
    ];
    const before = kept();
    site.fp.setScript(() => ({ text: 'ok' }));
    const second = await site.start('--no-restore');
    for (const session of ['elsewhere', 's'])
      await site.turnIn(await site.send('other', '--session', session), 'completed');
    expect(kept()).toEqual(before);
    expect((await site.hf('status')).out).toMatch(/without recovery|not restored|no-restore/i);
    await site.kill(second);
    expect(kept()).toEqual(before);
    await site.start();
    await site.turnIn(1, 'completed');
    const calls = site.fp.calls();
    expect(calls).toHaveLength(4);
    // What was said in its session meanwhile is not in the turn that was kept: the same bytes.
    expect(calls[3]?.bodySha256).toBe(calls[0]?.bodySha256);
  });
});

describe('a conversation in a start without recovery', () => {
  it('S4-29 begins without what was said before, also after SIGKILL in it; the next start knows all of it', async () => {
    site.configure();
    site.fp.setScript((request) => ({ text: `re: ${promptIn(request)}` }));
    let host = await site.start();
    await site.turnIn(await site.send('one'), 'completed');
    await site.stop(host);
    host = await site.start('--no-restore');
    await site.turnIn(await site.send('two'), 'completed');
    site.fp.setScript(() => ({ fault: 'stall_first_byte' }));
    const three = await site.send('three');
    await site.fp.waitForRequests(3);
    await site.kill(host);
    site.fp.setScript((request) => ({ text: `re: ${promptIn(request)}` }));
    await site.start();
    await site.turnIn(three, 'completed');
    await site.turnIn(await site.send('four'), 'completed');
    const said = site.fp.calls().map((request) => {
      const { messages } = request.json as { messages: { role: string; content: unknown }[] };
      return messages.filter(({ role }) => role !== 'system').map(({ content }) => content);
    });
    expect(said).toEqual([
      ['one'],
      ['two'],
      ['two', 're: two', 'three'],
      ['two', 're: two', 'three'],
      ['one', 're: one', 'two', 're: two', 'three', 're: three', 'four'],
    ]);
    const [, , before, after] = site.fp.calls();
    expect(after?.bodySha256).toBe(before?.bodySha256);
  });
});

describe('the command line', () => {
  it('exit codes: 0 done, 1 failed, 2 usage, 3 not running, 4 refused, 5 needs a decision', async () => {
    site.configure();
    const codes = async (...args: string[]): Promise<number | null> =>
      (await site.hf(...args)).code;
    expect(await codes('send', 'x')).toBe(3);
    site.fp.setScript(() => ({ status: 401 }));
    await site.start();
    expect(await codes('status')).toBe(0);
    expect(await codes('turns', 'show', '77')).toBe(1);
    expect(await codes('turns', 'list', '--state', 'nonsense')).toBe(2);
    expect(await codes('send', 'x', '--session', 'bad', '--wait')).toBe(5);
    expect((await site.show(1)).turn).toMatchObject({
      state: 'waiting',
      reason: expect.stringContaining('providers.fp') as unknown,
    });
    expect(await codes('turns', 'cancel', '1')).toBe(0);
    expect(await codes('recovery', 'resume', '1')).toBe(4);
    expect(await codes('send', 'x', '--agent', 'nobody')).toBe(1);
    // A number that is no session makes no session of that name.
    expect(await codes('send', 'x', '--session', '99')).toBe(1);
    expect(await codes('send', 'x', '--session', '1', '--wait')).toBe(5);
    expect(site.db('SELECT key FROM sessions')).toEqual([{ key: 'bad' }]);
    // S2-29, R4: a refused key is one request; what comes after waits for another key.
    expect(site.fp.calls()).toHaveLength(1);
  });

  it('hostile text in a prompt, an answer, a tool result and a path is inert in every listing', async () => {
    site.configure({
      resilience: { recovery: { side_effect_tools: ['shell'] } },
      shell: { timeout: '300ms' },
    });
    const evil = '\u001b[31m\u001b]0;owned\u0007\u202Ereversed\u2066\r\u0008\u009bK';
    site.fp.setScript((request) =>
      request.body.includes('hold this')
        ? callsThenDone({
            name: 'shell',
            args: { command: `echo '${evil}'; ${waitUntil('[ -e go ]')}` },
          })(request)
        : { text: `answer ${evil}` },
    );
    await site.start();
    const said = await site.hf('send', `prompt ${evil}`, '--wait', '--session', `s ${evil}`);
    expect([said.code, said.out.startsWith('answer ')]).toEqual([0, true]);
    const held = await site.hf('send', `hold this ${evil}`, '--wait', '--session', 'h');
    expect(held.code).toBe(5);
    fs.writeFileSync(path.join(site.workspace, 'go'), '');
    const outputs = [said, held];
    for (const args of [
      ['turns', 'list'],
      ['turns', 'show', '1'],
      ['turns', 'show', '2'],
      ['turns', 'plan', '2'],
      ['session', 'list'],
      ['session', 'events', 'h'],
      ['session', 'status', '1'],
      ['recovery', 'list'],
      ['inbox', 'list'],
      ['status'],
      ['logs'],
      ['session', 'status', `nobody ${evil}`],
      ['turns', 'list', '--json'],
      ['recovery', 'list', '--json'],
    ]) {
      outputs.push(await site.hf(...args));
    }
    for (const { out, err } of outputs) {
      expect(out + err).not.toMatch(
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
      );
    }
    expect((await site.hf('turns', 'list')).out).toContain('hold this');
  });

  it('S0-03 S4-17 while the disk takes nothing more, a message is refused with the reason and the provider hears nothing; afterward it works by itself', async () => {
    site.configure();
    site.fp.setScript(() => ({ text: 'ok' }));
    const host = await site.start();
    const first = await site.send('before');
    await site.turnIn(first, 'completed');
    const pid = String(host.child.pid);
    const limit = async (bytes: string): Promise<void> => {
      const { execFileSync } = await import('node:child_process');
      execFileSync('prlimit', ['--pid', pid, `--fsize=${bytes}:unlimited`]);
    };
    await limit('1');
    const refused = await site.hf('send', 'during', '--json');
    expect(refused.code).toBe(4);
    expect(errorOf(refused).code).toMatch(/^DISK_/);
    expect(errorOf(refused).message.length).toBeGreaterThan(20);
    expect(site.fp.calls()).toHaveLength(1);
    const status = await site.json<StatusSnapshot>('status');
    expect(status.journal.refusal?.code).toMatch(/^DISK_/);
    await limit('unlimited');
    let after: number | undefined;
    await until('it takes messages again', async () => {
      const ended = await site.hf('send', 'after', '--json');
      if (ended.code === 0) after = (JSON.parse(ended.out) as { turnId: number }).turnId;
      return ended.code === 0;
    });
    await site.turnIn(after ?? 0, 'completed');
    const turns = site.db<{ prompt_start: string }>('SELECT prompt_start FROM turns ORDER BY id');
    expect(turns.map((turn) => turn.prompt_start)).toEqual(['before', 'after']);
    expect(site.fp.calls()).toHaveLength(2);
  });
});
