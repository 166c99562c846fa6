import type { ApplyResult } from '../../../shared/types/drafts';
import type { DraftFacts } from '../../ports/drafts';
import type { DraftRow } from '../../ports/journal/drafts';
import { linesOf, takeHunks } from './diff';
import { noSuchChange, refusalOf } from './refusals';
import { decideApply, compareDraft } from './rules';
import { compareLines } from './shown';
import type { DraftChoice, DraftsDeps, Replacement } from './draft-deps';

interface PartsDeps extends Pick<
  DraftsDeps,
  'journal' | 'store' | 'hasher' | 'crashPoints' | 'audit' | 'compare'
> {
  readonly seen: (
    choice: DraftChoice,
  ) => Promise<{ readonly draft: DraftRow; readonly facts: DraftFacts }>;
  readonly replaceFile: (draft: DraftRow, version: DraftRow, as: Replacement) => Promise<void>;
}

/** Single changes of a draft, applied or discarded; the others stay staged. S3-20 */
export function createParts(deps: PartsDeps) {
  const { journal, store, crashPoints, audit } = deps;

  /** The text of the file with only these changes of the draft, and the total number of changes. */
  const textWith = async (
    draft: DraftRow,
    facts: DraftFacts,
    chosen: readonly number[],
    isLeftOut: boolean,
  ): Promise<{ readonly text: string; readonly all: number }> => {
    const staged = await store.text(draft, 'draft');
    const file =
      facts.file.kind === 'missing'
        ? { kind: 'text' as const, text: '' }
        : await store.text(draft, 'file');
    if (staged.kind !== 'text' || file.kind !== 'text') throw noSuchChange(draft);
    const { runs } = await compareLines(deps, linesOf(file.text), linesOf(staged.text));
    const named = takeHunks(runs, new Set(chosen));
    if (named === undefined) throw noSuchChange(draft);
    const others = Array.from({ length: named.all }, (_, at) => at).filter(
      (at) => !chosen.includes(at),
    );
    const taken = isLeftOut ? takeHunks(runs, new Set(others)) : named;
    if (taken === undefined) throw noSuchChange(draft);
    const end = (taken.isWhole ? staged.text : file.text).endsWith('\n') ? '\n' : '';
    const text = taken.lines.length === 0 ? '' : `${taken.lines.join('\n')}${end}`;
    return { text, all: named.all };
  };

  const partApplied = async (draft: DraftRow, baseHash: string, by: string): Promise<void> => {
    // The draft's new base is stored for comparisons; without it they only show less.
    await store.keepFile(draft, baseHash).catch(() => undefined);
    await journal.commit([{ kind: 'draft.partApplied', draftId: draft.id, baseHash, by }], {
      isOutcome: true,
    });
  };

  return {
    /** True if a choice covers the whole draft. */
    async isAll(choice: DraftChoice): Promise<boolean> {
      const { hunks } = choice;
      if (hunks === undefined) return true;
      const { draft, facts } = await deps.seen(choice);
      return new Set(hunks).size === (await textWith(draft, facts, hunks, false)).all;
    },
    /** @throws DRAFT_SOURCE_CHANGED, DRAFT_REFUSED, REQUEST_STALE */
    async apply(choice: DraftChoice, overChanged: boolean, by: string): Promise<ApplyResult> {
      const { draft, facts } = await deps.seen(choice);
      const { id: draftId, path } = draft;
      const plan = decideApply(draft, compareDraft(draft, facts), facts, overChanged);
      if (plan.kind === 'refuse') throw refusalOf(draft, plan, facts);
      if (plan.kind === 'settle') throw noSuchChange(draft);
      const { text } = await textWith(draft, facts, choice.hunks ?? [], false);
      const toHash = deps.hasher.sha256Hex(text);
      const version = { ...draft, contentHash: toHash };
      await store.put(version, text);
      const { fromHash } = plan;
      await deps.replaceFile(draft, version, { fromHash, toHash, by });
      await partApplied(draft, toHash, by);
      crashPoints.hit('draft.promote.after');
      audit.record('draft_part_applied', { draftId, path, by });
      return {
        draftId,
        path,
        outcome: 'part',
        ...(fromHash === undefined ? {} : { keptHash: fromHash }),
      };
    },
    async discard(
      choice: DraftChoice,
      by: string,
    ): Promise<{ readonly draftId: number; readonly path: string }> {
      const { draft, facts } = await deps.seen(choice);
      const { id: draftId, sessionId, turnId, workspace, path, baseHash } = draft;
      const { text } = await textWith(draft, facts, choice.hunks ?? [], true);
      const contentHash = deps.hasher.sha256Hex(text);
      await store.put({ ...draft, contentHash }, text);
      crashPoints.hit('draft.discard.before');
      await journal.commit([
        {
          kind: 'draft.staged',
          turnId,
          draftId,
          sessionId,
          workspace,
          path,
          ...(baseHash === undefined ? {} : { baseHash }),
          contentHash,
          sizeBytes: new TextEncoder().encode(text).length,
        },
      ]);
      crashPoints.hit('draft.discard.after');
      audit.record('draft_part_discarded', { draftId, path, by });
      return { draftId, path };
    },
    /** A start found the chosen changes in the file. */
    settle: (draft: DraftRow): Promise<void> => partApplied(draft, draft.toHash ?? '', 'start'),
  };
}
