/** The first half of the setup sheet: the provider, its key, and the test that lists its models. */
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { Check } from 'lucide-react';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import type { VerbOutput } from '../../shared/contract';
import { t } from '../../shared/messages';
import type { ProviderView } from '../../shared/types';
import { useCommand, useVerb } from '../bridge';
import { Inert, TroubleNote } from '../parts/texts';
import { TestOutcome } from '../settings/test-button';
import {
  PROVIDER_TILES,
  providerOfTile,
  savedAs,
  storedProvider,
  type ProviderTile,
  type Ready,
} from './setup-view';

export function ProviderPart({
  saved,
  first,
  onReady,
  onSaved,
}: {
  saved: readonly ProviderView[];
  /** The saved provider that is preselected. */
  first: string | undefined;
  onReady: (ready: Ready | undefined) => void;
  onSaved: () => void;
}): ReactElement {
  const others = saved.filter(({ name }) => PROVIDER_TILES.every(({ id }) => id !== name));
  const [picked, setPicked] = useState(first);
  const tile = PROVIDER_TILES.find(({ id }) => id === picked);
  const choose = (id: string): void => {
    setPicked(id);
    onReady(undefined);
  };
  return (
    <section aria-label={t('setup.provider')}>
      <h3 className="setup-step">{t('setup.provider')}</h3>
      <div className="setup-tiles" role="radiogroup" aria-label={t('setup.provider')}>
        {[...others.map(({ name }) => ({ id: name, title: name })), ...PROVIDER_TILES].map(
          ({ id, title }) => (
            <label
              key={id}
              className="flex wrap setup-tile"
              data-checked={picked === id || undefined}
            >
              <input
                type="radio"
                name="setup-provider"
                checked={picked === id}
                onChange={() => choose(id)}
              />
              <Inert as="span" text={title} />
              {saved.some(({ name }) => name === id) ? (
                <Check className="icon small" aria-label={t('setup.saved')} />
              ) : null}
            </label>
          ),
        )}
      </div>
      {picked === undefined ? null : (
        <Connection
          key={picked}
          name={picked}
          tile={tile}
          known={
            tile === undefined ? saved.find(({ name }) => name === picked) : savedAs(tile, saved)
          }
          onReady={onReady}
          onSaved={onSaved}
        />
      )}
    </section>
  );
}

/** Key and address of one provider. A stored key is never shown again. */
function Connection({
  name: tileName,
  tile,
  known,
  onReady,
  onSaved,
}: {
  name: string;
  /** Undefined for a saved provider that has no tile. */
  tile: ProviderTile | undefined;
  known: ProviderView | undefined;
  onReady: (ready: Ready | undefined) => void;
  onSaved: () => void;
}): ReactElement {
  const config = useVerb('config.get', { key: 'providers' });
  const save = useCommand('provider.set');
  const saveKey = useCommand('provider.setKey');
  const ask = useCommand('provider.models');
  const [ownName, setOwnName] = useState('');
  const [baseUrl, setBaseUrl] = useState(known?.baseUrl ?? tile?.baseUrl ?? '');
  const [key, setKey] = useState('');
  const [said, setSaid] = useState<VerbOutput<'provider.models'> | undefined>(undefined);
  const isOther = tile?.isOther === true;
  const name = isOther && known === undefined ? ownName.trim() : tileName;
  const needsKey = tile?.isLocal !== true && known?.key.present !== true;
  const test = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setSaid(undefined);
    onReady(undefined);
    if (tile !== undefined) {
      const stored = config.data === undefined ? undefined : storedProvider([config.data], name);
      const set = await save.run({ name, provider: providerOfTile(tile, baseUrl, stored) });
      if (!set.ok) return;
    }
    if (key !== '') {
      const kept = await saveKey.run({ name, key });
      if (!kept.ok) return;
      setKey('');
    }
    onSaved();
    const answer = await ask.run({ name });
    if (!answer.ok) return;
    setSaid(answer.value);
    if (answer.value.ok) onReady({ provider: name, models: answer.value.models });
  };
  return (
    <form className="setup-fields" onSubmit={(event) => void test(event)}>
      {isOther && known === undefined ? (
        <TextInput
          label={t('provider.name')}
          value={ownName}
          maxLength={64}
          onChange={(event) => setOwnName(event.currentTarget.value)}
          required
        />
      ) : null}
      {isOther || tile?.isLocal === true ? (
        <TextInput
          label={t('provider.baseUrl')}
          value={baseUrl}
          maxLength={500}
          onChange={(event) => setBaseUrl(event.currentTarget.value)}
          required
        />
      ) : null}
      {tile?.isLocal === true ? null : (
        <PasswordInput
          label={t('key.label')}
          description={known?.key.present === true ? t('setup.keyStored') : undefined}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': t('key.show') }}
        />
      )}
      <div className="flex flex-wrap">
        <Button
          type="submit"
          variant="filled"
          loading={save.isBusy || saveKey.isBusy || ask.isBusy}
          disabled={name === '' || (needsKey && !isOther && key === '')}
        >
          {t('setup.test')}
        </Button>
        {said === undefined ? null : (
          <div className="grow" role="status">
            <TestOutcome outcome={said} />
          </div>
        )}
      </div>
      <TroubleNote trouble={save.trouble ?? saveKey.trouble ?? ask.trouble} />
    </form>
  );
}
