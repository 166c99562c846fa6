/** Upcoming tasks: at most four, each linked to its task. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { oneLine } from '../parts/inert-view';
import { At, SectionHead } from '../parts/texts';
import { hrefOf } from '../route';
import { useStatus } from '../status';

export function NextTasks(): ReactElement | null {
  const { status } = useStatus();
  const next = status?.schedule?.next ?? [];
  if (next.length === 0) return null;
  return (
    <section aria-label={t('home.next')}>
      <SectionHead title={t('home.next')}>
        <a className="end sm" href={hrefOf({ kind: 'schedule' })}>
          {t('home.next.all')}
        </a>
      </SectionHead>
      <ul className="card rows home-next">
        {next.map((task) => (
          <li key={task.taskId} className="row">
            <strong className="m5 nw">
              <At atMs={task.atMs} />
            </strong>
            <a
              className="row-link ellipsis grow"
              href={hrefOf({ kind: 'schedule', taskId: task.taskId })}
              title={oneLine(task.name, 120)}
            >
              {oneLine(task.name, 80)}
            </a>
            {task.isOnce ? <span className="t3 sm">{t('home.next.once')}</span> : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
