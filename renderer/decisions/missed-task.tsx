/** A task that was to run once and was missed: run it now, or look at it. R11. */
import { Button } from '@mantine/core';
import { Play } from 'lucide-react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { TroubleNote } from '../parts/texts';
import { goTo, hrefOf } from '../route';

export function MissedTask({ taskId, isOpen }: { taskId: number; isOpen: boolean }): ReactElement {
  const run = useCommand('tasks.run');
  return (
    <>
      <TroubleNote trouble={run.trouble} />
      {isOpen ? (
        <Button
          loading={run.isBusy}
          leftSection={<Play className="icon small filled" aria-hidden="true" />}
          onClick={() => {
            void run.run({ taskId }).then((answer) => {
              if (answer.ok) goTo({ kind: 'turn', turnId: answer.value.turnId });
            });
          }}
        >
          {t('decisions.runTask')}
        </Button>
      ) : null}
      <Button component="a" href={hrefOf({ kind: 'schedule', taskId })}>
        {t('decisions.openTask')}
      </Button>
    </>
  );
}
