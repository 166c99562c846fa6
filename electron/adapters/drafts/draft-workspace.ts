import type { DraftClaims, DraftWorkspace, FileFact } from '../../ports/drafts';
import type { StagedWrite } from '../../ports/staged-write';
import type { DraftReads, DraftRow } from '../../ports/journal/drafts';
import type { ToolCall, ToolOutcome } from '../../ports/tool-call';
import { done, errnoOf, inertLine, refused } from '../tools/tool-host';
import { sha256Of, type WritableStore } from './draft-store';

/** Open drafts of one session; above it the agent has to wait for the user. */
const MAX_DRAFTS = 500;

interface DraftWorkspaceDeps {
  readonly store: WritableStore;
  readonly claims: DraftClaims;
  readonly reads: Pick<DraftReads, 'openDraftOf' | 'openDrafts'>;
  readonly newDraftId: () => number;
}

/** The drafts of a session as its file tools see them: writes become versions, reads find them. */
export function createDraftWorkspace(deps: DraftWorkspaceDeps): DraftWorkspace {
  const { store, claims, reads } = deps;
  const openOf = (sessionId: number, workspace: string): readonly DraftRow[] =>
    reads
      .openDrafts({ sessionId, limit: MAX_DRAFTS })
      .filter((draft) => draft.workspace === workspace);

  /** Holds the claim on the file, so that its draft cannot be decided meanwhile. */
  const write = async (
    call: ToolCall,
    { workspace, path }: { readonly workspace: string; readonly path: string },
    content: string,
  ): Promise<StagedWrite> => {
    const sessionId = call.draftsOf ?? 0;
    const others = openOf(sessionId, workspace);
    const known = others.find((draft) => draft.path === path);
    // Applying it could not be finished: the next start settles it.
    if (known?.stage === 'promoting') return { outcome: later(path, 'its draft is being applied') };
    const inTheWay = others.find((draft) => collide(draft.path, path));
    if (inTheWay !== undefined) {
      return {
        outcome: refused(
          `${inertLine(path)} cannot be staged: ${inertLine(inTheWay.path)} is a staged draft, and one would be the folder of the other.`,
        ),
      };
    }
    if (known === undefined && others.length >= MAX_DRAFTS) {
      return {
        outcome: refused(
          `This session has ${String(MAX_DRAFTS)} staged drafts; nothing was written. Ask the user to apply or discard some.`,
        ),
      };
    }
    // The original content is not replaced: otherwise a change since then would no longer be
    // visible.
    const base = known === undefined ? await store.keepNow(workspace, path) : undefined;
    if (base?.kind === 'blocked') return { outcome: refused(`${inertLine(path)}: ${base.why}`) };
    const baseHash = known === undefined ? hashOf(base) : known.baseHash;
    const contentHash = sha256Of(content);
    const id = known?.id ?? deps.newDraftId();
    await store.put({ id, sessionId, path, contentHash }, content);
    const sizeBytes = Buffer.byteLength(content);
    return {
      outcome: staged(path, sizeBytes),
      entry: {
        kind: 'draft.staged',
        turnId: call.turnId,
        draftId: id,
        sessionId,
        workspace,
        path,
        ...(baseHash === undefined ? {} : { baseHash }),
        contentHash,
        sizeBytes,
      },
    };
  };

  return {
    root: store.root,
    async stage(call, file, content) {
      const settled = claims.take({ sessionId: call.draftsOf ?? 0, ...file });
      if (settled === undefined)
        return { outcome: later(file.path, 'the user is deciding about its draft right now') };
      try {
        return { ...(await write(call, file, content)), settled };
      } catch (thrown) {
        settled();
        return { outcome: later(file.path, errnoOf(thrown) ?? String(thrown)) };
      }
    },
    async has(call, { workspace, path }, content) {
      const draft = reads.openDraftOf(call.draftsOf ?? 0, workspace, path);
      if (draft?.contentHash !== sha256Of(content)) return false;
      const { draft: onDisk } = await store.facts(draft);
      return onDisk.kind === 'present' && onDisk.hash === draft.contentHash;
    },
    overlay: (call, workspace) =>
      new Map(
        openOf(call.draftsOf ?? 0, workspace).map((draft) => [draft.path, store.pathOf(draft)]),
      ),
  };
}

const hashOf = (fact: FileFact | undefined): string | undefined =>
  fact?.kind === 'present' ? fact.hash : undefined;

/** Both cannot be files: one is the folder of the other. */
const collide = (one: string, other: string): boolean =>
  one.startsWith(`${other}/`) || other.startsWith(`${one}/`);

const staged = (path: string, sizeBytes: number): ToolOutcome =>
  done(
    `Staged ${String(sizeBytes)} bytes as a draft of ${inertLine(path)}. The file itself is not changed until the user applies the draft. read_file, list_files and search_files show the draft; the shell works on the real folder and does not see it.`,
  );

const later = (path: string, why: string): ToolOutcome => ({
  kind: 'failed',
  message: `The draft of ${inertLine(path)} was not staged (${why}); the draft and its file were not changed.`,
  isRetryable: true,
});
