import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { Inert, NoteLine, TroubleNote } from '../parts/texts';
import { durationText } from '../parts/time-view';

/** Sends one small request and shows its result as text. */
export function TestButton({
  verb,
  name,
}: {
  verb: 'provider.test' | 'agents.test' | 'channels.test';
  name: string;
}): ReactElement {
  const test = useCommand(verb);
  const [said, setSaid] = useState<{ ok: boolean; message: string; tookMs: number } | undefined>();
  return (
    <>
      <Button
        size="xs"
        loading={test.isBusy}
        aria-label={t('test.of', { name })}
        onClick={() => {
          setSaid(undefined);
          void test.run({ name }).then((answer) => {
            if (answer.ok) setSaid(answer.value);
          });
        }}
      >
        {t('test.short')}
      </Button>
      {said || test.trouble ? (
        <div className="test-outcome" role="status">
          <TroubleNote trouble={test.trouble} />
          {said ? (
            <NoteLine tone={said.ok ? 'ok' : 'attention'}>
              <Inert text={said.message} />{' '}
              <span className="nw">{t('test.took', { duration: durationText(said.tookMs) })}</span>
            </NoteLine>
          ) : null}
        </div>
      ) : null}
    </>
  );
}
