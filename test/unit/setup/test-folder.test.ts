import os from 'node:os';
import { describe, expect, it } from 'vitest';
// @ts-expect-error a plain script of the set-up, which has no types
import * as folders from '../../../build/setup/test-folder.mjs';

const { testFolder } = folders as {
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

  it('go to memory or the folder of the system elsewhere, where nothing is left of having tried', () => {
    expect(['/dev/shm', os.tmpdir()]).toContain(testFolder({ env: {}, platform: 'linux' }));
  });
});
