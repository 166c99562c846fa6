import { describe, expect, it, vi } from 'vitest';
import { createStayAwake } from '../../../electron/shell/system/stay-awake';

describe('the hold of the desktop', () => {
  it.each([
    ['linux', 'ubuntu:GNOME', true],
    ['linux', 'KDE', true],
    ['linux', 'sway', false],
    ['linux', undefined, false],
    ['darwin', undefined, true],
    ['win32', undefined, true],
  ] as const)('KA-01 on %s with %s it is heard: %s', (platform, desktop, isHeard) => {
    const blocker = { start: () => 1, stop: () => true };
    const env = { XDG_CURRENT_DESKTOP: desktop };
    expect(createStayAwake(blocker, platform, env).isHeard).toBe(isHeard);
  });

  it('KA-04 holds off the suspension of the app and not the dark screen, and gives back the same hold', () => {
    const blocker = { start: vi.fn(() => 7), stop: vi.fn(() => true) };
    const hold = createStayAwake(blocker, 'darwin', {}).hold('An agent is working');
    expect(blocker.start.mock.calls).toEqual([['prevent-app-suspension']]);
    hold.release();
    expect(blocker.stop.mock.calls).toEqual([[7]]);
  });
});
