/** Files and folders where the system shows less of them, or has no modes. UP-03 */
import fs from 'node:fs';
import type fsPromises from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchFile } from '../../../electron/adapters/config/watch-file';
import { openForReading } from '../../../electron/adapters/files/workspace-path';
import { prepareDataDir } from '../../../electron/adapters/instance/data-dir';
import { openKernelLock } from '../../../electron/adapters/instance/kernel-lock';
import { readPrivateFile } from '../../../electron/adapters/secrets/private-file';
import { ensurePrivateDir } from '../../../electron/control/socket-folder';
import { makeFolder, syncFolder, syncFolderSync } from '../../../electron/disk/durable-folder';
import { onSystem, OTHER_SYSTEMS } from '../../helpers/on-system';

// Files share their modules: those that this one changes are its own.
vi.hoisted(() => vi.resetModules());
afterAll(() => vi.resetModules());
/** What the system was asked for. */
const asked = vi.hoisted(() => ({
  watched: [] as string[],
  resolved: [] as string[],
  read: [] as string[],
}));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const watch = (...given: Parameters<typeof real.watch>) => {
    asked.watched.push(String(given[0]));
    return real.watch(...given);
  };
  const readFileSync = (...given: Parameters<typeof real.readFileSync>) => {
    asked.read.push(String(given[0]));
    return real.readFileSync(...given);
  };
  const seen = { ...real, watch, readFileSync };
  return { ...seen, default: seen };
});
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof fsPromises>();
  const realpath = (path: string) => {
    asked.resolved.push(path);
    return real.realpath(path);
  };
  return { ...real, default: real, realpath };
});

let root: string;
beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'holdfast-systems-')));
  vi.resetModules();
  for (const list of Object.values(asked)) list.length = 0;
});
afterEach(() => {
  fs.rmSync(root, { recursive: true });
});
const modeOf = (path: string): number => fs.statSync(path).mode & 0o777;
/** Modes are those of a system that has them. */
const hasModes = process.platform !== 'win32';

describe('on Windows', () => {
  it('UP-03 no folder is opened to sync it, which the system refuses', async () => {
    const missing = join(root, 'missing');
    await onSystem('win32', async () => {
      await expect(syncFolder(missing)).resolves.toBeUndefined();
      expect(() => syncFolderSync(missing)).not.toThrow();
      await makeFolder(join(root, 'a', 'b'), root);
    });
    expect(fs.statSync(join(root, 'a', 'b')).isDirectory()).toBe(true);
    if (!hasModes) return;
    await expect(syncFolder(missing)).rejects.toThrow('ENOENT');
    expect(() => syncFolderSync(missing)).toThrow('ENOENT');
  });

  it.skipIf(!hasModes)(
    'UP-03 a key file is used whatever mode it shows; elsewhere one that others can read is not',
    async () => {
      const file = join(root, 'key');
      fs.writeFileSync(file, 'k', { mode: 0o644 });
      expect(await onSystem('win32', () => readPrivateFile(file))).toEqual({
        kind: 'content',
        text: 'k',
      });
      expect(await onSystem('darwin', () => readPrivateFile(file))).toMatchObject({
        kind: 'refused',
      });
    },
  );

  it.skipIf(!hasModes)(
    'UP-03 the folder of a pipe has no mode to set; elsewhere it is made private',
    async () => {
      const folder = join(root, 'run');
      fs.mkdirSync(folder);
      fs.chmodSync(folder, 0o755);
      await onSystem('win32', () => ensurePrivateDir(folder));
      expect(modeOf(folder)).toBe(0o755);
      await onSystem('darwin', () => ensurePrivateDir(folder));
      expect(modeOf(folder)).toBe(0o700);
    },
  );
});

describe.each(OTHER_SYSTEMS)('on %s', (platform) => {
  it('UP-03 a folder of the workspace is reached by its path, made, synced, and looked at again before each use', async () => {
    const { openFolder } = await import('../../../electron/adapters/files/folder-handle');
    await onSystem(platform, async () => {
      const path = join(root, 'a', 'b');
      const folder = await openFolder({ root, path }, { isMade: true });
      if (folder === 'outside') throw new Error('it is inside');
      expect([folder.self, folder.at('c.txt')]).toEqual([path, join(path, 'c.txt')]);
      expect(await folder.isInside()).toBe(true);
      await folder.sync();
      fs.renameSync(join(root, 'a'), join(root, 'moved'));
      fs.mkdirSync(join(root, 'elsewhere', 'b'), { recursive: true });
      fs.symlinkSync(join(root, 'elsewhere'), join(root, 'a'), 'junction');
      expect(await folder.isInside()).toBe(false);
      await folder.close();
      expect(await openFolder({ root, path })).toBe('outside');
      await expect(openFolder({ root, path: join(root, 'none') })).rejects.toThrow('ENOENT');
    });
  });

  it('UP-03 a file of the workspace is read, and what is none is named', async () => {
    const file = join(root, 'a.txt');
    fs.writeFileSync(file, 'text');
    await onSystem(platform, async () => {
      const handle = await openForReading({ path: file, root });
      if (typeof handle === 'string') throw new Error(handle);
      expect(await handle.readFile('utf8')).toBe('text');
      await handle.close();
      expect(asked.resolved).toEqual([]);
      expect(await openForReading({ path: join(root, 'none'), root })).toBe('missing');
      if (hasModes) expect(await openForReading({ path: root, root })).toBe('folder');
    });
  });

  it('UP-03 the folder of a settings file is watched, and each of 3 replacements by an editor is noticed', async () => {
    const file = join(root, 'config.json');
    fs.writeFileSync(file, '0');
    await onSystem(platform, async () => {
      let seen = 0;
      const watcher = watchFile(file, 20, () => (seen += 1));
      expect(asked.watched).toEqual([root]);
      try {
        for (let n = 1; n <= 3; n += 1) {
          fs.writeFileSync(join(root, 'new'), String(n));
          fs.renameSync(join(root, 'new'), file);
          await vi.waitFor(() => expect(seen).toBeGreaterThanOrEqual(n), 50_000);
        }
      } finally {
        watcher?.stop();
      }
    });
  });

  it('UP-03 a data directory is prepared without a table of mounts, and its lock names no holder', async () => {
    await onSystem(platform, async () => {
      const paths = prepareDataDir(join(root, 'data'));
      expect(asked.read).not.toContain('/proc/self/mountinfo');
      const lock = openKernelLock(paths.lockDb);
      expect(lock.tryLock()).toBe('locked');
      const other = openKernelLock(paths.lockDb);
      expect(other.tryLock()).toBe('busy');
      expect(await other.holderPid()).toBeNull();
      lock.unlock();
      expect(other.tryLock()).toBe('locked');
      other.unlock();
    });
  });
});
