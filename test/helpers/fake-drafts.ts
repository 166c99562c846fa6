/** Drafts of the fake engine: one that no longer fits, one that does, one that says the same. */
import type { DiffRow, DraftDiff, DraftView } from '../../shared/types/drafts';
import type { WindowVerb } from '../../shared/contract';

const MINUTE = 60_000;

function draft(nowMs: number, draftId: number, path: string, over: Partial<DraftView>): DraftView {
  return {
    draftId,
    sessionId: 1,
    sessionKey: 'tests',
    sessionTitle: 'Speed up the tests',
    agent: 'Repo mender',
    turnId: 12,
    workspace: '/home/mara/code/syncer',
    path,
    place: `/home/mara/.holdfast/drafts/s1/d${String(draftId)}/0123456789abcdef/file`,
    stage: 'staged',
    state: 'ready',
    sourceChanged: false,
    draftChanged: false,
    isNewFile: false,
    sizeBytes: 800,
    stagedAtMs: nowMs - 40 * MINUTE,
    updatedAtMs: nowMs - 35 * MINUTE,
    fileChangedAtMs: nowMs - 5 * MINUTE,
    requestHash: String(draftId).repeat(64).slice(0, 64),
    ...over,
  };
}

const same = (text: string, fileLine: number, draftLine: number): DiffRow => ({
  kind: 'same',
  text,
  fileLine,
  draftLine,
});

/** One that was promoted over an old file, and one that was discarded. */
export function seedDecidedDrafts(nowMs: number): DraftView[] {
  const decided = { decidedAtMs: nowMs - 20 * MINUTE };
  return [
    draft(nowMs, 8, 'src/server.ts', { ...decided, stage: 'promoted', keptHash: 'a'.repeat(64) }),
    draft(nowMs, 7, 'src/old.ts', { ...decided, stage: 'discarded' }),
  ];
}

export function seedDrafts(nowMs: number): DraftDiff[] {
  const none = { hunks: [], summary: { added: 0, removed: 0, newer: 0, revived: 0 } };
  const flags = { kind: 'text' as const, isCut: false, isCoarse: false, isBaseMissing: false };
  return [
    {
      draft: draft(nowMs, 1, 'src/sync.ts', {}),
      ...flags,
      hunks: [
        {
          fileStart: 3,
          draftStart: 3,
          rows: [
            same('export async function sync() {', 3, 3),
            { kind: 'removed', text: '  await send();', fileLine: 4 },
            { kind: 'added', text: '  return send();', draftLine: 4 },
            same('}', 5, 5),
          ],
        },
      ],
      summary: { added: 1, removed: 1, newer: 0, revived: 0 },
    },
    {
      draft: draft(nowMs, 2, 'test/sync.test.ts', { sourceChanged: true }),
      ...flags,
      hunks: [
        {
          fileStart: 12,
          draftStart: 12,
          rows: [
            same("test('syncs a large file', async () => {", 12, 12),
            { kind: 'removed', text: '  await sync(file, server.url);', fileLine: 13 },
            { kind: 'added', text: '  const job = sync(file, server.url);', draftLine: 13 },
            { kind: 'newer', text: '  expect(stored.hash).toBe(file.hash);', fileLine: 14 },
            { kind: 'newer', text: '  // Mara: keep the hash check', fileLine: 15 },
            same('});', 16, 14),
          ],
        },
      ],
      summary: { added: 1, removed: 3, newer: 2, revived: 0 },
    },
    {
      draft: draft(nowMs, 3, 'CHANGELOG.md', { state: 'in_sync', sourceChanged: true }),
      ...flags,
      ...none,
    },
  ];
}

type Fake = Record<Extract<WindowVerb, `drafts.${string}`>, (input: never) => unknown>;

/** Answers of the fake engine; `refuse` makes an answer that says no. */
export function fakeDraftVerbs(
  seed: { drafts: DraftDiff[]; decidedDrafts: DraftView[] },
  refuse: (code: string, message: string, hint?: string) => unknown,
  changed: (sessionId: number) => void,
): Fake {
  const settle = (
    input: {
      readonly draftId: number;
      readonly requestHash: string;
      readonly hunks?: readonly number[];
    },
    answer: (draft: DraftView) => unknown,
  ): unknown => {
    const found = seed.drafts.find((one) => one.draft.draftId === input.draftId);
    if (found === undefined) return refuse('DRAFT_UNKNOWN', 'There is no such draft.');
    if (found.draft.requestHash !== input.requestHash)
      return refuse('REQUEST_STALE', 'Draft or file has changed since you saw it.');
    if (input.hunks !== undefined && input.hunks.length < found.hunks.length) {
      const hunks = found.hunks.filter((_one, at) => !input.hunks?.includes(at));
      const requestHash = found.draft.requestHash.replace(/^./, (first) =>
        first === 'f' ? 'e' : 'f',
      );
      seed.drafts = seed.drafts.map((one) =>
        one === found ? { ...found, hunks, draft: { ...found.draft, requestHash } } : one,
      );
      changed(found.draft.sessionId);
      const told = answer(found.draft) as { readonly outcome?: string };
      return told.outcome === undefined ? told : { ...told, outcome: 'part' };
    }
    const told = answer(found.draft);
    if (typeof told === 'object' && told !== null && 'ok' in told) return told;
    seed.drafts = seed.drafts.filter((one) => one !== found);
    changed(found.draft.sessionId);
    return told;
  };
  return {
    'drafts.list': ({ decided = false }: { decided?: boolean }) => ({
      drafts: decided ? seed.decidedDrafts : seed.drafts.map((one) => one.draft),
    }),
    'drafts.restore': (input: { draftId: number; requestHash: string }) => {
      const found = seed.decidedDrafts.find((one) => one.draftId === input.draftId);
      if (found?.requestHash !== input.requestHash)
        return refuse('REQUEST_STALE', 'Draft or file has changed since you saw it.');
      seed.decidedDrafts = seed.decidedDrafts.filter((one) => one !== found);
      changed(found.sessionId);
      if (found.isNewFile) return { draftId: 99, path: found.path, outcome: 'removed' };
      return { draftId: 99, path: found.path, outcome: 'promoted', keptHash: 'b'.repeat(64) };
    },
    'drafts.diff': ({ draftId }: { draftId: number }) =>
      seed.drafts.find((one) => one.draft.draftId === draftId) ??
      refuse('DRAFT_UNKNOWN', 'There is no such draft.'),
    'drafts.promote': (input: { draftId: number; requestHash: string; overChanged?: boolean }) =>
      settle(input, (one) =>
        one.sourceChanged && one.state !== 'in_sync' && input.overChanged !== true
          ? refuse('DRAFT_SOURCE_CHANGED', 'The file has changed.')
          : {
              draftId: one.draftId,
              path: one.path,
              outcome: one.state === 'in_sync' ? 'settled' : 'promoted',
            },
      ),
    'drafts.discard': (input: { draftId: number; requestHash: string }) =>
      settle(input, (one) => ({ draftId: one.draftId, path: one.path })),
  };
}
