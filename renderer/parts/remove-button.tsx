/** Removes one named thing after a question that says what is removed and what is kept. */
import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { TroubleNote } from './texts';

export function RemoveButton({
  verb,
  name,
  words,
  onRemoved,
}: {
  verb: 'agents.remove' | 'channels.remove' | 'gateway.revokeClient';
  name: string;
  words: {
    /** Absent: "Remove". */
    readonly button?: string;
    readonly label: string;
    readonly title: string;
    readonly goes: string;
    readonly stays: string;
    readonly confirm: string;
  };
  onRemoved: () => void;
}): ReactElement {
  const remove = useCommand(verb);
  const [isAsked, setAsked] = useState(false);
  const close = (): void => setAsked(false);
  return (
    <>
      <Button
        size="xs"
        className="destructive"
        aria-label={words.label}
        onClick={() => {
          remove.clear();
          setAsked(true);
        }}
      >
        {words.button ?? t('agent.remove')}
      </Button>
      <Modal
        opened={isAsked}
        onClose={close}
        title={words.title}
        closeButtonProps={{ 'aria-label': t('agent.keep') }}
      >
        <div className="stack">
          <p>{words.goes}</p>
          <p>{words.stays}</p>
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
            {words.confirm}
          </Button>
        </div>
      </Modal>
    </>
  );
}
