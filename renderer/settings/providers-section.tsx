/** Providers and their keys. A stored key is never shown again. */
import {
  Input,
  NumberInput,
  PasswordInput,
  SegmentedControl,
  Select,
  TextInput,
} from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import type { VerbInput } from '../../shared/contract';
import { t } from '../../shared/messages';
import { PRICES_AS_OF } from '../../shared/prices/built-in';
import type { ConfigEntry, ProviderView } from '../../shared/types';
import { useCommand, useVerb } from '../bridge';
import { titleOf } from '../outages/outages-view';
import { FormEnd } from '../parts/form-end';
import { Tile } from '../parts/state-chip';
import { EmptyState, TroubleNote } from '../parts/texts';
import { dateText } from '../parts/time-view';
import { storedProvider } from '../setup/setup-view';
import { AddInPlace } from './add-in-place';
import { EditButton } from './edit-button';
import { KeyField } from './key-field';
import { TestButton } from './test-button';

type ProviderInput = VerbInput<'provider.set'>['provider'];

const KINDS = ['openai-compatible', 'anthropic', 'google'] as const;
/** The usual name of a provider of each kind. */
const EXAMPLES = {
  'openai-compatible': { name: 'openai', url: 'https://api.openai.com/v1', env: 'OPENAI_API_KEY' },
  anthropic: { name: 'anthropic', url: 'https://api.anthropic.com', env: 'ANTHROPIC_API_KEY' },
  google: {
    name: 'google',
    url: 'https://generativelanguage.googleapis.com',
    env: 'GEMINI_API_KEY',
  },
} as const;
/** The possible sources of a provider's key. */
const KEY_PLACES = ['stored', 'env', 'file'] as const;
type KeyPlace = (typeof KEY_PLACES)[number];

export function ProvidersSection({ entries }: { entries: readonly ConfigEntry[] }): ReactElement {
  const list = useVerb('provider.list', {});
  const [editing, setEditing] = useState<string | undefined>(undefined);
  const done = (): void => {
    setEditing(undefined);
    list.reload();
  };
  const providers = (list.data?.providers ?? []).filter((provider) => provider.kind !== 'practice');
  return (
    <div className="stack settings-stack narrow">
      <TroubleNote trouble={list.trouble} />
      {list.data && providers.length === 0 && editing === undefined ? (
        <div className="card">
          <EmptyState mark={<KeyRound size={28} />} sentence={t('providers.empty')} />
        </div>
      ) : null}
      {providers.map((provider) => (
        <ProviderCard
          key={provider.name}
          provider={provider}
          isEditing={editing === provider.name}
          onEdit={() => setEditing(editing === provider.name ? undefined : provider.name)}
          stored={storedProvider(entries, provider.name)}
          onSaved={done}
        />
      ))}
      <AddInPlace
        title={t('providers.new')}
        label={t('providers.add')}
        isOpen={editing === ''}
        onOpen={() => setEditing('')}
      >
        <ProviderForm onCancel={() => setEditing(undefined)} onSaved={done} />
      </AddInPlace>
    </div>
  );
}

function ProviderCard({
  provider,
  stored,
  isEditing,
  onEdit,
  onSaved,
}: {
  provider: ProviderView;
  stored: Partial<ProviderInput> | undefined;
  isEditing: boolean;
  onEdit: () => void;
  onSaved: () => void;
}): ReactElement {
  return (
    <section className="card padded stack provider" aria-label={provider.name}>
      <div className="flex flex-wrap">
        <Tile tone="kept" mark={KeyRound} />
        <div className="grow">
          <div className="m5">{titleOf(provider.name)}</div>
          <div className="sm t3 wrap">
            {t(`providerKind.${provider.kind}`)}
            {provider.baseUrl === undefined ? null : (
              <>
                {' '}
                · <span className="mono">{provider.baseUrl}</span>
              </>
            )}
          </div>
        </div>
        <TestButton verb="provider.test" name={provider.name} />
        <EditButton name={provider.name} isEditing={isEditing} onEdit={onEdit} />
      </div>
      <KeyField verb="provider.setKey" name={provider.name} held={provider.key} onSaved={onSaved} />
      {isEditing ? (
        <ProviderForm
          name={provider.name}
          {...(stored === undefined ? {} : { stored })}
          onCancel={onEdit}
          onSaved={onSaved}
        />
      ) : null}
    </section>
  );
}

