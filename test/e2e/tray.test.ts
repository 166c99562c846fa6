/** The tray, seen from the desktop's side: what is registered, read and clicked over D-Bus. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ElectronApplication } from 'playwright-core';
import { createTestHome, killed, pageOf, visibleWindows } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';
import { axeFindings } from '../helpers/page-checks';
import { callIn } from '../helpers/story-app';
import { waitUntil } from '../helpers/bounded-wait';

let home: TestHome;

const labelsOf = async (from: TestHome): Promise<readonly string[]> =>
  (await from.desktop.readMenu()).map(({ label }) => label);

/** Waits until the menu has a row that begins so. */
async function menuWith(from: TestHome, start: string): Promise<void> {
  await expect
    .poll(async () => {
      const labels = await labelsOf(from);
      return labels.find((label) => label.startsWith(start)) ?? labels.join(' | ');
    })
    .toMatch(new RegExp(`^${start.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`));
}

/** Resolves with the exit code; take it before the end is asked for. */
const ending = (app: ElectronApplication): Promise<number | null> =>
  new Promise((resolve) => void app.process().once('exit', resolve));

describe('the tray of an app with nothing to do', () => {
  // One app for all; the last one ends it.
  let app: ElectronApplication;
  beforeAll(async () => {
    home = await createTestHome();
    app = await home.launch();
    await home.desktop.inTray(1);
  });
  afterAll(async () => home.end());

  it('registers one icon, says that nothing waits, and shows the whole menu', async () => {
    expect(home.desktop.itemCount()).toBe(1);
    expect(await home.desktop.tooltip()).toBe('Holdfast - all quiet');
    await menuWith(home, 'All quiet');
    const labels = await labelsOf(home);
    for (const label of [
      'All quiet',
      'Cancel all turns…',
      'Pause new turns',
      'Do not disturb',
      'Open Holdfast',
      'Ask an agent…',
      'Settings…',
      'Copy diagnostics…',
      'Quit',
    ]) {
      expect(labels).toContain(label);
    }
    const page = await pageOf(app, 'index.html');
    expect(await page.title()).toContain('Holdfast');
    await expect.poll(() => visibleWindows(app)).toBe(1);
  });

  it('pauses new turns from the menu, says so, and resumes them', async () => {
    await home.desktop.chooseMenu('Until resumed');
    await menuWith(home, 'Resume (new turns paused)');
    await expect.poll(() => home.desktop.tooltip()).toBe('Holdfast - new turns paused');
    await home.desktop.chooseMenu('Resume');
    await menuWith(home, 'Pause new turns');
    await expect.poll(() => home.desktop.tooltip()).toBe('Holdfast - all quiet');
  });

  it('R5 copies the diagnostics that it has shown', async () => {
    await app.evaluate(({ dialog }) => {
      const box = dialog as unknown as { showMessageBox: unknown };
      box.showMessageBox = async (...given: { detail?: string }[]) => {
        (globalThis as { shown?: string | undefined }).shown = given.at(-1)?.detail;
        return { response: 1, checkboxChecked: false };
      };
    });
    await home.desktop.chooseMenu('Copy diagnostics…');
    const copied = (): Promise<string> => app.evaluate(({ clipboard }) => clipboard.readText());
    await expect.poll(copied).toMatch(/^Holdfast \d+\.\d+\.\d+: /);
    const text = await copied();
    expect(text).toMatch(/owner: process \d+, the app, running, since /);
    expect(text).toMatch(/desktop: .*tray icon/);
    expect(text).toMatch(/keys: /);
    const shown = await app.evaluate(() => (globalThis as { shown?: string }).shown);
    expect(shown?.endsWith(text)).toBe(true);
  });

  it('lives on over sleep and wake with one icon', async () => {
    // Listening first: a signal that comes before the listener is lost.
    await app.evaluate(({ powerMonitor }) => {
      const world = globalThis as { isResumed?: boolean };
      powerMonitor.once('resume', () => {
        world.isResumed = true;
      });
    });
    home.desktop.sleep(true);
    home.desktop.sleep(false);
    const isResumed = () =>
      app.evaluate(() => (globalThis as { isResumed?: boolean }).isResumed === true);
    await expect.poll(isResumed).toBe(true);
    await expect.poll(() => home.desktop.tooltip()).toBe('Holdfast - all quiet');
    expect(home.desktop.itemCount()).toBe(1);
  });

  it('S2-48 quits for good from the menu: exit code 0, no lock left, nothing running', async () => {
    expect(home.holderPid()).toBe(app.process().pid);
    const gone = ending(app);
    await home.desktop.chooseMenu('Quit');
    expect(await gone).toBe(0);
    expect(existsSync(join(home.dataDir, 'agent.lock'))).toBe(false);
  });
});

