import type { FSWatcher } from 'node:fs';
import { lstatSync, realpathSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/**
 * Calls back some milliseconds after the last change of a file, even if an editor replaces it
 * instead of writing it. No polling. Returns undefined if the system has no watch left.
 *
 * If the system reports every write to every file of a watched folder (Linux), the file itself is
 * watched while it exists: the journal in the same folder is written at every step, and each write
 * would wake the event loop for nothing.
 */
export function watchFile(
  path: string,
  quietMs: number,
  onChange: () => void,
): { stop(): void } | undefined {
  let timer: NodeJS.Timeout | undefined;
  let watchers: readonly FSWatcher[] = [];
  const follow = (): boolean => {
    const before = watchers;
    try {
      watchers = isPlainFile(path) ? [watchOne(path, touched)] : watchFolders(path, touched);
    } catch {
      // An old watch may still report changes; a missing one reports nothing.
      return false;
    }
    for (const watcher of before) watcher.close();
    return true;
  };
  const touched = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // The name may refer to another file now. Watch first, then read, so that no change is
      // missed.
      follow();
      onChange();
    }, quietMs);
    timer.unref();
  };
  if (!follow()) return undefined;
  return {
    stop() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

function isPlainFile(path: string): boolean {
  if (process.platform !== 'linux') return false;
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The file's folder and, if the file is a link, its target's folder too. */
function watchFolders(path: string, onTouched: () => void): readonly FSWatcher[] {
  const target = targetOf(path);
  const watchers = [watchOne(dirname(path), onTouched, basename(path))];
  if (target === undefined || target === path) return watchers;
  return [...watchers, watchOne(dirname(target), onTouched, basename(target))];
}

function watchOne(path: string, onTouched: () => void, name?: string): FSWatcher {
  const watcher = watch(path, { persistent: false }, (_event, changed) => {
    if (name === undefined || changed === null || changed === name) onTouched();
  });
  // Deleting the folder ends its watch; the next start tries again.
  watcher.on('error', () => {
    watcher.close();
  });
  return watcher;
}

function targetOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // Does not exist yet.
    return undefined;
  }
}
