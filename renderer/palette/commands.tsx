/**
 * The palette and what its rows open: the question before Stop all, the doctor's report, and the
 * keyboard map. Loaded on first use.
 */
import { Modal } from '@mantine/core';
import { Square } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { Answer } from '../../shared/contract';
import { callVerb, useBridge, useCommand, useVerb } from '../bridge';
import { HelpDialog } from '../keys/help-dialog';
import { DoctorChecks, DoctorVerdict } from '../parts/doctor-report';
import { oneLine } from '../parts/inert-view';
import { Question } from '../parts/question';
import { TroubleNote } from '../parts/texts';
import { troubleText } from '../parts/trouble-view';
import { goTo } from '../route';
import { setSearchForm } from '../search/search-form';
import { EMPTY_FORM } from '../search/search-view';
import { useStatus } from '../status';
import { sayPaused } from '../toasts/said';
import { toast } from '../toasts/toasts';
import { Palette } from './palette';
import { stoppable } from './palette-view';
import type { PaletteAct } from './palette-item';

export type Overlay = 'none' | 'palette' | 'keys';

const say = (message: string): void => toast({ message, tone: 'kept' });
const sayTrouble = (answer: Extract<Answer<unknown>, { ok: false }>): void => {
  const { sentence, detail = '', next } = troubleText(answer);
  toast({
    title: oneLine(sentence, 200),
    message: [oneLine(detail, 300), oneLine(next, 300), answer.code]
      .filter((part) => part !== '')
      .join(' '),
    tone: 'outage',
  });
};

export function Commands({
  overlay,
  onOverlay,
}: {
  overlay: Overlay;
  onOverlay: (overlay: Overlay) => void;
}): ReactElement {
  const bridge = useBridge();
  const { status } = useStatus();
  const [isAskingStop, setAskingStop] = useState(false);
  const [isChecking, setChecking] = useState(false);

  const act = async (given: PaletteAct): Promise<void> => {
    switch (given.kind) {
      case 'go':
        goTo(given.route);
        return;
      case 'searchHosts':
        setSearchForm({ ...EMPTY_FORM, words: given.words });
        goTo({ kind: 'search' });
        return;
      case 'keys':
        onOverlay('keys');
        return;
      case 'confirmStopAll':
        setAskingStop(true);
        return;
      case 'doctor':
        setChecking(true);
        return;
      case 'pause': {
        const { forMs } = given;
        const answer = await callVerb(bridge, 'intake.pause', forMs === undefined ? {} : { forMs });
        if (answer.ok) sayPaused(bridge, answer.value);
        else sayTrouble(answer);
        return;
      }
      case 'resume': {
        const answer = await callVerb(bridge, 'intake.resume', {});
        if (answer.ok) say(t('said.resumed'));
        else sayTrouble(answer);
        return;
      }
      case 'settings': {
        const answer = await callVerb(
          bridge,
          'app.openSettings',
          given.at === undefined ? {} : { at: given.at },
        );
        if (!answer.ok) sayTrouble(answer);
        return;
      }
      case 'folder': {
        const answer = await callVerb(bridge, 'app.openFolder', { which: given.which });
        if (!answer.ok) sayTrouble(answer);
        return;
      }
      case 'testNotification': {
        const answer = await callVerb(bridge, 'app.testNotification', {});
        if (answer.ok) say(t('said.notification', { outcome: oneLine(answer.value.outcome, 100) }));
        else sayTrouble(answer);
        return;
      }
      case 'startSession': {
        const answer = await callVerb(bridge, 'session.create', { agent: given.agent });
        if (answer.ok) goTo({ kind: 'sessions', sessionId: answer.value.id });
        else sayTrouble(answer);
      }
    }
  };

  return (
    <>
      <Palette
        isOpen={overlay === 'palette'}
        onClose={() => onOverlay('none')}
        onAct={(given) => void act(given)}
      />
      <HelpDialog isOpen={overlay === 'keys'} onClose={() => onOverlay('none')} />
      <StopAllQuestion
        isOpen={isAskingStop}
        open={stoppable(status)}
        onClose={() => setAskingStop(false)}
      />
      <CheckDialog isOpen={isChecking} onClose={() => setChecking(false)} />
    </>
  );
}

/** The confirmation before all turns are stopped. */
function StopAllQuestion({
  isOpen,
  open,
  onClose,
}: {
  isOpen: boolean;
  open: number;
  onClose: () => void;
}): ReactElement {
  const stop = useCommand('turns.cancelAll');
  return (
    <Question
      isOpen={isOpen}
      title={t('stopAll.title', { count: open })}
      command={stop}
      confirm={t('stopAll.confirm', { count: open })}
      look={{ leftSection: <Square className="icon small filled" /> }}
      onConfirm={() => {
        void stop.run({}).then((answer) => {
          if (!answer.ok) return;
          onClose();
          say(t('said.stopped', { count: answer.value.cancelled.length }));
        });
      }}
      onClose={onClose}
    >
      <p>{t('stopAll.about', { count: open })}</p>
    </Question>
  );
}

/** Runs all checks each time it is opened. */
function CheckDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactElement {
  const check = useVerb('doctor.run', isOpen ? { full: false } : undefined);
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('doctor.title')}
      size={640}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <TroubleNote trouble={check.trouble} />
      <div role="status">
        {check.isLoading ? <p className="t2">{t('do.busy')}</p> : null}
        {check.data ? (
          <>
            <DoctorVerdict report={check.data} />
            <DoctorChecks report={check.data} />
          </>
        ) : null}
      </div>
    </Modal>
  );
}
