import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { writeDurablySync } from '../../disk/durable-file';
import { makeFolderSync } from '../../disk/durable-folder';
import { asDiskRefusal } from '../../engine/kernel/disk-refusal';
import type { UpdateNote, UpdateNotes } from '../../ports/updates';
import { readIfThereSync } from '../files/read-state';
import { notePath, updatesDir } from './note-there';
import { parsedOutside } from '../../engine/kernel/json-depth';

/**
 * Deletes what no update needs: everything except the note and `keep`, a file in the same folder.
 * Never throws.
 */
export function sweepUpdates(dataDir: string, keep: string | undefined): void {
  const folder = updatesDir(dataDir);
  const kept = [notePath(dataDir), keep ?? ''].map((file) => path.basename(file));
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  for (const name of names.filter((one) => !kept.includes(one))) {
    try {
      fs.rmSync(path.join(folder, name), { recursive: true, force: true });
    } catch {
      // The system does not allow it now: the next update tries again.
    }
  }
}

const shape = z.object({
  phase: z.enum([
    'none',
    'ready',
    'stopping',
    'starting',
    'rolling_back',
    'done',
    'rolled_back',
    'interrupted',
  ]),
  from: z.string().max(40),
  to: z.string().max(40),
  atMs: z.number(),
  seen: z.string().max(40),
  sha512: z.string().max(200),
  artifact: z.string().max(4096),
  target: z.string().max(4096),
  args: z.array(z.string().max(4096)).max(20),
  previous: z.string().max(4096).exactOptional(),
  data: z
    .object({ backup: z.string().max(4096), version: z.number(), seq: z.number() })
    .exactOptional(),
  attempts: z.number().int().nonnegative(),
  reason: z.string().max(500).exactOptional(),
});

/** A damaged note means that there is no update: the program that is running stays. */
export function createUpdateNotes(dataDir: string): UpdateNotes {
  const file = notePath(dataDir);
  return {
    read(): UpdateNote | undefined {
      const text = readIfThereSync(file);
      return text === undefined ? undefined : shape.safeParse(parsedOutside(text)).data;
    },
    write(note) {
      try {
        makeFolderSync(path.dirname(file), dataDir);
        writeDurablySync(file, `${JSON.stringify(note, null, 2)}\n`);
      } catch (error) {
        throw asDiskRefusal(error);
      }
    },
  };
}
