/** The windows of the real app: opening, hiding, closing, and what a page may not do. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ElectronApplication, Page } from 'playwright-core';
import type { HoldfastBridge } from '../../shared/contract';
import { createTestHome, pageOf, visibleWindows } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';

declare global {
  interface Window {
    readonly holdfast?: HoldfastBridge;
  }
}

let home: TestHome;

/** Asks it to close; what follows looks whether it has. */
const closeWindow = (app: ElectronApplication, file: string): Promise<void> =>
  app
    .evaluate(({ BrowserWindow }, name) => {
      BrowserWindow.getAllWindows()
        .find((one) => one.webContents.getURL().includes(name))
        ?.close();
    }, file)
    .catch((error: unknown) => {
      // It was asked to close; only the answer was collected on its way (as in `visibleWindows`).
      if (!String(error).includes('garbage collected')) throw error;
    });

describe('starting', () => {
  afterEach(async () => home.end());

  it('--hidden shows no window, not even for a moment, and the tray is there', async () => {
    home = await createTestHome();
    const app = await home.launch({ args: ['--hidden'] });
    await home.desktop.inTray(1);
    const windows = () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length);
    // The first look may fall into the moment in which the app's modules are still being read.
    await expect.poll(windows).toBe(0);
    expect(app.windows()).toHaveLength(0);
  });

  it('the first start opens at 1000 x 720 and no smaller, its end is 1200 x 800 and no smaller than 880 x 600; settings 1000 x 760', async () => {
    home = await createTestHome();
    const app = await home.launch();
    const page = await pageOf(app, 'index.html');
    const sizes = () =>
      app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()
          .map((one) => [
            new URL(one.webContents.getURL()).pathname,
            ...one.getSize(),
            ...one.getMinimumSize(),
          ])
          .sort(),
      );
    await page.evaluate(() => window.holdfast!.call['app.openSettings']({}));
    await pageOf(app, 'settings.html');
    const settings = ['/settings.html', 1000, 760, 800, 560];
    expect(await sizes()).toEqual([['/index.html', 1000, 720, 1000, 720], settings]);
    await page.getByRole('button', { name: 'Skip the rest' }).click();
    await page.getByRole('heading', { level: 1, name: 'All quiet' }).waitFor();
    await expect.poll(sizes).toEqual([['/index.html', 1200, 800, 880, 600], settings]);
  });

  it('writes times as the system does, also where its menus speak another language', async () => {
    home = await createTestHome();
    home.writeConfig({ app: { first_start_done: true } });
    const formats = async (env: Readonly<Record<string, string>>): Promise<string> => {
      const app = await home.launch({ env });
      const page = await pageOf(app, 'index.html');
      const line = page.locator('.engine-line', { hasText: 'Running since' });
      const since = (await line.innerText()).replace(/\s+/g, ' ');
      const ended = new Promise((resolve) => app.process().once('exit', resolve));
      await app.close();
      await ended;
      return since;
    };
    expect(await formats({ LANG: 'en_US.UTF-8', LC_TIME: 'de_DE.UTF-8', LC_ALL: '' })).toMatch(
      /^Running since \d\d:\d\d /,
    );
    expect(await formats({ LANG: 'en_US.UTF-8', LC_TIME: '', LC_ALL: '' })).toMatch(
      /^Running since \d{1,2}:\d\d [AP]M /,
    );
  });

  it('D1 goes to the page of a link and ignores a wrong one', async () => {
    home = await createTestHome();
    const app = await home.launch({ args: ['--hidden', 'holdfast://open/agents'] });
    const page = await pageOf(app, 'index.html');
    await expect.poll(() => page.url()).toBe('holdfast://app/index.html#/agents');
  });
});

