/** Paths of this computer that are others on another one. DW-18 */
import fs from 'node:fs';
import os from 'node:os';
import { createPortableTexts, type PortableTexts } from '../engine/journal/portable-text';
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

/** Made once for each folder. */
export function createPortables({ dataDir, world }: Core): (workspace: string) => PortableTexts {
  const { HOME, USERPROFILE } = world.ownEnvironment;
  // Looked up with the first shared turn.
  let here: { readonly home: readonly string[]; readonly data: readonly string[] } | undefined;
  const made = new Map<string, PortableTexts>();
  return (workspace) => {
    const known = made.get(workspace);
    if (known !== undefined) return known;
    here ??= {
      home: [HOME, USERPROFILE, os.homedir()].flatMap(spellingsOf),
      data: spellingsOf(dataDir),
    };
    const texts = createPortableTexts({ workspace: spellingsOf(workspace), ...here });
    made.set(workspace, texts);
    return texts;
  };
}
