/** The user's options for one turn that waits for a usage limit or a provider. LM-10 */
import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { HeldItem } from '../../shared/types/outage';
import { useCommand } from '../bridge';
import { StopButton } from '../parts/stop-button';
import { TroubleNote } from '../parts/texts';
import { titleOfItem } from './queue-view';

/**
 * Continue now, do not continue automatically, cancel. A turn that already checks the provider can
 * only be canceled.
 */
export function HeldActs({ item }: { item: HeldItem }): ReactElement {
  const now = useCommand('outage.now');
  const hold = useCommand('outage.hold');
  const { turnId, isCanary } = item;
  const title = titleOfItem(item);
  return (
    <>
      <Button
        size="xs"
        disabled={isCanary}
        loading={now.isBusy}
        aria-label={t('queue.nowOf', { title })}
        onClick={() => void now.run({ turnId })}
      >
        {t('queue.now')}
      </Button>
      <Button
        size="xs"
        disabled={isCanary}
        loading={hold.isBusy}
        aria-label={t('queue.holdOf', { title })}
        title={t('queue.hold')}
        onClick={() => void hold.run({ turnId })}
      >
        {t('queue.holdShort')}
      </Button>
      <StopButton turnId={turnId} name={item.promptStart} />
      <TroubleNote trouble={now.trouble ?? hold.trouble} />
    </>
  );
}
