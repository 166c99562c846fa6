/** Moves the conversation of a session to a terminal, and explains how to bring it back. */
import { Button } from '@mantine/core';
import { SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import type { VerbOutput } from '../../shared/contract';
import { t } from '../../shared/messages';
import { useCommand, useVerb } from '../bridge';
import { CommandLine, TroubleNote } from '../parts/texts';
import { takeBackCommand } from './session-aside-view';

export function OpenInTerminal({ sessionKey }: { sessionKey: string }): ReactElement {
  const handBack = useCommand('session.handBack');
  const info = useVerb('app.info', {});
  const [given, setGiven] = useState<VerbOutput<'session.handBack'> | undefined>(undefined);
  return (
    <section className="card quiet padded sm in-terminal" aria-label={t('session.terminal')}>
      <h2>{t('session.terminal')}</h2>
      {given === undefined ? (
        <>
          <p className="t2">{t('session.terminalAbout')}</p>
          <Button
            size="xs"
            data-size="xs"
            loading={handBack.isBusy}
            leftSection={<SquareTerminal className="icon small" aria-hidden="true" />}
            onClick={() => {
              void handBack.run({ session: sessionKey }).then((answer) => {
                if (answer.ok) setGiven(answer.value);
              });
            }}
          >
            {t('session.terminalOpen')}
          </Button>
          <TroubleNote trouble={handBack.trouble} />
        </>
      ) : (
        <div role="status" className="in-terminal">
          <p className="t2">{t('session.terminalRun')}</p>
          <CommandLine command={given.command} />
          <p className="t2">{t('session.terminalBack')}</p>
          {info.data === undefined ? null : (
            <CommandLine command={takeBackCommand(info.data.terminal, given)} />
          )}
        </div>
      )}
    </section>
  );
}
