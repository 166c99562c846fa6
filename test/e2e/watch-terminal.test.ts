/** Watching a terminal from the first start: shown, added, answered. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestHome, pageOf } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';

let home: TestHome;
afterEach(async () => home.end());

describe('watching a terminal', () => {
  it('S3-36 Watch in the first start shows the lines, adds them at one press, and a hook answers', async () => {
    home = await createTestHome();
    const person = join(home.dataDir, '..', 'person');
    const bin = join(person, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'claude'), '#!/bin/sh\necho "2.1.0 (Claude Code)"\n');
    chmodSync(join(bin, 'claude'), 0o755);
    mkdirSync(join(person, '.claude'));
    const file = join(person, '.claude', 'settings.json');
    writeFileSync(file, '{"model":"opus"}\n');
    const PATH = `${bin}:${process.env['PATH'] ?? ''}`;
    // Programs are looked for where a login shell of the person finds them.
    writeFileSync(join(person, '.profile'), `PATH='${bin}':"$PATH"\n`);
    const app = await home.launch({ env: { HOME: person, SHELL: '/bin/sh', PATH } });
    const page = await pageOf(app, 'index.html');
    await page.getByRole('button', { name: 'Your agents' }).click();
    const choices = page.getByRole('radiogroup', { name: 'What to do with Claude Code' });
    await choices.getByText('Monitor').click();
    await page.getByText('Show the lines', { exact: true }).click();
    const lines = page.getByRole('region', { name: 'Lines that are added' });
    await lines.waitFor();
    const shown = ((await lines.textContent()) ?? '').split('\n');
    expect(shown.some((line) => line.includes(join(home.dataDir, 'watch')))).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('{"model":"opus"}\n');
    await page.getByRole('button', { name: 'Add the hooks' }).click();
    await page.getByText(/A hook answered in/).waitFor({ timeout: 60_000 });
    const settings = readFileSync(file, 'utf8');
    for (const line of shown.filter((one) => one.startsWith('+ ')))
      expect(settings).toContain(line.slice(2));
    expect(JSON.parse(settings)).toMatchObject({ model: 'opus' });
    const hook = (JSON.parse(settings) as { hooks: { Stop: { hooks: { command: string }[] }[] } })
      .hooks.Stop[0]?.hooks[0]?.command;
    const { status } = spawnSync('sh', ['-c', hook ?? 'false'], {
      env: { ...process.env, HOME: person, PATH },
      input: JSON.stringify({ session_id: 's1', hook_event_name: 'Stop', cwd: person }),
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await page.getByText(/Last report from a terminal:/).waitFor();
  });
});
