import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorkspaceOpener,
  isOnPath,
  planLaunch,
} from '../../../electron/shell/windows/open-workspace';

const has =
  (...names: string[]) =>
  (program: string): boolean =>
    names.includes(program);

describe('the program that shows a folder', () => {
  it.each([
    ['editor', 'linux', has('subl', 'code'), { program: 'code', args: ['/w'] }],
    ['editor', 'darwin', has('zed'), { program: 'zed', args: ['/w'] }],
    ['editor', 'linux', has(), undefined],
    ['editor', 'win32', has('code'), undefined],
    ['terminal', 'linux', has('xterm', 'konsole'), { program: 'konsole', args: [] }],
    ['terminal', 'linux', has(), undefined],
    ['terminal', 'darwin', has(), { program: 'open', args: ['-a', 'Terminal', '/w'] }],
    ['terminal', 'win32', has(), { program: 'wt.exe', args: ['-d', '/w'] }],
  ] as const)('%s on %s', (what, platform, isInstalled, launch) => {
    expect(planLaunch(what, '/w', { platform, isInstalled })).toEqual(launch);
  });
});

describe('the folder of an agent', () => {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'hf-open-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const open = (folder: string | undefined, path = dir) =>
    createWorkspaceOpener({
      folderOf: () => Promise.resolve(folder),
      env: { PATH: path },
      platform: 'linux',
      show: (shown) => Promise.resolve(shown === dir ? '' : 'no'),
    });

  it('counts a program only where it is a file that may be run', () => {
    writeFileSync(join(dir, 'code'), '');
    expect(isOnPath('code', dir)).toBe(false);
    chmodSync(join(dir, 'code'), 0o755);
    expect(isOnPath('code', `/nowhere:${dir}`)).toBe(true);
    expect(isOnPath('code', undefined)).toBe(false);
  });

  it('opens in the file manager', async () => {
    await expect(open(dir)('a', 'files')).resolves.toBeUndefined();
  });

  it.each([undefined, '/no/such/folder'])('says that %s was not found', async (folder) => {
    await expect(open(folder)('a', 'files')).rejects.toMatchObject({ code: 'DATA_DIR_UNUSABLE' });
  });

  it('starts the editor in the folder with the folder, and waits until it is started', async () => {
    const out = join(dir, 'seen');
    writeFileSync(
      join(dir, 'code'),
      `#!/bin/sh\necho "$PWD $1" > '${out}.new' && mv '${out}.new' '${out}'\n`,
    );
    chmodSync(join(dir, 'code'), 0o755);
    const before = process.env['PATH'];
    process.env['PATH'] = `${dir}:${before ?? ''}`;
    try {
      await open(dir)('a', 'editor');
    } finally {
      process.env['PATH'] = before;
    }
    const { readFileSync, existsSync } = await import('node:fs');
    await expect.poll(() => existsSync(out)).toBe(true);
    expect(readFileSync(out, 'utf8').trim()).toBe(`${dir} ${dir}`);
  });

  it('names what is missing where there is no editor and no terminal', async () => {
    await expect(open(dir)('a', 'editor')).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(open(dir)('a', 'terminal')).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });
});
