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
export function spellingsOf(folder: string | undefined): readonly string[] {
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

type Portables = (workspace: string) => PortableTexts;
const known = new WeakMap<Core, Portables>();

/**
 * One for each engine, and made once for each folder: what is sent and what keys are made of must take the
 * same folders for private, also when the setting changes before the restart that it needs.
 */
export function portablesOf(core: Core): Portables {
  const made = known.get(core) ?? createPortables(core);
  known.set(core, made);
  return made;
}

function createPortables(core: Core): Portables {
  const { dataDir, world } = core;
  const { HOME, USERPROFILE } = world.ownEnvironment;
  // Looked up with the first shared turn.
  let here: Omit<Spellings, 'workspace'> | undefined;
  const made = new Map<string, PortableTexts>();
  return (workspace) => {
    const before = made.get(workspace);
    if (before !== undefined) return before;
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
