import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Conf from 'conf';
import { expect, it, vi } from 'vitest';
import { createSettingsWriter } from '../../../electron/adapters/config/settings-file';
import { createAgentFolders } from '../../../electron/adapters/files/agent-folders';
import { replaceClaudeSettings } from '../../../electron/disk/claude-settings';
import { copyProgram, replaceProgram } from '../../../electron/disk/program-file';
import { sweepNow } from '../../../electron/disk/sweep';
import { stale } from '../../../electron/engine/kernel/errors';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import { createLoginItem } from '../../../electron/shell/system/login-item';

it('S4-14 a copied program has its mode before it is synced and gets its name', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-program-'));
  try {
    const from = path.join(folder, 'from');
    fs.writeFileSync(from, 'x'.repeat(200_000));
    const to = path.join(folder, 'to');
    // A change of the mode under its name would come behind the sync.
    const changed = vi.spyOn(fs.promises, 'chmod');
    await copyProgram(from, to, 0o755);
    expect(changed).not.toHaveBeenCalled();
    expect(fs.statSync(to).mode & 0o777).toBe(0o755);
    expect(fs.readFileSync(to, 'utf8')).toBe('x'.repeat(200_000));
  } finally {
    vi.restoreAllMocks();
    fs.rmSync(folder, { recursive: true });
  }
});

it('S4-14 a name that cannot be swept keeps no other one in its folder', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-sweep-'));
  try {
    // Of a process that is long gone: no system gives such a high number.
    const [aFolder, aFile] = ['a', 'b'].map((name) =>
      path.join(folder, `${name}.4194999-abcdef12-1.tmp`),
    ) as [string, string];
    fs.mkdirSync(aFolder);
    fs.writeFileSync(aFile, '');
    sweepNow([path.join(folder, 'missing'), folder], Date.now() + 3_600_000 * 48);
    expect(fs.readdirSync(folder)).toEqual([path.basename(aFolder)]);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

/** Of a process that is long gone, and of one that runs. */
const ENDS = [`.4194999-abcdef12-1.tmp`, `.${String(process.ppid)}-abcdef12-1.tmp`] as const;

it.each<[string, string, (file: string) => unknown]>([
  ['.app.new', 'app', (file) => replaceProgram(path.resolve('package.json'), file)],
  ['settings.json', 'settings.json', (file) => replaceClaudeSettings(file, '{}', '{"a":1}', stale)],
  [
    'settings.json.before-holdfast',
    'settings.json',
    (file) => replaceClaudeSettings(file, '{}', '{"a":1}', stale),
  ],
  [
    'dotfiles.json',
    'dotfiles.json',
    (file) => {
      const link = path.join(path.dirname(file), 'link.json');
      fs.symlinkSync(file, link);
      return createSettingsWriter({ path: link, crashPoints: noCrashPoints })({ a: 1 }, Conf);
    },
  ],
  [
    'autostart/holdfast.desktop',
    'autostart/holdfast.desktop',
    (file) =>
      createLoginItem({
        app: {} as never,
        platform: 'linux',
        env: { XDG_CONFIG_HOME: path.dirname(path.dirname(file)) },
        home: '/nowhere',
        command: ['/opt/holdfast'],
        dataDir: undefined,
      }).apply(true, true),
  ],
])(
  'S4-14 the next write takes away what 1 killed write of %s left in a folder of other programs, and nothing that is in progress or not ours',
  async (start, target, write) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-beside-'));
    try {
      const file = path.join(folder, target);
      const left = ENDS.map((end) => path.join(folder, `${start}${end}`));
      const other = path.join(path.dirname(file), `other${ENDS[0]}`);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      for (const one of [...left, other, file]) fs.writeFileSync(one, '{}');
      if (target.endsWith('.desktop')) fs.rmSync(file);
      await write(file);
      expect([...left, other].map((one) => fs.existsSync(one))).toEqual([false, true, true]);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  },
);

it('S4-14 a folder of 2 files has both or does not exist: after a write that failed in between the next one makes it', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-practice-'));
  try {
    const folders = createAgentFolders(folder);
    const files = (second: string) => [
      { path: 'one.md', content: '1' },
      { path: second, content: '2' },
    ];
    expect(() => folders.prepare(folders.practice, files('no-such-folder/two.md'))).toThrow();
    expect(fs.existsSync(folders.practice)).toBe(false);
    folders.prepare(folders.practice, files('two.md'));
    expect(fs.readdirSync(folders.practice)).toEqual(['one.md', 'two.md']);
    expect(fs.readdirSync(folder)).toEqual(['practice']);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});
