import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { prepareDataDir } from '../../electron/adapters/lock';
import { HoldfastError } from '../../electron/engine/kernel/errors';
import { buildHost, createHostYard } from '../integration/lock/host-process';
import type { HostBundle } from '../integration/lock/host-process';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
let bundle: HostBundle;
const yard = createHostYard(() => bundle);

beforeAll(async () => {
  bundle = await buildHost();
}, 60_000);
afterEach(() => yard.close());
afterAll(() => {
  bundle.remove();
});

function refusalOf(dataDir: string): HoldfastError {
  try {
    prepareDataDir(dataDir);
  } catch (error) {
    if (error instanceof HoldfastError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

const modeOf = (target: string) => fs.statSync(target).mode & 0o777;

function makeDir(mode: number): string {
  const dataDir = yard.tempDir();
  fs.mkdirSync(dataDir, { recursive: true });
  fs.chmodSync(dataDir, mode);
  return dataDir;
}

describe('K5 the data directory', () => {
  it('K5 is created with mode 0700, its run folder too, whatever the umask', () => {
    const dataDir = yard.tempDir();
    const before = process.umask(0);
    try {
      prepareDataDir(dataDir);
    } finally {
      process.umask(before);
    }
    expect(modeOf(dataDir)).toBe(0o700);
    expect(modeOf(path.join(dataDir, 'run'))).toBe(0o700);
  });

  it('K5 that others may only read is tightened to 0700, files to 0600', () => {
    const dataDir = makeDir(0o755);
    const file = path.join(dataDir, 'agent.lock');
    fs.writeFileSync(file, '4321', { mode: 0o644 });
    prepareDataDir(dataDir);
    expect(modeOf(dataDir)).toBe(0o700);
    expect(modeOf(file)).toBe(0o600);
  });

  it('K5 that everyone may write to is refused with the exact fix', () => {
    const dataDir = makeDir(0o777);
    const error = refusalOf(dataDir);
    expect(error.code).toBe('DATA_DIR_UNSAFE');
    expect(error.hint).toBe(`Run: chmod 700 ${dataDir}`);
    expect(modeOf(dataDir)).toBe(0o777);
    expect(fs.readdirSync(dataDir)).toEqual([]);
    fs.chmodSync(dataDir, 0o700);
    expect(() => prepareDataDir(dataDir)).not.toThrow();
  });

  it('K5 whose run folder everyone may write to is refused by that folder’s name', () => {
    const dataDir = makeDir(0o700);
    const run = path.join(dataDir, 'run');
    fs.mkdirSync(run);
    fs.chmodSync(run, 0o777);
    expect(refusalOf(dataDir)).toMatchObject({ code: 'DATA_DIR_UNSAFE', facts: { path: run } });
  });

  it.runIf(isRoot)(
    'K5 of another account is refused with the exact fix, after the way that takes nothing away',
    () => {
      const dataDir = makeDir(0o700);
      fs.chownSync(dataDir, NOBODY, NOBODY);
      const error = refusalOf(dataDir);
      expect(error.code).toBe('DATA_DIR_UNSAFE');
      expect(error.hint).toBe(
        `Name a folder of your own with --data-dir. Only if this one is meant to be yours, run: sudo chown -R 0 ${dataDir}`,
      );
      expect(error.facts).toMatchObject({ fix: `sudo chown -R 0 ${dataDir}` });
    },
  );

  it('L17 that is a file is refused naming the path', () => {
    const dataDir = yard.tempDir();
    fs.writeFileSync(dataDir, 'x');
    const error = refusalOf(dataDir);
    expect(error.code).toBe('DATA_DIR_UNUSABLE');
    expect(error.message).toContain(dataDir);
    expect(error.hint).toContain('--data-dir');
  });

  it.runIf(isRoot)(
    'L17 without write permission is refused naming the path, exit code 4',
    async () => {
      const dataDir = makeDir(0o500);
      fs.chmodSync(path.dirname(dataDir), 0o755);
      fs.chownSync(dataDir, NOBODY, NOBODY);
      const host = yard.start({ dataDir }, { uid: NOBODY, gid: NOBODY });
      const refused = await host.next(['refused']);
      expect(refused).toMatchObject({
        code: 'DATA_DIR_UNUSABLE',
        message: `Your account may not write to ${dataDir}. Nothing was started, and nothing was changed.`,
      });
      expect((await host.ended).code).toBe(4);
    },
  );

  it('L15 with a folder at agent.lock is refused naming that path, and the folder stays', () => {
    const dataDir = makeDir(0o700);
    const inTheWay = path.join(dataDir, 'agent.lock');
    fs.mkdirSync(inTheWay);
    const error = refusalOf(dataDir);
    expect(error.code).toBe('DATA_DIR_UNUSABLE');
    expect(error.message).toContain(inTheWay);
    expect(fs.statSync(inTheWay).isDirectory()).toBe(true);
  });

  it('K5 whose lock.db is a link is refused', () => {
    const dataDir = makeDir(0o700);
    fs.symlinkSync('/etc/hostname', path.join(dataDir, 'lock.db'));
    expect(refusalOf(dataDir).code).toBe('DATA_DIR_UNSAFE');
  });

  it('K5 the fix is one shell command even for a path with spaces and quotes', () => {
    const dataDir = path.join(makeDir(0o700), "it's a dir");
    fs.mkdirSync(dataDir);
    fs.chmodSync(dataDir, 0o777);
    expect(refusalOf(dataDir).hint).toBe(`Run: chmod 700 '${dataDir.replace("'", `'\\''`)}'`);
  });
});
