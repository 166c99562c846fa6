/** One sheet from nothing to an answer: provider, key, model, folder, hello. */
import { Button, Modal } from '@mantine/core';
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

function SetupSheet({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): ReactElement {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('setup.title')}
      size={680}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {isOpen ? <Sheet onClose={onClose} /> : null}
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

/** Opens the sheet. */
export function SetupButton({
  label,
  size,
  isFilled = false,
}: {
  label: string;
  size?: 'xs';
  isFilled?: boolean;
}): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        {...(size === undefined ? {} : { size })}
        {...(isFilled ? { variant: 'filled' } : {})}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <SetupSheet isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}
