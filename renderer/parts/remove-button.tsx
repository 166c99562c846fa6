/** Removes one named thing after a question that says what is removed and what is kept. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { Question } from './question';

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
      <Question
        isOpen={isAsked}
        title={words.title}
        command={remove}
        keep={t('agent.keep')}
        closeLabel={t('agent.keep')}
        confirm={words.confirm}
        onConfirm={() => {
          void remove.run({ name }).then((answer) => {
            if (!answer.ok) return;
            close();
            onRemoved();
          });
        }}
        onClose={close}
      >
        <p>{words.goes}</p>
        <p>{words.stays}</p>
      </Question>
    </>
  );
}
