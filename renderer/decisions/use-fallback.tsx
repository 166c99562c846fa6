/** Waiting turns of an agent continue with another model or agent. FB-02 */
import { Button } from '@mantine/core';
import { ArrowRightLeft } from 'lucide-react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { InboxItem } from '../../shared/types';
import { useCommand } from '../bridge';
import { TroubleNote } from '../parts/texts';

export function UseFallback({
  fallback: { agent, to },
  onDone,
}: {
  fallback: NonNullable<InboxItem['fallback']>;
  onDone: () => void;
}): ReactElement {
  const use = useCommand('outage.fallback');
  return (
    <>
      <TroubleNote trouble={use.trouble} />
      <Button
        loading={use.isBusy}
        leftSection={<ArrowRightLeft className="icon small" />}
        onClick={() => {
          void use.run({ agent }).then((answer) => {
            if (answer.ok) onDone();
          });
        }}
      >
        {t('decisions.useFallback', { name: to })}
      </Button>
    </>
  );
}
