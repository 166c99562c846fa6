/**
 * The header of a phase: name, one phrase, duration. While closed, it shows all its bars in this
 * line.
 */
import { ChevronDown, ChevronRight } from 'lucide-react';
import { memo } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { HMark } from '../parts/icons';
import { oneLine } from '../parts/inert-view';
import { durationText } from '../parts/time-view';
import { lanePhrase, laneReused, laneTookMs } from './step-timeline-lanes';
import { drawRow, hasCaptionRoom } from './step-timeline-bars';
import type { Frame } from './step-timeline-shapes';
import type { LanePlan } from './step-timeline-plan';
import { BarMark, ROW_PX } from './step-timeline-row';
import { callTitle } from './step-timeline-words';

export const LaneHead = memo(function DrawnHead({
  frame,
  lane,
  at,
  isOpen,
  isActive,
  isScripted,
  onToggle,
}: {
  frame: Frame;
  lane: LanePlan;
  /** 0-based position among all lines. */
  at: number;
  isOpen: boolean;
  isActive: boolean;
  isScripted: boolean;
  onToggle: (at: number) => void;
}): ReactElement {
  const phrase = lanePhrase(lane, frame.plan);
  const name = oneLine(lane.phase?.name ?? '', 80);
  const tookMs = laneTookMs(lane);
  const reused = laneReused(lane);
  const bars = isOpen
    ? []
    : lane.rows.flatMap((row) => drawRow(frame, row).bars.map((bar) => ({ bar, row })));
  const endPx = bars.reduce((most, { bar }) => Math.max(most, bar.x + bar.widthPx), 0) + 8;
  const caption = t('timeline.phaseReused', { count: reused });
  const hasRoom = hasCaptionRoom(frame, caption, endPx);
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <div
      className="tl-row tl-lane"
      role="row"
      id={`tl-line-${at}`}
      aria-rowindex={at + 2}
      aria-level={1}
      aria-expanded={isOpen}
      aria-selected={isActive}
      aria-label={`${t('timeline.phase')} ${name}, ${phrase}`}
      data-active={isActive || undefined}
      onClick={() => onToggle(at)}
    >
      <span role="gridcell" className="aligned tl-label">
        <Chevron className="icon small" aria-hidden="true" />
        <span className="m5 nw ellipsis">{name}</span>
        <span className="xs t2 ellipsis grow" title={phrase}>
          {phrase}
        </span>
      </span>
      <span role="gridcell" className="tl-track">
        <svg width={frame.widthPx} height={ROW_PX} aria-hidden="true">
          {bars.map(({ bar, row }) => {
            const call = row.calls.find((one) => one.step.index === bar.step) ?? row.last;
            return (
              <BarMark
                key={`${bar.step}-${bar.x}`}
                bar={bar}
                title={callTitle(call, row, isScripted)}
              />
            );
          })}
        </svg>
        {isOpen || reused === 0 || !hasRoom ? null : (
          <span className="tl-cap ink-kept" style={{ left: endPx }} aria-hidden="true">
            <HMark size={10} />
            {caption}
          </span>
        )}
      </span>
      <span role="gridcell" className="tl-took">
        {tookMs === undefined ? '' : durationText(tookMs)}
      </span>
    </div>
  );
});
