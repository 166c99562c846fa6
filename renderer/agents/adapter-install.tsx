/** Installs the adapter of a found agent: the command is shown, and runs on request. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { DetectedAgent } from '../../shared/types';
import { useCommand } from '../bridge';
import { CommandLine, InertBlock, NoteLine, TroubleNote } from '../parts/texts';
import { installHint } from './found-view';
import './agents.css';

export function AdapterInstall({
  found,
  onInstalled,
}: {
  found: DetectedAgent;
  onInstalled: () => void;
}): ReactElement | null {
  const install = useCommand('agents.installAdapter');
  const [failed, setFailed] = useState<string | undefined>(undefined);
  const { command } = installHint(found.missing ?? '');
  if (command === undefined) return null;
  const run = async (): Promise<void> => {
    setFailed(undefined);
    const answer = await install.run({ id: found.id, command });
    if (!answer.ok) return;
    if (answer.value.ok) onInstalled();
    else setFailed(answer.value.message);
  };
  return (
    <div className="stack watch-panel">
      <p className="sm t2">{t('adapter.needs')}</p>
      <div>
        <CommandLine command={command} />
      </div>
      <div className="flex">
        <Button loading={install.isBusy} onClick={() => void run()}>
          {t('adapter.install')}
        </Button>
        <span className="sm t2" role="status">
          {install.isBusy ? t('adapter.installing') : null}
        </span>
      </div>
      {failed === undefined ? null : (
        <>
          <NoteLine tone="attention" role="alert">
            {t('adapter.failed')}
          </NoteLine>
          <InertBlock text={failed} label={t('adapter.output')} />
        </>
      )}
      <TroubleNote trouble={install.trouble} />
    </div>
  );
}
