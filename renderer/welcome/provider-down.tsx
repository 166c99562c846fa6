/** The outage in half a minute: the practice provider plays one that cannot be reached. */
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { useNow } from '../clock';
import { OpenSwitch } from '../parts/icons';
import { Countdown, TroubleNote } from '../parts/texts';

const SECONDS = 30;

/** A card beside the others; while it is down it says how long still. */
export function ProviderDownCard(): ReactElement {
  const down = useCommand('practice.providerDown');
  const [untilMs, setUntilMs] = useState<number>();
  const nowMs = useNow('second');
  const isDown = untilMs !== undefined && untilMs > nowMs;
  return (
    <>
      <button
        type="button"
        className="practice-card"
        disabled={isDown || down.isBusy}
        aria-labelledby="down-name"
        aria-describedby="down-about"
        onClick={() => {
          void down.run({ seconds: SECONDS }).then((answer) => {
            if (answer.ok) setUntilMs(answer.value.untilMs);
          });
        }}
      >
        <span className="tile tone-outage">
          <OpenSwitch className="icon" />
        </span>
        <span className="grow">
          <span className="m5 block" id="down-name">
            {t('try.down', { count: SECONDS })}
          </span>
          <span className="sm t3 block" id="down-about">
            {isDown ? (
              <>
                {t('try.downUntil')} <Countdown untilMs={untilMs} />
              </>
            ) : (
              t('try.downAbout')
            )}
          </span>
        </span>
      </button>
      <TroubleNote trouble={down.trouble} />
    </>
  );
}