describe('tray', () => {
  afterEach(async () => home.end());

  it('S0-34 keeps Do not disturb over 2 kills, and what it held back is 1 notification afterward', async () => {
    home = await createTestHome();
    let app = await home.launch({ args: ['--hidden'] });
    await home.desktop.inTray(1);
    const toggle = async (): Promise<number | undefined> =>
      (await home.desktop.readMenu()).find(({ label }) => label === 'Do not disturb')?.toggle;
    expect(await toggle()).toBe(0);
    await home.desktop.chooseMenu('Do not disturb');
    await expect.poll(toggle).toBe(1);
    const held = (): number => {
      const state = readFileSync(join(home.dataDir, 'shell.json'), 'utf8');
      return (JSON.parse(state) as { readonly held?: readonly unknown[] }).held?.length ?? 0;
    };
    for (const starts of [2, 3]) {
      await killed(app.process());
      app = await home.launch({ args: ['--hidden'] });
      await home.desktop.inTray(starts);
      await expect.poll(toggle).toBe(1);
      await expect.poll(held).toBe(starts - 1);
    }
    expect(home.desktop.notifications).toEqual([]);
    await home.desktop.chooseMenu('Do not disturb');
    await home.desktop.notification(({ title }) => title === 'While you were away: 2 notices');
    await expect.poll(held).toBe(0);
    expect(home.desktop.notifications).toHaveLength(1);
  });

  it('takes a prompt in a small window from the menu, shows what it became in the main one, and goes with Esc', async () => {
    home = await createTestHome();
    const app = await home.launch({ args: ['--hidden'] });
    await home.desktop.inTray(1);
    await menuWith(home, 'Ask an agent');
    await home.desktop.chooseMenu('Ask an agent…');
    const quick = await pageOf(app, 'quick.html');
    const field = quick.getByRole('textbox', { name: 'Ask an agent' });
    await field.fill('tidy my notes');
    await quick.locator('button:not([disabled])', { hasText: 'Send' }).waitFor();
    await quick.keyboard.press('Control+Enter');
    await quick.getByText('Sent and saved:').waitFor();
    expect(await axeFindings(quick)).toEqual([]);
    await quick.getByRole('link', { name: 'Turn 1' }).click();
    const main = await pageOf(app, 'index.html');
    await main.waitForFunction(() => window.location.hash === '#/turns/1');
    await expect.poll(() => visibleWindows(app)).toBe(1);
    await home.desktop.chooseMenu('Ask an agent…');
    const again = await pageOf(app, 'quick.html');
    // The page may be gone before the key is up.
    await again.keyboard.down('Escape').catch(() => undefined);
    await expect.poll(() => visibleWindows(app)).toBe(1);
  });

  it('a click elsewhere closes the small window, and what was typed is there when it opens again', async () => {
    home = await createTestHome();
    const app = await home.launch();
    await pageOf(app, 'index.html');
    await home.desktop.inTray(1);
    await home.desktop.chooseMenu('Ask an agent…');
    const quick = await pageOf(app, 'quick.html');
    const elsewhere = (): Promise<void> =>
      app.evaluate(({ BrowserWindow }) => {
        BrowserWindow.getAllWindows()
          .find((one) => one.webContents.getURL().includes('index.html'))
          ?.focus();
      });
    const isOpen = (): boolean => !quick.isClosed();
    await expect.poll(() => visibleWindows(app)).toBe(2);
    await quick.getByRole('textbox', { name: 'Ask an agent' }).fill('tidy');
    await elsewhere();
    await expect.poll(isOpen).toBe(false);
    await home.desktop.chooseMenu('Ask an agent…');
    const again = await pageOf(app, 'quick.html');
    const field = again.getByRole('textbox', { name: 'Ask an agent' });
    await expect.poll(() => field.inputValue()).toBe('tidy');
  });

  it('opens the window and the settings from the menu; where no icon is wanted it goes, and closing asks before it quits', async () => {
    home = await createTestHome();
    const app = await home.launch({ args: ['--hidden'] });
    await home.desktop.inTray(1);
    expect(await visibleWindows(app)).toBe(0);
    await home.desktop.chooseMenu('Open Holdfast');
    const page = await pageOf(app, 'index.html');
    await home.desktop.chooseMenu('Settings…');
    await pageOf(app, 'settings.html');
    await expect.poll(() => visibleWindows(app)).toBe(2);

    await callIn(page, 'config.set', { key: 'app.tray_icon', value: 'off' });
    const icon = (): Promise<string> =>
      home.desktop.tooltip().then(
        () => 'there',
        () => 'gone',
      );
    // Its place on the bus is gone with it.
    await expect.poll(icon).toBe('gone');
    const { tray } = await callIn(page, 'app.info', {});
    expect(tray).toEqual({ available: false, reason: expect.stringContaining('app.tray_icon') });
    const closeAnd = (response: number): Promise<void> =>
      app.evaluate(({ BrowserWindow, dialog }, given) => {
        const box = dialog as unknown as { showMessageBox: unknown };
        box.showMessageBox = async (_front: unknown, { message }: { message: string }) => {
          (globalThis as { asked?: string }).asked = message;
          return { response: given, checkboxChecked: false };
        };
        for (const one of BrowserWindow.getAllWindows())
          if (one.webContents.getURL().includes('/index.html')) one.close();
      }, response);
    await closeAnd(0);
    await expect
      .poll(() => app.evaluate(() => (globalThis as { asked?: string }).asked))
      .toBe('Quit Holdfast?');
    expect(await visibleWindows(app)).toBe(2);
    await callIn(page, 'config.set', { key: 'app.tray_icon', value: 'auto' });
    await home.desktop.inTray(2);
    await callIn(page, 'config.set', { key: 'app.tray_icon', value: 'off' });
    await expect.poll(icon).toBe('gone');
    const ended = ending(app);
    await closeAnd(1);
    expect(await ended).toBe(0);
  });

  it('stops all turns only after a yes', async () => {
    home = await createTestHome();
    const app = await home.launch();
    const page = await pageOf(app, 'index.html');
    await page.evaluate(() =>
      window.holdfast!.call.send({ text: 'run: tail -f /dev/null', agent: 'practice' }),
    );
    await menuWith(home, 'Cancel all turns… (1 running)');
    await expect.poll(() => home.desktop.tooltip()).toBe('Holdfast - 1 turn running');
    // By the plan of the next start, not by the count of turns: in mode never it would be asked about.
    await menuWith(home, 'Quit (1 turn will resume on next start)');
    await page.evaluate(() =>
      window.holdfast!.call['config.set']({ key: 'resilience.recovery.mode', value: 'never' }),
    );
    await menuWith(home, 'Quit (1 turn will need your review)');
    await page.evaluate(() =>
      window.holdfast!.call['config.set']({
        key: 'resilience.recovery.mode',
        value: 'safe_only',
      }),
    );
    const asked: string[] = [];
    const answerWith = (response: number): Promise<void> =>
      app.evaluate(({ dialog }, chosen) => {
        const box = dialog as unknown as { showMessageBox: unknown };
        box.showMessageBox = async (...given: { message?: string }[]) => {
          (globalThis as { asked?: string[] }).asked = [
            ...((globalThis as { asked?: string[] }).asked ?? []),
            given.at(-1)?.message ?? '',
          ];
          return { response: chosen, checkboxChecked: false };
        };
      }, response);
    const readAsked = async (): Promise<readonly string[]> =>
      (await app.evaluate(() => (globalThis as { asked?: string[] }).asked)) ?? asked;
    await answerWith(0);
    await home.desktop.chooseMenu('Cancel all turns');
    await expect.poll(async () => (await readAsked()).length).toBe(1);
    expect(await readAsked()).toEqual(['Cancel the turn?']);
    expect(await home.desktop.tooltip()).toBe('Holdfast - 1 turn running');
    await answerWith(1);
    await home.desktop.chooseMenu('Cancel all turns');
    await menuWith(home, 'All quiet');
    const { turns } = await page.evaluate(async () => {
      const answer = await window.holdfast!.call['turns.list']({});
      return answer.ok ? answer.value : { turns: [] };
    });
    expect(turns.map(({ state }) => state)).toEqual(['cancelled']);
  });

  it('F4 quits when the step at work is done, and not where that is taken back', async () => {
    home = await createTestHome();
    const app = await home.launch();
    const page = await pageOf(app, 'index.html');
    await callIn(page, 'config.set', { key: 'resilience.recovery.mode', value: 'never' });
    const go = join(home.dataDir, 'go');
    await page.evaluate(
      (text) => window.holdfast!.call.send({ text, agent: 'practice' }),
      `run: ${waitUntil(`test -e ${go}`)}`,
    );
    await menuWith(home, 'Quit when this step completes');
    await home.desktop.chooseMenu('Quit when this step completes');
    await menuWith(home, 'Keep running');
    await expect
      .poll(() => home.desktop.tooltip())
      .toMatch(/^Holdfast - quits when 1 step completes/);
    await home.desktop.chooseMenu('Keep running');
    await expect.poll(() => home.desktop.tooltip()).toBe('Holdfast - 1 turn running');
    await menuWith(home, 'Quit when this step completes');
    await home.desktop.chooseMenu('Quit when this step completes');
    await menuWith(home, 'Keep running');
    const ended = ending(app);
    writeFileSync(go, '');
    expect(await ended).toBe(0);
  });

  it('F4 the question before a quit has three answers while a step is at work, and three while it waits', async () => {
    home = await createTestHome();
    home.writeConfig({
      app: { first_start_done: true, tray_icon: 'off' },
      resilience: { recovery: { mode: 'never' } },
    });
    const app = await home.launch();
    const page = await pageOf(app, 'index.html');
    const go = join(home.dataDir, 'go');
    await callIn(page, 'send', {
      text: `run: ${waitUntil(`test -e ${go}`)}`,
      agent: 'practice',
    });
    const turn = async () => (await callIn(page, 'turns.list', {})).turns[0];
    await expect
      .poll(async () => `${(await turn())?.state ?? ''} ${String((await turn())?.steps ?? 0)}`)
      .toMatch(/^running [2-9]/);
    const waits = async (): Promise<boolean> =>
      (await callIn(page, 'status.get', {})).quitsBehind !== undefined;
    /** Closes the window and presses this button; gives what stood in the box. */
    const closeAnd = async (label: string): Promise<readonly string[]> => {
      await app.evaluate(({ BrowserWindow, dialog }, pressed) => {
        const world = globalThis as { buttons?: string[] };
        delete world.buttons;
        const box = dialog as unknown as { showMessageBox: unknown };
        box.showMessageBox = async (_front: unknown, { buttons }: { buttons: string[] }) => {
          world.buttons = buttons;
          return { response: buttons.indexOf(pressed), checkboxChecked: false };
        };
        for (const one of BrowserWindow.getAllWindows())
          if (one.webContents.getURL().includes('/index.html')) one.close();
      }, label);
      const buttons = (): Promise<string[] | undefined> =>
        app.evaluate(() => (globalThis as { buttons?: string[] }).buttons);
      await expect.poll(buttons).toBeDefined();
      return (await buttons()) ?? [];
    };

    const first = ['Keep running', 'Quit', 'Quit when this step completes'];
    const second = ['Keep running', 'Quit now', 'Wait for it'];
    expect(await closeAnd('Keep running')).toEqual(first);
    expect([await waits(), (await turn())?.state]).toEqual([false, 'running']);
    expect(await closeAnd('Quit when this step completes')).toEqual(first);
    await expect.poll(waits).toBe(true);
    expect(await closeAnd('Wait for it')).toEqual(second);
    expect([await waits(), (await turn())?.state]).toEqual([true, 'running']);
    expect(await closeAnd('Keep running')).toEqual(second);
    await expect.poll(waits).toBe(false);
    expect((await turn())?.state).toBe('running');
    expect(await closeAnd('Quit when this step completes')).toEqual(first);
    await expect.poll(waits).toBe(true);
    const ended = ending(app);
    writeFileSync(go, '');
    expect(await ended).toBe(0);
  });

  it.each(['Quit', 'Quit now'])(
    'F4 "%s" in the question before a quit cuts the step off at once',
    async (pressed) => {
      home = await createTestHome();
      home.writeConfig({
        app: { first_start_done: true, tray_icon: 'off' },
        resilience: { recovery: { mode: 'never' } },
      });
      const app = await home.launch();
      const page = await pageOf(app, 'index.html');
      await callIn(page, 'send', { text: 'run: tail -f /dev/null', agent: 'practice' });
      const turn = async () => (await callIn(page, 'turns.list', {})).turns[0];
      await expect
        .poll(async () => `${(await turn())?.state ?? ''} ${String((await turn())?.steps ?? 0)}`)
        .toMatch(/^running [2-9]/);
      const closeAnd = (labels: readonly string[]): Promise<void> =>
        app.evaluate(({ BrowserWindow, dialog }, wanted) => {
          const box = dialog as unknown as { showMessageBox: unknown };
          box.showMessageBox = async (_front: unknown, { buttons }: { buttons: string[] }) => ({
            response: buttons.findIndex((one) => wanted.includes(one)),
            checkboxChecked: false,
          });
          for (const one of BrowserWindow.getAllWindows())
            if (one.webContents.getURL().includes('/index.html')) one.close();
        }, labels);
      if (pressed === 'Quit now') {
        await closeAnd(['Quit when this step completes']);
        await expect
          .poll(async () => (await callIn(page, 'status.get', {})).quitsBehind !== undefined)
          .toBe(true);
      }
      const ended = ending(app);
      await closeAnd([pressed]);
      expect(await ended).toBe(0);
    },
  );

  it('F4 the pages say what a quit waits for; it is taken back there, and ended there', async () => {
    home = await createTestHome();
    home.writeConfig({ app: { first_start_done: true } });
    const app = await home.launch();
    const page = await pageOf(app, 'index.html');
    // Where nothing waits, a page cannot make Holdfast quit.
    expect(await callIn(page, 'app.answerQuit', { answer: 'quit_now' })).toMatchObject({
      isQuitting: false,
    });
    await callIn(page, 'send', { text: 'run: tail -f /dev/null', agent: 'practice' });
    const turn = async () => (await callIn(page, 'turns.list', {})).turns[0];
    await expect
      .poll(async () => `${(await turn())?.state ?? ''} ${String((await turn())?.steps ?? 0)}`)
      .toMatch(/^running [2-9]/);
    const note = page.getByRole('region', { name: 'Quit' });
    await menuWith(home, 'Quit when this step completes');
    await home.desktop.chooseMenu('Quit when this step completes');
    await note.getByText('Quitting when 1 step completes: tail -f /dev/null').waitFor();
    await note.getByRole('button', { name: 'Keep running' }).click();
    await note.waitFor({ state: 'detached' });
    expect((await turn())?.state).toBe('running');
    await menuWith(home, 'Quit when this step completes');
    await home.desktop.chooseMenu('Quit when this step completes');
    const ended = ending(app);
    await note.getByRole('button', { name: 'Quit now' }).click();
    expect(await ended).toBe(0);
  });

  it('S3-36 does not show the first start again to who quit from the tray in it', async () => {
    home = await createTestHome();
    const app = await home.launch();
    const page = await pageOf(app, 'index.html');
    await page.getByRole('heading', { level: 1, name: 'Holdfast keeps running' }).waitFor();
    await home.desktop.inTray(1);
    const ended = ending(app);
    await home.desktop.chooseMenu('Quit');
    expect(await ended).toBe(0);
    expect(readFileSync(join(home.dataDir, 'config.json'), 'utf8')).toContain(
      '"first_start_done": true',
    );
    const again = await home.launch();
    const back = await pageOf(again, 'index.html');
    await back.getByRole('heading', { level: 1 }).first().waitFor();
    expect(back.url()).not.toContain('welcome');
  });

  it('S2-48 stops in order on SIGTERM and when the system shuts down', async () => {
    home = await createTestHome();
    const first = home.start({ args: ['--hidden'] });
    await home.desktop.inTray(1);
    const gone = new Promise<number | null>((resolve) => first.once('exit', resolve));
    first.kill('SIGTERM');
    expect(await gone).toBe(0);
    const second = home.start({ args: ['--hidden'] });
    await home.desktop.inTray(2);
    const goneToo = new Promise<number | null>((resolve) => second.once('exit', resolve));
    home.desktop.shutdown();
    expect(await goneToo).toBe(0);
    expect(existsSync(join(home.dataDir, 'agent.lock'))).toBe(false);
    const audit = readFileSync(
      join(home.dataDir, 'audit', `${new Date().toISOString().slice(0, 7)}.jsonl`),
      'utf8',
    );
    expect(audit).toContain('os_shutdown');
  });

  it('S2-48 ends with 0 and leaves no lock on SIGTERM in any moment after the first icon', async () => {
    home = await createTestHome();
    for (const [round, afterMs] of [0, 20, 40, 60, 80, 100].entries()) {
      const child = home.start({ args: ['--hidden'] });
      const gone = new Promise<number | null>((resolve) => child.once('exit', resolve));
      await home.desktop.trayItems(round + 1);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      child.kill('SIGTERM');
      expect(await gone).toBe(0);
      expect(home.holderPid()).toBeUndefined();
    }
  });
});

