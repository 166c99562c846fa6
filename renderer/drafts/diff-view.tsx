/** Differing lines, in one column or side by side; only visible ones are drawn. */
import { Button } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import type { DiffRow, DraftDiff } from '../../shared/types/drafts';
import { t } from '../../shared/messages';
import { Inert } from '../parts/texts';
import { clockText } from '../parts/time-view';
import { useCodeColor } from '../parts/use-code-color';
import { shownRows } from './drafts-view';
import type { ShownRow } from './drafts-view';
import { linePieces, longestLine } from './line-pieces';
import type { LinePiece } from './line-pieces';
import { useWordDiff } from './use-word-diff';

const ROW_PX = 21;
const MARKS: Readonly<Record<DiffRow['kind'], string>> = {
  same: '',
  removed: '−',
  added: '+',
  newer: '≠',
  revived: '+',
};

/** Deciding about single changes. */
export interface HunkActs {
  readonly count: number;
  readonly isBusy: boolean;
  readonly onApply: ((at: number) => void) | undefined;
  readonly onDiscard: (at: number) => void;
}

/** What is drawn of a comparison. */
interface ShownDiff extends Pick<DraftDiff, 'hunks'> {
  readonly draft: Pick<DraftDiff['draft'], 'path' | 'fileChangedAtMs'>;
}

/** The heading of a change that has buttons. */
const HEAD_PX = 34;

export function DiffView({
  diff,
  isSplit,
  withBase,
  isWrapped = false,
  acts,
  label = t('drafts.pane'),
  headOf,
}: {
  readonly acts?: HunkActs | undefined;
  /** Of a draft, or of a requested edit: its lines and the name of its file. */
  diff: ShownDiff;
  /** Names the table for assistive technology. */
  readonly label?: string;
  /** The heading of each change, if its lines in the file are unknown. */
  readonly headOf?: ((at: number) => string) | undefined;
  isSplit: boolean;
  withBase: boolean;
  /** Long lines are wrapped; otherwise the table scrolls sideways. */
  isWrapped?: boolean;
}): ReactElement {
  const colour = useCodeColor();
  const words = useWordDiff();
  const pieces = useMemo(
    () => linePieces(diff.hunks, diff.draft.path, { colour, words }),
    [diff.hunks, diff.draft.path, colour, words],
  );
  const rows = useMemo(
    () => shownRows(diff.hunks, { isSplit, withBase }),
    [diff.hunks, isSplit, withBase],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (acts !== undefined && rows[at]?.kind === 'hunk' ? HEAD_PX : ROW_PX),
    overscan: 20,
  });
  // A wrapped line is taller; its height is known once it is drawn.
  const hasActs = acts !== undefined;
  useEffect(() => virtual.measure(), [virtual, isWrapped, isSplit, hasActs]);
  const longest = useMemo(() => longestLine(diff.hunks), [diff.hunks]);
  /** N and P move between changes, like J and K move between rows in lists. */
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { n: 1, p: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const heads = rows.flatMap((row, at) => (row.kind === 'hunk' ? [at] : []));
    const here = virtual.getVirtualItemForOffset(scroller.current?.scrollTop ?? 0)?.index ?? 0;
    const to = step > 0 ? heads.find((at) => at > here) : heads.findLast((at) => at < here);
    if (to !== undefined) virtual.scrollToIndex(to, { align: 'start' });
  };
  const changedAt =
    diff.draft.fileChangedAtMs === undefined
      ? ''
      : clockText(diff.draft.fileChangedAtMs, diff.draft.fileChangedAtMs, undefined, true);
  return (
    <div
      className={`diff${isSplit ? ' split-diff' : ''}${isWrapped ? ' wrapped-diff' : ''}`}
      ref={scroller}
      role="table"
      aria-label={label}
      aria-rowcount={rows.length}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div
        className="diff-rows"
        role="rowgroup"
        style={{
          height: virtual.getTotalSize(),
          ...(isSplit && !isWrapped ? { minWidth: `${2 * longest + 22}ch` } : {}),
        }}
      >
        {virtual.getVirtualItems().map((item) => (
          <div
            key={item.key}
            role="row"
            aria-rowindex={item.index + 1}
            data-index={item.index}
            ref={isWrapped ? virtual.measureElement : undefined}
            className={rowClass(rows[item.index])}
            style={{ top: item.start }}
          >
            <RowCells
              row={rows[item.index]}
              changedAt={changedAt}
              pieces={pieces}
              acts={acts}
              headOf={headOf}
            />
          </div>
        ))}
      </div>
    </div>
  );
}