describe('closing', () => {
  afterEach(async () => home.end());

  it('keeps running in the tray, says so once, and opens again', async () => {
    home = await createTestHome();
    const app = await home.launch();
    const page = await pageOf(app, 'index.html');
    await home.desktop.inTray(1);
    await expect.poll(() => visibleWindows(app)).toBe(1);
    // Until the desktop has said that it shows icons, a closed window is minimized.
    const info = () => page.evaluate(() => window.holdfast!.call['app.info']({}));
    await expect.poll(info).toMatchObject({ value: { tray: { available: true } } });
    await closeWindow(app, 'index.html');
    await expect.poll(() => visibleWindows(app)).toBe(0);
    const notice = await home.desktop.notification(
      ({ title }) => title === 'Holdfast is still running',
    );
    expect(notice.body).toContain('Quit is in the tray menu');
    expect(app.process().exitCode).toBeNull();
    await home.desktop.chooseMenu('Open Holdfast');
    await expect.poll(() => visibleWindows(app)).toBe(1);
    await closeWindow(app, 'index.html');
    await expect.poll(() => visibleWindows(app)).toBe(0);
    expect(
      home.desktop.notifications.filter(({ title }) => title === 'Holdfast is still running'),
    ).toHaveLength(1);
    const stored = (): unknown => {
      const path = join(home.dataDir, 'config.json');
      return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as unknown) : undefined;
    };
    await expect.poll(stored).toMatchObject({ app: { close_notice_shown: true } });
  });

  it('does not hide to nowhere where no tray exists, and says why', async () => {
    home = await createTestHome({ tray: false });
    const app = await home.launch();
    const page = await pageOf(app, 'index.html');
    await expect.poll(() => visibleWindows(app)).toBe(1);
    await closeWindow(app, 'index.html');
    const notice = await home.desktop.notification(
      ({ title }) => title === 'Holdfast is still running',
    );
    expect(notice.body).toContain('This desktop has no tray');
    const info = await page.evaluate(() => window.holdfast!.call['app.info']({}));
    expect(info).toMatchObject({ ok: true, value: { tray: { available: false } } });
    // Asked until it is told: a question to the main process is sometimes lost with its promise.
    await expect
      .poll(() => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length))
      .toBe(1);
  });

  it('quits where close_to_tray is off', async () => {
    home = await createTestHome();
    home.writeConfig({ app: { close_to_tray: false } });
    const app = await home.launch();
    await pageOf(app, 'index.html');
    await expect.poll(() => visibleWindows(app)).toBe(1);
    const gone = new Promise<number | null>((resolve) => void app.process().once('exit', resolve));
    await closeWindow(app, 'index.html').catch(() => undefined);
    expect(await gone).toBe(0);
  });
});

describe('settings', () => {
  // One app for all: each looks at its own setting.
  let app: ElectronApplication;
  let page: Page;
  beforeAll(async () => {
    home = await createTestHome();
    home.writeConfig({ app: { first_start_done: true } });
    app = await home.launch();
    page = await pageOf(app, 'index.html');
  });
  afterAll(async () => home.end());

  it('start at login writes and removes the autostart entry', async () => {
    const file = join(home.configHome, 'autostart', 'holdfast.desktop');
    const set = (value: boolean): Promise<unknown> =>
      page.evaluate(
        (isOn) => window.holdfast!.call['config.set']({ key: 'app.start_at_login', value: isOn }),
        value,
      );
    expect(await set(true)).toMatchObject({ ok: true });
    const read = (): string => {
      try {
        return readFileSync(file, 'utf8');
      } catch {
        return '';
      }
    };
    await expect.poll(read).toContain(`--hidden --data-dir ${home.dataDir}`);
    expect(await set(false)).toMatchObject({ ok: true });
    await expect.poll(read).toBe('');
  });

  it('S0-02 a switch turned in the settings window is in the file, and the shell obeys it', async () => {
    await page.evaluate(() => window.holdfast!.call['app.openSettings']({}));
    const settings = await pageOf(app, 'settings.html');
    const loginSwitch = settings.getByRole('switch', { name: /start hidden when you log in/i });
    await loginSwitch.press('Space');
    const file = join(home.configHome, 'autostart', 'holdfast.desktop');
    await expect.poll(() => existsSync(file)).toBe(true);
    const readConfig = (): unknown =>
      (
        JSON.parse(readFileSync(join(home.dataDir, 'config.json'), 'utf8')) as {
          app: Record<string, unknown>;
        }
      ).app['start_at_login'];
    expect(readConfig()).toBe(true);
    // The window shows what is in force, not what was pressed: a person looks before the next press.
    await expect.poll(() => loginSwitch.isChecked()).toBe(true);
    await loginSwitch.press('Space');
    await expect.poll(() => existsSync(file)).toBe(false);
    expect(readConfig()).toBe(false);
  });

  it('the theme changes all windows at once', async () => {
    const isDark = (): Promise<boolean> =>
      page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
    for (const theme of ['dark', 'light'] as const) {
      await page.evaluate(
        (value) => window.holdfast!.call['config.set']({ key: 'app.theme', value }),
        theme,
      );
      await expect.poll(isDark).toBe(theme === 'dark');
    }
  });

  it('shows a test notification and says that it was shown; the outcome is in the audit', async () => {
    const answer = await page.evaluate(() => window.holdfast!.call['app.testNotification']({}));
    expect(answer).toEqual({ ok: true, value: { outcome: 'shown' } });
    await home.desktop.notification(({ title }) => title === 'Notifications are working');
    const folder = join(home.dataDir, 'audit');
    const audit = (): string =>
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), 'utf8'))
        .join('');
    await expect.poll(audit).toMatch(/"event":"notification".*"kind":"test","outcome":"shown"/);
  });
});

