import { Button } from '@mantine/core';
import { Square } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { oneLine } from './inert-view';
import { TroubleNote } from './texts';

/** Cancels a turn permanently. Shown wherever something runs. */
export function StopButton({
  turnId,
  name,
  size = 'xs',
  label = t('stop.short'),
}: {
  turnId: number;
  name: string;
  size?: 'xs' | 'sm';
  label?: string;
}): ReactElement {
  const cancel = useCommand('turns.cancel');
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button
        size={size}
        loading={cancel.isBusy}
        disabled={isAsked}
        aria-label={t('stop.thisTurn', { name: oneLine(name, 80) })}
        leftSection={<Square className="icon small filled" />}
        onClick={() => {
          void cancel.run({ turnId }).then((answer) => setAsked(answer.ok));
        }}
      >
        {isAsked ? t('stop.asked') : label}
      </Button>
      <TroubleNote trouble={cancel.trouble} />
    </>
  );
}
