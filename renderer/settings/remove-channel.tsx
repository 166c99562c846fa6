/** Removes a channel: its stored key goes, its answers go to the default one. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { oneLine } from '../parts/inert-view';
import { RemoveButton } from '../parts/remove-button';

export function RemoveChannel({
  name,
  onRemoved,
}: {
  name: string;
  onRemoved: () => void;
}): ReactElement {
  const shown = oneLine(name, 64);
  const words = {
    label: t('channelForm.removeOf', { name: shown }),
    title: t('channelForm.removeTitle', { name: shown }),
    goes: t('channelForm.removeGoes'),
    stays: t('channelForm.removeStays'),
    confirm: t('channelForm.removeConfirm'),
  };
  return <RemoveButton verb="channels.remove" name={name} words={words} onRemoved={onRemoved} />;
}
