import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
// @ts-expect-error plain JavaScript: it runs before anything is built
import * as folders from '../../../build/setup/test-folder.mjs';

const { testFolder, makeRunFolder } = folders as {
  readonly makeRunFolder: (parent: string) => string;
  readonly testFolder: (given: {
    readonly env: NodeJS.ProcessEnv;
    readonly platform: string;
  }) => string;
};

describe('temporary files of a test run', () => {
  it('go where TMPDIR says, whatever else there is', () => {
    expect(testFolder({ env: { TMPDIR: os.tmpdir() }, platform: 'linux' })).toBe(os.tmpdir());
  });

  it.each(['darwin', 'win32'])('go to the folder of the system on %s', (platform) => {
    expect(testFolder({ env: {}, platform })).toBe(os.tmpdir());
  });

  it('of runs that were killed go with the next run; those of one that goes on stay', () => {
    const parent = fs.mkdtempSync(path.join(os.tmpdir(), 'hf-runs-'));
    try {
      const own = makeRunFolder(parent);
      const ended = spawnSync(process.execPath, ['-e', '']).pid;
      const left = fs.mkdtempSync(path.join(parent, 'holdfast-test-'));
      fs.writeFileSync(path.join(left, 'owner.pid'), String(ended));
      for (const name of ['holdfast-test-older', 'other']) fs.mkdirSync(path.join(parent, name));
      const next = makeRunFolder(parent);
      expect(fs.readdirSync(parent).toSorted()).toEqual(
        [own, next, 'holdfast-test-older', 'other'].map((one) => path.basename(one)).toSorted(),
      );
    } finally {
      fs.rmSync(parent, { recursive: true });
    }
  });

  it('go to memory or the folder of the system elsewhere, where nothing is left of having tried', () => {
    expect(['/dev/shm', os.tmpdir()]).toContain(testFolder({ env: {}, platform: 'linux' }));
  });
});
