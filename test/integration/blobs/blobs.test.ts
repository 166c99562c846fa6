import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBlobs } from '../../../electron/adapters/blobs/blobs';
import { createHasher } from '../../../electron/adapters/blobs/hasher';
import type { CrashPointName, CrashPoints } from '../../../electron/engine/kernel/crash-points';
import { noCrashPoints } from '../../../electron/engine/kernel/crash-points';
import type { Blobs } from '../../../electron/ports/blobs';
import { isLeftOut, NOT_LINUX } from '../../helpers/skips';

let dir: string;
const hasher = createHasher();
const open = (crashPoints: CrashPoints = noCrashPoints): Blobs =>
  createBlobs({ dir: join(dir, 'blobs'), hasher, crashPoints });
const pathOf = (sha256: string): string => join(dir, 'blobs', sha256.slice(0, 2), sha256);
const files = (): string[] =>
  existsSync(join(dir, 'blobs'))
    ? readdirSync(join(dir, 'blobs'), { recursive: true, withFileTypes: true })
        .filter((f) => f.isFile())
        .map((f) => f.name)
    : [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-blobs-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

describe('blobs', () => {
  it('S4-+05 gives 5 MB back byte by byte, after a restart too, under its sha256, mode 0600', async () => {
    const content = `${'grün 🌿 "x"\n\0'.repeat(350_000)}end`;
    const sha256 = await open().put(content);
    expect(sha256).toBe(createHash('sha256').update(content).digest('hex'));
    expect(await open().get(sha256)).toBe(content);
    expect(readFileSync(pathOf(sha256), 'utf8')).toBe(content);
    expect(statSync(pathOf(sha256)).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'blobs')).mode & 0o777).toBe(0o700);
  });

  it('S4-+05 keeps the same content once, also when it is put 20 times at once', async () => {
    const blobs = open();
    const hashes = await Promise.all(Array.from({ length: 20 }, () => blobs.put('same')));
    expect(new Set(hashes).size).toBe(1);
    await blobs.put('other');
    expect(files()).toHaveLength(2);
    expect(await blobs.put('')).toBe(createHash('sha256').digest('hex'));
  });

  it('S4-14 content that is there already is written and named anew each time: the sync of its folder may have failed, and a later sync proves nothing of that name', async () => {
    const hits: CrashPointName[] = [];
    const sha256 = await open().put('same');
    const { ino } = statSync(pathOf(sha256));
    const again = open({ hit: (name) => hits.push(name) });
    await again.put('same');
    expect(statSync(pathOf(sha256)).ino).not.toBe(ino);
    await again.put('same');
    expect(hits).toHaveLength(4);
    expect(files()).toHaveLength(1);
  });

  it('S4-+05 a missing, cut or changed file counts as not recorded, and put repairs it', async () => {
    const blobs = open();
    const sha256 = await blobs.put('x'.repeat(50_000));
    truncateSync(pathOf(sha256), 100);
    expect(await blobs.get(sha256)).toBeUndefined();
    expect(await blobs.put('x'.repeat(50_000))).toBe(sha256);
    expect(await blobs.get(sha256)).toHaveLength(50_000);
    writeFileSync(pathOf(sha256), 'y'.repeat(50_000));
    expect(await blobs.get(sha256)).toBeUndefined();
    unlinkSync(pathOf(sha256));
    expect(await blobs.get(sha256)).toBeUndefined();
  });

  it.skipIf(isLeftOut('blobs on a disk that fails', NOT_LINUX))(
    'S4-+05 a file that is there and that the disk does not give is not missing: reading says so, with its name, and put writes it anew',
    async () => {
      const blobs = open();
      const sha256 = await blobs.put('x'.repeat(50_000), 12);
      const file = join(dir, 'blobs', sha256);
      unlinkSync(file);
      // Reading it ends with EIO.
      symlinkSync('/proc/self/mem', file);
      await expect(blobs.get(sha256)).rejects.toMatchObject({
        code: 'RESULT_UNREADABLE',
        message: `${file} cannot be read: the disk reports an error (EIO). Its contents are not lost.`,
        retryable: true,
      });
      expect(await blobs.put('x'.repeat(50_000), 12)).toBe(sha256);
      expect(await blobs.get(sha256)).toHaveLength(50_000);
    },
  );

  it.each(['', '../../etc/passwd', 'A'.repeat(64), `${'a'.repeat(63)}/`, 'a'.repeat(65)])(
    'S4-+05 reads nothing for the name %j',
    async (name) => {
      expect(await open().get(name)).toBeUndefined();
    },
  );

  it.each<CrashPointName>(['spill.beforeRename', 'spill.afterRename'])(
    'S4-14 dying at %s leaves no half file',
    async (point) => {
      const seen: CrashPointName[] = [];
      const dying = open({
        hit(name) {
          seen.push(name);
          if (name === point) throw new Error('killed');
        },
      });
      await expect(dying.put('content')).rejects.toThrow('killed');
      const sha256 = hasher.sha256Hex('content');
      expect(await open().get(sha256)).toBe(point === 'spill.afterRename' ? 'content' : undefined);
      expect(await open().put('content')).toBe(sha256);
      expect(await open().get(sha256)).toBe('content');
      expect(seen.at(-1)).toBe(point);
    },
  );

  it('tells when the disk refuses: put rejects and leaves nothing behind', async () => {
    writeFileSync(join(dir, 'blobs'), 'a file in its place');
    await expect(open().put('x')).rejects.toThrow();
    expect(readFileSync(join(dir, 'blobs'), 'utf8')).toBe('a file in its place');
  });
});