function rowClass(row: ShownRow | undefined): string {
  switch (row?.kind) {
    case 'line':
      return `diff-line is-${row.row.kind}`;
    case 'pair':
      return 'diff-line is-pair';
    case 'newerHead':
      return 'diff-line is-newer';
    default:
      return 'diff-line is-hunk';
  }
}

function hunkText({ first, last }: Extract<ShownRow, { kind: 'hunk' }>): string {
  if (first === 0) return t('drafts.hunk.new');
  return first === last
    ? t('drafts.hunk.line', { first })
    : t('drafts.hunk.lines', { first, last });
}

function RowCells({
  row,
  changedAt,
  pieces,
  acts,
  headOf,
}: {
  row: ShownRow | undefined;
  changedAt: string;
  pieces: AllPieces;
  acts: HunkActs | undefined;
  headOf: ((at: number) => string) | undefined;
}): ReactElement | null {
  switch (row?.kind) {
    case undefined:
      return null;
    case 'hunk':
      return (
        <span role="cell" className="diff-head">
          {headOf === undefined ? hunkText(row) : headOf(row.at)}
          {acts === undefined ? null : <HunkButtons at={row.at} acts={acts} />}
        </span>
      );
    case 'newerHead':
      return (
        <span role="cell" className="diff-newer-head">
          <TriangleAlert className="icon small" />
          {t('drafts.newerHead', { count: row.count, time: changedAt })}
        </span>
      );
    case 'line':
      return (
        <>
          <span role="cell" className="diff-no">
            {row.row.fileLine}
          </span>
          <span role="cell" className="diff-no">
            {row.row.draftLine}
          </span>
          <LineCells row={row.row} pieces={pieces} />
        </>
      );
    case 'pair':
      return (
        <>
          <Side row={row.left} line={row.left?.fileLine} pieces={pieces} />
          <Side row={row.right} line={row.right?.draftLine} pieces={pieces} />
        </>
      );
  }
}

function HunkButtons({ at, acts }: { at: number; acts: HunkActs }): ReactElement {
  const { count, isBusy, onApply, onDiscard } = acts;
  const names = { number: at + 1, count };
  return (
    <span className="diff-hunk-acts">
      {onApply === undefined ? null : (
        <Button
          size="xs"
          disabled={isBusy}
          aria-label={t('drafts.hunk.applyOf', names)}
          onClick={() => onApply(at)}
        >
          {t('drafts.hunk.apply')}
        </Button>
      )}
      <Button
        size="xs"
        disabled={isBusy}
        aria-label={t('drafts.hunk.discardOf', names)}
        onClick={() => onDiscard(at)}
      >
        {t('drafts.hunk.discard')}
      </Button>
    </span>
  );
}

type AllPieces = ReadonlyMap<DiffRow, readonly LinePiece[]>;

function LineText({ row, pieces }: { row: DiffRow; pieces: AllPieces }): ReactElement {
  const own = pieces.get(row);
  if (own === undefined) return <Inert text={row.text} />;
  return (
    <>
      {own.map((piece, at) => {
        const text = <Inert text={piece.text} />;
        const role = piece.role === undefined ? undefined : `code-${piece.role}`;
        return piece.isWord === true ? (
          <mark key={at} className={role}>
            {text}
          </mark>
        ) : (
          <span key={at} className={role}>
            {text}
          </span>
        );
      })}
    </>
  );
}

function LineCells({ row, pieces }: { row: DiffRow; pieces: AllPieces }): ReactElement {
  return (
    <>
      <span role="cell" className="diff-mark">
        <span aria-hidden="true">{MARKS[row.kind]}</span>
        <span className="sr-only">{t(`drafts.mark.${row.kind}`)}</span>
      </span>
      <span role="cell" className="diff-text">
        <LineText row={row} pieces={pieces} />
        {row.isCut ? (
          <span className="t3" title={t('drafts.lineCut')}>
            {' '}
            …
          </span>
        ) : null}
      </span>
    </>
  );
}

function Side({
  row,
  line,
  pieces,
}: {
  row: DiffRow | undefined;
  line: number | undefined;
  pieces: AllPieces;
}): ReactElement {
  return (
    <span role="cell" className={`diff-side is-${row?.kind ?? 'none'}`}>
      <span className="diff-no">{line}</span>
      {row === undefined ? null : (
        <>
          <span className="diff-mark">
            <span aria-hidden="true">{MARKS[row.kind]}</span>
            <span className="sr-only">{t(`drafts.mark.${row.kind}`)}</span>
          </span>
          <span className="diff-text">
            <LineText row={row} pieces={pieces} />
          </span>
        </>
      )}
    </span>
  );
}
