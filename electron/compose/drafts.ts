import path from 'node:path';
import { createDraftStore } from '../adapters/drafts/draft-store';
import { createDraftWorkspace } from '../adapters/drafts/draft-workspace';
import { compareLines } from '../adapters/drafts/line-diff';
import { fileNow } from '../adapters/files/file-now';
import { createPathLeases, type PathLeases } from '../adapters/files/path-leases';
import { createDraftClaims } from '../engine/drafts/claims';
import { createDrafts, type Drafts } from '../engine/drafts/drafts';
import { unknownRequest } from '../engine/permissions/request-refusals';
import type { RequestRow } from '../ports/journal/approvals';
import type { DraftWorkspace } from '../ports/drafts';
import type { FileChange } from '../../shared/types/drafts';
import type { Core } from './core';

/** Wires file drafts: the view of the file tools and the user's actions. */
export interface DraftsPart {
  readonly workspace: DraftWorkspace;
  readonly leases: PathLeases;
  readonly drafts: Drafts;
  /** What a call that waits for approval would change in the file that it writes. */
  changeOf(requestId: number): Promise<FileChange>;
}

export function createDraftsPart(
  core: Pick<Core, 'dataDir' | 'disk' | 'world' | 'records'>,
): DraftsPart {
  const { journal, reads, blobs } = core.disk;
  const { crashPoints } = core.world;
  const leases = createPathLeases();
  const store = createDraftStore({ root: path.join(core.dataDir, 'drafts'), crashPoints, leases });
  const newDraftId = (): number => journal.allocate('draft');
  const claims = createDraftClaims();
  return {
    leases,
    drafts: createDrafts({
      ...core.world,
      ...core.disk,
      ...core.records,
      store,
      claims,
      newDraftId,
      isNew: (draftId) => !journal.isOfEarlier('draft', draftId),
      compare: compareLines,
    }),
    workspace: createDraftWorkspace({ store, claims, reads, newDraftId }),
    changeOf: async (requestId) => {
      const { fileChangeOf } = await import('../engine/drafts/file-change');
      const request = (id: number): RequestRow => {
        const row = reads.request(id);
        if (row === undefined) throw unknownRequest(id);
        return row;
      };
      return fileChangeOf({ reads, request, blobs, fileNow, compare: compareLines }, requestId);
    },
  };
}
