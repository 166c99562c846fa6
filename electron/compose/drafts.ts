import path from 'node:path';
import { createDraftWorkspace } from '../adapters/drafts/draft-workspace';
import { createDraftStore } from '../adapters/drafts/draft-store';
import { compareLines } from '../adapters/drafts/line-diff';
import { createPathLeases, type PathLeases } from '../adapters/files/path-leases';
import type { Handlers } from '../engine/api/handlers';
import type { CrashPoints } from '../engine/kernel/crash-points';
import { createDraftClaims } from '../engine/drafts/claims';
import { createDrafts, type Drafts } from '../engine/drafts/drafts';
import type { Hasher } from '../ports/blobs';
import type { DraftWorkspace } from '../ports/drafts';
import type { Journal } from '../ports/journal/journal';
import type { JournalReads } from '../ports/journal/reads';
import type { Audit } from '../ports/log';

/** Drafts of files, wired: what the file tools see, and what a person does with them. */
export interface DraftsPart {
  readonly desk: DraftWorkspace;
  readonly leases: PathLeases;
  readonly drafts: Drafts;
  verbs(
    sessionIdOf: (ref: string) => number,
  ): Pick<Handlers, Extract<keyof Handlers, `drafts.${string}`>>;
}

export function createDraftsPart(deps: {
  readonly dataDir: string;
  readonly journal: Journal;
  readonly reads: JournalReads;
  readonly hasher: Hasher;
  readonly crashPoints: CrashPoints;
  readonly audit: Audit;
}): DraftsPart {
  const { dataDir, journal, reads, crashPoints } = deps;
  const leases = createPathLeases();
  const shelf = createDraftStore({ root: path.join(dataDir, 'drafts'), crashPoints, leases });
  const newDraftId = (): number => journal.allocate('draft');
  const claims = createDraftClaims();
  const drafts = createDrafts({ ...deps, shelf, claims, newDraftId, compare: compareLines });
  return {
    leases,
    drafts,
    desk: createDraftWorkspace({ shelf, claims, reads, newDraftId }),
    verbs: (sessionIdOf) => ({
      'drafts.list': async ({ session, decided = false, limit = 200 }) => ({
        drafts: [
          ...(await drafts.list({
            decided,
            limit,
            ...(session === undefined ? {} : { sessionId: sessionIdOf(session) }),
          })),
        ],
      }),
      'drafts.diff': ({ draftId }) => drafts.diff(draftId),
      'drafts.promote': ({ draftId, requestHash, overChanged = false }, origin) =>
        drafts.promote({ draftId, requestHash }, { overChanged, by: origin }),
      'drafts.restore': (choice, origin) => drafts.restore(choice, origin),
      'drafts.discard': ({ draftId, requestHash }, origin) =>
        drafts.discard({ draftId, requestHash }, origin),
    }),
  };
}
