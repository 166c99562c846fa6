/**
 * The schedule page: tasks and their runs as one picture, the decision about each with its reason,
 * and wakes.
 */
import { Button, SegmentedControl, Switch } from '@mantine/core';
import { Calendar, Plus } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { TaskView } from '../../shared/schedule/model';
import { useVerb } from '../bridge';
import type { Query } from '../bridge';
import { useNow } from '../clock';
import { useDayChart } from '../charts/day-chart-data';
import { ScheduleLines } from '../charts/schedule-lines';
import type { LinesView } from '../charts/schedule-lines-view';
import { useListKeys } from '../keys/list-keys';
import { usePageKey } from '../keys/page-key';
import { EmptyState, TroubleNote } from '../parts/texts';
import { SearchField } from '../parts/search-field';
import { clockText, dayStartMs } from '../parts/time-view';
import { useSettled } from '../parts/use-settled';
import { goTo, hrefOf } from '../route';
import { useStatus } from '../status';
import { useAllTasks } from './all-tasks';
import { Decisions } from './decisions-list';
import { decisionGroups, findTasks, scheduleSub } from './schedule-view';
import { TaskPane } from './task-pane';
import { TasksTable } from './tasks-table';
import { Recipes } from './recipes';
import { Wakes } from './wakes';
import './schedule.css';

const DAY_MS = 86_400_000;
/** Tasks per request. */
const PAGE = 100;
const MOST = 1_000;
/** Tasks whose runs to come are drawn. */
const MAX_DRAWN = 200;
type Range = 'today' | 'week';

export function SchedulePage({ taskId }: { taskId?: number }): ReactElement {
  const [isOverShown, setOverShown] = useState(false);
  const [limit, setLimit] = useState(PAGE);
  const [search, setSearch] = useState('');
  const settled = useSettled(search.trim());
  const tasks = useVerb('tasks.list', {
    includeOver: isOverShown,
    limit,
    ...(settled === '' ? {} : { search: settled }),
  });
  // The previous result stays while the next one loads, so that the search field keeps the focus.
  const found = useLast(tasks.data);
  const isEmpty = found?.tasks.length === 0 && search === '' && settled === '';
  usePageKey('newTask', () => goTo({ kind: 'taskForm' }));
  if (found === undefined) {
    return (
      <div className="page">
        <header className="page-top">
          <h1>{t('schedule.title')}</h1>
        </header>
        {tasks.trouble ? <TroubleNote trouble={tasks.trouble} /> : <p>{t('schedule.asking')}</p>}
      </div>
    );
  }
  if (isEmpty && !isOverShown) return <Empty tasks={tasks} onShowOver={() => setOverShown(true)} />;
  return (
    <Shown
      all={found.tasks}
      search={search}
      onSearch={setSearch}
      trouble={tasks.trouble}
      {...(taskId === undefined ? {} : { taskId })}
      isOverShown={isOverShown}
      onShowOver={setOverShown}
      {...(found.hasMore && limit < MOST
        ? { onMore: () => setLimit(Math.min(MOST, limit + PAGE)) }
        : {})}
    />
  );
}

const NewTask = (): ReactElement => (
  <Button
    component="a"
    href={hrefOf({ kind: 'taskForm' })}
    variant="filled"
    aria-keyshortcuts="N"
    leftSection={<Plus className="icon small" />}
  >
    {t('schedule.new')}
  </Button>
);

/** Nothing is scheduled yet: explains what a task is, and how to create one. */
function Empty({
  tasks,
  onShowOver,
}: {
  tasks: Query<unknown>;
  onShowOver: () => void;
}): ReactElement {
  return (
    <div className="page schedule-page">
      <header className="page-top">
        <h1 className="grow">{t('schedule.title')}</h1>
        <Button variant="subtle" onClick={onShowOver}>
          {t('schedule.over')}
        </Button>
        <NewTask />
      </header>
      <TroubleNote trouble={tasks.trouble} />
      <EmptyState
        mark={<Calendar size={28} strokeWidth={1.5} />}
        sentence={t('schedule.empty')}
        command={t('schedule.emptyCommand')}
      />
      <Recipes />
      <Wakes />
    </div>
  );
}

/** From midnight to midnight; a week shows three days before and after today. */
function rangeOf(range: Range, nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  const at = (days: number): number => {
    const day = new Date(dayStartMs(nowMs));
    day.setDate(day.getDate() + days);
    return day.getTime();
  };
  return range === 'today' ? { fromMs: at(0), toMs: at(1) } : { fromMs: at(-3), toMs: at(4) };
}

