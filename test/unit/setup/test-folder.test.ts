import os from 'node:os';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../../build/setup/test-folder.mjs';

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
