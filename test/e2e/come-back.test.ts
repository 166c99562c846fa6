/** Death and return, as a person sees it: notices, clicks, and starting again by itself. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestHome, killed, pageOf, until, visibleWindows } from '../helpers/electron-app';
import type { TestHome } from '../helpers/electron-app';

let home: TestHome;
afterEach(async () => home.end());

/** Helpers of ours that wait for the end of process `pid`. */
const helpersOf = (pid: number): string[] =>
  spawnSync('ps', ['-eo', 'pid=,ppid=,stat=,args=', '-ww'], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(
      (row) =>
        row.includes('--type=relauncher') &&
        row.trim().split(/\s+/)[1] === String(pid) &&
        !/\sZ/.test(row),
    );

/** A process that has ended may stay in the table until its parent asks; it does not run. */
const isRunning = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
  } catch {
    return false; // Gone altogether.
  }
};

/** Starts a turn whose shell command runs until it is killed. */
async function startLongTurn(from: TestHome): Promise<ReturnType<TestHome['launch']>> {
  const app = await from.launch();
  const page = await pageOf(app, 'index.html');
  await page.evaluate(() =>
    window.holdfast!.call.send({ text: 'run: tail -f /dev/null', agent: 'practice' }),
  );
  await expect
    .poll(() =>
      page.evaluate(async () => {
        const answer = await window.holdfast!.call['turns.list']({});
        const turn = answer.ok ? answer.value.turns[0] : undefined;
        return `${turn?.state ?? ''} ${turn?.steps ?? 0}`;
      }),
    )
    .toMatch(/^running [2-9]/);
  return app;
}

describe('restart notice', () => {
  it('S0-30 after SIGKILL one notification tells of the stop, and a click lands on the held turn', async () => {
    home = await createTestHome();
    home.writeConfig({
      app: { first_start_done: true },
      resilience: { recovery: { side_effect_tools: ['shell'] } },
    });
    const app = await startLongTurn(home);
    await killed(app.process());
    const again = await home.launch({ args: ['--hidden'] });
    const notice = await home.desktop.notification(({ title }) => title === 'Back after a crash');
    expect(notice.body).toMatch(/^Restarted after an unexpected shutdown.* 1 needs a decision\.$/);
    expect(notice.body).not.toContain('tail -f');
    expect(await visibleWindows(again)).toBe(0);
    await expect.poll(() => home.desktop.tooltip()).toBe('Holdfast - 1 thing needs you');
    home.desktop.click(notice.id);
    const page = await pageOf(again, 'index.html');
    await expect.poll(() => page.url()).toBe('holdfast://app/index.html#/decisions/1');
    await expect.poll(() => visibleWindows(again)).toBe(1);
    // The restart has named it; a second notification about the same turn would be noise.
    expect(home.desktop.notifications.filter(({ title }) => title.includes('wait'))).toEqual([]);
  });

  it('S0-34 an open question is told again after the next restart, and its click lands on it', async () => {
    home = await createTestHome();
    home.writeConfig({
      app: { first_start_done: true },
      resilience: { recovery: { side_effect_tools: ['shell'] } },
    });
    await killed((await startLongTurn(home)).process());
    const second = await home.launch({ args: ['--hidden'] });
    await home.desktop.notification(({ title }) => title === 'Back after a crash');
    const gone = once(second.process(), 'exit');
    await home.desktop.chooseMenu('Quit');
    await gone;
    const shownBefore = home.desktop.notifications.length;
    const third = await home.launch({ args: ['--hidden'] });
    const notice = await home.desktop.notification(
      (shown) =>
        home.desktop.notifications.indexOf(shown) >= shownBefore &&
        shown.title === 'A turn needs your review',
    );
    home.desktop.click(notice.id);
    const page = await pageOf(third, 'index.html');
    await expect.poll(() => page.url()).toBe('holdfast://app/index.html#/decisions/1');
  });

  it('S0-34 12 turns cut off at once are 12 questions, 1 notification and 1 click to the list', async () => {
    home = await createTestHome();
    home.writeConfig({
      app: { first_start_done: true },
      limits: { max_running_turns: 12 },
      resilience: { recovery: { mode: 'never' } },
    });
    const app = await home.launch();
    const page = await pageOf(app, 'index.html');
    await page.evaluate(async () => {
      for (let index = 1; index <= 12; index += 1) {
        await window.holdfast!.call.send({
          text: 'run: tail -f /dev/null',
          session: `s${index}`,
          agent: 'practice',
        });
      }
    });
    await expect.poll(() => home.desktop.tooltip()).toBe('Holdfast - 12 turns running');
    await killed(app.process());
    const again = await home.launch({ args: ['--hidden'] });
    const notice = await home.desktop.notification(({ title }) => title === 'Back after a crash');
    expect(notice.body).toMatch(/12 need a decision/);
    await expect.poll(() => home.desktop.tooltip()).toBe('Holdfast - 12 things need you');
    home.desktop.click(notice.id);
    const window12 = await pageOf(again, 'index.html');
    await expect.poll(() => window12.url()).toBe('holdfast://app/index.html#/decisions');
    const { decisions } = await window12.evaluate(async () => {
      const answer = await window.holdfast!.call['recovery.list']({});
      return answer.ok ? answer.value : { decisions: [] };
    });
    expect(decisions).toHaveLength(12);
    // By then a notification about the same turns would have been asked for.
    const log = (): string => readFileSync(join(home.dataDir, 'logs', 'holdfast.log'), 'utf8');
    const lookedAt = (): readonly string[] =>
      log()
        .split('\n')
        .filter((line) => line.includes('"decisions.looked_at"') && line.includes('"open":12'));
    await expect.poll(() => lookedAt().length).toBeGreaterThan(0);
    expect(lookedAt().filter((line) => !line.includes('"fresh":0'))).toEqual([]);
    expect(home.desktop.notifications).toHaveLength(1);
  });

  it('S0-29 the first start tells nothing', async () => {
    home = await createTestHome();
    const app = await home.launch();
    const page = await pageOf(app, 'index.html');
    await home.desktop.inTray(1);
    // Anything shown at the start would have come before the answer to this.
    await page.evaluate(() => window.holdfast!.call['app.testNotification']({}));
    expect(home.desktop.notifications.map(({ title }) => title)).toEqual([
      'Notifications are working',
    ]);
  });
});

