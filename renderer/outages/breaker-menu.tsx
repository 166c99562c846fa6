/**
 * Opens or closes a breaker manually, after a question that explains the effect on queued turns.
 */
import { ActionIcon, Menu } from '@mantine/core';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import type { BreakerView } from '../../shared/types/outage';
import { useCommand } from '../bridge';
import { Question } from '../parts/question';
import { durationText } from '../parts/time-view';

type Act = 'trip' | 'reset';

export function BreakerMenu({
  breaker,
  name,
  size = 26,
  children,
}: {
  breaker: BreakerView;
  name: string;
  size?: number;
  /** Additional menu items below those of the breaker. */
  children?: ReactNode;
}): ReactElement {
  const [asked, setAsked] = useState<Act | undefined>(undefined);
  return (
    <>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon
            variant={size > 26 ? 'default' : 'subtle'}
            size={size}
            aria-label={size > 26 ? t('outages.more', { name }) : t('connections.more', { name })}
          >
            <Ellipsis className="icon" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item disabled={breaker.state === 'open'} onClick={() => setAsked('trip')}>
            {t('breaker.trip')}
          </Menu.Item>
          <Menu.Item
            disabled={breaker.state === 'closed' && breaker.failures === 0}
            onClick={() => setAsked('reset')}
          >
            {t('breaker.reset')}
          </Menu.Item>
          {children}
        </Menu.Dropdown>
      </Menu>
      {asked === undefined ? null : (
        <Ask act={asked} breaker={breaker} name={name} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

function Ask({
  act,
  breaker,
  name,
  onClose,
}: {
  act: Act;
  breaker: BreakerView;
  name: string;
  onClose: () => void;
}): ReactElement {
  const trip = useCommand('breakers.trip');
  const reset = useCommand('breakers.reset');
  const command = act === 'trip' ? trip : reset;
  return (
    <Question
      title={t(`breaker.${act}.title`, { name })}
      command={command}
      confirm={t(`breaker.${act}.confirm`)}
      look={{}}
      onConfirm={() => {
        void command.run({ name: breaker.name }).then((answer) => {
          if (answer.ok) onClose();
        });
      }}
      onClose={onClose}
    >
      <p>
        {act === 'trip'
          ? t('breaker.trip.about', {
              name,
              duration: durationText(breaker.backoffMs),
              count: breaker.successThreshold,
            })
          : t('breaker.reset.about', { name, count: breaker.failureThreshold })}
      </p>
    </Question>
  );
}
