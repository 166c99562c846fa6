import type { FSWatcher } from 'node:fs';
import { realpathSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/**
 * Calls back some milliseconds after the last change of a file. Watches folders, because editors
 * replace files instead of writing them; where the file is a link, the folder of its target too.
 * No polling. Returns undefined where the system has no watch left.
 */
export function watchFile(
  path: string,
  quietMs: number,
  onChange: () => void,
): { stop(): void } | undefined {
  let timer: NodeJS.Timeout | undefined;
  const watchers: FSWatcher[] = [];
  const stop = (): void => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
  const touched = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, quietMs);
    timer.unref();
  };
  const follow = (target: string): void => {
    const name = basename(target);
    const watcher = watch(dirname(target), { persistent: false }, (_event, changed) => {
      if (changed === null || changed === name) touched();
    });
    // A folder that goes away ends its watch; the next start looks again.
    watcher.on('error', () => {
      watcher.close();
    });
    watchers.push(watcher);
  };
  try {
    follow(path);
    const target = targetOf(path);
    if (target !== undefined && target !== path) follow(target);
    return { stop };
  } catch {
    stop();
    return undefined;
  }
}

function targetOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // Not there yet.
    return undefined;
  }
}
