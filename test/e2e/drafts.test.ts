/** A draft, as a person meets it: staged, killed meanwhile, looked at, promoted in the window. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestHome, killed, pageOf } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';
import { axeFindings } from '../helpers/page-checks';
import { wear } from '../helpers/story-app';

let home: TestHome;
afterEach(async () => home.end());

describe('drafts', () => {
  it('S3-20 a draft survives SIGKILL, shows what changed in the file meanwhile, and is promoted on purpose', async () => {
    home = await createTestHome();
    const workspace = join(home.dir, 'project');
    mkdirSync(workspace);
    writeFileSync(join(workspace, 'notes-source.txt'), 'Hello\n');
    const notes = join(workspace, 'notes.md');
    writeFileSync(notes, 'My own notes\n');
    home.writeConfig({
      app: { first_start_done: true },
      agents: { mender: { provider: 'practice', model: 'script', workspace, drafts: true } },
    });
    const app = await home.launch();
    const first = await pageOf(app, 'index.html');
    await first.evaluate(() =>
      window.holdfast!.call.send({ text: 'play the job', agent: 'mender', session: 'job' }),
    );
    const staged = (page: typeof first) =>
      page.evaluate(async () => {
        const answer = await window.holdfast!.call['drafts.list']({});
        return answer.ok ? answer.value.drafts : [];
      });
    await expect.poll(async () => (await staged(first)).length).toBe(1);
    await killed(app.process());
    expect(readFileSync(notes, 'utf8')).toBe('My own notes\n');
    writeFileSync(notes, 'My own notes\nA newer line\n');

    const again = await home.launch();
    const page = await pageOf(again, 'index.html');
    const [draft] = await staged(page);
    expect(draft).toMatchObject({ path: 'notes.md', state: 'ready', sourceChanged: true });
    await page.evaluate((id) => (location.hash = `#/sessions/${String(id)}`), draft?.sessionId);
    await page.getByRole('link', { name: '1 draft needs your review' }).click();
    await page.getByText('One draft is out of date').waitFor();
    await page.getByText(/removes 1 newer line/).waitFor();
    const newer = page.locator('.diff-line.is-newer', { hasText: 'A newer line' });
    expect(await newer.count()).toBe(1);
    for (const theme of ['light', 'dark'] as const) {
      await wear(page, theme);
      expect(await axeFindings(page)).toEqual([]);
      const shots = process.env['HOLDFAST_TEST_SHOTS'];
      if (shots !== undefined) await page.screenshot({ path: join(shots, `drafts-${theme}.png`) });
    }
    await page.getByRole('button', { name: 'Apply, replaces 1 newer line' }).click();
    expect(readFileSync(notes, 'utf8')).toContain('A newer line');
    await page.getByRole('button', { name: 'Replace the file' }).click();
    // Once: the toast beside it offers to undo it.
    await page.getByText('Draft applied to notes.md.').waitFor();
    expect(readFileSync(notes, 'utf8')).not.toContain('newer');
    await page.getByText('No drafts').waitFor();
  });
});
