/** What a file trigger sees, on a real disk. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fileState } from '../../../electron/adapters/triggers/file-state';

const { opendir, stat } = fs.promises;
let dir: string;
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-trigger-'));
});
afterEach(() => {
  Object.assign(fs.promises, { opendir, stat });
  syncBuiltinESMExports();
  fs.rmSync(dir, { recursive: true, force: true });
});

it.each(['opendir', 'stat'] as const)(
  'GT-02 a folder with 1 part that cannot be read for a moment (%s: EMFILE) has no state, instead of a changed one that would start a task; a part that is denied is left out',
  async (call) => {
    fs.mkdirSync(path.join(dir, 'sub'));
    fs.writeFileSync(path.join(dir, 'sub', 'a.txt'), 'a');
    const look = () => fileState(dir, new AbortController().signal);
    const before = await look();
    let code = 'EMFILE';
    const real = { opendir, stat }[call] as (place: string) => Promise<unknown>;
    Object.assign(fs.promises, {
      [call]: (place: string) =>
        place.includes('sub')
          ? Promise.reject(Object.assign(new Error(code), { code }))
          : real(place),
    });
    syncBuiltinESMExports();
    expect(await look()).toBeUndefined();
    code = 'EACCES';
    expect(await look()).toMatch(/^[0-9a-f]{64}$/);
    Object.assign(fs.promises, { opendir, stat });
    syncBuiltinESMExports();
    expect(await look()).toBe(before);
  },
);
