import { describe, expect, it, vi } from 'vitest';
import { createQuickShortcut } from '../../../electron/shell/windows/quick-shortcut';
import { APP_SETTINGS } from '../../../shared/settings/app';

const setUp = (gives: (keys: string) => boolean) => {
  const held = new Set<string>();
  const deps = {
    keys: {
      register: vi.fn((keys: string) => {
        const isGiven = gives(keys);
        if (isGiven) held.add(keys);
        return isGiven;
      }),
      unregister: vi.fn((keys: string) => void held.delete(keys)),
    },
    pressed: vi.fn(),
    onRefused: vi.fn(),
  };
  return { deps, held, shortcut: createQuickShortcut(deps) };
};

describe('the shortcut of the quick prompt', () => {
  it('is off until it is set, follows the settings, and holds one at a time', () => {
    const { deps, held, shortcut } = setUp(() => true);
    shortcut.apply('');
    expect(deps.keys.register).not.toHaveBeenCalled();
    shortcut.apply('Ctrl+Shift+H');
    shortcut.apply('Ctrl+Shift+H');
    expect(deps.keys.register).toHaveBeenCalledTimes(1);
    shortcut.apply('Alt+Space');
    expect([...held]).toEqual(['Alt+Space']);
    shortcut.apply('');
    expect([...held]).toEqual([]);
    expect(shortcut.isTaken()).toBe(false);
  });

  it.each([
    ['answers no', () => false],
    [
      'throws',
      () => {
        throw new Error('no portal');
      },
    ],
  ])('says that the desktop did not give it where it %s', (_title, gives) => {
    const { deps, shortcut } = setUp(gives);
    shortcut.apply('Ctrl+Shift+H');
    expect(shortcut.isTaken()).toBe(true);
    expect(deps.onRefused).toHaveBeenCalledWith('Ctrl+Shift+H');
    shortcut.apply('');
    expect(shortcut.isTaken()).toBe(false);
    expect(deps.keys.unregister).not.toHaveBeenCalled();
  });

  it.each([
    ['', true],
    ['Ctrl+Shift+H', true],
    ['CmdOrCtrl+Alt+F12', true],
    ['H', false],
    ['Ctrl+', false],
    ['Ctrl+Shift+Escape', false],
  ])('the setting takes %j: %s', (keys, isTaken) => {
    expect(APP_SETTINGS['app.quick_shortcut'].schema.safeParse(keys).success).toBe(isTaken);
  });
});
