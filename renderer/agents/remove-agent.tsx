/** Removes an agent; its sessions and turns stay readable. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { oneLine } from '../parts/inert-view';
import { RemoveButton } from '../parts/remove-button';

export function RemoveAgent({
  name,
  onRemoved,
}: {
  name: string;
  onRemoved: () => void;
}): ReactElement {
  const shown = oneLine(name, 64);
  const words = {
    label: t('agent.removeOf', { name: shown }),
    title: t('agent.removeTitle', { name: shown }),
    goes: t('agent.removeGoes'),
    stays: t('agent.removeStays'),
    confirm: t('agent.removeConfirm'),
  };
  return <RemoveButton verb="agents.remove" name={name} words={words} onRemoved={onRemoved} />;
}