describe('coming back', () => {
  const withRelaunch = { env: { HOLDFAST_NO_RELAUNCH: '' } };

  it('starts again by itself after SIGKILL: hidden, with another pid, and tells why', async () => {
    home = await createTestHome();
    const first = home.start(withRelaunch);
    await home.desktop.inTray(1);
    await until(() => helpersOf(first.pid ?? 0).length === 1, 'the helper is armed');
    const pid = home.holderPid();
    expect(pid).toBe(first.pid);
    await killed(first);
    await home.desktop.inTray(2);
    await until(() => home.holderPid() !== undefined && home.holderPid() !== pid, 'a new holder');
    await home.desktop.notification(({ title }) => title === 'Back after a crash');
    const back = home.holderPid() ?? 0;
    // Chromium writes its command line anew: one text, switches first.
    const command = readFileSync(`/proc/${back}/cmdline`, 'utf8').replaceAll('\0', ' ');
    expect(command.match(/--[a-z-]+/g)?.filter((one) => one !== '--no-sandbox')).toEqual([
      '--hidden',
      '--after-crash',
      '--data-dir',
    ]);
    expect(command).toContain(home.dataDir);
    await home.desktop.chooseMenu('Quit');
    await until(() => home.holderPid() === undefined, 'it has quit');
    await until(() => helpersOf(back).length === 0, 'its helper is gone');
  });

  it('S0-30 shows the window again to who was looking at it, and no window to who was not', async () => {
    home = await createTestHome();
    home.writeConfig({ app: { first_start_done: true } });
    const comeBackArgs = ['--hidden', '--after-crash'];
    const looking = await startLongTurn(home);
    await killed(looking.process());
    const back = await home.launch({ args: comeBackArgs });
    const page = await pageOf(back, 'index.html');
    await expect.poll(() => visibleWindows(back)).toBe(1);
    await page.getByText('Restarted after a crash').first().waitFor();
    await page.evaluate(() => window.holdfast!.call['turns.cancelAll']({}));
    await killed(back.process());
    const hidden = await home.launch({ args: ['--hidden'] });
    await home.desktop.inTray(3);
    await killed(hidden.process());
    const still = await home.launch({ args: comeBackArgs });
    await home.desktop.notification(({ title }) => title === 'Back after a crash');
    expect(await visibleWindows(still)).toBe(0);
  });

  it('does not start again after a quit or SIGTERM, nor after SIGTERM, SIGINT or SIGHUP when a setting was changed', async () => {
    home = await createTestHome();
    const afterChange = (signal: NodeJS.Signals) => async (pid: number) => {
      expect(await home.run(['config', 'set', 'app.theme', 'dark'])).toMatchObject({ code: 0 });
      process.kill(pid, signal);
    };
    for (const [round, end] of [
      [1, async () => home.desktop.chooseMenu('Quit')],
      [2, async (pid: number) => void process.kill(pid, 'SIGTERM')],
      [3, afterChange('SIGTERM')],
      [4, afterChange('SIGINT')],
      [5, afterChange('SIGHUP')],
    ] as const) {
      const child = home.start({ ...withRelaunch, args: ['--hidden'] });
      const gone = once(child, 'exit');
      await home.desktop.inTray(round);
      await until(() => helpersOf(child.pid ?? 0).length === 1, 'the helper is armed');
      const helper = Number(
        helpersOf(child.pid ?? 0)[0]
          ?.trim()
          .split(/\s+/)[0],
      );
      await end(child.pid ?? 0);
      expect((await gone)[0]).toBe(0);
      // The helper is what would start it: with it gone nothing can.
      expect(isRunning(helper)).toBe(false);
      expect(home.holderPid()).toBeUndefined();
    }
    expect(home.desktop.itemCount()).toBe(5);
  });

  it('arms nothing where the setting is off', async () => {
    home = await createTestHome();
    home.writeConfig({ instance: { restart_after_crash: false } });
    const child = home.start({ ...withRelaunch, args: ['--hidden'] });
    await home.desktop.inTray(1);
    await until(() => {
      try {
        return readFileSync(join(home.dataDir, 'run', 'come-back.json'), 'utf8') !== '';
      } catch {
        return false;
      }
    }, 'the decision is made');
    expect(helpersOf(child.pid ?? 0)).toEqual([]);
  });
});
