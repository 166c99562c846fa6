/** Paths of this computer that are others on another one. DW-18 */
import fs from 'node:fs';
import os from 'node:os';
import {
  createPortableTexts,
  folderId,
  type PortableTexts,
  type Spellings,
} from '../engine/journal/portable-text';
import type { Core } from './core';

/** As it is configured, and where its links lead. */
function spellingsOf(folder: string | undefined): readonly string[] {
  if (folder === undefined || folder === '') return [];
  try {
    return [folder, fs.realpathSync.native(folder)];
  } catch {
    return [folder]; // it is not there: as it is written it may still stand in a text
  }
}

/** Folders that a person keeps private, and the temporary folder where it is that of one account. */
function privateFolders(core: Core): Record<string, readonly string[]> {
  const temporary = os.tmpdir();
  const paths = [
    ...core.settings.get('share.private_folders'),
    ...(temporary.startsWith('/var/folders/') ? [temporary] : []),
  ];
  const idOf = (path: string): string => folderId(path, core.world.hasher);
  return Object.fromEntries(paths.map((path) => [idOf(path), spellingsOf(path)]));
}

/** Made once for each folder. */
export function createPortables(core: Core): (workspace: string) => PortableTexts {
  const { dataDir, world } = core;
  const { HOME, USERPROFILE } = world.ownEnvironment;
  // Looked up with the first shared turn.
  let here: Omit<Spellings, 'workspace'> | undefined;
  const made = new Map<string, PortableTexts>();
  return (workspace) => {
    const known = made.get(workspace);
    if (known !== undefined) return known;
    here ??= {
      home: [HOME, USERPROFILE, os.homedir()].flatMap(spellingsOf),
      data: spellingsOf(dataDir),
      folders: privateFolders(core),
    };
    const texts = createPortableTexts({ workspace: spellingsOf(workspace), ...here });
    made.set(workspace, texts);
    return texts;
  };
}
