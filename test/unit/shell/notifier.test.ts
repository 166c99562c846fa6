import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Notice, NoticeKind } from '../../../electron/shell/notices/notification-policy';
import { Notification } from '../../helpers/fake-electron';

vi.mock('electron', () => import('../../helpers/fake-electron'));
const { createNotifier } = await import('../../../electron/shell/notices/notifier');

const noticeOf = (kind: NoticeKind): Notice => ({
  key: kind,
  kind,
  title: 'Title',
  body: 'Body.',
  route: '/decisions/7',
});

function world(
  disk: { held: readonly Notice[]; isQuiet: boolean } = { held: [], isQuiet: false },
  stepMs = 0,
) {
  let nowMs = 1_000;
  const went: string[] = [];
  const recorded: { key: string; kind: string; outcome: string }[] = [];
  const notifier = createNotifier({
    mode: () => 'on',
    icon: '/app/icon.png',
    focusedRoute: () => undefined,
    onClick: (route) => went.push(route),
    onSettings: () => went.push('settings'),
    onFailed: () => went.push('failed'),
    isQuiet: () => disk.isQuiet,
    hide: (text) => text.replaceAll('xyzzy-9417', '[redacted]'),
    held: {
      get: () => disk.held,
      set(held) {
        disk.held = held;
      },
    },
    record: (facts) => recorded.push(facts),
    nowMs: () => (nowMs += stepMs),
  });
  const show = async (kind: NoticeKind, turnId?: number): Promise<Notification> => {
    const notice = { ...noticeOf(kind), ...(turnId === undefined ? {} : { turnId }) };
    expect(await notifier.notify(notice)).toEqual({ kind: 'shown' });
    const shown = Notification.shown.at(-1);
    if (shown === undefined) throw new Error('nothing was shown');
    return shown;
  };
  return { went, recorded, show, notifier };
}

beforeEach(() => void Notification.shown.splice(0));

describe('a notification', () => {
  it('has our picture, and is heard again after its click', async () => {
    const { show } = world(undefined, 120_000);
    expect((await show('answer')).options.icon).toBe('/app/icon.png');
    await show('answer');
    await show('answer');
    (await show('answer')).emit('click');
    await show('answer');
    expect(Notification.shown.map(({ options }) => options.silent)).toEqual([
      false,
      false,
      false,
      true,
      false,
    ]);
  });
});

describe('R1 a secret in what a notification says', () => {
  const KEY = 'xyzzy-9417';
  const telling: Notice = {
    ...noticeOf('answer'),
    title: `Allow ${KEY}?`,
    body: `It sends ${KEY}.`,
  };

  it('R1 is neither shown nor kept in what the quiet hours hold back', async () => {
    const disk = { held: [] as readonly Notice[], isQuiet: false };
    const { notifier } = world(disk);
    await notifier.notify(telling);
    disk.isQuiet = true;
    await notifier.notify(telling);
    expect(disk.held).toHaveLength(1);
    disk.isQuiet = false;
    await notifier.endQuiet([telling]);
    expect(Notification.shown.length).toBeGreaterThan(1);
    expect(Notification.shown[0]?.options.title).toBe('Allow [redacted]?');
    const all = JSON.stringify([Notification.shown.map(({ options }) => options), disk.held]);
    expect(all).not.toContain(KEY);
  });
});

