import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useVerb } from '../bridge';
import { SetupButton } from './setup-button';

/** Offers the setup sheet while the demo agent is the only agent. */
export function SetupInvite(): ReactElement | null {
  const agents = useVerb('agents.list', {});
  const list = agents.data?.agents;
  if (list === undefined || list.some(({ executor }) => executor !== 'practice')) return null;
  return (
    <p className="flex flex-wrap">
      <span className="t2">{t('setup.invite')}</span> <SetupButton label={t('setup.open')} />
    </p>
  );
}
