/** One task: what it does, when it runs, the results of its runs, and its actions. */
import { ActionIcon, Button, Menu } from '@mantine/core';
import { Ellipsis, Pause, Pencil, Play } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { TaskRun, TaskView } from '../../shared/schedule/model';
import { useCommand, useVerb } from '../bridge';
import type { Trouble } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { Question } from '../parts/question';
import { Chip, Mark } from '../parts/state-chip';
import { isClosed } from '../parts/state-view';
import { StopButton } from '../parts/stop-button';
import { At, NoteLine, SectionHead, TroubleNote } from '../parts/texts';
import { durationText, fullTimeText, localClocks, untilText } from '../parts/time-view';
import { hrefOf } from '../route';
import {
  answersTo,
  dayText,
  forecastText,
  missedText,
  ruleAsWritten,
  ruleWords,
  runOutcome,
  slotLook,
  taskLook,
} from './schedule-view';
import { useCatchupWindow } from './use-catchup-window';
import { agentTitle } from '../agents/agent-titles';

const SHOWN_RUNS = 5;
const MORE_RUNS = 50;

export function TaskPane({ task, nowMs }: { task: TaskView; nowMs: number }): ReactElement {
  const acts = useTaskActs(task.id);
  const [isAsking, setAsking] = useState(false);
  const look = taskLook(task.state);
  const name = oneLine(task.name, 120);
  return (
    <section className="card padded task-pane" aria-label={name}>
      <div className="flex task-pane-head">
        <h2 className="grow wrap">{name}</h2>
        <Chip tone={look.tone} mark={look.mark}>
          {look.label}
        </Chip>
        <TaskMenu task={task} onCancel={() => setAsking(true)} />
      </div>
      <TaskFacts task={task} nowMs={nowMs} onCatchUp={acts.catchUp} />
      <TroubleNote trouble={acts.trouble} />
      {acts.turnId === undefined ? null : (
        <NoteLine tone="ok" role="status">
          {t('task.run.done', { id: acts.turnId })}{' '}
          <a href={hrefOf({ kind: 'turn', turnId: acts.turnId })}>{t('task.run.open')}</a>
        </NoteLine>
      )}
      {task.state === 'cancelled' ? null : (
        <div className="task-acts">
          <Button
            size="xs"
            aria-label={t('task.run.of', { name })}
            loading={acts.isRunning}
            leftSection={<Play className="icon small filled" />}
            onClick={acts.run}
          >
            {t('task.run')}
          </Button>
          {task.state === 'active' ? (
            <Button size="xs" leftSection={<Pause className="icon small" />} onClick={acts.pause}>
              {t('task.pause')}
            </Button>
          ) : task.state === 'paused' ? (
            <Button size="xs" leftSection={<Play className="icon small" />} onClick={acts.resume}>
              {t('task.resume')}
            </Button>
          ) : null}
          <Button
            component="a"
            href={hrefOf({ kind: 'taskForm', taskId: task.id })}
            size="xs"
            leftSection={<Pencil className="icon small" />}
          >
            {t('task.edit')}
          </Button>
        </div>
      )}
      <Runs taskId={task.id} name={name} nowMs={nowMs} />
      <MoreFacts task={task} />
      <Question
        isOpen={isAsking}
        title={t('task.cancel.title', { name })}
        keep={t('task.cancel.keep')}
        confirm={t('task.cancel.confirm')}
        onConfirm={() => {
          setAsking(false);
          acts.cancel();
        }}
        onClose={() => setAsking(false)}
      >
        <p>{t('task.cancel.about')}</p>
      </Question>
    </section>
  );
}

interface TaskActs {
  readonly run: () => void;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly cancel: () => void;
  readonly catchUp: (task: TaskView) => void;
  readonly isRunning: boolean;
  /** The turn of the run requested here. */
  readonly turnId: number | undefined;
  readonly trouble: Trouble | undefined;
}

function useTaskActs(taskId: number): TaskActs {
  const run = useCommand('tasks.run');
  const pause = useCommand('tasks.pause');
  const resume = useCommand('tasks.resume');
  const cancel = useCommand('tasks.cancel');
  const update = useCommand('tasks.update');
  const [turnId, setTurnId] = useState<number | undefined>(undefined);
  return {
    run: () => {
      setTurnId(undefined);
      void run.run({ taskId }).then((answer) => {
        if (answer.ok) setTurnId(answer.value.turnId);
      });
    },
    pause: () => void pause.run({ taskId }),
    resume: () => void resume.run({ taskId }),
    cancel: () => void cancel.run({ taskId }),
    catchUp: (task) =>
      void update.run({ taskId, catchup: task.catchup === 'always' ? 'default' : 'always' }),
    isRunning: run.isBusy,
    turnId,
    trouble: run.trouble ?? pause.trouble ?? resume.trouble ?? cancel.trouble ?? update.trouble,
  };
}

