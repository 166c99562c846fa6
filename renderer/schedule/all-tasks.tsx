/** Pauses or resumes all tasks at once. */
import { Button } from '@mantine/core';
import { Pause, Play } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { StatusSnapshot } from '../../shared/types';
import { useCommand } from '../bridge';
import { NoteLine, TroubleNote } from '../parts/texts';

/** The buttons and the result of the last press. */
export function useAllTasks(outlook: StatusSnapshot['schedule']): {
  readonly buttons: ReactElement;
  readonly note: ReactElement;
} {
  const pause = useCommand('tasks.pauseAll');
  const resume = useCommand('tasks.resumeAll');
  const [told, setTold] = useState<string | undefined>(undefined);
  const onPause = async (): Promise<void> => {
    const answer = await pause.run({});
    setTold(answer.ok ? t('schedule.pausedAll', { count: answer.value.changed }) : undefined);
  };
  const onResume = async (): Promise<void> => {
    const answer = await resume.run({});
    setTold(answer.ok ? resumedText(answer.value) : undefined);
  };
  return {
    buttons: (
      <>
        {(outlook?.paused ?? 0) > 0 ? (
          <Button
            loading={resume.isBusy}
            leftSection={<Play className="icon small" />}
            onClick={() => void onResume()}
          >
            {t('schedule.resumeAll')}
          </Button>
        ) : null}
        {(outlook?.active ?? 0) > 0 ? (
          <Button
            loading={pause.isBusy}
            leftSection={<Pause className="icon small" />}
            onClick={() => void onPause()}
          >
            {t('schedule.pauseAll')}
          </Button>
        ) : null}
      </>
    ),
    note: (
      <>
        <TroubleNote trouble={pause.trouble ?? resume.trouble} />
        {told === undefined ? null : (
          <NoteLine tone="ok" role="status">
            {told}
          </NoteLine>
        )}
      </>
    ),
  };
}

const resumedText = ({ changed, missed }: { changed: number; missed: number }): string =>
  [
    t('schedule.resumedAll', { count: changed }),
    ...(missed > 0 ? [t('schedule.resumedMissed', { count: missed })] : []),
  ].join(' ');
