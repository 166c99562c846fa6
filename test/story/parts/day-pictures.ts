/** The Tuesday of the mocks, busy and calm, with the settings window. */
import type { Page } from 'playwright-core';
import { pageOf } from '../../helpers/electron-app';
import { callIn, resize, startMockDay, storyPages, wear } from '../../helpers/story-app';
import type { StoryPage } from '../../helpers/story-app';
import { SECTIONS } from '../../../renderer/settings/setting-groups';
import {
  everyLook,
  LARGE,
  MAIN_SIZES,
  otherLooks,
  pretended,
  shoot,
  sizeName,
  SMALL,
  THEMES,
} from './camera';
import type { Shown } from './camera';

async function openDialog(page: Page, key: string): Promise<void> {
  await page.keyboard.press(key);
  await page.waitForSelector('[role="dialog"]');
}

async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.waitForSelector('[role="dialog"]', { state: 'detached' });
}

const menus: readonly StoryPage[] = [
  {
    name: 'palette',
    hash: '#/',
    act: (page) => openDialog(page, 'Control+k'),
    leave: closeDialog,
  },
  {
    name: 'keys',
    hash: '#/sessions',
    act: (page) => openDialog(page, '?'),
    leave: closeDialog,
  },
  {
    name: 'events-kinds',
    hash: '#/events',
    act: async (page) => page.locator('.mantine-Select-input').first().click(),
    leave: (page) => page.keyboard.press('Escape'),
  },
];

/** A step that is opened from its row, by the tool that it calls. */
const openStep = (tool: string) => async (page: Page) => {
  await page.locator('.tl-row', { hasText: tool }).last().click();
  await page.locator('.step-pane').waitFor();
};

/** A second press on the row of an open step would close it. */
const closeStep = async (page: Page): Promise<void> => {
  await page.locator('.step-pane .section-head button').click();
};

/** A step that is skipped, and how the turn and the step look afterward. S4-25 */
async function skippedStep(page: Page, turn: StoryPage): Promise<readonly StoryPage[]> {
  const { decisions } = await callIn(page, 'recovery.list', {});
  const held = decisions.find((one) => turn.hash.endsWith(`/${String(one.turnId)}`));
  const step = held?.ambiguous[0];
  if (held === undefined || step === undefined) throw new Error('The story holds no such step.');
  const { turnId, requestHash } = held;
  await callIn(page, 'recovery.skipStep', { turnId, requestHash, step: step.index });
  return [
    { name: 'turn-skipped', hash: turn.hash },
    {
      name: 'turn-skipped-step',
      hash: turn.hash,
      act: openStep('send_email'),
      leave: closeStep,
    },
  ];
}

export async function busyDay(): Promise<void> {
  const { app, main: page, end } = await startMockDay({ variant: 'busy' });
  try {
    const shown: Shown = { app, page, file: 'index.html' };
    const story = await storyPages(page);
    const turn = story.find(({ name }) => name === 'turn');
    if (turn === undefined) throw new Error('The story has no turn.');
    const pages = [
      ...story,
      { ...turn, name: 'turn-step', act: openStep('send_email'), leave: closeStep },
      ...menus,
    ];
    await everyLook(shown, pages);
    await otherLooks(shown, pages);
    await pretended(shown, pages, [LARGE, SMALL]);
    await everyLook(shown, await skippedStep(page, turn));
    await settingsWindow(shown);
  } finally {
    await end();
  }
}

/** So high that a section ends in it. */
const WHOLE = { width: 1000, height: 1900 };

async function settingsWindow({ app, page: opener }: Shown): Promise<void> {
  await callIn(opener, 'app.openSettings', {});
  const page = await pageOf(app, 'settings.html');
  await page.waitForSelector('h1');
  const sections = SECTIONS.map((name) => ({ name: `settings-${name}`, hash: `#/${name}` }));
  await everyLook({ app, page, file: 'settings.html' }, sections);
  await everyLook({ app, page, file: 'settings.html' }, sections, [WHOLE]);
  await otherLooks({ app, page, file: 'settings.html' }, sections);
}

export async function calmDay(): Promise<void> {
  const { app, main: page, end } = await startMockDay({ variant: 'calm' });
  try {
    for (const theme of THEMES) {
      await wear(page, theme);
      for (const size of MAIN_SIZES) {
        await resize(app, 'index.html', size);
        await shoot(page, { name: 'home-calm', hash: '#/' }, `${theme}-${sizeName(size)}`);
        if (size === LARGE)
          await shoot(page, { name: 'decisions-calm', hash: '#/decisions' }, `${theme}-1200x800`);
      }
    }
  } finally {
    await end();
  }
}
