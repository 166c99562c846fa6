/** The global shortcut of the quick prompt: what the settings say, and whether the desktop gave it. */

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
  /** Takes the keys of the settings; the same ones again change nothing. */
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

/** Some desktops throw where others answer no. */
function registered({ keys: all, pressed }: ShortcutDeps, keys: string): boolean {
  try {
    return all.register(keys, pressed);
  } catch {
    return false;
  }
}
