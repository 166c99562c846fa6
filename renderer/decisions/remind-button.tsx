/** Sets a reminder of open decisions; nothing here expires until then. */
import { Button, Menu } from '@mantine/core';
import { Bell, BellOff } from 'lucide-react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand, useVerb } from '../bridge';
import { clockText } from '../parts/time-view';
import { remindChoices } from './remind-view';

export function RemindButton({ onSaid }: { onSaid: (sentence: string) => void }): ReactElement {
  const info = useVerb('app.info', {});
  const remind = useCommand('app.remind');
  const atMs = info.data?.remindAtMs;
  const ask = async (afterMs?: number): Promise<void> => {
    const answer = await remind.run(afterMs === undefined ? {} : { afterMs });
    if (!answer.ok) {
      onSaid(t('remind.failed'));
      return;
    }
    const { remindAtMs } = answer.value;
    info.reload();
    onSaid(
      remindAtMs === undefined
        ? t('remind.takenBack')
        : t('remind.said', { time: clockText(remindAtMs, Date.now()) }),
    );
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<Bell className="icon small" aria-hidden="true" />}
          disabled={remind.isBusy}
        >
          {atMs === undefined
            ? t('remind.button')
            : t('remind.set', { time: clockText(atMs, Date.now()) })}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {remindChoices(Date.now()).map(({ label, afterMs }) => (
          <Menu.Item key={label} onClick={() => void ask(afterMs)}>
            {t(label)}
          </Menu.Item>
        ))}
        {atMs !== undefined && (
          <>
            <Menu.Divider />
            <Menu.Item
              leftSection={<BellOff className="icon small" aria-hidden="true" />}
              onClick={() => void ask()}
            >
              {t('remind.takeBack')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
