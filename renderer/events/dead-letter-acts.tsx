/** Resends dead letters, and deletes them after confirmation. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { VerbInput } from '../../shared/contract';
import { useCommand } from '../bridge';
import type { Command } from '../bridge';
import { Question } from '../parts/question';
import { toast } from '../toasts/toasts';

/** The letters to delete, and the number of events in them. */
export interface PurgeTarget {
  readonly input: VerbInput<'dlq.purge'>;
  readonly count: number;
}

export function useReplay(): {
  readonly command: Command<'dlq.replay'>;
  readonly run: (input: VerbInput<'dlq.replay'>) => void;
} {
  const command = useCommand('dlq.replay');
  return {
    command,
    run: (input) => {
      void command.run(input).then((answer) => {
        if (answer.ok) {
          const message = t('delivery.said.replayed', { count: answer.value.replayed });
          toast({ message, tone: 'kept' });
        }
      });
    },
  };
}

/** Deleting cannot be undone, so none of the question's buttons is filled. */
export function PurgeQuestion({
  asked,
  onClose,
}: {
  asked: PurgeTarget;
  onClose: () => void;
}): ReactElement {
  const purge = useCommand('dlq.purge');
  return (
    <Question
      title={t('delivery.purge.title', { count: asked.count })}
      command={purge}
      confirm={t('delivery.purge.confirm', { count: asked.count })}
      onConfirm={() => {
        void purge.run(asked.input).then((answer) => {
          if (!answer.ok) return;
          const message = t('delivery.said.purged', { count: answer.value.purged });
          toast({ message, tone: 'muted' });
          onClose();
        });
      }}
      onClose={onClose}
    >
      <p>{t('delivery.purge.about', { count: asked.count })}</p>
    </Question>
  );
}