function TaskMenu({ task, onCancel }: { task: TaskView; onCancel: () => void }): ReactElement {
  const sessions = useVerb('sessions.list', {});
  const session = sessions.data?.sessions.find(({ key }) => key === task.session);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          size={26}
          aria-label={t('task.more', { name: oneLine(task.name, 80) })}
        >
          <Ellipsis className="icon" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {session === undefined ? null : (
          <Menu.Item component="a" href={hrefOf({ kind: 'sessions', sessionId: session.id })}>
            {t('task.openSession')}
          </Menu.Item>
        )}
        <Menu.Item disabled={task.state === 'cancelled'} onClick={onCancel}>
          {t('task.cancel')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** What it does and when it runs next. */
function TaskFacts({
  task,
  nowMs,
  onCatchUp,
}: {
  task: TaskView;
  nowMs: number;
  onCatchUp: TaskActs['catchUp'];
}): ReactElement {
  const windowText = useCatchupWindow();
  const written = ruleAsWritten(task);
  const isOver = task.state === 'completed' || task.state === 'cancelled';
  return (
    <dl className="facts sm task-facts">
      <Fact name={t('task.fact.agent')} text={oneLine(agentTitle(task.agent), 64)} />
      <Fact name={t('task.fact.rule')}>
        {oneLine(ruleWords(task), 200)}{' '}
        {written === undefined ? null : <span className="mono t3">{oneLine(written, 200)}</span>}
      </Fact>
      <Fact name={t('task.fact.next')}>
        {task.nextRunAtMs === undefined ? (
          t(task.state === 'paused' ? 'task.next.paused' : 'task.next.none')
        ) : (
          <>
            <At atMs={task.nextRunAtMs} />{' '}
            <span className="t3">{untilText(task.nextRunAtMs, nowMs)}</span>
          </>
        )}
      </Fact>
      <Fact name={t('task.fact.missed')}>
        {missedText(task.catchup, windowText)}
        {task.catchup === 'default' ? (
          <span className="t3">, {t('task.catchup.isDefault')}</span>
        ) : null}
        {isOver || task.kind === 'once' ? null : (
          <>
            {' '}
            <button type="button" className="link-button" onClick={() => onCatchUp(task)}>
              {t(task.catchup === 'always' ? 'task.notAlways' : 'task.always')}
            </button>
          </>
        )}
      </Fact>
      {task.shared === true ? (
        <Fact name={t('task.fact.computers')}>{t('task.shared')}</Fact>
      ) : null}
      {task.check === undefined ? null : (
        <Fact name={t('task.fact.check')} className="mono">
          {oneLine(task.check, 300)}
        </Fact>
      )}
      {/* A task without cost needs no forecast. */}
      {task.forecast === undefined || task.forecast.usdPerMonth === 0 ? null : (
        <Fact name={t('task.fact.forecast')}>
          {forecastText(task.forecast)}{' '}
          <span className="t3">{t('task.forecast.from', { count: task.forecast.fromRuns })}</span>
        </Fact>
      )}
    </dl>
  );
}

/** Details rarely needed after the task is set up, below its runs. */
function MoreFacts({ task }: { task: TaskView }): ReactElement {
  return (
    <dl className="facts sm task-facts task-facts-more">
      <Fact name={t('task.fact.answers')}>{answersTo(task)}</Fact>
      <Fact name={t('task.fact.zone')}>{oneLine(task.zone, 64)}</Fact>
      <Fact name={t('task.fact.madeBy')}>
        {task.madeBy === 'agent'
          ? t('task.madeByAgent', { name: oneLine(agentTitle(task.agent), 64) })
          : t('task.you')}
        , <At atMs={task.createdAtMs} />
      </Fact>
      <Fact name={t('task.fact.prompt')} className="task-prompt" text={task.prompt} />
    </dl>
  );
}

/** The outcome of its scheduled times, newest first; each with a turn links to it. */
function Runs({
  taskId,
  name,
  nowMs,
}: {
  taskId: number;
  name: string;
  nowMs: number;
}): ReactElement {
  const [limit, setLimit] = useState(SHOWN_RUNS);
  const history = useVerb('tasks.history', { taskId, limit });
  const runs = history.data?.runs ?? [];
  return (
    <section aria-label={t('task.runs')} className="task-runs">
      <SectionHead title={t('task.runs')} level={3}>
        {history.data?.hasMore === true && limit < MORE_RUNS ? (
          <Button size="xs" variant="subtle" className="end" onClick={() => setLimit(MORE_RUNS)}>
            {t('task.runs.all')}
          </Button>
        ) : null}
      </SectionHead>
      <TroubleNote trouble={history.trouble} />
      {history.data !== undefined && runs.length === 0 ? (
        <p className="sm t3">{t('task.runs.none')}</p>
      ) : null}
      <ul>
        {runs.map((run) => (
          <RunRow key={run.slotMs} run={run} name={name} nowMs={nowMs} />
        ))}
      </ul>
    </section>
  );
}

function RunRow({ run, name, nowMs }: { run: TaskRun; name: string; nowMs: number }): ReactElement {
  const look = slotLook(run);
  const words = runOutcome(run);
  const { turnId, status } = run;
  return (
    <li className="sm task-run">
      <span className={`ink-${look.tone}`} title={look.label}>
        <Mark name={look.mark} className="icon small" />
      </span>
      <time
        className="m5 nw"
        dateTime={new Date(run.atMs).toISOString()}
        title={fullTimeText(run.atMs)}
      >
        {dayText(run.atMs, nowMs)}
      </time>
      <span className="clamp task-run-words t2" title={`${localClocks(run.words)} ${words}`}>
        <span className="sr-only">{look.label}: </span>
        {turnId === undefined ? (
          words
        ) : (
          <a className="decided-turn" href={hrefOf({ kind: 'turn', turnId })}>
            {words}
          </a>
        )}
      </span>
      <span className="t3 nw">
        {turnId !== undefined && status !== undefined && !isClosed(status) ? (
          <StopButton turnId={turnId} name={name} />
        ) : run.durationMs === undefined ? null : (
          durationText(run.durationMs)
        )}
      </span>
    </li>
  );
}
