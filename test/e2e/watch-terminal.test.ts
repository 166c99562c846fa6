/** What the first start says about watching a terminal, done as it is written there. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestHome, pageOf } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';

let home: TestHome;
afterEach(async () => home.end());

describe('watching a terminal', () => {
  it('S3-36 the command of the first start, pasted into a shell, installs hooks that report to this data', async () => {
    home = await createTestHome();
    const person = join(home.dataDir, '..', 'person');
    const bin = join(person, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'claude'), '#!/bin/sh\necho "2.1.0 (Claude Code)"\n');
    chmodSync(join(bin, 'claude'), 0o755);
    const PATH = `${bin}:${process.env['PATH'] ?? ''}`;
    // Programs are looked for where a login shell of the person finds them.
    writeFileSync(join(person, '.profile'), `PATH='${bin}':"$PATH"\n`);
    const app = await home.launch({ env: { HOME: person, SHELL: '/bin/sh', PATH } });
    const page = await pageOf(app, 'index.html');
    await page.getByRole('button', { name: 'Your agents' }).click();
    const choices = page.getByRole('radiogroup', { name: 'What to do with Claude Code' });
    await choices.getByText('Watch').click();
    const shown = page.locator('.found-row .command-line').first();
    await shown.waitFor();
    const line = (await shown.textContent()) ?? '';
    expect(line).toContain(`hooks install claude --data-dir ${home.dataDir}`);
    const { status, stderr } = spawnSync('sh', ['-c', `${line} --no-sandbox`], {
      env: { ...process.env, HOME: person, PATH },
      encoding: 'utf8',
    });
    expect([status, stderr.includes('Error')]).toEqual([0, false]);
    const settings = readFileSync(join(person, '.claude', 'settings.json'), 'utf8');
    expect(settings).toContain(join(home.dataDir, 'watch'));
  });
});
