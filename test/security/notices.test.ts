/** What a notification can do: D3. */
import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it, vi } from 'vitest';

class FakeNotification extends EventEmitter {
  static shown: FakeNotification[] = [];
  static isSupported = (): boolean => true;
  constructor(readonly options: Record<string, unknown>) {
    super();
    FakeNotification.shown.push(this);
  }
  show = (): void => void this.emit('show');
  close = (): void => undefined;
}
vi.mock('electron', () => ({ Notification: FakeNotification }));

const { createNotifier } = await import('../../electron/shell/notices/notifier');

describe('D3 a notification', () => {
  beforeEach(() => {
    FakeNotification.shown = [];
  });

  it('D3 its buttons and a click open the window at the item or close it: none decides', async () => {
    const opened: string[] = [];
    const recorded: unknown[] = [];
    const notifier = createNotifier({
      mode: () => 'on',
      icon: '/app/icon.png',
      focusedRoute: () => undefined,
      onClick: (route) => void opened.push(route),
      onSettings: () => void opened.push('settings'),
      onFailed: () => undefined,
      isQuiet: () => false,
      hide: (text) => text.replaceAll('xyzzy-9417', '[redacted]'),
      held: { get: () => [], set: () => undefined },
      record: (facts) => void recorded.push(facts),
      nowMs: () => 1_000_000,
    });
    await notifier.notify({ ...sample(), route: '/decisions/12' });
    const [one] = FakeNotification.shown;
    expect(Object.keys(one?.options ?? {}).sort()).toEqual([
      'actions',
      'body',
      'icon',
      'silent',
      'title',
    ]);
    // Some desktops send these although nothing was offered: nobody listens.
    expect(one?.listenerCount('reply')).toBe(0);
    one?.emit('click');
    // Review, Later, and a button that was never offered.
    for (const actionIndex of [0, 1, 2]) one?.emit('action', { actionIndex });
    expect(opened).toEqual(['/decisions/12', '/decisions/12']);
    expect(recorded).toEqual([{ key: 'decision:12', kind: 'decision', outcome: 'shown' }]);
  });
});

function sample(): Parameters<ReturnType<typeof createNotifier>['notify']>[0] {
  return {
    key: 'decision:12',
    kind: 'decision',
    title: 'A turn waits',
    body: 'practice: shell',
    route: '/decisions/12',
  };
}
