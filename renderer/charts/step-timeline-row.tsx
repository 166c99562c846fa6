/** One row of the timeline: name, bars, duration. */
import { memo } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { HMark } from '../parts/icons';
import { oneLine } from '../parts/inert-view';
import { Mark, PurityIcon } from '../parts/state-chip';
import { durationText, instantText } from '../parts/time-view';
import { toolName } from '../parts/tool-name';
import { drawRow } from './step-timeline-bars';
import type { Bar, Caption, Frame } from './step-timeline-shapes';
import type { RowPlan } from './step-timeline-plan';
import { callTitle, rowName } from './step-timeline-words';

export const ROW_PX = 27;
const HATCH_ID = 'tl-hatch';
const INSTANT_MS = 100;
const MID = 13.5;
const TIP_PX = 5;

/** A bar of 12 px; pure steps are a line of 4. */
export function BarMark({ bar, title }: { bar: Bar; title: string }): ReactElement {
  const height = bar.purity === 'pure' ? 4 : 12;
  const y = MID - height / 2;
  const { x, widthPx } = bar;
  const isOutline = ['was', 'hollow', 'cut', 'recorded', 'unknown', 'asks'].includes(bar.look);
  const inset = isOutline ? 0.75 : 0;
  return (
    <g className={`tl-bar p-${bar.purity} look-${bar.look}`}>
      <title>{title}</title>
      {bar.look === 'ring' ? (
        <rect
          className="tl-ring"
          x={x - 2.25}
          y={y - 2.25}
          width={widthPx + 4.5}
          height={height + 4.5}
          rx={4.5}
        />
      ) : null}
      {bar.look === 'cut' ? (
        <path
          className="tl-body"
          d={`M${x + widthPx} ${y + inset}H${x + 3}q-2.25 0-2.25 2.5v${Math.max(0, height - 6.5)}q0 2.5 2.25 2.5H${x + widthPx}`}
        />
      ) : bar.hasTip && bar.look !== 'hollow' ? (
        <path
          className="tl-body"
          d={`M${x + 2.5} ${y}H${x + widthPx}L${x + widthPx + TIP_PX} ${MID}L${x + widthPx} ${y + height}H${x + 2.5}q-2.5 0-2.5-2.5v${5 - height}q0-2.5 2.5-2.5z`}
        />
      ) : (
        <rect
          className="tl-body"
          {...(bar.look === 'unknown' ? { fill: `url(#${HATCH_ID})` } : {})}
          x={x + inset}
          y={y + inset}
          width={Math.max(1, widthPx - 2 * inset)}
          height={Math.max(1, height - 2 * inset)}
          rx={2.5}
        />
      )}
      {bar.look === 'reused' ? (
        <rect className="tl-kept" x={x} y={MID + 8.25} width={widthPx} height={2.5} rx={1} />
      ) : null}
      {bar.look === 'hollow' ? (
        <line className="tl-strike" x1={x - 2} x2={x + widthPx + 2} y1={MID} y2={MID} />
      ) : null}
      {bar.notches.map((notch) => (
        <line
          key={notch.x}
          className={notch.kind === 'failed' ? 'tl-gap' : 'tl-notch'}
          x1={notch.x}
          x2={notch.x}
          // The next try is a notch inside the bar; the failure before it cuts through it.
          y1={notch.kind === 'failed' ? y : y + height / 4}
          y2={notch.kind === 'failed' ? y + height : y + (height * 3) / 4}
        />
      ))}
      {bar.look === 'failed' ? (
        <line
          className="tl-gap"
          x1={x + widthPx - 2.5}
          x2={x + widthPx - 2.5}
          y1={y}
          y2={y + height}
        />
      ) : null}
    </g>
  );
}

