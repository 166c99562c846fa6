/** Tasks over time: one line each, with a mark per decision or upcoming run. */
import './schedule-lines.css';
import { useElementSize } from '@mantine/hooks';
import { Bot } from 'lucide-react';
import { useId, useState } from 'react';
import type { ReactElement, Ref } from 'react';
import { t } from '../../shared/messages';
import type { TaskView } from '../../shared/schedule/model';
import { useNow } from '../clock';
import { oneLine } from '../parts/inert-view';
import { clockText, localClocks } from '../parts/time-view';
import { hrefOf } from '../route';
import { MARK_KINDS, scheduleLinesModel } from './schedule-lines-view';
import { ScheduleMarks } from './schedule-marks';
import type { LineMark, LineRow, LinesMarks, LinesView, MarkKind } from './schedule-lines-view';
import { scaledPicture, type ScaledPicture } from './text-scale';

const ROW = 34;
const MIDDLE = 17;

const sizeOf = ({ width, scale }: ScaledPicture) => ({
  width: width * scale,
  height: ROW * scale,
  viewBox: `0 0 ${width} ${ROW}`,
});

export function ScheduleLines({
  view,
  tasks,
  title,
  zone,
  chosen,
  list,
}: {
  view: LinesView;
  tasks: readonly TaskView[];
  title: string;
  /** The zone of the axis. */
  zone: string;
  /** The task shown in the pane next to it. */
  chosen: number | undefined;
  /** For moving through the rows with keys. */
  list: Ref<HTMLUListElement>;
}): ReactElement {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [told, setTold] = useState('');
  const picture = scaledPicture(width);
  const marks = scheduleLinesModel(view, picture.width);
  return (
    <>
      <div className="lines-head">
        <div className="lines-name">
          <span className="ellipsis">
            <strong>{title}</strong> <span className="xs t3">{zone}</span>
          </span>
        </div>
        <div ref={ref} className="lines-plot" aria-hidden="true">
          <svg {...sizeOf(picture)}>
            {marks.ticks.map((tick) => (
              <text
                key={tick.x}
                className={tick.isNow ? 'lines-now-text' : undefined}
                x={tick.x}
                y={22}
                textAnchor="middle"
              >
                {tick.text}
              </text>
            ))}
          </svg>
        </div>
      </div>
      <div className="lines-body">
        <Background marks={marks} scale={picture.scale} />
        <ul ref={list} aria-label={t('schedule.list')}>
          {tasks.map((task, at) => (
            <Line
              key={task.id}
              task={task}
              row={marks.rows[at]}
              picture={picture}
              isChosen={task.id === chosen}
              onTell={setTold}
            />
          ))}
        </ul>
      </div>
      {/* Tooltips are for the pointer only; a screen reader gets the text from the mark. */}
      {told === '' ? null : (
        <p className="lines-told sm" aria-hidden="true">
          {told}
        </p>
      )}
      <Legend has={marks.has} />
    </>
  );
}

/** Behind all lines: when nothing could run, where Holdfast stopped, and now. */
function Background({ marks, scale }: { marks: LinesMarks; scale: number }): ReactElement {
  return (
    <div className="lines-background" aria-hidden="true">
      {marks.away.map((one) => (
        <span
          key={one.x}
          className={`lines-away ${one.kind}`}
          style={{ left: one.x * scale, width: one.width * scale }}
        />
      ))}
      {marks.stops.map((x) => (
        <span key={x} className="lines-stop" style={{ left: x * scale }} />
      ))}
      {marks.cutX === undefined ? null : (
        <span className="lines-cut" style={{ width: marks.cutX * scale }} />
      )}
      <span className="lines-now" style={{ left: marks.nowX * scale }} />
    </div>
  );
}

/** A recurring schedule as written; a one-time run as short as the page's other times. */
function ruleOf(task: TaskView, nowMs: number): string {
  if (task.kind !== 'once') return task.schedule;
  // Without an offset it is a time in the task's own time zone, which the text names.
  const atMs = /(?:Z|[+-]\d\d:?\d\d)$/.test(task.schedule) ? Date.parse(task.schedule) : NaN;
  return Number.isNaN(atMs)
    ? localClocks(task.words)
    : t('schedule.rule.once', { time: clockText(atMs, nowMs) });
}

