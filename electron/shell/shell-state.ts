/**
 * `D/shell.json`: places of windows, whether the main one is on the screen, "do not disturb", a
 * reminder. A convenience: deleting it is safe, and a file that cannot be read counts as none.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { savedBounds } from './window-state';

const shape = z.object({
  index: savedBounds.optional().catch(undefined),
  settings: savedBounds.optional().catch(undefined),
  isDoNotDisturb: z.boolean().catch(false),
  /** The main window was on the screen; after a crash it comes back there (ux part 5). */
  isWindowShown: z.boolean().catch(false),
  /** A person asked to be reminded of open decisions then. */
  remindAtMs: z.number().optional().catch(undefined),
});
export type ShellState = z.infer<typeof shape>;

export interface ShellStateFile {
  get(): ShellState;
  change(part: Partial<ShellState>): void;
}

export function createShellStateFile(dataDir: string): ShellStateFile {
  const path = join(dataDir, 'shell.json');
  let state: ShellState | undefined;
  const read = (): ShellState => {
    try {
      const parsed = shape.safeParse(JSON.parse(readFileSync(path, 'utf8')));
      if (parsed.success) return parsed.data;
    } catch {
      // Missing or garbled: the defaults are as good.
    }
    return { isDoNotDisturb: false, isWindowShown: false };
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
