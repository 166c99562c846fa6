import fs, {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Conf from 'conf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SettingsOptions } from '../../../electron/adapters/config/settings';
import { createSettings } from '../../../electron/adapters/config/settings';
import { isMap } from '../../../electron/adapters/config/map-entries';
import type { CrashPointName } from '../../../electron/engine/kernel/crash-points';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import { HoldfastError } from '../../../electron/engine/kernel/errors';
import type { SettingsPort } from '../../../electron/ports/settings';
import { configEntry, configProblem } from '../../../shared/types';
import type { SettingKey } from '../../../shared/settings';
import { ALL_KEYS, badValue, otherValue } from '../../helpers/setting-samples';
import { SLACK } from '../../helpers/slack';
import { isLeftOut, NOT_LINUX } from '../../helpers/skips';

let dir: string;
let path: string;
const started: SettingsPort[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-config-'));
  path = join(dir, 'config.json');
});

afterEach(() => {
  for (const settings of started.splice(0)) settings.stop();
  rmSync(dir, { recursive: true, force: true });
});

function open(options: Partial<SettingsOptions> = {}): SettingsPort {
  const settings = createSettings({
    path,
    storeClass: Conf,
    overrides: {},
    env: {},
    crashPoints: noCrashPoints,
    watch: true,
    ...options,
  });
  started.push(settings);
  return settings;
}

const write = (value: unknown): void => {
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
};
const recovery = (values: Record<string, unknown>): unknown => ({
  resilience: { recovery: values },
});
const onDisk = (): unknown => JSON.parse(readFileSync(path, 'utf8'));

async function failure(promise: Promise<unknown>): Promise<HoldfastError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof HoldfastError)) throw error as Error;
  return error;
}