function Line({
  task,
  row,
  picture,
  isChosen,
  onTell,
}: {
  task: TaskView;
  row: LineRow | undefined;
  picture: ScaledPicture;
  isChosen: boolean;
  onTell: (text: string) => void;
}): ReactElement {
  const saidId = useId();
  const nowMs = useNow('minute');
  const isAgents = task.madeBy === 'agent';
  return (
    <li className={isChosen ? 'lines-row chosen' : 'lines-row'}>
      <a
        className="lines-name schedule-entry"
        href={hrefOf({ kind: 'schedule', taskId: task.id })}
        aria-current={isChosen ? 'true' : undefined}
        aria-describedby={saidId}
        title={oneLine(task.name, 120)}
      >
        <span className="aligned lines-first">
          <span className="m5 ellipsis">{oneLine(task.name, 60)}</span>
          {isAgents ? (
            <>
              <Bot className="icon small t3" />
              <span className="sr-only">{t('task.madeBy.agent')}</span>
            </>
          ) : null}
        </span>
        <span className="lines-rule ellipsis">
          {oneLine(ruleOf(task, nowMs), 60)}
          {task.catchup === 'default' ? '' : ` · ${task.catchup}`}
        </span>
      </a>
      <span className="sr-only" id={saidId}>
        {row?.sentence}
      </span>
      <div className="lines-plot">
        <svg {...sizeOf(picture)} aria-hidden="true">
          {/* Below all marks: the start of one arrow may lie on the run before it. */}
          {row?.marks.map((mark, at) =>
            mark.tailX === undefined ? null : (
              <Tail key={`${String(mark.x)} ${String(at)}`} mark={mark} from={mark.tailX} />
            ),
          )}
          {row?.marks.map((mark, at) => (
            <DrawnMark key={`${String(mark.x)} ${mark.kind} ${String(at)}`} mark={mark} />
          ))}
          {row?.labels.map((label) => (
            <text
              key={label.x}
              className={`lines-label is-${label.kind}`}
              x={label.x}
              y={label.isAbove ? MIDDLE - 5 : MIDDLE + 4}
              textAnchor={label.anchor}
            >
              {label.text}
            </text>
          ))}
        </svg>
        <ScheduleMarks
          marks={row?.marks ?? []}
          scale={picture.scale}
          name={oneLine(task.name, 60)}
          onTell={onTell}
        />
      </div>
    </li>
  );
}

function DrawnMark({ mark }: { mark: LineMark }): ReactElement {
  return (
    <g className={`lines-mark is-${mark.kind}`} transform={`translate(${mark.x} ${MIDDLE})`}>
      <title>{mark.title}</title>
      {/* The pointer target is larger than the mark. */}
      {mark.isTick ? null : <rect className="lines-hit" x={-7} y={-10} width={14} height={20} />}
      {mark.isTick ? <path className="lines-tick" d="M0-5v10" /> : <Shape kind={mark.kind} />}
    </g>
  );
}

function Tail({ mark, from }: { mark: LineMark; from: number }): ReactElement {
  if (!mark.isArrow)
    return <path className="lines-tail" d={`M${from} ${MIDDLE}H${Math.max(from, mark.x - 5)}`} />;
  return (
    <>
      <path
        className="lines-tail"
        d={`M${from + 4} ${MIDDLE}H${mark.x - 6}M${mark.x - 9} ${MIDDLE - 3.5}l4 3.5-4 3.5`}
      />
      <circle className="lines-due" cx={from} cy={MIDDLE} r={3.5} />
    </>
  );
}

/** One shape per kind: they differ without color. */
function Shape({ kind }: { kind: MarkKind }): ReactElement {
  switch (kind) {
    case 'ran':
      return <circle r={4} />;
    case 'late':
      return <circle r={4.5} />;
    case 'skipped':
      return (
        <>
          <circle r={4.2} />
          <path d="M-5 5l10-10" />
        </>
      );
    case 'missed':
      return <path d="M0-5.8 5.8 0 0 5.8-5.8 0z" />;
    case 'failed':
      return <path d="m-3.6-3.6 7.2 7.2M3.6-3.6l-7.2 7.2" />;
    case 'working':
      return <path d="M-3.4-4.8v9.6L4.6 0z" />;
    case 'waits':
      return (
        <>
          <rect x={-4.5} y={-4.5} width={9} height={9} rx={2} />
          <path d="M-1.4-2.2v4.4M1.4-2.2v4.4" />
        </>
      );
    case 'coming':
      return <circle r={3.5} />;
  }
}

function Legend({ has }: { has: LinesMarks['has'] }): ReactElement {
  return (
    <div className="aligned flex-wrap lines-legend xs t2" aria-hidden="true">
      {MARK_KINDS.filter((kind) => has.has(kind)).map((kind) => (
        <span key={kind}>
          <svg width={14} height={14} viewBox="-7 -7 14 14">
            <g className={`lines-mark is-${kind}`}>
              {kind === 'late' ? <path className="lines-tail" d="M-7 0h6" /> : null}
              <Shape kind={kind} />
            </g>
          </svg>
          {t(`lines.${kind}`)}
        </span>
      ))}
      {has.has('asleep') ? (
        <span>
          <i className="lines-away asleep" />
          {t('lines.asleep')}
        </span>
      ) : null}
      {has.has('stopped') ? (
        <span>
          <i className="lines-away stopped" />
          {t('lines.stopped')}
        </span>
      ) : null}
      {has.has('stop') ? (
        <span>
          <svg width={10} height={14} viewBox="-5 0 10 14">
            <path className="lines-stop-mark" d="M-4 1h8L0 7zM0 7v7" />
          </svg>
          {t('lines.stop')}
        </span>
      ) : null}
    </div>
  );
}