function Shown({
  all,
  search,
  onSearch,
  trouble,
  taskId,
  isOverShown,
  onShowOver,
  onMore,
}: {
  all: readonly TaskView[];
  search: string;
  onSearch: (text: string) => void;
  trouble: Query<unknown>['trouble'];
  taskId?: number;
  isOverShown: boolean;
  onShowOver: (isShown: boolean) => void;
  onMore?: () => void;
}): ReactElement {
  const nowMs = useNow('minute');
  const { status } = useStatus();
  const [range, setRange] = useState<Range>('today');
  const [isTable, setTable] = useState(false);
  const everyTask = useAllTasks(status?.schedule);
  const day = useDayChart({ range: 'day' });
  const list = useRef<HTMLUListElement>(null);
  useListKeys(list, '.schedule-entry', (row) => row.click());
  usePageKey('linesTable', () => setTable(!isTable));
  const { fromMs, toMs } = rangeOf(range, nowMs);
  // Decisions of the previous evening still matter in the morning.
  const askedFromMs = Math.min(fromMs, dayStartMs(nowMs) - DAY_MS);
  const taskIds = useMemo(() => all.slice(0, MAX_DRAWN).map(({ id }) => id), [all]);
  const lines = useVerb('schedule.lines', { fromMs: askedFromMs, toMs, taskIds });
  // The previous picture stays while the next one loads.
  const known = useLast(lines.data);
  const tasks = findTasks(all, search);
  const chosen = all.find(({ id }) => id === taskId) ?? tasks[0];
  const groups = decisionGroups(
    (known?.slots ?? []).filter(({ atMs }) => atMs > nowMs - DAY_MS),
    day.data?.stretches ?? [],
    { nowMs },
  );
  const view: LinesView = {
    tasks,
    slots: known?.slots ?? [],
    coming: known?.coming ?? [],
    fromMs,
    toMs,
    nowMs: Math.max(nowMs, known?.nowMs ?? 0),
    knownFromMs: known?.knownFromMs ?? fromMs,
    day: day.data,
  };
  return (
    <div className="page schedule-page">
      <header className="page-top">
        <h1 className="grow">{t('schedule.title')}</h1>
        {everyTask.buttons}
        <NewTask />
      </header>
      {/* Below the buttons, because next to them it would not fit on one line. */}
      <p className="sub schedule-sub">{scheduleSub(status?.schedule, groups, { nowMs })}</p>
      {everyTask.note}
      <TroubleNote trouble={trouble ?? lines.trouble ?? day.trouble} />
      <div className="aligned flex-wrap schedule-bar">
        <SegmentedControl
          aria-label={t('lines.range')}
          value={range}
          onChange={(value) => setRange(value === 'week' ? 'week' : 'today')}
          data={[
            { value: 'today', label: t('lines.today') },
            { value: 'week', label: t('lines.week') },
          ]}
        />
        <Button
          size="xs"
          variant="subtle"
          aria-pressed={isTable}
          aria-keyshortcuts="T"
          onClick={() => setTable(!isTable)}
        >
          {isTable ? t('lines.asPicture') : t('lines.asTable')}
        </Button>
        <Switch
          size="xs"
          label={t('schedule.over')}
          checked={isOverShown}
          onChange={(event) => onShowOver(event.currentTarget.checked)}
        />
        <span className="grow" />
        <SearchField
          className="schedule-search"
          label={t('schedule.find')}
          value={search}
          onSearch={onSearch}
        />
      </div>
      <section className="card schedule-lines" aria-label={t('schedule.list')}>
        {isTable ? (
          <TasksTable tasks={tasks} chosen={chosen?.id} nowMs={nowMs} />
        ) : (
          <ScheduleLines
            view={view}
            tasks={tasks}
            title={t(range === 'today' ? 'lines.today' : 'lines.week')}
            zone={new Intl.DateTimeFormat().resolvedOptions().timeZone}
            chosen={chosen?.id}
            list={list}
          />
        )}
        {tasks.length === 0 ? <p className="schedule-none">{t('schedule.noneFound')}</p> : null}
        {view.knownFromMs > view.fromMs ? (
          <p className="schedule-none sm t3">
            {t('lines.cut', { time: clockText(view.knownFromMs, nowMs) })}
          </p>
        ) : null}
        {onMore === undefined ? null : (
          <p className="schedule-none">
            <Button size="xs" onClick={onMore}>
              {t('schedule.more')}
            </Button>
          </p>
        )}
      </section>
      <div className="schedule-columns">
        <div className="stack">
          <Decisions
            groups={groups}
            tasks={all}
            chosen={chosen?.id}
            hasRun={(known?.slots ?? []).some(({ atMs }) => atMs > nowMs - DAY_MS)}
          />
          <Wakes />
        </div>
        <aside className="stack">
          {chosen === undefined ? null : <TaskPane key={chosen.id} task={chosen} nowMs={nowMs} />}
        </aside>
      </div>
    </div>
  );
}

/** The last defined value. */
function useLast<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}
