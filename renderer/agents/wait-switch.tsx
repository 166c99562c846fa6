/**
 * Whether turns of an agent wait for a provider that is down, or ask the user instead: its `wait`.
 */
import { Switch } from '@mantine/core';
import { useId } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { TroubleNote } from '../parts/texts';
import type { AgentInput } from './external-form-view';

export function WaitSwitch({
  name,
  stored,
  isOffForAll,
}: {
  name: string;
  stored: AgentInput;
  /** By `resilience.auto_wait`: then no turn waits, whatever the agent's setting. */
  isOffForAll: boolean;
}): ReactElement {
  const save = useCommand('agents.edit');
  const about = useId();
  const { wait, ...rest } = stored;
  return (
    <section className="aligned flex-wrap agent-wait" aria-label={t('agents.wait')}>
      <div className="grow">
        <div className="m5">{t('agents.wait')}</div>
        <div className="sm t3" id={about}>
          {t(isOffForAll ? 'agents.waitOffForAll' : 'agents.waitAbout')}
        </div>
        <TroubleNote trouble={save.trouble} />
      </div>
      <Switch
        aria-label={t('agents.wait')}
        aria-describedby={about}
        checked={wait !== false}
        onChange={(event) =>
          void save.run({
            name,
            agent: event.currentTarget.checked ? rest : { ...rest, wait: false },
          })
        }
      />
    </section>
  );
}
