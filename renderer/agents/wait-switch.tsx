/** Whether turns of an agent wait for what does not answer, or are put to the person instead: its `wait`. */
import { Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { TroubleNote } from '../parts/texts';
import type { AgentInput } from './outside-form-model';

export function WaitSwitch({
  name,
  stored,
  isOffForAll,
}: {
  name: string;
  stored: AgentInput;
  /** By `resilience.auto_wait`: then nobody waits, whatever the agent says. */
  isOffForAll: boolean;
}): ReactElement {
  const save = useCommand('agents.edit');
  const { wait, ...rest } = stored;
  return (
    <section className="agent-wait">
      <Switch
        labelPosition="left"
        label={t('agents.wait')}
        description={t(isOffForAll ? 'agents.waitOffForAll' : 'agents.waitAbout')}
        checked={wait !== false}
        onChange={(event) =>
          void save.run({
            name,
            agent: event.currentTarget.checked ? rest : { ...rest, wait: false },
          })
        }
      />
      <TroubleNote trouble={save.trouble} />
    </section>
  );
}
