/**
 * The tasks as a table: the content of the picture as text, plus time zone, channel, and creator.
 * A zone that all share is said once, above the rules that it belongs to.
 */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { TaskView } from '../../shared/schedule/model';
import { oneLine } from '../parts/inert-view';
import { Chip } from '../parts/state-chip';
import { At } from '../parts/texts';
import { untilText } from '../parts/time-view';
import { hrefOf } from '../route';
import { answersTo, ruleAsWritten, ruleWords, slotLook, taskLook } from './schedule-view';

export function TasksTable({
  tasks,
  chosen,
  nowMs,
}: {
  tasks: readonly TaskView[];
  chosen: number | undefined;
  nowMs: number;
}): ReactElement {
  const [zone, ...others] = new Set(tasks.map((task) => oneLine(task.zone, 64)));
  const shared = others.length === 0 ? zone : undefined;
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={t('lines.asTable')}>
      <table className="grid tasks-table">
        <thead>
          <tr>
            {(['task', 'state', 'when', 'next', 'last', 'answers', 'madeBy'] as const).map(
              (column) => (
                <th key={column} scope="col">
                  {t(`task.column.${column}`)}
                  {column === 'when' && shared !== undefined ? (
                    <span className="xs"> {shared}</span>
                  ) : null}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => {
            const look = taskLook(task.state);
            const written = ruleAsWritten(task);
            return (
              <tr key={task.id} className={task.id === chosen ? 'chosen' : undefined}>
                <th scope="row">
                  <a href={hrefOf({ kind: 'schedule', taskId: task.id })}>
                    {oneLine(task.name, 80)}
                  </a>
                </th>
                <td>
                  <Chip tone={look.tone} mark={look.mark}>
                    {look.label}
                  </Chip>
                </td>
                <td className="tasks-when">
                  {oneLine(ruleWords(task), 120)}
                  {written === undefined ? null : (
                    <span className="block mono t3">{oneLine(written, 80)}</span>
                  )}
                  {shared === undefined ? (
                    <span className="block t3">{oneLine(task.zone, 64)}</span>
                  ) : null}
                </td>
                <td className="nw">
                  {task.nextRunAtMs === undefined ? (
                    t('task.none')
                  ) : (
                    <>
                      <At atMs={task.nextRunAtMs} />
                      <span className="block t3">{untilText(task.nextRunAtMs, nowMs)}</span>
                    </>
                  )}
                </td>
                <td className="nw">
                  {task.lastRun === undefined ? (
                    t('task.none')
                  ) : (
                    <>
                      {slotLook(task.lastRun).label}
                      <span className="block t3">
                        <At atMs={task.lastRun.atMs} />
                      </span>
                    </>
                  )}
                </td>
                <td className="nw">{answersTo(task)}</td>
                <td className="nw">{t(task.madeBy === 'agent' ? 'task.theAgent' : 'task.you')}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
