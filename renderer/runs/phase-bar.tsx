/** The phases of a run in a row: past, current, upcoming. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { Mark } from '../parts/state-chip';
import { At } from '../parts/texts';
import type { PhaseCell } from './run-phases-view';

/** A single phase adds nothing to the run's chip. */
export function PhaseBar({ cells }: { cells: readonly PhaseCell[] }): ReactElement | null {
  if (cells.length < 2) return null;
  return (
    <ol className="phase-bar card" aria-label={t('runs.phases')}>
      {cells.map((cell) => (
        <li
          key={cell.key}
          data-state={cell.state}
          aria-current={cell.state === 'now' || cell.state === 'waits' ? 'step' : undefined}
        >
          <span className="flex">
            <span className={`phase-mark tone-${cell.tone}`}>
              {cell.mark === undefined ? null : <Mark name={cell.mark} className="icon small" />}
            </span>
            <span className="m5 ellipsis" title={cell.name}>
              {cell.name}
            </span>
            {cell.visit > 1 ? (
              <span className="t3 sm nw">{t('runs.visit', { count: cell.visit })}</span>
            ) : null}
          </span>
          <span className="phase-state sm t2">
            {cell.text}
            {cell.state === 'done' && cell.leftAtMs !== undefined ? (
              <>
                {' '}
                <At atMs={cell.leftAtMs} withSeconds withDay={false} />
              </>
            ) : null}
          </span>
          {cell.detail === '' ? null : <span className="phase-state sm t3">{cell.detail}</span>}
        </li>
      ))}
    </ol>
  );
}
