/** Creates an invitation for another computer, on the computer that set up the store. */
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ShareStatus } from '../../shared/types/share';
import { useCommand } from '../bridge';
import { CommandLine, SectionHead, TroubleNote } from '../parts/texts';
import { fullTimeText } from '../parts/time-view';
import { isReachedAlone } from './computers-view';

export function InviteComputer({
  status,
  onDone,
}: {
  status: ShareStatus;
  onDone: () => void;
}): ReactElement | null {
  const invite = useCommand('share.invite');
  const [name, setName] = useState('');
  const [made, setMade] = useState<{ invitation: string; expiresAtMs: number } | undefined>();
  if (!status.isOwner || status.state !== 'connected') return null;
  return (
    <section aria-label={t('computers.invite')}>
      <SectionHead title={t('computers.invite')} />
      {isReachedAlone(status) ? (
        <p className="sm t2 computers-limits">{t('computers.invite.alone')}</p>
      ) : (
        <form
          className="card padded stack computers-form"
          onSubmit={(event) => {
            event.preventDefault();
            setMade(undefined);
            void invite.run({ name: name.trim() }).then((answer) => {
              if (answer.ok) setMade(answer.value);
              onDone();
            });
          }}
        >
          <TextInput
            label={t('computers.invite.name')}
            placeholder="desk-2"
            maxLength={64}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <div>
            <Button type="submit" disabled={name.trim() === ''} loading={invite.isBusy}>
              {t('computers.invite.do')}
            </Button>
          </div>
          <TroubleNote trouble={invite.trouble} />
          {made === undefined ? null : (
            <div className="stack computers-form" role="status">
              <p className="sm t2">
                {t('computers.invite.made', { text: fullTimeText(made.expiresAtMs) })}
              </p>
              <CommandLine command={made.invitation} />
            </div>
          )}
        </form>
      )}
    </section>
  );
}
