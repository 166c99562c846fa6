import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { copyProgram } from '../../../electron/disk/program-file';
import { sweepNow } from '../../../electron/disk/sweep';

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