/** Caption of a bar, in the color of its state. */
function CaptionMark({ caption, widthPx }: { caption: Caption; widthPx: number }): ReactElement {
  const place = caption.anchor === 'start' ? { left: caption.x } : { right: widthPx - caption.x };
  return (
    <span
      className={`tl-cap ink-${caption.tone}`}
      data-on-link={caption.isOnLink || undefined}
      style={place}
      aria-hidden="true"
    >
      {caption.mark === 'mark' ? (
        <HMark size={10} />
      ) : caption.tone === 'line' ? null : (
        <Mark name={caption.mark} className="icon tl-cap-icon" />
      )}
      {caption.text}
    </span>
  );
}

/** The hatching for an unknown result, defined once per page. */
export const HatchDefs = (): ReactElement => (
  <svg className="tl-defs" width={0} height={0} aria-hidden="true">
    <defs>
      <pattern
        id={HATCH_ID}
        width={6}
        height={6}
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect className="tl-hatch-ground" width={6} height={6} />
        <line className="tl-hatch-line" x1={1.5} x2={1.5} y1={0} y2={6} />
      </pattern>
    </defs>
  </svg>
);

/** The column is narrow: "<0.1 s" here, written out everywhere else. */
const tookText = (ms: number | undefined): string =>
  ms === undefined ? '' : ms < INSTANT_MS ? instantText() : durationText(ms);

/** A row of the grid; memoized on its own marks. */
export const TimelineRow = memo(function DrawnRow({
  frame,
  plan,
  at,
  level,
  isActive,
  isOpen,
  isScripted,
  tool,
  onOpen,
}: {
  frame: Frame;
  plan: RowPlan;
  /** 0-based position among all lines. */
  at: number;
  /** Nested below a phase header; absent if there are none. */
  level: number | undefined;
  isActive: boolean;
  isOpen: boolean;
  isScripted: boolean;
  /** The shortest name that is unambiguous in this turn. */
  tool: string;
  onOpen: (at: number) => void;
}): ReactElement {
  const row = drawRow(frame, plan);
  const { step } = plan.last;
  const hint = oneLine(step.hint, 120);
  return (
    <div
      className="tl-row"
      role="row"
      id={`tl-line-${at}`}
      aria-rowindex={at + 2}
      aria-level={level}
      aria-label={rowName(plan, isScripted)}
      aria-selected={isActive}
      data-active={isActive || undefined}
      data-open={isOpen || undefined}
      data-unknown={step.state === 'ambiguous' || undefined}
      onClick={() => onOpen(at)}
    >
      <span role="gridcell" className="aligned tl-label">
        <PurityIcon purity={step.purity} isScripted={isScripted} withLabel />
        {isScripted && step.purity === 'llm' ? (
          <span className="ellipsis tl-tool">{t('purity.scripted')}</span>
        ) : (
          <span className="ellipsis mono tl-tool" title={oneLine(toolName(step.tool), 300)}>
            {oneLine(tool, 80)}
          </span>
        )}
        <span className="xs t3 ellipsis grow" title={hint}>
          {hint}
        </span>
        {row.dropped.map((said) => (
          <span key={said.text} className={`tl-dropped ink-${said.tone}`} title={said.text}>
            <Mark name={said.mark} className="icon tl-cap-icon" />
          </span>
        ))}
      </span>
      <span role="gridcell" className="tl-track">
        <svg width={frame.widthPx} height={ROW_PX} aria-hidden="true">
          {row.links.map((link) => (
            <line
              key={link.x}
              className={`tl-link tone-${link.tone}`}
              x1={link.x}
              x2={link.toX}
              y1={MID}
              y2={MID}
            />
          ))}
          {row.bars.map((bar) => {
            const call = plan.calls.find((one) => one.step.index === bar.step) ?? plan.last;
            return (
              <BarMark
                key={`${bar.step}-${bar.x}`}
                bar={bar}
                title={callTitle(call, plan, isScripted)}
              />
            );
          })}
        </svg>
        {row.captions.map((caption) => (
          <CaptionMark
            key={`${caption.text}-${caption.x}`}
            caption={caption}
            widthPx={frame.widthPx}
          />
        ))}
      </span>
      <span role="gridcell" className="tl-took">
        {tookText(row.tookMs)}
      </span>
    </div>
  );
});