describe('notifications', () => {
  afterEach(async () => home.end());

  it('a system that shows no notifications: the outcome says so and the tray stands in', async () => {
    home = await createTestHome({ notifications: false });
    const app = await home.launch();
    const page = await pageOf(app, 'index.html');
    await home.desktop.inTray(1);
    const answer = await page.evaluate(() => window.holdfast!.call['app.testNotification']({}));
    expect(answer).toMatchObject({
      ok: true,
      value: { outcome: expect.stringMatching(/^failed: /) },
    });
    await expect.poll(() => home.desktop.tooltip()).toBe('Holdfast - 1 notification not shown');
  });
});

describe('pages of the real app', () => {
  // One app for all: what a page tries there is refused.
  let app: ElectronApplication;
  let page: Page;
  beforeAll(async () => {
    home = await createTestHome();
    home.writeConfig({ app: { first_start_done: true } });
    app = await home.launch();
    page = await pageOf(app, 'index.html');
  });
  afterAll(async () => home.end());

  it('W1 every window is isolated, sandboxed and without Node', async () => {
    await page.evaluate(() => window.holdfast!.call['app.openSettings']({}));
    await pageOf(app, 'settings.html');
    const all = await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((one) => {
        const contents = one.webContents as unknown as {
          getLastWebPreferences(): Record<string, unknown>;
        };
        const {
          contextIsolation,
          sandbox,
          nodeIntegration,
          webSecurity,
          webviewTag,
          nodeIntegrationInSubFrames,
        } = contents.getLastWebPreferences();
        return {
          contextIsolation,
          sandbox,
          nodeIntegration,
          webSecurity,
          webviewTag: webviewTag ?? false,
          nodeIntegrationInSubFrames: nodeIntegrationInSubFrames ?? false,
        };
      }),
    );
    expect(all).toHaveLength(2);
    for (const preferences of all) {
      expect(preferences).toEqual({
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        webSecurity: true,
        webviewTag: false,
        nodeIntegrationInSubFrames: false,
      });
    }
    await closeWindow(app, 'settings.html');
    await expect.poll(() => visibleWindows(app)).toBe(1);
  });

  it('W2 the page has no Node, and only a frozen window.holdfast without a channel name', async () => {
    const facts = await page.evaluate(() => {
      const bridge = window.holdfast as unknown as Record<string, Record<string, unknown>>;
      return {
        types: ['process', 'require', 'module', 'Buffer', 'global', 'ipcRenderer', 'electron'].map(
          (name) => typeof (globalThis as Record<string, unknown>)[name],
        ),
        keys: Object.keys(bridge),
        frozen: [bridge, bridge['call'], bridge['on']].every((one) => Object.isFrozen(one)),
        kinds: [
          ...new Set(
            [...Object.values(bridge['call']!), ...Object.values(bridge['on']!)].map(
              (one) => typeof one,
            ),
          ),
        ],
      };
    });
    expect([...new Set(facts.types)]).toEqual(['undefined']);
    expect(facts).toMatchObject({ keys: ['call', 'on'], frozen: true, kinds: ['function'] });
  });

  it('W3 an inline script, eval, an inline style and a host on the net are refused', async () => {
    const facts = await page.evaluate(async () => {
      const violations: string[] = [];
      document.addEventListener('securitypolicyviolation', (event) =>
        violations.push(event.effectiveDirective),
      );
      const script = document.createElement('script');
      script.textContent = 'window.injected = true';
      document.body.append(script);
      const image = new Image();
      image.src = 'https://example.invalid/x.png';
      document.body.append(image);
      const style = document.createElement('style');
      style.textContent = 'body { --injected: 1 }';
      document.head.append(style);
      const fetched = await fetch('https://example.invalid/').then(
        () => 'fetched',
        () => 'refused',
      );
      const deadlineMs = performance.now() + 60_000;
      while (new Set(violations).size < 4 && performance.now() < deadlineMs) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return {
        injected: (window as unknown as { injected?: boolean }).injected ?? false,
        styled: getComputedStyle(document.body).getPropertyValue('--injected'),
        fetched,
        violations: [...new Set(violations)].sort(),
      };
    });
    expect(facts).toEqual({
      injected: false,
      styled: '',
      fetched: 'refused',
      violations: ['connect-src', 'img-src', 'script-src-elem', 'style-src-elem'],
    });
    const evaluated = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          // Over the page's own timer, because the debugger's evaluation is not bound by the policy.
          document.addEventListener(
            'securitypolicyviolation',
            (event) => resolve(event.blockedURI),
            { once: true },
          );
          // oxlint-disable-next-line typescript/no-implied-eval -- the very thing that must not work
          setTimeout('window.evaluated = true');
        }),
    );
    expect(evaluated).toBe('eval');
  });

  it('W5 the page stays ours: no navigation, no new window', async () => {
    const before = page.url();
    await page.evaluate(() => {
      window.open('https://example.invalid/');
      location.href = 'https://example.invalid/';
    });
    await page.evaluate(() => {
      location.href = 'holdfast://app/assets/none.js';
    });
    expect(page.url()).toBe(before);
    expect(app.windows()).toHaveLength(1);
  });

  it('W7 permissions are denied', async () => {
    const facts = await page.evaluate(async () => {
      const state = async (name: string): Promise<string> =>
        (await navigator.permissions.query({ name: name as PermissionName })).state;
      return {
        notifications: await Notification.requestPermission(),
        geolocation: await state('geolocation'),
        camera: await navigator.mediaDevices.getUserMedia({ video: true }).then(
          () => 'granted',
          () => 'denied',
        ),
      };
    });
    expect(facts).toEqual({ notifications: 'denied', geolocation: 'denied', camera: 'denied' });
  });
});

