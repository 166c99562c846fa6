/** Texts and rows of drafts. Pure. */
import type {
  DiffHunk,
  DiffRow,
  DraftDiff,
  DraftView,
  ApplyResult,
} from '../../shared/types/drafts';
import type { MessageKey } from '../../shared/messages';
import type { Look } from '../parts/state-view';

interface DraftLook extends Look {
  readonly label: Extract<MessageKey, `drafts.state.${string}`>;
}

/** Mark, label and ink of a draft: an obstacle takes precedence over its state. */
export function draftLook(draft: Pick<DraftView, 'state' | 'stage' | 'sourceChanged'>): DraftLook {
  if (draft.stage === 'promoting')
    return { tone: 'working', mark: 'play', label: 'drafts.state.promoting' };
  switch (draft.state) {
    case 'draft_missing':
      return { tone: 'outage', mark: 'cross', label: 'drafts.state.draft_missing' };
    case 'substrate_missing':
      return { tone: 'attention', mark: 'triangle', label: 'drafts.state.substrate_missing' };
    case 'in_sync':
      return { tone: 'muted', mark: 'skip', label: 'drafts.state.in_sync' };
    case 'ready':
    case undefined:
      return draft.sourceChanged
        ? { tone: 'attention', mark: 'triangle', label: 'drafts.state.changed' }
        : { tone: 'ok', mark: 'check', label: 'drafts.state.ready' };
  }
}

/** True if applying it replaces exactly what the draft started from. */
export const fits = (draft: DraftView): boolean =>
  draft.stage === 'staged' && draft.state === 'ready' && !draft.sourceChanged;

/** True if it can be applied at all, on explicit request. */
export const canApply = (draft: DraftView): boolean =>
  draft.stage === 'staged' &&
  draft.problem === undefined &&
  (draft.state === 'ready' || draft.state === 'substrate_missing' || draft.state === 'in_sync');

/** True for a draft whose file is in an unexpected state. */
export const isUnfit = (draft: DraftView): boolean =>
  draft.state !== 'in_sync' && (draft.sourceChanged || draft.state === 'draft_missing');

/**
 * True if lines were added to the file or removed from it since the draft was started, and the
 * draft lacks that.
 */
export const hasNewer = ({ summary }: Pick<DraftDiff, 'summary'>): boolean =>
  summary.newer + summary.revived > 0;

/** True if the file has changed, and the draft contains all of it. */
export const isTakenIn = (diff: DraftDiff): boolean =>
  diff.draft.sourceChanged &&
  diff.draft.state === 'ready' &&
  diff.kind === 'text' &&
  !diff.isBaseMissing &&
  !diff.isCoarse &&
  !hasNewer(diff);

/** Lines of a diff that an agent gets; more would only be in its way. */
const MAX_TOLD = 400;
const SIGNS: Readonly<Record<DiffRow['kind'], string>> = {
  same: ' ',
  removed: '-',
  added: '+',
  newer: '≠',
  revived: '~',
};

/**
 * What changed in a file since its draft was started, for the agent that wrote the draft: the parts
 * of the diff with such lines. Undefined if there is nothing to update, or the change is unknown.
 */
export function fitFacts(
  diff: DraftDiff,
): { readonly lines: string; readonly isCut: boolean } | undefined {
  const { draft } = diff;
  const isOpen = draft.stage === 'staged' && draft.state === 'ready' && draft.sourceChanged;
  if (!isOpen || draft.problem !== undefined || diff.isBaseMissing || !hasNewer(diff))
    return undefined;
  const parts = diff.hunks.filter(({ rows }) =>
    rows.some(({ kind }) => kind === 'newer' || kind === 'revived'),
  );
  const told = parts.flatMap(({ fileStart, rows }) => [
    `@@ ${String(fileStart)} @@`,
    ...rows.map((row) => `${SIGNS[row.kind]} ${row.text}${row.isCut === true ? ' …' : ''}`),
  ]);
  return {
    lines: told.slice(0, MAX_TOLD).join('\n'),
    isCut: diff.isCut || told.length > MAX_TOLD,
  };
}

/** Outdated drafts first, because they need attention. */
export function inOrder(drafts: readonly DraftView[]): readonly DraftView[] {
  const rank = (draft: DraftView): number => (isUnfit(draft) ? 0 : fits(draft) ? 1 : 2);
  return drafts.toSorted(
    (one, other) => rank(one) - rank(other) || (one.path < other.path ? -1 : 1),
  );
}

/** A line of the list that is drawn. */
export type ShownRow =
  | { readonly kind: 'hunk'; readonly at: number; readonly first: number; readonly last: number }
  /** Above a run of newer lines. */
  | { readonly kind: 'newerHead'; readonly count: number }
  | { readonly kind: 'line'; readonly row: DiffRow }
  | { readonly kind: 'pair'; readonly left?: DiffRow; readonly right?: DiffRow };

