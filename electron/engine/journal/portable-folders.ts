import type { Hasher } from '../../ports/blobs';
import { createPortableTexts, folderId, type PortableTexts, type Spellings } from './portable-text';

interface FolderFacts {
  readonly hasher: Hasher;
  readonly home: () => readonly string[];
  readonly data: () => readonly string[];
  /** Other folders whose paths stay on this computer. */
  readonly privateFolders: () => readonly string[];
  readonly spellingsOf: (folder: string) => readonly string[];
}

/**
 * Texts to and from other computers, by workspace: made once for each. What is sent and what keys are made
 * of must treat the same folders as private, also when the setting changes before the restart that it
 * needs. DW-18
 */
export function createPortableFolders({
  hasher,
  home,
  data,
  privateFolders,
  spellingsOf,
}: FolderFacts): (workspace: string) => PortableTexts {
  // Looked up with the first shared turn.
  let here: Omit<Spellings, 'workspace'> | undefined;
  const made = new Map<string, PortableTexts>();
  return (workspace) => {
    const before = made.get(workspace);
    if (before !== undefined) return before;
    here ??= {
      home: home(),
      data: data(),
      folders: Object.fromEntries(
        privateFolders().map((path) => [folderId(path, hasher), spellingsOf(path)]),
      ),
    };
    const texts = createPortableTexts({ workspace: spellingsOf(workspace), ...here });
    made.set(workspace, texts);
    return texts;
  };
}
