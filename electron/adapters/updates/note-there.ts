/**
 * What every start checks about an update. The code of updates is not loaded for it, because most
 * starts have no note of one.
 */
import fs from 'node:fs';
import path from 'node:path';
import { readSmallFile } from '../../disk/small-file';

/** The folder for updates: the note, the downloaded file, the old program, a copy of the data. */
export const updatesDir = (dataDir: string): string => path.join(dataDir, 'updates');
export const notePath = (dataDir: string): string => path.join(updatesDir(dataDir), 'update.json');

/** An update has left a note, also one that cannot be read: then its reader reports that. */
export function hasUpdateNote(dataDir: string): boolean {
  try {
    return fs.lstatSync(notePath(dataDir), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** A downloaded version is waiting, as far as the text of the note shows, or it may be. */
export function isUpdateReady(dataDir: string): boolean {
  const note = readSmallFile(notePath(dataDir));
  return note.kind === 'text' ? note.text.includes('"phase": "ready"') : note.kind !== 'absent';
}
