/** Removes a channel after a question that says what goes and what stays. */
import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { oneLine } from '../parts/inert-model';
import { TroubleNote } from '../parts/texts';

export function RemoveChannel({
  name,
  onRemoved,
}: {
  name: string;
  onRemoved: () => void;
}): ReactElement {
  const remove = useCommand('channels.remove');
  const [isAsked, setAsked] = useState(false);
  const shown = oneLine(name, 64);
  const close = (): void => setAsked(false);
  return (
    <>
      <Button
        size="xs"
        data-size="xs"
        className="destructive"
        aria-label={t('channelForm.removeOf', { name: shown })}
        onClick={() => {
          remove.clear();
          setAsked(true);
        }}
      >
        {t('agent.remove')}
      </Button>
      <Modal
        opened={isAsked}
        onClose={close}
        title={t('channelForm.removeTitle', { name: shown })}
        closeButtonProps={{ 'aria-label': t('agent.keep') }}
      >
        <div className="stack">
          <p>{t('channelForm.removeGoes')}</p>
          <p>{t('channelForm.removeStays')}</p>
          <TroubleNote trouble={remove.trouble} />
        </div>
        <div className="dialog-actions">
          <Button data-autofocus onClick={close}>
            {t('agent.keep')}
          </Button>
          <Button
            className="destructive"
            loading={remove.isBusy}
            onClick={() => {
              void remove.run({ name }).then((answer) => {
                if (!answer.ok) return;
                close();
                onRemoved();
              });
            }}
          >
            {t('channelForm.removeConfirm')}
          </Button>
        </div>
      </Modal>
    </>
  );
}
