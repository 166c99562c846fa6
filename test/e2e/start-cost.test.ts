/** What a start in Electron does without. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestHome, until } from '../helpers/electron-app';

const built = fileURLToPath(new URL('../../dist', import.meta.url));
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'hf-cost-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('W4 a start in Electron', () => {
  it('W4 takes the code that the build has compiled of every part of the app', () => {
    const chunks = join(built, 'electron', 'chunks');
    const names = readdirSync(chunks).filter((name) => name.endsWith('.cjs'));
    const files = [
      join(built, 'electron', 'main-program.cjs'),
      ...names.map((name) => join(chunks, name)),
    ];
    const program = join(dir, 'main.cjs');
    writeFileSync(
      program,
      `const { scriptOf } = require(${JSON.stringify(join(built, 'node', 'compiled-code.cjs'))});
       for (const file of ${JSON.stringify(files)})
         if (scriptOf(file).cachedDataRejected === false) process.stdout.write(file + '\\n');
       process.exit(0);`,
    );
    const flags = (process.env['HOLDFAST_TEST_ELECTRON_FLAGS'] ?? '').split(' ').filter(Boolean);
    const taken = execFileSync(process.env['HOLDFAST_TEST_ELECTRON'] ?? '', [...flags, program], {
      encoding: 'utf8',
      env: { ...process.env, HOME: dir, XDG_CONFIG_HOME: dir },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(taken.trim().split('\n').toSorted()).toEqual(files.toSorted());
  });

  it.each([
    ['into the tray makes no session of Chromium', ['--hidden'], false],
    ['with a window makes one', [], true],
  ])('W4 %s', async (_name, args, hasSession) => {
    const home = await createTestHome();
    const mark = join(home.dir, 'session');
    const probe = join(dir, 'probe.cjs');
    writeFileSync(
      probe,
      `require('electron').app.once('session-created', () =>
         require('node:fs').writeFileSync(process.env.SESSION_MARK, ''));`,
    );
    try {
      home.start({ args, switches: ['-r', probe], env: { SESSION_MARK: mark } });
      await home.desktop.inTray(1);
      if (hasSession) await until(() => existsSync(mark), 'a session');
      expect(existsSync(mark)).toBe(hasSession);
    } finally {
      await home.end();
    }
  });
});
