import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { prepareDataDir } from '../../electron/adapters/instance/data-dir';
import { HoldfastError } from '../../electron/engine/kernel/errors';
import { buildHost, createHostYard } from '../integration/instance/host-process';
import type { HostBundle } from '../integration/instance/host-process';
import { HAS_PRIVATE_GROUP, writableByOthers } from '../helpers/writable-by-others';
import { isLeftOut, NOT_ROOT } from '../helpers/skips';

const NOBODY = 65_534;
let bundle: HostBundle;
const yard = createHostYard(() => bundle);

beforeAll(async () => {
  bundle = await buildHost();
});
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

const LOOK =
  'check its contents before you trust it: settings, skills and hooks run programs as you';

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
    expect(error.hint).toBe(
      `Others could have put files there: ${LOOK} (ls -lA ${dataDir}). Then run: chmod 700 ${dataDir}`,
    );
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

  it.skipIf(isLeftOut('a data folder of another user', NOT_ROOT))(
    'K5 of another account is refused with the exact fix, after the way that takes nothing away',
    () => {
      const dataDir = makeDir(0o700);
      fs.chownSync(dataDir, NOBODY, NOBODY);
      const error = refusalOf(dataDir);
      expect(error.code).toBe('DATA_DIR_UNSAFE');
      expect(error.hint).toBe(
        `Choose a directory of your own with --data-dir. Only if this one is meant to be yours: ${LOOK} (ls -lA ${dataDir}). Then run: sudo chown -R 0 ${dataDir}`,
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

  it.skipIf(isLeftOut('a data folder of another user', NOT_ROOT))(
    'L17 without write permission is refused naming the path, exit code 4',
    async () => {
      const dataDir = makeDir(0o500);
      fs.chmodSync(path.dirname(dataDir), 0o755);
      fs.chownSync(dataDir, NOBODY, NOBODY);
      const host = yard.start({ dataDir }, { uid: NOBODY, gid: NOBODY });
      const refused = await host.next(['refused']);
      expect(refused).toMatchObject({
        code: 'DATA_DIR_UNUSABLE',
        message: `Your account cannot write to ${dataDir}. Nothing was started, and nothing was changed.`,
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
    const fix = `chmod 700 '${dataDir.replace("'", `'\\''`)}'`;
    expect(refusalOf(dataDir).hint).toContain(`Then run: ${fix}`);
    expect(refusalOf(dataDir).facts).toMatchObject({ fix });
  });

  it.each(writableByOthers(0o770, 0o775, 0o2775, 0o2770, 0o707, 0o1777, 0o720))(
    'K5 that others may write to (%o) is refused and not tightened',
    (mode) => {
      const dataDir = makeDir(mode);
      expect(refusalOf(dataDir)).toMatchObject({
        code: 'DATA_DIR_UNSAFE',
        facts: { path: dataDir },
      });
      expect([fs.statSync(dataDir).mode & 0o7777, fs.readdirSync(dataDir)]).toEqual([mode, []]);
    },
  );

  it.each(writableByOthers(0o775, 0o777, 0o2770))(
    'K5 below a folder that others may write to (%o) is refused by the name of that one, before it is made',
    (mode) => {
      const above = path.join(makeDir(0o700), 'above');
      const dataDir = path.join(above, 'between', 'D');
      fs.mkdirSync(path.dirname(dataDir), { recursive: true });
      fs.chmodSync(above, mode);
      expect(refusalOf(dataDir)).toMatchObject({
        code: 'DATA_DIR_UNSAFE',
        facts: { path: above, fix: `chmod go-w ${above}` },
      });
      expect(fs.existsSync(dataDir)).toBe(false);
      fs.chmodSync(above, 0o755);
      expect(() => prepareDataDir(dataDir)).not.toThrow();
    },
  );

  it('K5 behind a link on a way that others may change is refused, behind one of ours it is D', () => {
    const [base, open] = [makeDir(0o700), makeDir(0o700)];
    const real = path.join(base, 'real');
    fs.mkdirSync(real, { mode: 0o700 });
    fs.symlinkSync(real, path.join(open, 'D'));
    expect(prepareDataDir(path.join(open, 'D')).dataDir).toBe(real);
    fs.chmodSync(open, 0o777);
    expect(refusalOf(path.join(open, 'D'))).toMatchObject({ facts: { path: open } });
    const circle = path.join(base, 'circle');
    fs.symlinkSync(circle, circle);
    expect(refusalOf(path.join(circle, 'D')).code).toMatch(/^DATA_DIR_/);
  });

  it.each([
    'config.json',
    'run/config.last-good.json',
    'agent.lock',
    'holdfast.db',
    'holdfast.db-wal',
    'holdfast.db-shm',
    'run/control.token',
    'secrets/provider-p.json',
    'logs/holdfast.log',
    'audit/2026-03.jsonl',
    'gateway.token',
    'shell.json',
    'something-of-later',
  ])(
    'K5 with %s that others may write to is refused by that name, and it is left as it is',
    (name) => {
      const dataDir = makeDir(0o700);
      const file = path.join(dataDir, name);
      const mode = HAS_PRIVATE_GROUP ? 0o666 : 0o664;
      fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      fs.writeFileSync(file, '{}');
      fs.chmodSync(file, mode);
      const error = refusalOf(dataDir);
      expect(error).toMatchObject({
        code: 'DATA_DIR_UNSAFE',
        facts: { path: file, fix: `chmod go-w ${file}` },
      });
      const by = HAS_PRIVATE_GROUP ? 'everyone' : 'its group';
      expect(error.message).toContain(`${name} can be written to by ${by}`);
      expect(error.hint).toContain(LOOK);
      expect(modeOf(file)).toBe(mode);
      fs.chmodSync(file, 0o600);
      expect(() => prepareDataDir(dataDir)).not.toThrow();
    },
  );

  it.skipIf(isLeftOut('a data folder of another user', NOT_ROOT))(
    'K5 with files of another account names each, five at most, and trusts none of them',
    () => {
      const dataDir = makeDir(0o700);
      const names = ['a.json', 'b.json', 'c.json', 'config.json', 'd.json', 'e.json', 'f.json'];
      for (const name of names) {
        fs.writeFileSync(path.join(dataDir, name), '{}');
        fs.chownSync(path.join(dataDir, name), NOBODY, NOBODY);
      }
      const error = refusalOf(dataDir);
      expect(error.message).toBe(
        `Another account may have added or changed entries in ${dataDir}: ${names
          .slice(0, 5)
          .map((name) => `${name} belongs to another account (uid 65534, not 0)`)
          .join('; ')}; and 2 more. Nothing was started or changed.`,
      );
      for (const name of names)
        fs.renameSync(path.join(dataDir, name), path.join(dataDir, `${name}.untrusted`));
      expect(() => prepareDataDir(dataDir)).not.toThrow();
    },
  );

  it.each(['logs', 'audit', 'drafts', 'secrets', 'skills', 'run', 'backups', 'blobs', 'practice'])(
    'K5 whose %s is a link is refused although the link is ours: nothing is written elsewhere',
    (name) => {
      const [dataDir, elsewhere] = [makeDir(0o700), makeDir(0o700)];
      fs.symlinkSync(elsewhere, path.join(dataDir, name));
      expect(refusalOf(dataDir)).toMatchObject({
        code: 'DATA_DIR_UNSAFE',
        facts: { path: path.join(dataDir, name), problem: 'is a symbolic link' },
      });
      expect(fs.readdirSync(elsewhere)).toEqual([]);
    },
  );

  it('K5 whose config.json is a link of ours to a file of ours is taken, and no other way', () => {
    const [dataDir, dotfiles] = [makeDir(0o700), makeDir(0o755)];
    const target = path.join(dotfiles, 'holdfast.json');
    fs.writeFileSync(target, '{}', { mode: 0o644 });
    fs.symlinkSync(target, path.join(dataDir, 'config.json'));
    expect(() => prepareDataDir(dataDir)).not.toThrow();
    fs.chmodSync(target, 0o666);
    expect(refusalOf(dataDir).message).toContain(
      `config.json is a symbolic link that leads through ${target}, which can be written to by everyone`,
    );
    fs.chmodSync(target, 0o644);
    fs.chmodSync(dotfiles, 0o777);
    expect(refusalOf(dataDir).message).toContain(`leads through ${dotfiles}, which can be written`);
    fs.chmodSync(dotfiles, 0o755);
    fs.rmSync(target);
    expect(() => prepareDataDir(dataDir)).not.toThrow();
  });
});
