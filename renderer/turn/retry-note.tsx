/** A turn that waits for a retry: when, how often it failed, and how to retry now. S3-15. */
import { Button } from '@mantine/core';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { TurnSummary } from '../../shared/types';
import { useCommand } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { Countdown, Inert, TroubleNote } from '../parts/texts';

export function RetryNow({ turnId, name }: { turnId: number; name: string }): ReactElement {
  const retry = useCommand('turns.retryNow');
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button
        size="xs"
        loading={retry.isBusy}
        disabled={isAsked}
        aria-label={t('retry.nowFor', { name: oneLine(name, 80) })}
        leftSection={<RefreshCw className="icon small" />}
        onClick={() => {
          void retry.run({ turnId }).then((answer) => setAsked(answer.ok));
        }}
      >
        {t(isAsked ? 'retry.asked' : 'retry.now')}
      </Button>
      <TroubleNote trouble={retry.trouble} />
    </>
  );
}

/** Absent if there is no automatic retry. */
export function RetryNote({
  turn,
}: {
  turn: Pick<TurnSummary, 'id' | 'promptStart' | 'retry'>;
}): ReactElement | null {
  const { retry } = turn;
  if (retry?.dueAtMs === undefined) return null;
  return (
    <div className="card padded aligned flex-wrap retry-note">
      <div className="grow">
        <p>
          <span className="m5">{t('retry.waits')}</span> {t('retry.next')}{' '}
          <Countdown untilMs={retry.dueAtMs} />, {t('retry.streak', { count: retry.streak })}.
        </p>
        {retry.lastError === '' ? null : (
          <Inert as="p" className="sm t2 wrap" text={retry.lastError} />
        )}
      </div>
      {/* Each try gets a new button: a press on the old one was meant for the try before. */}
      <RetryNow key={retry.dueAtMs} turnId={turn.id} name={turn.promptStart} />
    </div>
  );
}
