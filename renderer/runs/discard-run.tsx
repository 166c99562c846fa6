/**
 * Ends a run and the runs it started. First it shows what that would end; the answer applies to
 * exactly that. S4-28.
 */
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { RunDiscardPreview, RunView } from '../../shared/types';
import { useCommand } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { Question } from '../parts/question';
import { TroubleNote } from '../parts/texts';

export function DiscardRun({ run, onDone }: { run: RunView; onDone: () => void }): ReactElement {
  const ask = useCommand('runs.discard');
  const discard = useCommand('runs.discard');
  const [preview, setPreview] = useState<RunDiscardPreview | undefined>(undefined);
  const look = async (): Promise<void> => {
    discard.clear();
    const answer = await ask.run({ runId: run.id });
    if (answer.ok) setPreview(answer.value.preview);
  };
  const confirm = async (requestHash: string): Promise<void> => {
    const answer = await discard.run({ runId: run.id, requestHash });
    if (answer.ok && answer.value.isDone) {
      setPreview(undefined);
      onDone();
      return;
    }
    // The run has changed since, so the question is shown again with its current state.
    const anew = await ask.run({ runId: run.id });
    if (anew.ok) setPreview(anew.value.preview);
  };
  return (
    <>
      <Button size="sm" className="ink-outage" loading={ask.isBusy} onClick={() => void look()}>
        {t('runs.discard')}
      </Button>
      <TroubleNote trouble={preview === undefined ? ask.trouble : undefined} />
      <Question
        isOpen={preview !== undefined}
        title={t('runs.discardTitle')}
        command={discard}
        keep={t('runs.keep')}
        closeLabel={t('runs.keep')}
        confirm={t('runs.discard')}
        look={{ className: 'ink-outage' }}
        onConfirm={() => {
          if (preview !== undefined) void confirm(preview.requestHash);
        }}
        onClose={() => setPreview(undefined)}
      >
        {preview === undefined ? null : <Ending preview={preview} />}
      </Question>
    </>
  );
}

function Ending({ preview }: { preview: RunDiscardPreview }): ReactElement {
  const { openSteps } = preview;
  return (
    <div className="stack run-ending">
      <div>
        <p>{t('runs.discardEnds')}</p>
        <ul>
          {preview.runs.map((one) => (
            <li key={one.runId}>
              {t('runs.discardLine', {
                id: one.runId,
                name: oneLine(one.skill, 64),
                text: oneLine(one.phase, 64),
              })}
            </li>
          ))}
        </ul>
      </div>
      <p>
        {t(preview.endsTurn ? 'runs.discardTurn' : 'runs.discardCaller', { id: preview.turnId })}
      </p>
      {openSteps.length === 0 ? null : (
        <p className="ink-ambiguous">
          {t('runs.discardOpen', { count: openSteps.length, text: openSteps.join(', ') })}
        </p>
      )}
      <p className="t2">{t('runs.discardFiles')}</p>
    </div>
  );
}
