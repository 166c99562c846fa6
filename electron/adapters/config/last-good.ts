import { dirname } from 'node:path';
import { z } from 'zod';
import { exactObject } from '../../../shared/exact-object';
import type { SettingKey } from '../../../shared/settings';
import { isSettingKey } from '../../../shared/settings';
import { makeFolderSync } from '../../disk/durable-folder';
import { writeDurablySync } from '../../disk/durable-file';
import { readSmallFile } from '../../disk/small-file';
import { siftValue } from './map-entries';

/** It is a settings file of 1 MB, with spaces. */
const MAX_BYTES = 4_000_000;

const lastGoodFile = exactObject(() => ({
  version: z.literal(1),
  values: z.record(z.string().max(200), z.json()),
}));

export type SettingValues = ReadonlyMap<SettingKey, unknown>;

/**
 * The settings of the file when it was last readable, stored next to it so that a restart with a
 * broken file does not silently go back to the defaults. Row S0-02.
 */
interface LastGood {
  read(): SettingValues | undefined;
  /** Best effort: a failed write does not matter while the file itself is readable. */
  write(values: SettingValues): void;
}

export function createLastGood(path: string): LastGood {
  let onDisk: string | undefined;
  /** There may be settings in it that are still needed. */
  let isUnread = false;
  return {
    read() {
      const file = readSmallFile(path, { maxBytes: MAX_BYTES });
      // Unreadable: the next call tries again.
      isUnread = file.kind === 'unreadable';
      if (file.kind !== 'text') return undefined;
      const { text } = file;
      try {
        const parsed = lastGoodFile().safeParse(JSON.parse(text));
        if (!parsed.success) return undefined;
        onDisk = text;
        const values = new Map<SettingKey, unknown>();
        for (const [key, value] of Object.entries(parsed.data.values)) {
          const sifted = isSettingKey(key) ? siftValue(key, value) : undefined;
          if (sifted?.kind === 'usable') values.set(key as SettingKey, sifted.value);
        }
        return values;
      } catch {
        return undefined; // Damaged: the defaults apply.
      }
    },
    write(values) {
      const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
      const text = `${JSON.stringify({ version: 1, values: Object.fromEntries(sorted) }, null, 2)}\n`;
      if (isUnread || text === onDisk || (values.size === 0 && onDisk === undefined)) return;
      try {
        makeFolderSync(dirname(path), dirname(path));
        writeDurablySync(path, text);
        onDisk = text;
      } catch {
        // See the interface: the next change tries again.
      }
    },
  };
}
