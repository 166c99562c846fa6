/** The hooks of watched terminals as the windows add and remove them, over a real settings file. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWatchHooks } from '../../../electron/adapters/command/watch-hooks';
import { stale } from '../../../electron/engine/kernel/errors';
import { replaceClaudeSettings } from '../../../electron/disk/claude-settings';
import { installAdapter, installCommandOf } from '../../../electron/adapters/acp/install-adapter';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-hooks-'));
  mkdirSync(join(home, 'tmp'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const own = { PATH: process.env['PATH'] ?? '' };

/** A `claude` that does this when it is asked for its version. */
function claudeThat(script: string): void {
  mkdirSync(join(home, 'bin'), { recursive: true });
  writeFileSync(join(home, 'bin', 'claude'), `#!/bin/sh\n${script}\necho '2.1.0 (Claude Code)'\n`);
  chmodSync(join(home, 'bin', 'claude'), 0o755);
}
const loginEnvironment = () => Promise.resolve({ kind: 'own', reason: 'a test' } as const);

/** A program that does with its hook what Holdfast does: it writes one line below `--dir`. */
function watcher(script: string, PATH = own.PATH) {
  const program = join(home, 'watcher');
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  return createWatchHooks({
    home,
    watchDir: join(home, 'data', 'watch'),
    temporaryDir: join(home, 'tmp'),
    self: { command: program, args: [] },
    loginEnvironment,
    ownEnvironment: { PATH },
    clock: { monotonicMs: () => performance.now() },
  });
}

const settings = (): string => join(home, '.claude', 'settings.json');

describe('hooks of watched terminals', () => {
  it('S3-36 adds exactly the lines that were shown, keeps the old file, and takes them out again, with 1 copy of before the last change', async () => {
    mkdirSync(join(home, '.claude'));
    const before = `${JSON.stringify({ model: 'opus' }, null, 2)}\n`;
    writeFileSync(settings(), before);
    const hooks = watcher('exit 0');
    const shown = await hooks.view();
    expect(shown).toMatchObject({ path: settings(), isInstalled: false });
    expect(readFileSync(settings(), 'utf8')).toBe(before);
    await hooks.install(shown.requestHash);
    const after = readFileSync(settings(), 'utf8');
    for (const line of shown.diff.filter((one) => one.startsWith('+ ')))
      expect(after).toContain(line.slice(2));
    expect(readFileSync(`${settings()}.before-holdfast`, 'utf8')).toBe(before);
    const added = await hooks.view();
    expect(added).toMatchObject({ isInstalled: true, diff: [] });
    await hooks.remove(added.requestHash);
    expect(readFileSync(settings(), 'utf8')).toBe(before);
    expect(readdirSync(join(home, '.claude'))).toEqual([
      'settings.json',
      'settings.json.before-holdfast',
    ]);
    expect(readFileSync(`${settings()}.before-holdfast`, 'utf8')).toBe(after);
  });

  it('S3-36 leaves a link alone whose target is not there: its disk may not be mounted', async () => {
    mkdirSync(join(home, '.claude'));
    symlinkSync(join(home, 'dotfiles', 'claude.json'), settings());
    await expect(watcher('exit 0').view()).rejects.toMatchObject({ code: 'ENOENT' });
    expect(lstatSync(settings()).isSymbolicLink()).toBe(true);
  });

  it('changes nothing where the file has changed since its lines were shown, or cannot be understood', async () => {
    const hooks = watcher('exit 0');
    const shown = await hooks.view();
    mkdirSync(join(home, '.claude'));
    writeFileSync(settings(), '{"model":"x"}');
    await expect(hooks.install(shown.requestHash)).rejects.toMatchObject({ code: 'REQUEST_STALE' });
    writeFileSync(settings(), '{');
    const broken = await hooks.view();
    expect(broken.problem).toBeTruthy();
    await expect(hooks.install(broken.requestHash)).rejects.toMatchObject({
      code: 'CONFIG_UNREADABLE',
    });
    expect(readFileSync(settings(), 'utf8')).toBe('{');
  });

  it('keeps what Claude Code itself writes into its settings while it is asked for its version', async () => {
    const PATH = `${join(home, 'bin')}:${own.PATH}`;
    mkdirSync(join(home, '.claude'));
    writeFileSync(settings(), '{"model":"opus"}');
    claudeThat('');
    const shown = await watcher('exit 0', PATH).view();
    // Holdfast has started again meanwhile, so it asks again.
    const edited = '{"model":"opus","permissions":{"allow":["Bash(ls)"]}}';
    claudeThat(`printf '%s' '${edited}' > '${settings()}'`);
    await expect(watcher('exit 0', PATH).install(shown.requestHash)).rejects.toMatchObject({
      code: 'REQUEST_STALE',
    });
    expect(readFileSync(settings(), 'utf8')).toBe(edited);
  });

  it('replaces no settings that have changed since they were read, be it 1 ms before', () => {
    mkdirSync(join(home, '.claude'));
    writeFileSync(settings(), '{"model":"x"}');
    for (const before of [undefined, '{"model":"opus"}'])
      expect(() => replaceClaudeSettings(settings(), before, '{"hooks":{}}', stale)).toThrow(
        /changed/,
      );
    expect(readFileSync(settings(), 'utf8')).toBe('{"model":"x"}');
    expect(readdirSync(join(home, '.claude'))).not.toContain(expect.stringContaining('.tmp'));
  });

  it('a try tells a hook that writes from one that only ends well, and leaves nothing behind', async () => {
    const good = await watcher('cat > "$4/s.jsonl"').check();
    expect(good).toMatchObject({ isAnswered: true });
    const bad = await watcher('echo no display; exit 0').check();
    expect(bad).toMatchObject({ isAnswered: false });
    expect(bad.problem).toContain('no display');
    expect(readdirSync(join(home, 'tmp'))).toEqual([]);
    expect(existsSync(join(home, 'data', 'watch'))).toBe(false);
  });
});

describe('installing the adapter of an agent', () => {
  const deps = () => ({ loginEnvironment, ownEnvironment: { PATH: home }, cwd: home });
  const npm = (script: string): void => {
    writeFileSync(join(home, 'npm'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(home, 'npm'), 0o755);
  };
  const command = installCommandOf('codex') ?? '';

  it('runs the command of a known agent as it was shown, and no other', async () => {
    npm('echo "$@"');
    expect(await installAdapter(deps(), { id: 'codex', command })).toEqual({
      ok: true,
      message: command.replace('npm ', ''),
    });
    for (const asked of [
      { id: 'codex', command: 'npm install --global evil' },
      { id: 'claude', command },
      { id: 'gemini', command: '' },
    ])
      await expect(installAdapter(deps(), asked)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('reports what npm said when it failed, and that npm is missing', async () => {
    expect((await installAdapter(deps(), { id: 'codex', command })).message).toContain(
      'npm is not on your PATH',
    );
    npm('echo EACCES; exit 3');
    expect(await installAdapter(deps(), { id: 'codex', command })).toEqual({
      ok: false,
      message: 'EACCES',
    });
  });
});
