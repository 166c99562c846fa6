/** One sheet for the whole setup: provider, key, model, folder, test message. */
import { Modal } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ProviderView } from '../../shared/types';
import { useVerb } from '../bridge';
import { TroubleNote } from '../parts/texts';
import { AgentPart } from './agent-part';
import { ProviderPart } from './provider-part';
import { onlyProvider, type Ready } from './setup-view';
import './setup.css';

export function SetupSheet({ onClose }: { onClose: () => void }): ReactElement {
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('setup.title')}
      size={680}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Sheet onClose={onClose} />
    </Modal>
  );
}

function Sheet({ onClose }: { onClose: () => void }): ReactElement {
  const providers = useVerb('provider.list', {});
  const [ready, setReady] = useState<Ready | undefined>(undefined);
  const own: readonly ProviderView[] = (providers.data?.providers ?? []).filter(
    ({ kind }) => kind !== 'practice',
  );
  return (
    <div className="setup">
      <TroubleNote trouble={providers.trouble} />
      {providers.data === undefined ? null : (
        <ProviderPart
          saved={own}
          first={onlyProvider(own)}
          onReady={setReady}
          onSaved={providers.reload}
        />
      )}
      {ready === undefined ? null : (
        <AgentPart key={ready.provider} ready={ready} onClose={onClose} />
      )}
    </div>
  );
}
