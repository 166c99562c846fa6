/** A settings file that cannot be read, and the glyphs of the tray. */
import fs from 'node:fs';
import path from 'node:path';
import { pageOf } from '../../helpers/electron-app';
import { callIn, goToPage } from '../../helpers/story-app';
import { inHome, keep, project, take, THEMES } from './camera';

/** What both windows say of a config.json that cannot be read. S1-33 */
export const brokenConfig = (): Promise<void> =>
  inHome({ app: { first_start_done: true } }, async ({ home, app, page }) => {
    fs.writeFileSync(
      path.join(home.dataDir, 'config.json'),
      '{\n  "app": { "first_start_done": true },\n  "retry": { "server": \n',
    );
    await page.getByRole('heading', { name: 'config.json has a problem' }).waitFor();
    await callIn(page, 'app.openSettings', {});
    const settings = await pageOf(app, 'settings.html');
    await settings.waitForSelector('h1');
    // The system's colours: nothing is saved while the file cannot be read.
    for (const colorScheme of THEMES) {
      for (const [name, shown] of [
        ['config-home', page],
        ['config-settings', settings],
      ] as const) {
        await shown.emulateMedia({ colorScheme });
        await goToPage(shown, { name, hash: name === 'config-home' ? '#/' : '#/recovery' });
        await take(shown, name, colorScheme);
      }
    }
  });

/** The tray glyphs as they are shipped; the page of all pictures shows them on bars of both kinds. */
export function trayGlyphs(): void {
  const source = path.join(project, 'build', 'tray');
  for (const set of ['template', 'light', 'dark']) {
    for (const name of fs.readdirSync(path.join(source, set)).filter((one) => one.endsWith('.png')))
      keep(path.join(source, set, name), 'tray', set, `tray/${set}/${name}`);
  }
}