/** Name, kind, and address of a provider. */
export function ProviderForm({
  name: fixedName,
  stored,
  onSaved,
  onCancel,
}: {
  name?: string;
  stored?: Partial<ProviderInput>;
  onSaved: (name: string) => void;
  onCancel: () => void;
}): ReactElement {
  const save = useCommand('provider.set');
  const saveKey = useCommand('provider.setKey');
  const [name, setName] = useState(fixedName ?? '');
  const [kind, setKind] = useState<(typeof KINDS)[number]>(stored?.kind ?? 'openai-compatible');
  const [baseUrl, setBaseUrl] = useState(stored?.base_url ?? '');
  const [keyEnv, setKeyEnv] = useState(stored?.api_key_env ?? '');
  const [keyFile, setKeyFile] = useState(stored?.api_key_file ?? '');
  const [priceIn, setPriceIn] = useState<string | number>(
    stored?.price_input_per_million_usd ?? '',
  );
  const [priceOut, setPriceOut] = useState<string | number>(
    stored?.price_output_per_million_usd ?? '',
  );
  const [key, setKey] = useState('');
  const [keyPlace, setKeyPlace] = useState<KeyPlace>(
    keyEnv !== '' ? 'env' : keyFile !== '' ? 'file' : 'stored',
  );
  const example = EXAMPLES[kind];

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const answer = await save.run({
      name,
      provider: {
        kind,
        ...(baseUrl === '' ? {} : { base_url: baseUrl }),
        ...(keyPlace !== 'env' || keyEnv === '' ? {} : { api_key_env: keyEnv }),
        ...(keyPlace !== 'file' || keyFile === '' ? {} : { api_key_file: keyFile }),
        ...(typeof priceIn === 'number' ? { price_input_per_million_usd: priceIn } : {}),
        ...(typeof priceOut === 'number' ? { price_output_per_million_usd: priceOut } : {}),
      },
    });
    if (!answer.ok) return;
    if (keyPlace === 'stored' && key !== '') {
      const kept = await saveKey.run({ name, key });
      if (!kept.ok) return;
      setKey('');
    }
    onSaved(name);
  };
  return (
    <form className="form-grid" onSubmit={(event) => void submit(event)}>
      <Select
        label={t('provider.kind')}
        data={KINDS.map((value) => ({ value, label: t(`providerKind.${value}`) }))}
        value={kind}
        onChange={(value) => setKind(KINDS.find((known) => known === value) ?? kind)}
        allowDeselect={false}
      />
      <TextInput
        label={t('provider.name')}
        value={name}
        disabled={fixedName !== undefined}
        onChange={(event) => setName(event.currentTarget.value)}
        placeholder={example.name}
        required
        data-autofocus
      />
      <TextInput
        className="form-wide"
        label={t('provider.baseUrl')}
        description={t('provider.baseUrlAbout')}
        value={baseUrl}
        onChange={(event) => setBaseUrl(event.currentTarget.value)}
        placeholder={example.url}
      />
      <Input.Wrapper label={t('key.label')} labelElement="div" className="form-wide">
        <div className="key-places">
          <SegmentedControl
            aria-label={t('provider.keyPlace')}
            value={keyPlace}
            onChange={setKeyPlace}
            data={KEY_PLACES.map((value) => ({ value, label: t(`provider.keyPlace.${value}`) }))}
          />
          <KeyOf
            place={keyPlace}
            isNew={fixedName === undefined}
            env={keyEnv}
            envExample={example.env}
            file={keyFile}
            typed={key}
            onEnv={setKeyEnv}
            onFile={setKeyFile}
            onTyped={setKey}
          />
        </div>
      </Input.Wrapper>
      <Prices input={priceIn} output={priceOut} onInput={setPriceIn} onOutput={setPriceOut} />
      <FormEnd
        trouble={save.trouble ?? saveKey.trouble}
        isBusy={save.isBusy || saveKey.isBusy}
        isReady={name !== ''}
        label={t('provider.save')}
        onCancel={onCancel}
      />
    </form>
  );
}

/**
 * The one field of the selected source. A stored key of a saved provider has its field above the
 * form.
 */
function KeyOf({
  place,
  isNew,
  env,
  envExample,
  file,
  typed,
  onEnv,
  onFile,
  onTyped,
}: {
  place: KeyPlace;
  isNew: boolean;
  env: string;
  envExample: string;
  file: string;
  typed: string;
  onEnv: (value: string) => void;
  onFile: (value: string) => void;
  onTyped: (value: string) => void;
}): ReactElement {
  if (place === 'env')
    return (
      <TextInput
        aria-label={t('provider.keyEnv')}
        description={t('provider.keyEnvAbout')}
        inputWrapperOrder={['input', 'description']}
        value={env}
        onChange={(event) => onEnv(event.currentTarget.value)}
        placeholder={envExample}
      />
    );
  if (place === 'file')
    return (
      <TextInput
        aria-label={t('provider.keyFile')}
        description={t('provider.keyFileAbout')}
        inputWrapperOrder={['input', 'description']}
        value={file}
        onChange={(event) => onFile(event.currentTarget.value)}
        placeholder="~/.secrets/api-key"
      />
    );
  return isNew ? (
    <PasswordInput
      aria-label={t('key.label')}
      description={t('key.optional')}
      inputWrapperOrder={['input', 'description']}
      value={typed}
      onChange={(event) => onTyped(event.currentTarget.value)}
      autoComplete="off"
      visibilityToggleButtonProps={{ 'aria-label': t('key.show') }}
    />
  ) : (
    <p className="sm t2">{t('provider.keyAbove')}</p>
  );
}

/** Needed only for prices that differ from the built-in table. */
function Prices({
  input,
  output,
  onInput,
  onOutput,
}: {
  input: string | number;
  output: string | number;
  onInput: (value: string | number) => void;
  onOutput: (value: string | number) => void;
}): ReactElement {
  return (
    <details className="form-wide form-more" open={input !== '' || output !== ''}>
      <summary>{t('provider.prices')}</summary>
      <div className="form-grid">
        <NumberInput label={t('provider.priceIn')} value={input} min={0} onChange={onInput} />
        <NumberInput label={t('provider.priceOut')} value={output} min={0} onChange={onOutput} />
        <p className="sm t3 form-wide">
          {t('provider.priceAbout', { day: dateText(PRICES_AS_OF) })}
        </p>
      </div>
    </details>
  );
}
