/** An outage in half a minute: the practice provider pretends to be unreachable. */
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { useNow } from '../clock';
import { OpenSwitch } from '../parts/icons';
import { Countdown, TroubleNote } from '../parts/texts';
import { PracticeCard } from './practice-card';

const SECONDS = 30;

/** A card next to the others; while the provider is down it shows the remaining time. */
export function ProviderDownCard(): ReactElement {
  const down = useCommand('practice.providerDown');
  const [untilMs, setUntilMs] = useState<number>();
  const nowMs = useNow('second');
  const isDown = untilMs !== undefined && untilMs > nowMs;
  return (
    <>
      <PracticeCard
        name="down"
        tone="outage"
        icon={<OpenSwitch className="icon" />}
        title={t('try.down', { count: SECONDS })}
        about={
          isDown ? (
            <>
              {t('try.downUntil')} <Countdown untilMs={untilMs} />
            </>
          ) : (
            t('try.downAbout')
          )
        }
        isOff={isDown || down.isBusy}
        onPress={() => {
          void down.run({ seconds: SECONDS }).then((answer) => {
            if (answer.ok) setUntilMs(answer.value.untilMs);
          });
        }}
      />
      <TroubleNote trouble={down.trouble} />
    </>
  );
}
