/** Checks whether a provider responds, and shows the result. */
import { Button } from '@mantine/core';
import { Check, RefreshCw, X } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { VerbOutput } from '../../shared/contract';
import { useCommand } from '../bridge';
import type { Command } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { Inert, NoteLine, TroubleNote } from '../parts/texts';
import { durationText } from '../parts/time-view';
import { titleOf } from './outages-view';

interface Try {
  readonly command: Command<'outage.probe'>;
  readonly outcome: VerbOutput<'outage.probe'> | undefined;
  readonly run: () => void;
}

/** One try at a time; its result stays until the next. */
export function useTry(provider: string): Try {
  const command = useCommand('outage.probe');
  const [tried, setTried] = useState<VerbOutput<'outage.probe'>>();
  return {
    command,
    outcome: tried?.health.provider === provider ? tried : undefined,
    run: () => {
      void command.run({ provider }).then((answer) => {
        setTried(answer.ok ? answer.value : undefined);
      });
    },
  };
}

export function TryButton({
  attempt,
  provider,
  size = 'sm',
  variant = 'default',
}: {
  attempt: Try;
  provider: string;
  size?: 'xs' | 'sm';
  variant?: 'default' | 'filled';
}): ReactElement {
  return (
    <Button
      size={size}
      variant={variant}
      loading={attempt.command.isBusy}
      leftSection={<RefreshCw className="icon small" />}
      aria-label={t('outages.tryNowOf', { name: titleOf(provider) })}
      onClick={attempt.run}
    >
      {t('outages.tryNow')}
    </Button>
  );
}

export function TryOutcome({ attempt }: { attempt: Try }): ReactElement | null {
  const { outcome, command } = attempt;
  if (command.trouble) return <TroubleNote trouble={command.trouble} />;
  if (outcome === undefined) return null;
  const name = titleOf(outcome.health.provider);
  const Drawing = outcome.ok ? Check : X;
  return (
    <NoteLine
      tone={outcome.ok ? 'ok' : 'outage'}
      role="status"
      mark={<Drawing className="icon small" aria-hidden="true" />}
    >
      {outcome.ok ? (
        t('outages.tried.ok', { name, duration: durationText(outcome.durationMs) })
      ) : outcome.error === undefined ? (
        t('outages.tried.noReason', { name })
      ) : (
        <Inert
          text={t('outages.tried.no', {
            name,
            text: oneLine(outcome.error, 300).replace(/\.?$/, '.'),
          })}
        />
      )}
    </NoteLine>
  );
}
