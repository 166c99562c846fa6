/** Steps of a turn as a table; above 100 rows only the visible ones are rendered. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useRef } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { StepView } from '../../shared/types';
import { stopReasonText } from '../charts/step-timeline-words';
import { toolName } from '../parts/tool-name';
import { DuplicateTag, OutcomeTag, Mark, PurityIcon } from '../parts/state-chip';
import { At, Inert } from '../parts/texts';
import { clockText, durationText, fullTimeText, moneyText } from '../parts/time-view';
import { barLook } from './turn-view';
import type { TurnRow } from './turn-view';

const ROW_PX = 31;
const VIRTUAL_FROM = 100;

const COLUMNS = [
  'step',
  'tool',
  'class',
  'started',
  'bar',
  'took',
  'attempt',
  'fate',
  'cost',
] as const;

interface Picked {
  readonly selected: number | undefined;
  readonly onSelect: (index: number) => void;
  readonly isScripted: boolean;
}

/** Steps, stops, and restarts in order. */
export function StepTable({
  rows,
  ...picked
}: Picked & { rows: readonly TurnRow[] }): ReactElement {
  const isVirtual = rows.length > VIRTUAL_FROM;
  return (
    <div
      className="steps card"
      role="table"
      aria-label={t('turn.steps.label')}
      aria-rowcount={rows.length + 1}
    >
      <div className="steps-head step-row" role="row">
        {COLUMNS.map((column) => (
          <span key={column} role="columnheader" className={`c-${column}`}>
            {t(`table.${column}`)}
          </span>
        ))}
      </div>
      {isVirtual ? (
        <VirtualRows rows={rows} {...picked} />
      ) : (
        <div role="rowgroup">
          {rows.map((row, index) => (
            <RowOf key={keyOf(row)} row={row} position={index} {...picked} />
          ))}
        </div>
      )}
    </div>
  );
}

const keyOf = (row: TurnRow): string =>
  row.kind === 'step' ? `step-${row.step.index}` : `stop-${row.stop.stoppedAtMs}`;

function VirtualRows({ rows, ...picked }: Picked & { rows: readonly TurnRow[] }): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 5,
  });
  return (
    <div
      className="steps-scroll"
      ref={scroller}
      role="rowgroup"
      tabIndex={0}
      aria-label={t('turn.steps.label')}
    >
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }} role="presentation">
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index];
          return row ? (
            <div
              key={item.key}
              role="presentation"
              style={{
                position: 'absolute',
                insetInline: 0,
                transform: `translateY(${item.start}px)`,
              }}
            >
              <RowOf row={row} position={item.index} {...picked} />
            </div>
          ) : null;
        })}
      </div>
    </div>
  );
}

function RowOf({
  row,
  position,
  ...picked
}: Picked & { row: TurnRow; position: number }): ReactElement {
  if (row.kind === 'stop') {
    const { stop } = row;
    return (
      <div className="step-row stop-row" role="row" aria-rowindex={position + 2}>
        <span role="cell" className="stop-cell">
          <span className="ink-outage fate">
            <Mark name="stop" className="icon small" />
            {t('turn.stopped')} <At atMs={stop.stoppedAtMs} withSeconds />
          </span>
          <span className="t2">{stopReasonText(stop.reason)}</span>
          {stop.backAtMs === undefined ? (
            <span className="t3">{t('turn.notBack')}</span>
          ) : (
            <span className="ink-kept fate">
              {t('turn.back')} <At atMs={stop.backAtMs} withSeconds />
              {row.downMs === undefined ? null : (
                <span className="t3">
                  {t('turn.downFor', { duration: durationText(row.downMs) })}
                </span>
              )}
            </span>
          )}
        </span>
      </div>
    );
  }
  const { selected, ...rest } = picked;
  return (
    <StepRow row={row} position={position} isSelected={selected === row.step.index} {...rest} />
  );
}

const costText = (step: StepView): string =>
  step.usage?.costUsd === undefined ? '' : moneyText(step.usage.costUsd);

const StepRow = memo(function DrawnStep({
  row,
  position,
  isSelected,
  onSelect,
  isScripted,
}: Omit<Picked, 'selected'> & {
  row: Extract<TurnRow, { kind: 'step' }>;
  position: number;
  isSelected: boolean;
}): ReactElement {
  const { step, bar, tookMs, tried } = row;
  return (
    <div
      className={`step-row${step.state === 'ambiguous' ? ' unknown' : ''}${isSelected ? ' selected' : ''}`}
      role="row"
      aria-rowindex={position + 2}
    >
      <span role="cell" className="c-step t3">
        {step.index}
      </span>
      <span role="cell" className="c-tool">
        <span className="only-icon" aria-hidden="true">
          <PurityIcon purity={step.purity} isScripted={isScripted} withLabel />
        </span>
        <button
          type="button"
          className="step-open ellipsis"
          aria-expanded={isSelected}
          onClick={() => onSelect(step.index)}
        >
          <span className="mono">
            {isScripted && step.purity === 'llm' ? (
              t('purity.scripted')
            ) : (
              <Inert text={toolName(step.tool)} />
            )}
          </span>{' '}
          <Inert className="t3" text={step.hint} />
          {step.run === undefined ? null : (
            <span className="xs t3">
              {' '}
              {t('runs.phase', { name: step.run.phase })}
              {step.run.visit > 1 ? `, ${t('runs.visit', { count: step.run.visit })}` : null}
            </span>
          )}
        </button>
      </span>
      <span role="cell" className="c-class t2">
        {t(`purityShort.${isScripted && step.purity === 'llm' ? 'scripted' : step.purity}`)}
      </span>
      <span role="cell" className="c-started t2">
        <time
          dateTime={new Date(step.startedAtMs).toISOString()}
          title={fullTimeText(step.startedAtMs)}
        >
          {clockText(step.startedAtMs, step.startedAtMs, undefined, true)}
        </time>
      </span>
      <span role="cell" className="c-bar">
        <span
          className={`bar p-${step.purity} look-${barLook(step)}`}
          style={{ left: `${bar.leftPercent}%`, width: `${bar.widthPercent}%` }}
          aria-hidden="true"
        />
      </span>
      <span role="cell" className="c-took t2">
        {tookMs === undefined ? '' : durationText(tookMs)}
      </span>
      <span role="cell" className="c-attempt t2">
        {step.attempt}
      </span>
      <span role="cell" className="c-fate">
        <OutcomeTag step={step} />
        {tried === '' ? null : <span className="xs t2">{tried}</span>}
        <DuplicateTag step={step} />
      </span>
      <span role="cell" className="c-cost t2">
        {costText(step)}
      </span>
    </div>
  );
});
