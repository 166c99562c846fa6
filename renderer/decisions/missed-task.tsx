/** A missed one-time task or timer: run it now, or view it. R11. */
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
        <RunNow
          isBusy={run.isBusy}
          onRun={() => {
            void run.run({ taskId }).then((answer) => {
              if (answer.ok) goTo({ kind: 'turn', turnId: answer.value.turnId });
            });
          }}
        />
      ) : null}
      <Button component="a" href={hrefOf({ kind: 'schedule', taskId })}>
        {t('decisions.openTask')}
      </Button>
    </>
  );
}

export function MissedTimer({
  sessionId,
  timerId,
}: {
  sessionId: number;
  timerId: string;
}): ReactElement {
  const run = useCommand('timers.run');
  return (
    <>
      <TroubleNote trouble={run.trouble} />
      <RunNow
        isBusy={run.isBusy}
        onRun={() => {
          void run.run({ session: String(sessionId), id: timerId }).then((answer) => {
            if (answer.ok) goTo({ kind: 'turn', turnId: answer.value.turnId });
          });
        }}
      />
    </>
  );
}

function RunNow({ isBusy, onRun }: { isBusy: boolean; onRun: () => void }): ReactElement {
  return (
    <Button loading={isBusy} leftSection={<Play className="icon small filled" />} onClick={onRun}>
      {t('decisions.runTask')}
    </Button>
  );
}
