import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { Inert, TroubleNote } from './texts';

/** Shows one test notification and reports its outcome. */
export function NotificationTest(): ReactElement {
  const test = useCommand('app.testNotification');
  const [outcome, setOutcome] = useState<string | undefined>(undefined);
  return (
    <div className="notification-test">
      <span className="t2 sm" role="status">
        {outcome === undefined ? null : <Inert text={t('notifications.outcome', { outcome })} />}
      </span>
      <Button
        size="xs"
        loading={test.isBusy}
        onClick={() => {
          setOutcome(undefined);
          void test.run({}).then((answer) => {
            if (answer.ok) setOutcome(answer.value.outcome);
          });
        }}
      >
        {t('notifications.test')}
      </Button>
      <TroubleNote trouble={test.trouble} />
    </div>
  );
}
