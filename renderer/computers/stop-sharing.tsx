/** Stops sharing work, after a confirmation. */
import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { TroubleNote } from '../parts/texts';

export function StopSharing({ onDone }: { onDone: () => void }): ReactElement {
  const leave = useCommand('share.leave');
  const [isAsked, setAsked] = useState(false);
  const close = (): void => setAsked(false);
  return (
    <>
      <Button size="xs" className="destructive" onClick={() => setAsked(true)}>
        {t('computers.leave')}
      </Button>
      <Modal
        opened={isAsked}
        onClose={close}
        title={t('computers.leave')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <p>{t('computers.leave.about')}</p>
        <TroubleNote trouble={leave.trouble} />
        <div className="dialog-actions">
          <Button data-autofocus onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button
            className="destructive"
            loading={leave.isBusy}
            onClick={() =>
              void leave.run({}).then((answer) => {
                if (!answer.ok) return;
                close();
                onDone();
              })
            }
          >
            {t('computers.leave')}
          </Button>
        </div>
      </Modal>
    </>
  );
}
