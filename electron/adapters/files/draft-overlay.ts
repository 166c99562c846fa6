import type { DraftWorkspace } from '../../ports/drafts';
import type { ToolCall } from '../../ports/tool-call';
import type { WalkEntry } from './walk-files';
import type { PlaceInWorkspace } from './workspace-path';

/** Staged drafts that a call sees instead of files. Empty if nothing is staged. */
export interface Overlay {
  readonly isEmpty: boolean;
  /** Where to read instead of the file; undefined if it has no draft. */
  placeOf(shown: string): { readonly path: string; readonly root: string } | undefined;
  /** True if there are drafts below this folder of the workspace. */
  hasFolder(shown: string): boolean;
  /** Drafts of files below `shown`, by relative path, in walk order. */
  below(shown: string): readonly string[];
}

const NONE: Overlay = {
  isEmpty: true,
  placeOf: () => undefined,
  hasFolder: () => false,
  below: () => [],
};

/** The drafts of the call's session; S3-21. */
export function overlayOf(
  workspace: DraftWorkspace | undefined,
  call: ToolCall,
  place: Extract<PlaceInWorkspace, { kind: 'inside' }>,
): Overlay {
  if (workspace === undefined || call.draftsOf === undefined) return NONE;
  const drafts = workspace.overlay(call, place.root);
  if (drafts.size === 0) return NONE;
  const prefixOf = (shown: string): string => (shown === '.' ? '' : `${shown}/`);
  return {
    isEmpty: false,
    placeOf(shown) {
      const path = drafts.get(shown);
      return path === undefined ? undefined : { path, root: workspace.root };
    },
    hasFolder: (shown) => [...drafts.keys()].some((path) => path.startsWith(prefixOf(shown))),
    below: (shown) => {
      const prefix = prefixOf(shown);
      return [...drafts.keys()]
        .filter((path) => path.startsWith(prefix))
        .map((path) => path.slice(prefix.length))
        .sort(inWalkOrder);
    },
  };
}

/** Order of a depth-first walk: folder by folder, names by their code units. */
function inWalkOrder(one: string, other: string): number {
  const left = one.split('/');
  const right = other.split('/');
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    const [a = '', b = ''] = [left[at], right[at]];
    if (a !== b) return a < b ? -1 : 1;
  }
  return left.length - right.length;
}

/**
 * Entries of a walk merged with entries that exist only as drafts, `depth` levels deep, in walk
 * order.
 */
export function withDrafts(
  entries: readonly WalkEntry[],
  drafts: readonly string[],
  depth: number,
): readonly WalkEntry[] {
  const all = new Map(entries.map((entry) => [entry.path, entry]));
  for (const path of drafts) {
    const names = path.split('/');
    for (let at = 1; at <= Math.min(names.length, depth); at += 1) {
      const shown = names.slice(0, at).join('/');
      if (!all.has(shown))
        all.set(shown, { path: shown, kind: at === names.length ? 'file' : 'folder' });
    }
  }
  return [...all.values()].sort((one, other) => inWalkOrder(one.path, other.path));
}
