/**
 * Shown above every page while a quit waits for steps: what it waits for, and both ways to end the
 * wait.
 */
import { Button } from '@mantine/core';
import { Power } from 'lucide-react';
import type { ReactElement } from 'react';
import { t } from '../shared/messages';
import { useCommand } from './bridge';
import { oneLine } from './parts/inert-view';
import { Elapsed, Inert, TroubleNote } from './parts/texts';
import { useStatus } from './status';

export function QuitNote(): ReactElement | null {
  const { status } = useStatus();
  const answer = useCommand('app.answerQuit');
  const steps = status?.quitsBehind;
  const oldest = steps?.toSorted((one, other) => one.startedAtMs - other.startedAtMs)[0];
  if (steps === undefined || oldest === undefined) return null;
  const name = oldest.hint === '' ? oldest.tool : oldest.hint;
  return (
    <section className="aligned flex-wrap quit-note tone-attention" aria-label={t('quit.label')}>
      <Power className="icon" />
      <div className="grow wrap">
        <span role="status">{t('quit.waits', { count: steps.length })}</span>{' '}
        <span className="nw">
          {name === '' ? null : (
            <>
              <Inert className="quit-step mono" title={oneLine(name)} text={oneLine(name)} />
              {', '}
            </>
          )}
          <Elapsed sinceMs={oldest.startedAtMs} />
        </span>
        <br />
        <span className="sm">{t('quit.about', { count: steps.length })}</span>
        <TroubleNote trouble={answer.trouble} />
      </div>
      <Button
        size="xs"
        disabled={answer.isBusy}
        onClick={() => void answer.run({ answer: 'keep_running' })}
      >
        {t('quit.keep')}
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={answer.isBusy}
        onClick={() => void answer.run({ answer: 'quit_now' })}
      >
        {t('quit.now')}
      </Button>
    </section>
  );
}
