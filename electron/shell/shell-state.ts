/**
 * `D/shell.json`: positions of windows, whether the main window is visible, its colors, "do not
 * disturb" and the notices it holds back, a reminder, and the user's page. A convenience: deleting
 * it is safe (the inbox records every notice), and invalid parts count as absent. It is read before
 * the first window, so it is parsed by hand: loading the schemas would delay the window.
 */
import { join } from 'node:path';
import { writeDurablySync } from '../disk/durable-file';
import { readSmallFile } from '../disk/small-file';
import { SCROLL_BOXES } from '../../shared/scroll-boxes';
import type { PagePlace } from './windows/decide-landing';
import { isRoute } from './windows/links';
import type { Notice } from './notices/notification-policy';
import { readBounds, type SavedBounds } from './windows/window-state';
import { parsedOutside } from '../engine/kernel/json-depth';
import { isJson, type Json } from '../engine/kernel/json-object';

export interface ShellState {
  readonly index?: SavedBounds | undefined;
  readonly settings?: SavedBounds | undefined;
  readonly isDoNotDisturb: boolean;
  /** Notices held back by "do not disturb", oldest first. */
  readonly held: readonly Notice[];
  /** The main window was visible; after a crash it is shown again. */
  readonly isWindowShown: boolean;
  /** The setting as last applied. */
  readonly theme: 'system' | 'light' | 'dark';
  /** When the user wants to be reminded of open decisions. */
  readonly remindAtMs?: number | undefined;
  /** The page that the user was on; after a crash the window opens there. */
  readonly place?: PagePlace | undefined;
}

export interface ShellStateFile {
  get(): ShellState;
  change(part: Partial<ShellState>): void;
}

/** Parses the text, each part separately. Pure; never throws. */
export function readShellState(text: string): ShellState {
  const said = asRecord(text);
  const theme = said['theme'];
  const remindAtMs = said['remindAtMs'];
  return {
    index: readBounds(said['index']),
    settings: readBounds(said['settings']),
    isDoNotDisturb: said['isDoNotDisturb'] === true,
    held: Array.isArray(said['held']) ? said['held'].flatMap(readNotice) : [],
    isWindowShown: said['isWindowShown'] === true,
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    ...(Number.isFinite(remindAtMs) ? { remindAtMs: remindAtMs as number } : {}),
    ...readPlace(said['place']),
  };
}

/** Empty if it is not one of our pages. */
function readPlace(said: unknown): { readonly place?: PagePlace } {
  if (typeof said !== 'object' || said === null) return {};
  const { route, box, top, isOwnKill } = said as Record<keyof PagePlace, unknown>;
  if (typeof route !== 'string' || !isRoute(route)) return {};
  const known = SCROLL_BOXES.find((one) => one === box);
  return {
    place: {
      route,
      ...(known !== undefined && Number.isSafeInteger(top) && (top as number) >= 0
        ? { box: known, top: top as number }
        : {}),
      ...(isOwnKill === true ? { isOwnKill } : {}),
    },
  };
}

const HELD_KINDS = ['restart', 'outage', 'delivery', 'problem'] as const;

/** Empty if a part of it is missing. */
function readNotice(said: unknown): readonly Notice[] {
  if (typeof said !== 'object' || said === null) return [];
  const { key, kind, title, body, route } = said as Record<keyof Notice, unknown>;
  const known = HELD_KINDS.find((one) => one === kind);
  if (known === undefined || typeof key !== 'string' || typeof title !== 'string') return [];
  if (typeof body !== 'string' || typeof route !== 'string') return [];
  return [{ key, kind: known, title, body, route }];
}

function asRecord(text: string): Json {
  const value = parsedOutside(text);
  return isJson(value) ? value : {};
}

/** It holds back notices for as long as "do not disturb" is on. */
const MAX_BYTES = 4_000_000;

export function createShellStateFile(dataDir: string): ShellStateFile {
  const path = join(dataDir, 'shell.json');
  /** Undefined until the file could be read, or was missing. */
  let kept: ShellState | undefined;
  let changed: Partial<ShellState> = {};
  const read = (): ShellState | undefined => {
    const file = readSmallFile(path, { maxBytes: MAX_BYTES });
    if (file.kind === 'unreadable') return undefined;
    return readShellState(file.kind === 'text' ? file.text : '');
  };
  const now = (): ShellState => ({ ...((kept ??= read()) ?? readShellState('')), ...changed });
  return {
    get: now,
    change(part) {
      changed = { ...changed, ...part };
      const state = now();
      // The held notices in a file that cannot be read now are not replaced by none.
      if (kept === undefined) return;
      try {
        writeDurablySync(path, `${JSON.stringify(state)}\n`);
      } catch {
        // A full disk must not prevent a window from closing. Only its position is not stored.
      }
    },
  };
}
