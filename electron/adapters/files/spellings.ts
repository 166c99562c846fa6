/** How the folders of this computer are written. DW-18 */
import fs from 'node:fs';
import os from 'node:os';

/** As it is configured, and where its links lead. */
export function spellingsOf(folder: string | undefined): readonly string[] {
  if (folder === undefined || folder === '') return [];
  try {
    return [folder, fs.realpathSync.native(folder)];
  } catch {
    return [folder]; // a missing folder may still be named in a text
  }
}

/** The home folder, by each variable that names one. */
export const homeSpellings = (
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] => [env['HOME'], env['USERPROFILE'], os.homedir()].flatMap(spellingsOf);

/** The temporary folder where each account has its own, whose path names the account. */
export function ownTemporaryFolders(): readonly string[] {
  const temporary = os.tmpdir();
  return temporary.startsWith('/var/folders/') ? [temporary] : [];
}
