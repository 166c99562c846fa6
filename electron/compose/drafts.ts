import path from 'node:path';
import { createDraftStore } from '../adapters/drafts/draft-store';
import { createDraftWorkspace } from '../adapters/drafts/draft-workspace';
import { compareLines } from '../adapters/drafts/line-diff';
import { createPathLeases, type PathLeases } from '../adapters/files/path-leases';
import { createDraftClaims } from '../engine/drafts/claims';
import { createDrafts, type Drafts } from '../engine/drafts/drafts';
import type { DraftWorkspace } from '../ports/drafts';
import type { PartDeps } from './core';

/** Wires file drafts: the view of the file tools and the user's actions. */
export interface DraftsPart {
  readonly workspace: DraftWorkspace;
  readonly leases: PathLeases;
  readonly drafts: Drafts;
}

export function createDraftsPart(
  core: PartDeps<'dataDir' | 'journal' | 'reads' | 'hasher' | 'crashPoints' | 'audit'>,
): DraftsPart {
  const { dataDir, journal, reads, crashPoints } = core;
  const leases = createPathLeases();
  const store = createDraftStore({ root: path.join(dataDir, 'drafts'), crashPoints, leases });
  const newDraftId = (): number => journal.allocate('draft');
  const claims = createDraftClaims();
  return {
    leases,
    drafts: createDrafts({ ...core, store, claims, newDraftId, compare: compareLines }),
    workspace: createDraftWorkspace({ store, claims, reads, newDraftId }),
  };
}