describe('a second start', () => {
  afterEach(async () => home.end());

  it('R14 brings the first to the front, at the page of its link, and ends with 0', async () => {
    home = await createTestHome();
    const app = await home.launch({ args: ['--hidden'] });
    await home.desktop.inTray(1);
    expect(await visibleWindows(app)).toBe(0);
    const second = home.start({ args: ['holdfast://open/agents'] });
    const code = await new Promise<number | null>((resolve) => second.once('exit', resolve));
    expect(code).toBe(0);
    await expect.poll(() => visibleWindows(app)).toBe(1);
    const page = await pageOf(app, 'index.html');
    await expect.poll(() => page.url()).toBe('holdfast://app/index.html#/agents');
    expect(home.desktop.itemCount()).toBe(1);
    expect(home.holderPid()).toBe(app.process().pid);
  });
});

describe('commands of the app', () => {
  afterEach(async () => home.end());

  it('run without a display, next to the running app and without it', async () => {
    home = await createTestHome();
    const down = await home.run(['status', '--json'], { display: false });
    expect([down.code, down.stderr.includes('display')]).toEqual([down.code, false]);
    expect(() => JSON.parse(down.stdout) as unknown).not.toThrow();
    const app = await home.launch({ args: ['--hidden'] });
    await home.desktop.inTray(1);
    const up = await home.run(['status', '--json'], { display: false });
    expect(up.code).toBe(0);
    expect(JSON.parse(up.stdout)).toMatchObject({ pid: app.process().pid });
    const gone = ending(app);
    const stop = await home.run(['stop'], { display: false });
    expect(stop.code).toBe(0);
    expect(await gone).toBe(0);
  });
});