describe('sweep', () => {
  async function putSome(blobs: Blobs, count: number): Promise<string[]> {
    const hashes: string[] = [];
    for (let n = 0; n < count; n += 1) hashes.push(await blobs.put(`content ${String(n)}`));
    return hashes;
  }

  it('S4-+05 removes what is not used, keeps what is, at most 10 in one call', async () => {
    const hashes = await putSome(open(), 60);
    const used = new Set(hashes.slice(0, 20));
    const blobs = open();
    let removed = 0;
    for (let call = 0; call < 10; call += 1) {
      const went = await blobs.sweep(
        { isUsed: (sha256) => used.has(sha256), isOver: () => false },
        10,
      );
      expect(went).toBeLessThanOrEqual(10);
      removed += went;
    }
    expect(removed).toBe(40);
    expect(files().sort()).toEqual([...used].sort());
  });

  it('S4-+05 looks at a bounded number of files per call and gets to all of them', async () => {
    const hashes = await putSome(open(), 300);
    const victim = [...hashes].sort().at(-1);
    const blobs = open();
    let asked = 0;
    let removed = 0;
    let calls = 0;
    while (removed === 0 && calls < 100) {
      asked = 0;
      removed = await blobs.sweep(
        {
          isUsed: (sha256) => {
            asked += 1;
            return sha256 !== victim;
          },
          isOver: () => false,
        },
        1,
      );
      expect(asked).toBeLessThanOrEqual(40);
      calls += 1;
    }
    expect(removed).toBe(1);
    expect(calls).toBeGreaterThan(5);
  });

  it('S4-+05 never takes a blob whose row still waits for the disk, be it for 30 nights; once a row has named it and is gone, it goes', async () => {
    const blobs = open();
    const sha256 = await blobs.put('fresh');
    const sweep = (isUsed: boolean): Promise<number> =>
      blobs.sweep({ isUsed: () => isUsed, isOver: () => false }, 100);
    for (let night = 0; night < 30; night += 1) expect(await sweep(false)).toBe(0);
    expect(await blobs.get(sha256)).toBe('fresh');
    expect(await sweep(true)).toBe(0);
    expect(await sweep(false)).toBe(1);
    expect(await blobs.get(sha256)).toBeUndefined();
    // What an earlier process left without a row never gets one.
    await blobs.put('left');
    expect(await open().sweep({ isUsed: () => false, isOver: () => false }, 100)).toBe(1);
  });

  it('S4-+05 a put that races a sweep never ends with its blob gone (200 rounds)', async () => {
    for (let round = 0; round < 200; round += 1) {
      await open().put('raced');
      const blobs = open();
      const [, sha256] = await Promise.all([
        blobs.sweep({ isUsed: () => false, isOver: () => false }, 100),
        blobs.put('raced'),
      ]);
      expect(await blobs.get(sha256)).toBe('raced');
    }
  });

  it('removes what a cut-off write left, and leaves files of others alone', async () => {
    const sha256 = await open().put('x');
    const folder = join(dir, 'blobs', sha256.slice(0, 2));
    writeFileSync(join(folder, `${sha256}.123-4.tmp`), 'half');
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    mkdirSync(join(dir, 'blobs', 'zz'));
    expect(await open().sweep({ isUsed: () => true, isOver: () => false }, 100)).toBe(1);
    expect(files().sort()).toEqual([sha256, 'notes.txt'].sort());
  });

  it("S4-+05 a turn's results lie apart: its end takes them, not the same content of another turn or of nobody's", async () => {
    const blobs = open();
    const of12 = await blobs.put('same', 12);
    const of13 = await blobs.put('same', 13);
    const shared = await blobs.put('same');
    expect([of12, of13]).toEqual([`t12/${shared}`, `t13/${shared}`]);
    await blobs.release(12);
    await blobs.release(12);
    expect(await Promise.all([of12, of13, shared].map((one) => blobs.get(one)))).toEqual([
      undefined,
      'same',
      'same',
    ]);
    expect(await open().get(`t13/../${shared}`)).toBeUndefined();
  });

  it('S4-+05 the end of a turn takes what an earlier process wrote for it, too', async () => {
    const of12 = await open().put('same', 12);
    const next = open();
    await next.release(11);
    await next.release(12);
    expect(await next.get(of12)).toBeUndefined();
    expect(files()).toEqual([]);
  });

  it('S4-+05 a sweep takes what a turn left that is over, and nothing of an open one', async () => {
    const blobs = open();
    await blobs.put('a', 1);
    await blobs.put('b', 2);
    const used = { isUsed: () => true, isOver: (turnId: number) => turnId === 1 };
    expect(await blobs.sweep(used, 10)).toBe(1);
    expect(await blobs.get(await open().put('b', 2))).toBe('b');
    expect(files()).toHaveLength(1);
  });

  it('does nothing where there are no blobs', async () => {
    expect(await open().sweep({ isUsed: () => false, isOver: () => false }, 10)).toBe(0);
    expect(existsSync(join(dir, 'blobs'))).toBe(false);
  });
});
