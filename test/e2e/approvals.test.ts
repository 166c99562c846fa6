/** An approval, as a person meets it: asked, killed meanwhile, still asked, allowed once. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestHome, killed, pageOf } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';

let home: TestHome;
afterEach(async () => home.end());

const audit = (): string =>
  readdirSync(join(home.dataDir, 'audit'))
    .map((file) => readFileSync(join(home.dataDir, 'audit', file), 'utf8'))
    .join('');

describe('approval', () => {
  it('S3-07 a call that waits for approval survives SIGKILL, is told of again, and runs once when it is allowed in the window', async () => {
    home = await createTestHome();
    home.writeConfig({ app: { first_start_done: true } });
    const scratch = join(home.dataDir, 'practice', 'scratch.txt');
    const app = await home.launch();
    const first = await pageOf(app, 'index.html');
    await first.evaluate(() =>
      window.holdfast!.call.send({ text: 'ask for an approval', agent: 'practice' }),
    );
    const asked = await home.desktop.notification(
      ({ title }) => title === 'A tool call needs approval',
    );
    expect(asked.body).toBe('Demo agent, shell. It hasn’t run yet.');
    expect(JSON.stringify(asked)).not.toContain('scratch');
    expect(existsSync(scratch)).toBe(true);
    await expect.poll(() => home.desktop.tooltip()).toBe('Holdfast - 1 thing needs you');

    await killed(app.process());
    const shownBefore = home.desktop.notifications.length;
    const again = await home.launch({ args: ['--hidden'] });
    const told = await home.desktop.notification(
      (shown) =>
        home.desktop.notifications.indexOf(shown) >= shownBefore &&
        shown.title === 'A tool call needs approval',
    );
    // Nobody ran it meanwhile: not the death, not the start.
    expect(existsSync(scratch)).toBe(true);
    home.desktop.click(told.id);
    const page = await pageOf(again, 'index.html');
    await expect.poll(() => page.url()).toMatch(/#\/decisions\/item-\d+$/);
    await page.getByRole('heading', { name: /^Allow rm .*scratch.txt in / }).waitFor();
    expect(await page.getByRole('region', { name: 'Input of shell' }).textContent()).toContain(
      'rm scratch.txt',
    );
    await page.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('Allowed once. The turn continues.').waitFor();
    const turn = async () =>
      page.evaluate(async () => {
        const answer = await window.holdfast!.call['turns.show']({ turnId: 1 });
        return answer.ok ? answer.value : undefined;
      });
    await expect.poll(async () => (await turn())?.turn.state).toBe('completed');
    expect(existsSync(scratch)).toBe(false);
    const deletes = (await turn())?.steps.filter(({ tool }) => tool.endsWith('shell'));
    expect(deletes).toMatchObject([{ state: 'completed', approvedBy: 'window' }]);
    await expect.poll(() => audit().match(/"approval_answered"/g)).toHaveLength(1);
    // Shown notices stand in the audit, with what became of them.
    await expect.poll(audit).toMatch(/"key":"approvals"/);
    await expect.poll(() => home.desktop.tooltip()).toBe('Holdfast - all quiet');
  });
});
