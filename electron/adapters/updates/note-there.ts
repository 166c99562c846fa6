/**
 * What every start checks about an update. The code of updates is not loaded for it, because most
 * starts have no note of one.
 */
import fs from 'node:fs';
import path from 'node:path';

/** The folder for updates: the note, the downloaded file, the old program, a copy of the data. */
export const updatesDir = (dataDir: string): string => path.join(dataDir, 'updates');
export const notePath = (dataDir: string): string => path.join(updatesDir(dataDir), 'update.json');

/** An update has left a note. */
export const hasUpdateNote = (dataDir: string): boolean => fs.existsSync(notePath(dataDir));

/** A downloaded version is waiting, as far as the text of the note shows. */
export function isUpdateReady(dataDir: string): boolean {
  try {
    return fs.readFileSync(notePath(dataDir)).includes('"phase": "ready"');
  } catch {
    return false;
  }
}