describe('the buttons of a notification', () => {
  it.each<[NoticeKind, readonly string[]]>([
    ['decision', ['Review', 'Later']],
    ['restart', ['See what happened']],
    ['outage', ['Open']],
    ['delivery', ['Open']],
    ['answer', ['Open']],
    ['problem', ['Open']],
    ['close_to_tray', ['OK', 'Settings']],
    ['test', []],
  ])('S0-34 a notice of kind %s offers %j', async (kind, labels) => {
    const shown = await world().show(kind);
    expect(shown.options.actions?.map(({ text }) => text)).toEqual(labels);
  });

  it('S0-34 Review lands on the one item, in newer and in older Electron, and closes the notice', async () => {
    for (const isOld of [false, true]) {
      const { went, show } = world();
      const shown = await show('decision');
      shown.press('Review', isOld);
      expect(went).toEqual(['/decisions/7']);
      expect(shown.isClosed).toBe(true);
    }
  });

  it('S0-34 a question of one turn leads to where it can be canceled, last of all, and decides nothing itself', async () => {
    const { went, show } = world();
    const shown = await show('decision', 12);
    expect(shown.options.actions?.map(({ text }) => text)).toEqual([
      'Review',
      'Later',
      'Cancel turn…',
    ]);
    shown.press('Cancel turn…');
    expect(went).toEqual(['/turns/12']);
    expect(shown.isClosed).toBe(true);
  });

  it('S0-34 Later opens nothing: 1 question stays open, and its reminders come', async () => {
    const { went, show } = world();
    const shown = await show('decision');
    shown.press('Later');
    expect(went).toEqual([]);
    expect(shown.isClosed).toBe(true);
  });

  it('S0-02 Change on the notice of the first close opens the settings', async () => {
    const { went, show } = world();
    (await show('close_to_tray')).press('Settings');
    expect(went).toEqual(['settings']);
  });

  it('S0-34 a click beside the buttons lands on the item', async () => {
    const { went, show } = world();
    (await show('decision')).emit('click', {});
    expect(went).toEqual(['/decisions/7']);
  });
});

describe('what becomes of a notification', () => {
  afterEach(() => {
    Notification.system = 'show';
    Notification.isSupported = () => true;
  });

  it.each([
    ['shown', 'show', true],
    ['failed: refused', 'failed', true],
    ['failed: no_answer', 'silent', true],
    ['failed: unsupported', 'show', false],
  ] as const)(
    'ux 5 h "%s" is on record, at the latest after 10 s; what was not shown stands in the tray',
    async (outcome, system, isSupported) => {
      vi.useFakeTimers();
      Notification.system = system;
      Notification.isSupported = () => isSupported;
      const { went, recorded, notifier } = world();
      const told = notifier.notify(noticeOf('outage'));
      await vi.advanceTimersByTimeAsync(9_999);
      expect(recorded).toHaveLength(system === 'silent' ? 0 : 1);
      await vi.advanceTimersByTimeAsync(1);
      await told;
      expect(recorded).toEqual([{ key: 'outage', kind: 'outage', outcome }]);
      expect(notifier.lastOutcome()).toBe(outcome);
      expect(went).toEqual(outcome === 'shown' ? [] : ['failed']);
    },
  );

  it('ux 5 b a newer one takes the place of the one with its key, and of no other', async () => {
    const { show } = world();
    const [decision, first, second] = [
      await show('decision'),
      await show('outage'),
      await show('outage'),
    ];
    expect([decision, first, second].map(({ isClosed }) => isClosed)).toEqual([false, true, false]);
  });
});

describe('while the person is not to be disturbed', () => {
  const titles = (): readonly string[] =>
    Notification.shown.splice(0).map(({ options }) => `${options.title} ${options.body}`);

  it('S0-34 2 notices outlive 2 kills, and are 1 summary with the 3 questions that are still open, once', async () => {
    const disk = { held: [] as readonly Notice[], isQuiet: true };
    await world(disk).notifier.notify(noticeOf('restart'));
    const second = world(disk).notifier;
    await second.notify(noticeOf('restart'));
    await second.notify(noticeOf('outage'));
    await second.notify(noticeOf('decision'));
    disk.isQuiet = false;
    await world(disk).notifier.endQuiet([{ ...noticeOf('decision'), standsFor: 3 }]);
    expect(titles()).toEqual([
      'While you were away: 5 notices 3 need a decision, 2 for information.',
    ]);
    await world(disk).notifier.endQuiet([]);
    expect(titles()).toEqual([]);
  });

  it('S0-34 what was held while the summary is on its way waits for the next end', async () => {
    const disk = { held: [] as readonly Notice[], isQuiet: true };
    const { notifier } = world(disk);
    await notifier.notify(noticeOf('restart'));
    const ending = notifier.endQuiet([]);
    await notifier.notify(noticeOf('outage'));
    await ending;
    expect([titles().length, disk.held]).toEqual([1, [noticeOf('outage')]]);
  });
});
