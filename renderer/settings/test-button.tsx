import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import type { VerbOutput } from '../../shared/contract';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { Inert, NoteLine, TroubleNote } from '../parts/texts';
import { durationText } from '../parts/time-view';

type Outcome = Pick<VerbOutput<'provider.test'>, 'ok' | 'message' | 'tookMs'>;

/** What a test said, and how long it took. */
export const TestOutcome = ({ outcome }: { outcome: Outcome }): ReactElement => (
  <NoteLine tone={outcome.ok ? 'ok' : 'attention'}>
    <Inert text={outcome.message} />{' '}
    <span className="nw">{t('test.took', { duration: durationText(outcome.tookMs) })}</span>
  </NoteLine>
);

/** Sends one small request and shows its result as text. */
export function TestButton({
  verb,
  name,
}: {
  verb: 'provider.test' | 'agents.test' | 'channels.test';
  name: string;
}): ReactElement {
  const test = useCommand(verb);
  const [said, setSaid] = useState<Outcome | undefined>();
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
          {said ? <TestOutcome outcome={said} /> : null}
        </div>
      ) : null}
    </>
  );
}
