/** Copies of an agent's own records, on a real disk. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { backUpRecord } from '../../../electron/adapters/acp/back-up-record';

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-back-up-'));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

it('S4-20 an earlier copy whose size cannot be read is not replaced by a record that may have lost something', async () => {
  const ref = '0b7c9d3e-record';
  const folder = path.join(root, 'home', '.claude', 'projects', '-w');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, `${ref}.jsonl`), 'short');
  const backUp = () =>
    backUpRecord({
      ...{ id: 'claude', ref, turnId: 7, intoDir: path.join(root, 'records') },
      env: { HOME: path.join(root, 'home') },
    });
  expect(await backUp()).toBe(path.join(root, 'records', '7'));
  const copy = path.join(root, 'records', '7', `0-${ref}.jsonl`);
  fs.rmSync(copy);
  // Its size ends with ELOOP.
  fs.symlinkSync(copy, copy);
  expect(await backUp()).toBeUndefined();
  expect(fs.readlinkSync(copy)).toBe(copy);
});
