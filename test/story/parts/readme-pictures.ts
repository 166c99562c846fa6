/**
 * What the README shows, from the real app: docs/kill-and-resume.gif, a kill in the middle of a task
 * and the way back, and docs/screenshot.png, the page it ends on.
 */
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { createTestHome, pageOf } from '../../helpers/electron-app';
import { callIn, resize, standsStill, wear } from '../../helpers/story-app';
import { ENGLISH, project, waitUntil } from './camera';
import { encodeGif, type Frame } from './gif';

const SIZE = { width: 1000, height: 720 };
/** How long the window is gone: the start behind it takes longer than anybody wants to watch. */
const GONE_MS = 1_200;
const LAST_MS = 5_000;

/** Takes a picture every `everyMs` until `isOver`, each shown for as long. */
async function film(
  page: Page,
  frames: Frame[],
  isOver: () => Promise<boolean>,
  everyMs = 250,
): Promise<void> {
  const untilMs = Date.now() + 60_000;
  do {
    frames.push({ png: await page.screenshot({ scale: 'css' }), shownMs: everyMs });
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    if (Date.now() > untilMs) throw new Error('The task of the README did not come to its end.');
  } while (!(await isOver()));
}

const isCompleted = (page: Page) => async (): Promise<boolean> =>
  (await callIn(page, 'turns.list', {})).turns[0]?.state === 'completed';

export async function readmePictures(): Promise<void> {
  const home = await createTestHome();
  const frames: Frame[] = [];
  try {
    const options = { switches: ENGLISH.switches, env: ENGLISH.env };
    const app = await home.launch(options);
    const page = await pageOf(app, 'index.html');
    await page.waitForSelector('.welcome-step');
    await wear(page, 'light');
    await resize(app, 'index.html', SIZE);
    await page.locator('.welcome-step').last().click();
    const [start, kill] = [
      page.locator('.practice-card').first(),
      page.locator('.practice-card').nth(1),
    ];
    await start.hover();
    await standsStill(page);
    frames.push({ png: await page.screenshot({ scale: 'css' }), shownMs: 1_500 });
    await start.click();
    // In the middle: steps are done, and more are to come.
    await film(page, frames, async () => (await page.locator('.practice-chart li').count()) >= 3);
    await kill.hover();
    frames.push({ png: await page.screenshot({ scale: 'css' }), shownMs: 1_000 });
    const gone = once(app.process(), 'exit');
    await kill.click();
    await gone;
    frames.push({ png: undefined, shownMs: GONE_MS });

    const again = await home.launch({ ...options, args: ['--hidden', '--after-crash'] });
    const back = await pageOf(again, 'index.html');
    await back.waitForSelector('.practice-card');
    await wear(back, 'light');
    await resize(again, 'index.html', SIZE);
    await film(back, frames, isCompleted(back));
    await waitUntil(isCompleted(back), 'the task is completed');
    await standsStill(back);
    const last = await back.screenshot({ scale: 'css', animations: 'disabled' });
    frames.push({ png: last, shownMs: LAST_MS });
    const gif = encodeGif(frames);
    fs.writeFileSync(path.join(project, 'docs', 'screenshot.png'), last);
    fs.writeFileSync(path.join(project, 'docs', 'kill-and-resume.gif'), gif);
    process.stdout.write(
      `docs/kill-and-resume.gif: ${String(frames.length)} pictures, ${String(Math.ceil(gif.length / 1024))} KB\n`,
    );
  } finally {
    await home.end();
  }
}
