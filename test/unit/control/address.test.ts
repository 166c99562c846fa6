import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { controlSocketPath } from '../../../electron/control/address';
import { createTokenBucket } from '../../../shared/token-bucket';

const dir = (bytes: number): string => `/${'d'.repeat(bytes - 1)}`;
/** `/run/control.sock` takes 17 bytes. */
const suffix = '/run/control.sock';

describe('where the control socket is', () => {
  it('S2-39 is D/run/control.sock up to 103 bytes and a short name in the runtime directory from 104', () => {
    const env = { XDG_RUNTIME_DIR: '/run/user/7' };
    expect(controlSocketPath(dir(103 - suffix.length), env, 'linux')).toBe(
      dir(103 - suffix.length) + suffix,
    );
    const short = controlSocketPath(dir(104 - suffix.length), env, 'linux');
    expect(short).toMatch(/^\/run\/user\/7\/holdfast\/[0-9a-f]{24}\.sock$/);
  });

  it('S2-39 counts bytes, not characters', () => {
    expect(controlSocketPath(`/${'ü'.repeat(50)}`, { XDG_RUNTIME_DIR: '/r' }, 'linux')).toMatch(
      /^\/r\/holdfast\//,
    );
  });

  it('S2-39 two long directories that begin alike get two sockets', () => {
    const env = { XDG_RUNTIME_DIR: '/r' };
    expect(controlSocketPath(`${dir(150)}/a`, env, 'linux')).not.toBe(
      controlSocketPath(`${dir(150)}/b`, env, 'linux'),
    );
  });

  it('S2-39 without a usable runtime directory the short name is in a directory of this user', () => {
    for (const env of [{}, { XDG_RUNTIME_DIR: 'relative' }, { XDG_RUNTIME_DIR: dir(200) }]) {
      expect(controlSocketPath(dir(200), env, 'linux')).toMatch(
        /^\/tmp\/holdfast-\d+\/[0-9a-f]{24}\.sock$/,
      );
    }
  });

  it('S2-39 a symlink to the directory means the same socket', () => {
    const real = mkdtempSync(join(tmpdir(), 'hf-addr-'));
    symlinkSync(real, `${real}-link`);
    try {
      expect(controlSocketPath(`${real}-link`, {}, 'linux')).toBe(
        controlSocketPath(real, {}, 'linux'),
      );
    } finally {
      rmSync(`${real}-link`);
      rmSync(real, { recursive: true });
    }
  });

  it('S2-39 on Windows it is a pipe named for user and directory, whatever the case of its letters', () => {
    const env = { USERDOMAIN: 'OFFICE', USERNAME: 'ada' };
    const name = controlSocketPath('C:\\Users\\ada\\.holdfast', env, 'win32');
    expect(name).toMatch(/^\\\\\.\\pipe\\holdfast-[0-9a-f]{24}$/);
    expect(controlSocketPath('c:\\users\\ADA\\.holdfast', env, 'win32')).toBe(name);
    expect(
      controlSocketPath('C:\\Users\\ada\\.holdfast', { ...env, USERNAME: 'eve' }, 'win32'),
    ).not.toBe(name);
  });
});

describe('rate limit of a client', () => {
  it('I6 lets 5 through at once, then 2 each second, and saves up no more than 5', () => {
    let nowMs = 0;
    const limit = createTokenBucket(5, 2);
    const taken = (): number => {
      let count = 0;
      while (limit.take(nowMs)) count += 1;
      return count;
    };
    expect(taken()).toBe(5);
    nowMs = 499;
    expect(taken()).toBe(0);
    nowMs = 1_000;
    expect(taken()).toBe(2);
    nowMs = 3_600_000;
    expect(taken()).toBe(5);
  });
});
