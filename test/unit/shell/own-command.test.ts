import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isOnPath, ownCommand, ownProgram } from '../../../electron/shell/own-command';

describe('the command that a terminal starts this program with', () => {
  const facts = {
    program: '/opt/Hold fast/holdfast',
    args: [],
    dataDir: '/home/mara/.holdfast',
    defaultDataDir: '/home/mara/.holdfast',
    isOnPath: false,
  };

  it.each([
    [{}, "'/opt/Hold fast/holdfast'", ''],
    [{ isOnPath: true }, 'holdfast', ''],
    [{ program: '/e/electron', args: ['/src'], isOnPath: true }, '/e/electron /src', ''],
    [{ isOnPath: true, dataDir: '/d e' }, 'holdfast', "--data-dir '/d e'"],
  ])('X-06 %j: %s and %s', (given, command, options) => {
    expect(ownCommand({ ...facts, ...given })).toEqual({ command, options });
  });

  it.each([
    ['/opt/holdfast', {}, '/opt/holdfast'],
    [
      '/tmp/.mount_h/holdfast',
      { APPIMAGE: '/a/H.AppImage', APPDIR: '/tmp/.mount_h' },
      '/a/H.AppImage',
    ],
    // The terminal is an AppImage, this program is not.
    ['/opt/holdfast', { APPIMAGE: '/a/Term.AppImage', APPDIR: '/tmp/.mount_t' }, '/opt/holdfast'],
  ])('X-06 %s with %j is the file %s', (execPath, env, program) => {
    expect(ownProgram(execPath, env)).toBe(program);
  });

  describe('on the PATH', () => {
    let dir: string;
    beforeEach(() => {
      dir = mkdtempSync(join(tmpdir(), 'hf-path-'));
    });
    afterEach(() => rmSync(dir, { recursive: true, force: true }));

    it('X-06 holdfast is named only where it is this program', () => {
      const program = join(dir, 'program');
      writeFileSync(program, '');
      chmodSync(program, 0o755);
      const PATH = `/nowhere::${dir}`;
      expect(isOnPath(program, { PATH })).toBe(false);
      symlinkSync(program, join(dir, 'holdfast'));
      expect(isOnPath(program, { PATH })).toBe(true);
      expect(isOnPath(join(dir, 'other'), { PATH })).toBe(false);
    });
  });
});
