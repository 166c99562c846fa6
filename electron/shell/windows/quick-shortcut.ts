/**
 * The global shortcut of the quick prompt, as the settings name it, and whether the desktop has
 * registered it.
 */

interface ShortcutDeps {
  /** Electron's `globalShortcut`, loaded only if one is set. */
  readonly keys: {
    register(keys: string, pressed: () => void): boolean;
    unregister(keys: string): void;
  };
  readonly pressed: () => void;
  readonly onRefused: (keys: string) => void;
}

interface QuickShortcut {
  /** Registers the keys of the settings. The same keys again change nothing. */
  apply(keys: string): void;
  readonly isTaken: () => boolean;
}

export function createQuickShortcut(deps: ShortcutDeps): QuickShortcut {
  let wanted = '';
  let isHeld = false;
  return {
    apply(keys) {
      if (keys === wanted) return;
      if (isHeld) deps.keys.unregister(wanted);
      wanted = keys;
      isHeld = keys !== '' && registered(deps, keys);
      if (keys !== '' && !isHeld) deps.onRefused(keys);
    },
    isTaken: () => wanted !== '' && !isHeld,
  };
}

/** If a shortcut is refused, some desktops throw an error and others return false. */
function registered({ keys: all, pressed }: ShortcutDeps, keys: string): boolean {
  try {
    return all.register(keys, pressed);
  } catch {
    return false;
  }
}
