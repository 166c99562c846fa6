/** Texts of decisions about scheduled runs that did not simply run on time. S0-23..S0-28. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { TaskView } from '../../shared/schedule/model';
import { oneLine } from '../parts/inert-view';
import { Chip } from '../parts/state-chip';
import { hrefOf } from '../route';
import { slotLook, slotSentence, slotShort } from './schedule-view';
import type { DecisionGroup } from './schedule-view';

/** More are shown on request. */
const SHOWN = 4;

export function Decisions({
  groups,
  tasks,
  chosen,
  hasRun,
}: {
  groups: readonly DecisionGroup[];
  tasks: readonly TaskView[];
  chosen: number | undefined;
  hasRun: boolean;
}): ReactElement {
  const [isAll, setAll] = useState(false);
  const nameOf = (id: number, ofSlot: string | undefined): string => {
    const name = tasks.find((task) => task.id === id)?.name ?? ofSlot;
    return name === undefined ? `#${String(id)}` : oneLine(name, 80);
  };
  return (
    <section className="card decided" aria-label={t('decided.title')}>
      {groups.length === 0 ? (
        <p className="schedule-none t2">{t(hasRun ? 'decided.none' : 'decided.nothing')}</p>
      ) : null}
      {groups.slice(0, isAll ? groups.length : SHOWN).map((group) => (
        <div
          key={`${String(group.atMs)} ${String(group.slots[0]?.taskId)}`}
          className="decided-group"
        >
          <h2 className="decided-title">
            {group.title}
            <span className="t2">{group.after}</span>
          </h2>
          <ul>
            {group.slots.map((slot) => {
              const look = slotLook(slot);
              const { taskId } = slot;
              return (
                <li
                  key={`${String(taskId)} ${String(slot.slotMs)}`}
                  className={taskId === chosen ? 'decided-row chosen' : 'decided-row'}
                >
                  <a className="m5 decided-name" href={hrefOf({ kind: 'schedule', taskId })}>
                    {nameOf(taskId, slot.name)}
                  </a>
                  <Chip tone={look.tone} mark={look.mark}>
                    {look.label}
                  </Chip>
                  <span className="t2 sm wrap" title={slotSentence(slot)}>
                    {slot.turnId === undefined ? (
                      slotShort(slot)
                    ) : (
                      <a
                        className="decided-turn"
                        href={hrefOf({ kind: 'turn', turnId: slot.turnId })}
                      >
                        {slotShort(slot)}
                      </a>
                    )}
                  </span>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
      {groups.length > SHOWN && !isAll ? (
        <p className="schedule-none">
          <Button size="xs" variant="subtle" onClick={() => setAll(true)}>
            {t('decided.more')}
          </Button>
        </p>
      ) : null}
    </section>
  );
}
