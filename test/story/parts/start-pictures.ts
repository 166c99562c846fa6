/** The first start as a new person sees it. */
import fs from 'node:fs';
import path from 'node:path';
import type { TestHome } from '../../helpers/electron-app';
import { resize, standsStill, wear } from '../../helpers/story-app';
import { everyLook, inHome, LARGE, MEDIUM, sizeName, take, THEMES } from './camera';
import type { Shown } from './camera';

/** The four steps, the last one before and at work. */
export const firstStart = (): Promise<void> =>
  inHome(undefined, async ({ app, page }) => {
    await page.waitForSelector('.welcome-step');
    for (const [index, step] of (await page.locator('.welcome-step').all()).entries()) {
      await step.click();
      await page.getByText('Looking for agents on this computer.').waitFor({ state: 'detached' });
      await bothSizes({ app, page, file: 'index.html' }, `first-start-${String(index + 1)}`);
    }
    await page.locator('.practice-card').first().click();
    await page.waitForSelector('.practice-chart li:nth-child(3)');
    await bothSizes({ app, page, file: 'index.html' }, 'first-start-4-at-work');
  });

async function bothSizes({ app, page, file }: Shown, name: string): Promise<void> {
  for (const theme of THEMES) {
    await wear(page, theme);
    for (const size of [LARGE, MEDIUM]) {
      await resize(app, file, size);
      await standsStill(page);
      await take(page, name, `${theme}-${sizeName(size)}`);
    }
  }
}

/** Programs of other people that the login shell finds, and that answer nothing but their version. */
export function somebodyAtHome({ dir }: TestHome): Readonly<Record<string, string>> {
  const person = path.join(dir, 'person');
  const bin = path.join(person, 'bin');
  fs.mkdirSync(bin, { recursive: true });
  for (const [name, says] of [
    ['claude', '2.1.0 (Claude Code)'],
    ['codex', 'codex-cli 0.98.0'],
  ] as const)
    fs.writeFileSync(path.join(bin, name), `#!/bin/sh\necho "${says}"\n`, { mode: 0o755 });
  const PATH = `${bin}:${process.env['PATH'] ?? ''}`;
  fs.writeFileSync(path.join(person, '.profile'), `PATH='${bin}':"$PATH"\n`);
  return { HOME: person, SHELL: '/bin/sh', PATH };
}

/** The second step where agents are found, one of them to be watched. */
export const foundAgents = (): Promise<void> =>
  // Over, so that the window may be as small as on a small display.
  inHome(
    { app: { first_start_done: true } },
    async ({ app, page }) => {
      await page.evaluate(() => (window.location.hash = '#/welcome'));
      await page.getByRole('button', { name: 'Your agents' }).click();
      const choices = (name: string) =>
        page.getByRole('radiogroup', { name: `What to do with ${name}` });
      await choices('Claude Code').getByText('Monitor').click();
      await choices('Codex').getByText('Skip').click();
      await everyLook({ app, page, file: 'index.html' }, [
        { name: 'first-start-2-found', hash: '#/welcome' },
      ]);
    },
    somebodyAtHome,
  );