describe('a page that has to come back', () => {
  // How often it may is counted: each has an app of its own.
  let app: ElectronApplication;
  let page: Page;
  beforeEach(async () => {
    home = await createTestHome();
    home.writeConfig({ app: { first_start_done: true } });
    app = await home.launch();
    page = await pageOf(app, 'index.html');
  });
  afterEach(async () => home.end());

  it('W5 a page that goes to about:blank is brought back to where it was', async () => {
    const before = page.url();
    for (const go of ["location.href = 'about:blank'", "location.replace('about:blank#x')"]) {
      await page.evaluate(go).catch(() => undefined); // the page is gone before it can answer
      await page.waitForURL(before);
      await page.waitForFunction(() => Object.hasOwn(window, 'holdfast'));
    }
    for (const url of ['blob:null/x', 'data:text/html,x', 'about:srcdoc', 'chrome://version']) {
      await page.evaluate((to) => (location.href = to), url).catch(() => undefined);
      await page.waitForURL(before);
    }
    expect(app.windows()).toHaveLength(1);
  });

  it('W10 a crashed page comes back by itself 3 times, the engine does not notice, the 4th gives it up', async () => {
    const pid = home.holderPid();
    const crash = (): Promise<boolean> =>
      app.evaluate(
        ({ BrowserWindow }) =>
          new Promise<boolean>((resolve) => {
            const window = BrowserWindow.getAllWindows()[0];
            if (window === undefined) {
              resolve(false);
              return;
            }
            window.once('closed', () => resolve(false));
            // Only a load after the crash counts: the one before may still be on its way.
            window.webContents.once('render-process-gone', () => {
              window.webContents.once('did-finish-load', () => resolve(true));
            });
            window.webContents.forcefullyCrashRenderer();
          }),
      );
    await page.waitForLoadState('load');
    expect([await crash(), await crash(), await crash()]).toEqual([true, true, true]);
    expect(await crash()).toBe(false);
    await home.desktop.notification(
      ({ title }) => title === 'The window crashed 3 times in a minute',
    );
    expect(home.holderPid()).toBe(pid);
    await expect.poll(() => home.desktop.tooltip()).toBe('Holdfast - all quiet');
    await home.desktop.chooseMenu('Open Holdfast');
    await expect.poll(() => visibleWindows(app)).toBe(1);
  });
});
