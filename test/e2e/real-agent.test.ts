/** An agent of another program, as a person meets it in the window: added, asked, killed, allowed. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestHome, killed, pageOf } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';
import { startFakeProvider } from '../helpers/fake-provider';
import type { FakeProvider } from '../helpers/fake-provider';
import { commandOfPrompt, configureOpencode, findOpencode } from '../helpers/opencode';
import { callIn, wear } from '../helpers/story-app';
import { isLeftOut } from '../helpers/skips';

const SLOW_MS = 120_000;
const real = await findOpencode();
const why = 'missing' in real ? ` (skipped: ${real.missing})` : '';

let home: TestHome;
let provider: FakeProvider;
afterEach(async () => {
  await home.end();
  await provider.stop();
});

/** A home of a person who has opencode on the PATH of a login shell. */
async function livesHere(program: string): Promise<Readonly<Record<string, string>>> {
  home = await createTestHome();
  home.writeConfig({ app: { first_start_done: true } });
  provider = await startFakeProvider({ script: commandOfPrompt });
  configureOpencode(home.configHome, provider);
  const person = join(home.dir, 'person');
  const bin = join(person, 'bin');
  mkdirSync(bin, { recursive: true });
  mkdirSync(join(home.dir, 'project'));
  symlinkSync(program, join(bin, 'opencode'));
  writeFileSync(join(person, '.profile'), `PATH='${bin}':"$PATH"\n`);
  return { HOME: person, SHELL: '/bin/sh', PATH: `${bin}:${process.env['PATH'] ?? ''}` };
}

async function addInTheWindow(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('button', { name: /^opencode/ }).click({ timeout: SLOW_MS });
  await page.getByLabel('Folder').fill(join(home.dir, 'project'));
  await page.getByRole('button', { name: 'Use here' }).click();
  await page.getByRole('heading', { name: /^opencode ACP/ }).waitFor();
  const program = join(home.dir, 'person', 'bin', 'opencode');
  await page.getByText(`${program} 1.18.33`).waitFor({ timeout: SLOW_MS });
}

const shots = process.env['HOLDFAST_TEST_SHOTS'];
/** For who wants to look at it; axe goes over the same pages elsewhere. */
async function photograph(page: Page, name: string): Promise<void> {
  if (shots === undefined) return;
  for (const theme of ['light', 'dark'] as const) {
    await wear(page, theme);
    await page.screenshot({ path: join(shots, `${name}-${theme}.png`) });
  }
}

const toldSince = (count: number) =>
  home.desktop.notification(
    (shown) =>
      home.desktop.notifications.indexOf(shown) >= count &&
      shown.title === 'A tool call needs approval',
    SLOW_MS,
  );

describe.skipIf(isLeftOut('opencode in the window', 'missing' in real && real.missing))(
  `opencode in the window${why}`,
  () => {
    it('S3-07 is added and asked there; its question outlives SIGKILL, and allowed by its button it happens once', async () => {
      const env = await livesHere('path' in real ? real.path : '');
      const effects = join(home.dir, 'project', 'effects.log');
      writeFileSync(join(home.dir, 'project', 'old.log'), '');
      const app = await home.launch({ env });
      const first = await pageOf(app, 'index.html');
      await addInTheWindow(first);
      await photograph(first, 'agent-added');
      await first.getByRole('button', { name: 'Start a session' }).click();
      await first
        .getByRole('textbox', { name: 'Write a prompt' })
        .fill('run: rm old.log && echo one >> effects.log');
      await first.getByRole('button', { name: 'Send' }).click();
      // Removing a file is one of the calls that ask with the rules as they come.
      const asked = await toldSince(0);
      expect(asked.body).toBe('opencode, shell. It hasn’t run yet.');
      await first.getByRole('button', { name: 'Allow once' }).waitFor();
      await photograph(first, 'agent-asks');
      const shownBefore = home.desktop.notifications.length;
      await killed(app.process());
      expect(existsSync(effects)).toBe(false);

      const again = await home.launch({ env, args: ['--hidden'] });
      home.desktop.click((await toldSince(shownBefore)).id);
      const page = await pageOf(again, 'index.html');
      await page
        .getByRole('heading', { name: /^Allow rm old.log && echo one >> effects.log in / })
        .waitFor();
      // Nothing runs, so nothing says so.
      expect(await page.getByText('running', { exact: true }).count()).toBe(0);
      await photograph(page, 'agent-asks-again');
      if (shots !== undefined) {
        const hash = await page.evaluate(() => location.hash);
        for (const [name, to] of [
          ['turn', '#/turns/1'],
          ['session', '#/sessions/1'],
        ] as const) {
          await page.evaluate((wanted) => (location.hash = wanted), to);
          await page.getByRole('button', { name: 'Allow once' }).waitFor();
          await photograph(page, `agent-asks-again-${name}`);
        }
        await page.evaluate((wanted) => (location.hash = wanted), hash);
      }
      expect(existsSync(effects)).toBe(false);
      await page.getByRole('button', { name: 'Allow once' }).click();
      await page.getByText('Allowed once. The turn continues.').waitFor();
      const turn = () => callIn(page, 'turns.show', { turnId: 1 });
      await expect
        .poll(async () => (await turn()).turn.state, { timeout: SLOW_MS })
        .toBe('completed');
      expect(readFileSync(effects, 'utf8')).toBe('one\n');
      expect(
        (await callIn(page, 'approvals.list', { includeAnswered: true })).requests,
      ).toHaveLength(1);
      await page.evaluate(() => (location.hash = '#/turns/1'));
      await page.getByText('All done.').first().waitFor();
      await photograph(page, 'agent-done');
    });
  },
);
