/** What a start asks of the note of an update, without the code that knows it: most starts have none. */
import fs from 'node:fs';
import path from 'node:path';

/** What belongs to updates: the note, the downloaded file, the old program, a copy of the data. */
export const updatesDir = (dataDir: string): string => path.join(dataDir, 'updates');
export const notePath = (dataDir: string): string => path.join(updatesDir(dataDir), 'update.json');

/** Left by an update. */
export const hasUpdateNote = (dataDir: string): boolean => fs.existsSync(notePath(dataDir));

/** A downloaded version waits, as far as a look at the text says. */
export function isUpdateReady(dataDir: string): boolean {
  try {
    return fs.readFileSync(notePath(dataDir)).includes('"phase": "ready"');
  } catch {
    return false;
  }
}
