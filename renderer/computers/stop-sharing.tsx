/** Stops sharing work, after a confirmation. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { Question } from '../parts/question';

export function StopSharing({ onDone }: { onDone: () => void }): ReactElement {
  const leave = useCommand('share.leave');
  const [isAsked, setAsked] = useState(false);
  const close = (): void => setAsked(false);
  return (
    <>
      <Button size="xs" className="destructive" onClick={() => setAsked(true)}>
        {t('computers.leave')}
      </Button>
      <Question
        isOpen={isAsked}
        title={t('computers.leave')}
        command={leave}
        confirm={t('computers.leave')}
        onConfirm={() =>
          void leave.run({}).then((answer) => {
            if (!answer.ok) return;
            close();
            onDone();
          })
        }
        onClose={close}
      >
        <p>{t('computers.leave.about')}</p>
      </Question>
    </>
  );
}