async function until(condition: () => boolean, withinMs = 60_000): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`not within ${String(withinMs)} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Folders from `start` upwards that another user may not even pass through. */
function foldersClosedToOthers(start: string): { folder: string; mode: number }[] {
  const mode = statSync(start).mode & 0o7777;
  const above = dirname(start) === start ? [] : foldersClosedToOthers(dirname(start));
  return (mode & 0o001) === 0 ? [...above, { folder: start, mode }] : above;
}

describe('settings in a file', () => {
  it('touches no file before its first use, and makes an empty one by reading only in a folder of its own', () => {
    const foreign = open({ watch: false });
    expect(foreign.get('resilience.recovery.mode')).toBe('safe_only');
    const settings = open();
    expect(() => statSync(path)).toThrow('ENOENT');
    expect(settings.get('resilience.recovery.mode')).toBe('safe_only');
    expect(settings.problems()).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe('{}\n');
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(() => statSync(join(dir, 'run'))).toThrow('ENOENT');
  });

  it('S0-02 sets every key and reads it back, here and after a restart', async () => {
    const settings = open();
    for (const { key, default: standard } of settings.entries()) {
      const value = otherValue(key as SettingKey);
      const entry = await settings.set(key, value);
      expect(configEntry.parse(entry)).toMatchObject({
        key,
        value,
        default: standard,
        source: 'file',
      });
      expect(settings.get(key as SettingKey)).toEqual(value);
    }
    // The old word and the skill that nobody has are remarks, not problems.
    expect(settings.problems().map(({ key, level }) => [key, level])).toEqual([
      ['skill_resume.per_skill', 'hint'],
      ['skill_resume.per_skill', 'hint'],
    ]);
    const again = open({ watch: false });
    expect(again.all()).toEqual(settings.all());
    expect(again.entries().every((entry) => entry.source === 'file')).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('S0-07 echoes the block of the documents as one section, pasted by hand or set at once', async () => {
    const block = { mode: 'always', side_effect_tools: ['send_email', 'create_event'] };
    write(recovery(block));
    const settings = open();
    expect(settings.entry('resilience.recovery').value).toMatchObject(block);
    expect(settings.entry('recovery').value).toMatchObject(block);
    expect(settings.entry('resilience').value).toMatchObject({ recovery: block });
    expect(configEntry.parse(settings.entry('resilience.recovery')).source).toBe('file');
    await settings.set('resilience.recovery', { mode: 'never', side_effect_tools: [] });
    expect(onDisk()).toEqual(recovery({ mode: 'never', side_effect_tools: [] }));
    const error = await failure(
      settings.set('resilience.recovery', { mode: 'safe_only', max_age: 'soon' }),
    );
    expect(error.code).toBe('CONFIG_INVALID');
    expect(onDisk()).toEqual(recovery({ mode: 'never', side_effect_tools: [] }));
  });

  it('S0-36 gives the 3 choices, the source and the moment a change applies', () => {
    expect(open().entry('resilience.recovery.mode')).toEqual({
      key: 'resilience.recovery.mode',
      value: 'safe_only',
      default: 'safe_only',
      source: 'default',
      applies: 'hot',
      about:
        'What happens to a turn that a crash interrupted. safe_only resumes it automatically unless a tool in side_effect_tools had started; with an empty list no turn is paused for this, and an interrupted tool call may run again',
      choices: ['safe_only', 'always', 'never'],
    });
    expect(open().entry('instance.on_conflict').applies).toBe('restart');
  });

  it('S0-02 lets the command line win over the environment over the file over the default', async () => {
    write(recovery({ mode: 'never', max_attempts: 7, retention_days: 9 }));
    const settings = open({
      overrides: { 'resilience.recovery.mode': 'always' },
      env: {
        HOLDFAST_CONFIG__resilience__recovery__mode: 'safe_only',
        HOLDFAST_CONFIG__resilience__recovery__max_attempts: '8',
      },
    });
    const sourceOf = (key: string): unknown[] => {
      const { value, source } = settings.entry(key);
      return [value, source];
    };
    expect(sourceOf('resilience.recovery.mode')).toEqual(['always', 'command line']);
    expect(sourceOf('resilience.recovery.max_attempts')).toEqual([8, 'environment']);
    expect(sourceOf('resilience.recovery.retention_days')).toEqual([9, 'file']);
    expect(sourceOf('limits.turn_steps')).toEqual([100, 'default']);
    const entry = await settings.set('resilience.recovery.mode', 'never');
    expect([entry.value, entry.source]).toEqual(['always', 'command line']);
  });

  it('gives values that nobody can change by accident', () => {
    write({
      ...(recovery({ side_effect_tools: ['mail'] }) as object),
      providers: { main: { kind: 'google' } },
    });
    const settings = open();
    const tools = settings.get('resilience.recovery.side_effect_tools') as string[];
    expect(() => tools.push('x')).toThrow(TypeError);
    const providers = settings.all().providers as Record<string, { kind: string }>;
    expect(() => {
      (providers['main'] ?? { kind: '' }).kind = 'anthropic';
    }).toThrow(TypeError);
    expect(Object.isFrozen(settings.get('agents'))).toBe(true);
  });

  it.each([
    ['a byte order mark', (text: string) => `\ufeff${text}`],
    ['CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
    ['both', (text: string) => `\ufeff${text.replaceAll('\n', '\r\n')}`],
  ])('S1-33 reads and writes a file with %s', async (_what, change) => {
    write(change(JSON.stringify(recovery({ mode: 'never' }), null, 2)));
    const settings = open();
    expect(settings.get('resilience.recovery.mode')).toBe('never');
    expect(settings.problems()).toEqual([]);
    await settings.set('limits.turn_steps', 7);
    expect(onDisk()).toEqual({
      ...(recovery({ mode: 'never' }) as object),
      limits: { turn_steps: 7 },
    });
  });

  it('S0-02 keeps unknown keys through a change and reports them as hints', async () => {
    write({ mine: { a: [1] }, resilience: { outage_treshold: 3 } });
    const settings = open();
    await settings.set('app.theme', 'dark');
    expect(onDisk()).toEqual({
      mine: { a: [1] },
      resilience: { outage_treshold: 3 },
      app: { theme: 'dark' },
    });
    expect(settings.problems().map((problem) => [problem.key, problem.level])).toEqual([
      ['mine', 'hint'],
      ['resilience.outage_treshold', 'hint'],
    ]);
  });

  it('null takes a key out of the file: the default is in force again', async () => {
    write({ ...(recovery({ mode: 'never' }) as object), app: { theme: 'dark' } });
    const settings = open();
    expect((await settings.set('resilience.recovery.mode', null)).source).toBe('default');
    expect(onDisk()).toEqual({ app: { theme: 'dark' } });
  });
});

describe('every setting', () => {
  it.each(ALL_KEYS)(
    'S0-02 %s is refused with its name and what is allowed, by a command and in the file, where the last good value stays',
    async (key) => {
      const { value, says } = badValue(key);
      const settings = open({ watch: false });
      const good = otherValue(key);
      await settings.set(key, good);
      const refused = await failure(settings.set(key, value));
      expect([refused.code, refused.message]).toEqual([
        'CONFIG_INVALID',
        expect.stringContaining(says),
      ]);
      expect(refused.message).toContain(key);
      expect([settings.get(key), open({ watch: false }).get(key)]).toEqual([good, good]);
      // By hand, and Holdfast starts on what was last good.
      open().all();
      const tree = onDisk() as Record<string, unknown>;
      const parts = key.split('.');
      const leaf = parts.pop() ?? '';
      let node = tree;
      for (const part of parts) node = node[part] as Record<string, unknown>;
      // Of a map only the bad entry is left out.
      node[leaf] = isMap(key) ? { ...(good as object), ...(value as object) } : value;
      write(tree);
      const again = open();
      expect(again.get(key)).toEqual(good);
      const problem = again.problems().find((one) => one.level !== 'hint');
      expect(problem?.message).toContain(key);
      expect(problem?.message).toContain(says);
      expect(problem?.line).toBeGreaterThan(1);
    },
  );
});

describe('a settings file that cannot be read', () => {
  const comment = '{\n  // nights only\n  "resilience": {}\n}\n';

  it('S1-33 keeps the file byte by byte, names the line, and starts on the last good settings', () => {
    write(recovery({ mode: 'never', side_effect_tools: ['mail'] }));
    expect(open().get('resilience.recovery.mode')).toBe('never');
    write(comment);
    const settings = open();
    expect(settings.get('resilience.recovery.mode')).toBe('never');
    expect(settings.get('resilience.recovery.side_effect_tools')).toEqual(['mail']);
    expect(settings.problems()).toEqual([
      {
        line: 2,
        message:
          'config.json, line 2: comments are not allowed in JSON; remove this one. The last valid settings are used.',
      },
    ]);
    expect(readFileSync(path, 'utf8')).toBe(comment);
    expect(open().get('resilience.recovery.mode')).toBe('never');
  });

  it('S1-33 says that the defaults are in force where there never was a good file', () => {
    write(comment);
    const settings = open();
    expect(settings.get('resilience.recovery.mode')).toBe('safe_only');
    expect(settings.problems()[0]?.message).toContain('The defaults are used.');
  });

  it('S0-02 falls back key by key: the last good value, else the default', () => {
    write(recovery({ max_age: '12h', mode: 'always' }));
    open().all();
    write(recovery({ max_age: 'soon', mode: 'never', max_attempts: '3' }));
    const settings = open();
    expect(settings.get('resilience.recovery.mode')).toBe('never');
    expect(settings.get('resilience.recovery.max_age')).toBe('12h');
    expect(settings.get('resilience.recovery.max_attempts')).toBe(3);
    expect(settings.problems().map((problem) => problem.message)).toEqual([
      'config.json, line 4: resilience.recovery.max_age: "soon" is not a duration; write for example "90s" or "1h". The last valid value of resilience.recovery.max_age ("12h") is used.',
      'config.json, line 6: resilience.recovery.max_attempts must be a whole number from 1 to 100; "3" is not (it is text; leave out the quotes). The default of resilience.recovery.max_attempts (3) is used.',
    ]);
    for (const problem of settings.problems()) configProblem.parse(problem);
    expect(open().get('resilience.recovery.max_age')).toBe('12h');
  });

  const server = { command: 'node' };
  const namesOf = (settings: SettingsPort): string[] => Object.keys(settings.get('mcp.servers'));
  const saidBy = (settings: SettingsPort): string[] =>
    settings.problems().map(({ message }) => message);

  it.each(['fetch', 'work', 'browser', 'claude', 'a.b', 'Br0wser'])(
    'S2-52 drops only the MCP server "%s", with its line and why, from the first start on',
    (name) => {
      write({ mcp: { servers: { mail: server, [name]: server, fs: server } } });
      for (const settings of [open(), open(), open({ watch: false })]) {
        expect(namesOf(settings)).toEqual(['mail', 'fs']);
        expect(saidBy(settings)).toHaveLength(1);
        expect(saidBy(settings)[0]).toMatch(/^config\.json, line 7: /);
        expect(saidBy(settings)[0]).toContain(JSON.stringify(name));
        expect(saidBy(settings)[0]).toContain('the others are used');
        for (const problem of settings.problems()) configProblem.parse(problem);
      }
    },
  );

  it('S3-06 keeps the server that has its name, and refuses one that looks like it, also above it', () => {
    write({ mcp: { servers: { mail: server, fs: server } } });
    open().all();
    write({ mcp: { servers: { Mail: server, mail: { command: 'other' }, fs: server } } });
    for (const settings of [open(), open()]) {
      expect(settings.get('mcp.servers')).toEqual({ mail: { command: 'other' }, fs: server });
      expect(saidBy(settings)[0]).toMatch(/line 4: .*"Mail".*"mail".*stays.*Rename/);
    }
  });

  it('S3-06 takes neither of two that look alike where neither was there before', () => {
    write({ mcp: { servers: { Mail: server, mail: server, fs: server } } });
    for (const settings of [open(), open()]) {
      expect(namesOf(settings)).toEqual(['fs']);
      expect(saidBy(settings)).toHaveLength(2);
    }
    write({ mcp: { servers: { Mail: server, fs: server } } });
    expect(namesOf(open())).toEqual(['Mail', 'fs']);
  });

  it('S3-06 gives an agent of another program no name that a server has, and a server none of an agent', () => {
    const acp = { executor: 'acp', command: 'x', workspace: '/w' };
    write({ mcp: { servers: { mail: server } } });
    open().all();
    write({ mcp: { servers: { mail: server, gemini: server } }, agents: { mail: acp, gem: acp } });
    const first = open();
    expect([namesOf(first), Object.keys(first.get('agents'))]).toEqual([
      ['mail', 'gemini'],
      ['gem'],
    ]);
    expect(saidBy(first)[0]).toMatch(/line 13: agents: the agent "mail".*Rename/);
    write({ mcp: { servers: { mail: server, Gem: server } }, agents: { gem: acp } });
    const second = open();
    expect([namesOf(second), Object.keys(second.get('agents'))]).toEqual([['mail'], ['gem']]);
    const over = JSON.stringify({ Gem: server, other: server });
    const third = open({ env: { HOLDFAST_CONFIG__mcp__servers: over } });
    expect([namesOf(third), Object.keys(third.get('agents'))]).toEqual([['other'], ['gem']]);
    expect(saidBy(third)[0]).toMatch(/the MCP server "Gem".*Rename/);
  });

  it('S0-02 keeps the last good value of one entry, and takes the others of its map over', () => {
    write({ providers: { a: { kind: 'google' }, b: { kind: 'google' } } });
    open().all();
    write({
      providers: { a: { kind: 'goggle' }, b: { kind: 'anthropic' }, c: { kind: 'other' } },
    });
    for (const settings of [open(), open()]) {
      expect(settings.get('providers')).toEqual({
        a: { kind: 'google' },
        b: { kind: 'anthropic' },
      });
      expect(saidBy(settings)[0]).toMatch(/line 3: .*last valid value of "a" is used/);
      expect(saidBy(settings)[1]).toMatch(/line 9: .*the others are used/);
    }
  });

  it('S3-06 asks for a tool whose rule cannot be read, and keeps to the other rules', () => {
    write({ approvals: { tools: { mail: 'never', shell: 'deny' } } });
    const settings = open();
    expect(settings.get('approvals.tools')).toEqual({ mail: 'ask', shell: 'deny' });
    expect(saidBy(settings)[0]).toMatch(/line 4: .*"ask" is used for "mail"/);
  });

  it('S0-02 keeps what cannot be used in the file where another entry is set, added or taken out', async () => {
    const bad = { kind: 'goggle' };
    const google = { kind: 'google' } as const;
    write({ providers: { a: bad, b: google, c: google } });
    const settings = open();
    await settings.setEntry('providers', 'd', google);
    expect(onDisk()).toEqual({ providers: { a: bad, b: google, c: google, d: google } });
    await settings.setEntry('providers', 'c', undefined);
    await settings.set('providers', { ...settings.get('providers'), e: google });
    expect(onDisk()).toEqual({ providers: { a: bad, b: google, d: google, e: google } });
    await expect(settings.setEntry('providers', 'f', bad)).rejects.toThrow(/providers\.f\.kind/);
    await settings.setEntry('providers', 'a', google);
    expect(settings.problems()).toEqual([]);
    expect(Object.keys(settings.get('providers')).sort()).toEqual(['a', 'b', 'd', 'e']);
    await settings.set('mcp.servers', { mail: server });
    await expect(settings.set('mcp.servers', { mail: server, Mail: server })).rejects.toThrow(
      /Rename one of them/,
    );
    await expect(
      settings.setEntry('agents', 'mail', { executor: 'acp', command: 'x', workspace: '/w' }),
    ).rejects.toThrow(/the agent "mail".*"mail" would|would be mistaken/);
    await settings.set('providers', null);
    expect(onDisk()).toEqual({ mcp: { servers: { mail: server } } });
  });

  it('S0-02 reports a section of the wrong type once', () => {
    write({ resilience: 'yes' });
    const settings = open();
    expect(settings.problems()).toHaveLength(1);
    expect(settings.problems()[0]?.message).toContain(
      'config.json, line 2: resilience must be an object',
    );
  });

  it.each([
    [
      'a folder in its place',
      () => {
        mkdirSync(path);
      },
      'it is not a file',
    ],
    [
      'UTF-16',
      () => {
        writeFileSync(path, Buffer.from('\ufeff{}', 'utf16le'));
      },
      'it is not UTF-8 text',
    ],
    [
      'zero bytes',
      () => {
        write('');
      },
      'the file is empty',
    ],
    [
      'more than 1 MB',
      () => {
        write(`{"a":"${'x'.repeat(1_000_001)}"}`);
      },
      'it is larger than 1 MB',
    ],
    [
      'T5 a __proto__ key',
      () => {
        write('{"__proto__": {"mode": "always"}}');
      },
      '"__proto__" cannot be a name here',
    ],
  ])('S1-33 survives %s', async (_what, make, reason) => {
    make();
    const settings = open();
    expect(settings.get('resilience.recovery.mode')).toBe('safe_only');
    expect(settings.problems()[0]?.message).toContain(reason);
    expect((await failure(settings.set('app.theme', 'dark'))).code).toBe('CONFIG_UNREADABLE');
  });

  it('refuses to set a key, names file and line, and changes nothing', async () => {
    write(comment);
    const error = await failure(open().set('app.theme', 'dark'));
    expect(error.code).toBe('CONFIG_UNREADABLE');
    expect(error.message).toBe(
      `${path}, line 2: comments are not allowed in JSON; remove this one. Nothing was changed.`,
    );
    expect(readFileSync(path, 'utf8')).toBe(comment);
  });

  it('refuses to set a key under a section that is no object; other sections still work', async () => {
    write({ resilience: 'yes' });
    const settings = open();
    const error = await failure(settings.set('resilience.recovery.mode', 'never'));
    expect([error.code, error.message]).toEqual([
      'CONFIG_UNREADABLE',
      `${path}, line 2: resilience must be an object: { … }. Nothing was changed.`,
    ]);
    await settings.set('app.theme', 'dark');
    expect(onDisk()).toEqual({ resilience: 'yes', app: { theme: 'dark' } });
  });

  it('survives a damaged memory of the last good settings', () => {
    mkdirSync(join(dir, 'run'));
    for (const damaged of [
      '{"version":1,"val',
      '{"version":9,"values":{}}',
      '{"version":1,"values":{"log.level":"loud"}}',
    ]) {
      writeFileSync(join(dir, 'run', 'config.last-good.json'), damaged);
      write(comment);
      expect(open().get('log.level')).toBe('info');
    }
  });

  it('S0-02 keeps a memory of the last good settings that cannot be read at 1 start, and uses it as soon as it can be', async () => {
    write({ log: { level: 'debug' } });
    expect(open().get('log.level')).toBe('debug');
    const file = join(dir, 'run', 'config.last-good.json');
    const remembered = readFileSync(file, 'utf8');
    renameSync(file, `${file}.away`);
    mkdirSync(file);
    write('{ broken');
    const settings = open();
    expect(settings.get('log.level')).toBe('info');
    rmdirSync(file);
    renameSync(`${file}.away`, file);
    write('{ broken still');
    await expect.poll(() => settings.get('log.level'), { timeout: 60_000 }).toBe('debug');
    expect(readFileSync(file, 'utf8')).toBe(remembered);
  });
});

describe('setting a key', () => {
  it('S0-36 refuses a wrong value with the allowed ones, and an unknown key with the nearest', async () => {
    const settings = open();
    const invalid = await failure(settings.set('resilience.recovery.mode', 'maybe'));
    expect(invalid.code).toBe('CONFIG_INVALID');
    expect(invalid.message).toBe(
      'resilience.recovery.mode must be one of safe_only, always, never; "maybe" is not.',
    );
    const unknown = await failure(settings.set('resilience.recovery.mod', 'always'));
    expect([unknown.code, unknown.hint]).toEqual([
      'CONFIG_UNKNOWN_KEY',
      'Did you mean resilience.recovery.mode?',
    ]);
    for (const key of ['__proto__', 'constructor', 'toString', '']) {
      expect((await failure(settings.set(key, {}))).code).toBe('CONFIG_UNKNOWN_KEY');
    }
    expect(() => settings.entry('toString')).toThrow(HoldfastError);
    expect(readFileSync(path, 'utf8')).toBe('{}\n');
  });

  it('refuses a read-only file although a rename could replace it, and leaves it as it was', async () => {
    write(recovery({ mode: 'never' }));
    chmodSync(path, 0o444);
    const before = readFileSync(path, 'utf8');
    const settings = open();
    const error = await failure(settings.set('resilience.recovery.mode', 'always'));
    expect(error.code).toBe('CONFIG_WRITE_FAILED');
    expect(error.message).toContain('the file is read-only. Nothing was changed.');
    expect(settings.get('resilience.recovery.mode')).toBe('never');
    expect(readFileSync(path, 'utf8')).toBe(before);
    chmodSync(path, 0o600);
    await settings.set('resilience.recovery.mode', 'always');
    expect(onDisk()).toEqual(recovery({ mode: 'always' }));
  });

  it('refuses in a folder that it may not write, within 500 ms', async () => {
    write(recovery({ mode: 'never' }));
    const settings = open({ watch: false });
    settings.all();
    // The writer is loaded at its first use, which nobody may not be able to read.
    await settings.set('resilience.recovery.mode', 'never');
    chmodSync(dir, 0o555);
    const asRoot = process.geteuid?.() === 0;
    const closed = asRoot ? foldersClosedToOthers(dirname(dir)) : [];
    // As root no permission refuses anything, so become nobody for the write.
    if (asRoot) {
      for (const { folder, mode } of closed) chmodSync(folder, mode | 0o011);
      chmodSync(path, 0o666);
      process.seteuid?.(65_534);
    }
    const startMs = performance.now();
    try {
      const error = await failure(settings.set('resilience.recovery.mode', 'always'));
      expect(error.message).toContain(
        'your account cannot write to its folder. Nothing was changed.',
      );
      expect(performance.now() - startMs).toBeLessThan(500 * SLACK);
    } finally {
      if (asRoot) process.seteuid?.(0);
      chmodSync(dir, 0o755);
      for (const { folder, mode } of closed) chmodSync(folder, mode);
    }
    expect(onDisk()).toEqual(recovery({ mode: 'never' }));
  });

  it.each([true, false])(
    'S0-02 a change whose name the disk does not confirm is not made, with a file before: %s; the next one makes it',
    async (isThere) => {
      if (isThere) write(recovery({ mode: 'never' }));
      const settings = open({ watch: false });
      const before = settings.get('resilience.recovery.mode');
      const { fsyncSync } = fs;
      let failures = 0;
      Object.assign(fs, {
        fsyncSync: (fd: number): void => {
          if (!fs.fstatSync(fd).isDirectory()) {
            fsyncSync(fd);
            return;
          }
          failures += 1;
          throw Object.assign(new Error('EIO'), { code: 'EIO' });
        },
      });
      syncBuiltinESMExports();
      let error: HoldfastError;
      try {
        error = await failure(settings.set('resilience.recovery.mode', 'always'));
      } finally {
        Object.assign(fs, { fsyncSync });
        syncBuiltinESMExports();
      }
      expect(failures).toBeGreaterThan(0);
      expect([error.code, error.message]).toEqual([
        'CONFIG_WRITE_FAILED',
        expect.stringContaining('EIO. Nothing was changed.'),
      ]);
      expect(settings.get('resilience.recovery.mode')).toBe(before);
      expect(existsSync(path)).toBe(isThere);
      if (isThere) expect(onDisk()).toEqual(recovery({ mode: 'never' }));
      await settings.set('resilience.recovery.mode', 'always');
      expect(onDisk()).toEqual(recovery({ mode: 'always' }));
    },
  );

  it('a change that dies before the rename leaves the old file whole', async () => {
    write(recovery({ mode: 'never' }));
    const hits: CrashPointName[] = [];
    const settings = open({
      crashPoints: {
        hit(name) {
          hits.push(name);
          throw new Error('killed here');
        },
      },
    });
    const error = await failure(settings.set('resilience.recovery.mode', 'always'));
    expect([error.code, ...hits]).toEqual(['CONFIG_WRITE_FAILED', 'settings.write.beforeRename']);
    expect(onDisk()).toEqual(recovery({ mode: 'never' }));
  });

  it('keeps both of two changes made at once, and an edit made between load and set', async () => {
    write({ mine: 1 });
    const settings = open({ watch: false });
    settings.all();
    write({ mine: 2 });
    await Promise.all([settings.set('app.theme', 'dark'), settings.set('log.level', 'warn')]);
    expect(onDisk()).toEqual({ mine: 2, app: { theme: 'dark' }, log: { level: 'warn' } });
  });

  it('tells listeners the changed keys once, and nothing where nothing changed', async () => {
    const settings = open();
    const calls: (readonly SettingKey[])[] = [];
    const off = settings.onChange((keys) => calls.push(keys));
    await settings.set('app.theme', 'dark');
    await settings.set('app.theme', 'dark');
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(calls).toEqual([['app.theme']]);
    off();
    await settings.set('app.theme', 'light');
    expect(calls).toHaveLength(1);
  });
});

describe('a file that is edited while Holdfast runs', () => {
  it('S0-02 takes an edit in place and one by rename within 2 s, and names the changed keys', async () => {
    write(recovery({ mode: 'never' }));
    const settings = open();
    const calls: (readonly SettingKey[])[] = [];
    settings.onChange((keys) => calls.push(keys));
    write(recovery({ mode: 'always' }));
    await until(() => settings.get('resilience.recovery.mode') === 'always');
    writeFileSync(join(dir, 'config.json.swp'), JSON.stringify({ log: { level: 'warn' } }));
    renameSync(join(dir, 'config.json.swp'), path);
    await until(() => settings.get('log.level') === 'warn');
    expect(calls).toEqual([
      ['resilience.recovery.mode'],
      ['resilience.recovery.mode', 'log.level'],
    ]);
  });

  it('S2-30 shows a broken edit within 2 s, keeps the values, and takes the correction', async () => {
    write(recovery({ mode: 'never' }));
    const settings = open();
    const calls: (readonly SettingKey[])[] = [];
    settings.onChange((keys) => calls.push(keys));
    write('{ "resilience": { "recovery": { "mode": "always", } } }');
    await until(() => settings.problems().length === 1);
    expect(settings.get('resilience.recovery.mode')).toBe('never');
    expect(calls).toEqual([[]]);
    write(recovery({ mode: 'always' }));
    await until(() => settings.problems().length === 0);
    expect(settings.get('resilience.recovery.mode')).toBe('always');
    expect(calls).toEqual([[], ['resilience.recovery.mode']]);
  });

  it('S0-02 never shows a file that was only half written for 100 ms', async () => {
    write(recovery({ mode: 'never' }));
    const settings = open();
    const seen: string[] = [];
    settings.onChange(() => {
      seen.push(
        settings.get('resilience.recovery.mode'),
        ...settings.problems().map((p) => p.message),
      );
    });
    const text = JSON.stringify(recovery({ mode: 'always' }));
    write(text.slice(0, 20));
    await new Promise((resolve) => setTimeout(resolve, 100));
    write(text);
    await until(() => seen.length > 0);
    expect(seen).toEqual(['always']);
  });

  it('S0-02 goes back to the defaults when the file is removed', async () => {
    write(recovery({ mode: 'never' }));
    const settings = open();
    settings.all();
    unlinkSync(path);
    await until(() => settings.get('resilience.recovery.mode') === 'safe_only');
    expect(settings.problems()).toEqual([]);
  });

  it('S0-02 takes the 2nd file after the 1st one was removed, and the edit of that one, within 2 s', async () => {
    write(recovery({ mode: 'never' }));
    const settings = open();
    settings.all();
    unlinkSync(path);
    await until(() => settings.get('resilience.recovery.mode') === 'safe_only');
    write(recovery({ mode: 'always' }));
    await until(() => settings.get('resilience.recovery.mode') === 'always');
    write(recovery({ mode: 'never' }));
    await until(() => settings.get('resilience.recovery.mode') === 'never');
  });

  it.skipIf(isLeftOut('what the settings watch', NOT_LINUX))(
    'S0-02 watches the file and not its folder, where each step of a turn writes to the journal',
    () => {
      open().all();
      const fds = '/proc/self/fdinfo';
      const watched = readdirSync(fds).flatMap((fd) => {
        try {
          return readFileSync(join(fds, fd), 'utf8').match(/^inotify .* ino:([0-9a-f]+)/gm) ?? [];
        } catch {
          return [];
        }
      });
      const isWatched = (of: string): boolean =>
        watched.some((line) => line.endsWith(` ino:${statSync(of).ino.toString(16)}`));
      expect([isWatched(path), isWatched(dir)]).toEqual([true, false]);
    },
  );

  it('S1-33 follows a linked file, and writes to its target', async () => {
    const target = mkdtempSync(join(tmpdir(), 'holdfast-dotfiles-'));
    try {
      writeFileSync(join(target, 'holdfast.json'), JSON.stringify(recovery({ mode: 'never' })));
      symlinkSync(join(target, 'holdfast.json'), path);
      const settings = open();
      expect(settings.get('resilience.recovery.mode')).toBe('never');
      writeFileSync(join(target, 'holdfast.json'), JSON.stringify(recovery({ mode: 'always' })));
      await until(() => settings.get('resilience.recovery.mode') === 'always');
      await settings.set('app.theme', 'dark');
      expect(readFileSync(join(target, 'holdfast.json'), 'utf8')).toContain('dark');
    } finally {
      rmSync(target, { recursive: true, force: true });
    }
  });

  it('S0-02 keeps the last good settings and the link while what it leads to is not there', async () => {
    const away = mkdtempSync(join(tmpdir(), 'holdfast-dotfiles-'));
    const target = join(away, 'dotfiles');
    try {
      mkdirSync(target);
      writeFileSync(join(target, 'holdfast.json'), JSON.stringify(recovery({ mode: 'never' })));
      symlinkSync(join(target, 'holdfast.json'), path);
      const before = open();
      expect(before.get('resilience.recovery.mode')).toBe('never');
      before.stop();
      const remembered = readFileSync(join(dir, 'run', 'config.last-good.json'), 'utf8');
      renameSync(target, `${target}-unmounted`);
      const settings = open({ initial: { 'app.theme': 'dark' } });
      expect(settings.get('resilience.recovery.mode')).toBe('never');
      expect(settings.problems()).toMatchObject([
        { message: expect.stringContaining('it is a link to a missing file') as unknown },
      ]);
      const refused = await failure(settings.set('app.theme', 'dark'));
      expect(refused.code).toBe('CONFIG_UNREADABLE');
      expect(lstatSync(path).isSymbolicLink()).toBe(true);
      expect(readFileSync(join(dir, 'run', 'config.last-good.json'), 'utf8')).toBe(remembered);
      settings.stop();
      renameSync(`${target}-unmounted`, target);
      const again = open();
      expect([again.get('resilience.recovery.mode'), again.problems()]).toEqual(['never', []]);
      renameSync(target, `${target}-unmounted`);
      // Unmounted between the look and the write.
      const refusal = await failure(again.set('app.theme', 'dark'));
      expect([refusal.code, lstatSync(path).isSymbolicLink()]).toEqual(['CONFIG_UNREADABLE', true]);
    } finally {
      rmSync(away, { recursive: true, force: true });
    }
  });

  it('notices nothing more after stop, and leaves no timer behind', async () => {
    write(recovery({ mode: 'never' }));
    const settings = open();
    settings.all();
    settings.stop();
    write(recovery({ mode: 'always' }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(settings.get('resilience.recovery.mode')).toBe('never');
  });

  it('watches nothing and remembers nothing where it does not own the folder', async () => {
    write(recovery({ mode: 'never' }));
    const settings = open({ watch: false });
    settings.all();
    write(recovery({ mode: 'always' }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(settings.get('resilience.recovery.mode')).toBe('never');
    expect(() => statSync(join(dir, 'run'))).toThrow('ENOENT');
  });
});