/** Rows of a comparison in one column, or side by side; newer lines are marked only on request. */
export function shownRows(
  hunks: readonly DiffHunk[],
  options: { readonly isSplit: boolean; readonly withBase: boolean },
): readonly ShownRow[] {
  return hunks.flatMap((hunk, at): readonly ShownRow[] => {
    const rows = options.withBase ? hunk.rows : hunk.rows.map(plain);
    const lines = rows.flatMap(({ fileLine }) => (fileLine === undefined ? [] : [fileLine]));
    const head: ShownRow = {
      kind: 'hunk',
      at,
      first: lines[0] ?? 0,
      last: lines.at(-1) ?? 0,
    };
    const body = options.isSplit
      ? pairsOf(rows)
      : rows.map((row) => ({ kind: 'line', row }) as const);
    return [head, ...(options.withBase ? withNewerHeads(body) : body)];
  });
}

function plain(row: DiffRow): DiffRow {
  switch (row.kind) {
    case 'newer':
      return { ...row, kind: 'removed' };
    case 'revived':
      return { ...row, kind: 'added' };
    default:
      return row;
  }
}

const isNewer = (row: ShownRow | undefined): boolean =>
  (row?.kind === 'line' && row.row.kind === 'newer') ||
  (row?.kind === 'pair' && row.left?.kind === 'newer');

function withNewerHeads(rows: readonly ShownRow[]): readonly ShownRow[] {
  return rows.flatMap((row, at) => {
    if (!isNewer(row) || isNewer(rows[at - 1])) return [row];
    let end = at;
    while (isNewer(rows[end])) end += 1;
    return [{ kind: 'newerHead', count: end - at } as const, row];
  });
}

/** Pairs removed lines with added ones; equal lines with equal ones. */
function pairsOf(rows: readonly DiffRow[]): readonly ShownRow[] {
  const pairs: ShownRow[] = [];
  let left: DiffRow[] = [];
  let right: DiffRow[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
      const [one, other] = [left[at], right[at]];
      pairs.push({
        kind: 'pair',
        ...(one === undefined ? {} : { left: one }),
        ...(other === undefined ? {} : { right: other }),
      });
    }
    left = [];
    right = [];
  };
  for (const row of rows) {
    if (row.kind === 'same') {
      flush();
      pairs.push({ kind: 'pair', left: row, right: row });
    } else if (row.kind === 'removed' || row.kind === 'newer') left.push(row);
    else right.push(row);
  }
  flush();
  return pairs;
}

/** `a, b` as one name of the folder; the home folder is not known here and stays written out. */
export const folderOf = (drafts: readonly DraftView[]): string =>
  [...new Set(drafts.map(({ workspace }) => workspace))].join(', ');

/** Actions on one change of a draft; undefined if only the whole can be decided. */
export function hunkChoices(
  diff: DraftDiff,
): { readonly canApply: boolean; readonly count: number } | undefined {
  const { draft, hunks } = diff;
  if (draft.stage !== 'staged' || draft.state !== 'ready' || draft.problem !== undefined)
    return undefined;
  if (diff.kind !== 'text' || diff.isCut || hunks.length < 2) return undefined;
  return { canApply: fits(draft), count: hunks.length };
}

/** The drafts of one session. */
export interface DraftGroup {
  readonly sessionId: number;
  readonly title: string;
  readonly agent: string;
  readonly paths: readonly string[];
  /** Its oldest draft. */
  readonly stagedAtMs: number;
}

/** Pending drafts by session, in order of arrival. */
export function draftGroups(drafts: readonly DraftView[]): readonly DraftGroup[] {
  const groups = new Map<number, DraftGroup>();
  for (const draft of drafts) {
    const known = groups.get(draft.sessionId);
    groups.set(draft.sessionId, {
      sessionId: draft.sessionId,
      title: known?.title ?? (draft.sessionTitle === '' ? draft.sessionKey : draft.sessionTitle),
      agent: draft.agent,
      paths: [...(known?.paths ?? []), draft.path],
      stagedAtMs: Math.min(known?.stagedAtMs ?? Infinity, draft.stagedAtMs),
    });
  }
  return [...groups.values()];
}

/** Applied drafts that can be undone: over an old file that is stored, or of a file that was new. */
export function undoable(
  decided: readonly DraftView[],
  staged: readonly DraftView[],
): readonly DraftView[] {
  const isStagedAgain = ({ workspace, path }: DraftView): boolean =>
    staged.some((one) => one.workspace === workspace && one.path === path);
  return decided.filter(
    (draft) =>
      draft.keptHash !== undefined ||
      (draft.stage === 'promoted' && draft.isNewFile && !isStagedAgain(draft)),
  );
}

/** Message after an undo. */
export const undoneKey = (
  outcome: ApplyResult['outcome'],
): 'drafts.said.removed' | 'drafts.said.restored' =>
  outcome === 'removed' ? 'drafts.said.removed' : 'drafts.said.restored';

/** Drafts with all these words in the file name, the session's title or the agent's name. */
export function findDrafts(groups: readonly DraftGroup[], search: string): readonly DraftGroup[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return groups.filter(({ title, agent, paths }) => {
    const text = [title, agent, ...paths].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
