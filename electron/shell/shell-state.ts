/**
 * `D/shell.json`: places of windows, whether the main one is on the screen, its colours, "do not
 * disturb", a reminder. A convenience: deleting it is safe, and what cannot be read counts as not
 * said. Read before the first window, so by hand: schemas would be loaded for it.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBounds, type SavedBounds } from './window-state';

export interface ShellState {
  readonly index?: SavedBounds | undefined;
  readonly settings?: SavedBounds | undefined;
  readonly isDoNotDisturb: boolean;
  /** The main window was on the screen; after a crash it comes back there. */
  readonly isWindowShown: boolean;
  /** The setting, as it was last in force. */
  readonly theme: 'system' | 'light' | 'dark';
  /** A person asked to be reminded of open decisions then. */
  readonly remindAtMs?: number | undefined;
}

export interface ShellStateFile {
  get(): ShellState;
  change(part: Partial<ShellState>): void;
}

/** What the text says, each part by itself. Pure; never throws. */
export function readShellState(text: string): ShellState {
  const said = asRecord(text);
  const theme = said['theme'];
  const remindAtMs = said['remindAtMs'];
  return {
    index: readBounds(said['index']),
    settings: readBounds(said['settings']),
    isDoNotDisturb: said['isDoNotDisturb'] === true,
    isWindowShown: said['isWindowShown'] === true,
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    ...(Number.isFinite(remindAtMs) ? { remindAtMs: remindAtMs as number } : {}),
  };
}

function asRecord(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function createShellStateFile(dataDir: string): ShellStateFile {
  const path = join(dataDir, 'shell.json');
  let state: ShellState | undefined;
  const read = (): ShellState => {
    try {
      return readShellState(readFileSync(path, 'utf8'));
    } catch {
      return readShellState(''); // Missing: the defaults are as good.
    }
  };
  return {
    get: () => (state ??= read()),
    change(part) {
      state = { ...(state ?? read()), ...part };
      try {
        writeFileSync(`${path}.tmp`, `${JSON.stringify(state)}\n`, { mode: 0o600 });
        renameSync(`${path}.tmp`, path);
      } catch {
        // A full disk must not keep a window from closing; the place is simply not remembered.
      }
    },
  };
}
