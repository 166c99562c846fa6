/** What a person sees of a window first: its frame in the colours of the theme, never a white sheet. */
import { afterEach, describe, expect, it } from 'vitest';
import { fileURLToPath } from 'node:url';
import type { ElectronApplication } from 'playwright-core';
import { createTestHome, pageOf } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';
import { callIn } from '../helpers/story-app';
import { COLOURS } from '../../renderer/theme/tokens';

const probe = fileURLToPath(new URL('../helpers/paint-probe.cjs', import.meta.url));

interface Paint {
  readonly url: string;
  readonly wasVisible: boolean;
  readonly ground: string;
  readonly order: readonly string[];
  readonly page: string;
}

/** As a page says a colour. */
const rgbOf = (hex: string): string =>
  `rgb(${[1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)).join(', ')})`;

let home: TestHome;
afterEach(async () => home.end());

/** The paints of this many windows, when all of them have come to the screen. */
async function paintsOf(app: ElectronApplication, count: number): Promise<readonly Paint[]> {
  const read = (): Promise<readonly Paint[]> =>
    app.evaluate(() => (globalThis as unknown as { firstPaints: Paint[] }).firstPaints);
  await expect
    .poll(async () => (await read()).filter(({ page }) => page !== '').length)
    .toBe(count);
  return read();
}

describe('no white flash', () => {
  it.each([
    ['dark', 1, true],
    ['light', 0, true],
    // The window of the first start.
    ['dark', 1, false],
  ] as const)(
    'shows each window only once it is painted, in the colors of the setting, %s %i %s',
    async (theme, at, isFirstStartDone) => {
      home = await createTestHome();
      // Written by hand while nothing ran: nothing remembers another theme.
      home.writeConfig({ app: { theme, first_start_done: isFirstStartDone } });
      const app = await home.launch({ switches: ['-r', probe] });
      const main = await pageOf(app, 'index.html');
      await callIn(main, 'app.openSettings', {});
      await pageOf(app, 'settings.html');
      const paints = await paintsOf(app, 2);
      expect(paints.map(({ url }) => /\/(\w+)\.html/.exec(url)?.[1])).toEqual([
        'index',
        'settings',
      ]);
      for (const paint of paints) {
        expect(paint).toMatchObject({
          wasVisible: false,
          order: ['painted', 'shown'],
          ground: COLOURS.canvas[at],
          page: rgbOf(COLOURS.canvas[at]),
        });
      }
    },
  );

  it('opens in the colors of the setting where it was changed while nothing ran, whatever the window wore last', async () => {
    home = await createTestHome();
    home.writeConfig({ app: { theme: 'light', first_start_done: true } });
    const first = await home.launch();
    await pageOf(first, 'index.html');
    const gone = new Promise((resolve) => first.process().once('exit', resolve));
    await first.close();
    await gone;
    home.writeConfig({ app: { theme: 'dark', first_start_done: true } });
    const app = await home.launch({ switches: ['-r', probe] });
    await pageOf(app, 'index.html');
    const [paint] = await paintsOf(app, 1);
    expect(paint).toMatchObject({ ground: COLOURS.canvas[1], page: rgbOf(COLOURS.canvas[1]) });
  });
});
