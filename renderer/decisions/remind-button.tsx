/** Sets a reminder of open decisions; nothing here expires until then. */
import { Button, Menu } from '@mantine/core';
import { Bell, BellOff } from 'lucide-react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand, useVerb } from '../bridge';
import { clockText } from '../parts/time-view';

/** Times at which the user can be reminded of open decisions. Pure. */
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** "Tomorrow" is offered only while tomorrow is not close. */
const MORNING_HOUR = 9;

interface RemindChoice {
  readonly label: 'remind.quarter' | 'remind.hour' | 'remind.threeHours' | 'remind.tomorrow';
  readonly afterMs: number;
}

/** A quarter of an hour, an hour, three hours, and nine in the morning of the next day. */
function remindChoices(nowMs: number): readonly RemindChoice[] {
  const morning = new Date(nowMs);
  morning.setDate(morning.getDate() + 1);
  morning.setHours(MORNING_HOUR, 0, 0, 0);
  return [
    { label: 'remind.quarter', afterMs: 15 * MINUTE_MS },
    { label: 'remind.hour', afterMs: HOUR_MS },
    { label: 'remind.threeHours', afterMs: 3 * HOUR_MS },
    { label: 'remind.tomorrow', afterMs: morning.getTime() - nowMs },
  ];
}

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
          leftSection={<Bell className="icon small" />}
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
            <Menu.Item leftSection={<BellOff className="icon small" />} onClick={() => void ask()}>
              {t('remind.takeBack')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
