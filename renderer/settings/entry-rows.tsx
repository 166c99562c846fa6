/** Settings with a value for each name: addresses of computers, fallbacks of providers, tasks of the file. */
import { Autocomplete, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import type { ConfigEntry } from '../../shared/types';
import { agentTitle } from '../agents/agent-titles';
import { useVerb } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { namesOf, valuesOf } from '../parts/named-values';
import { Inert } from '../parts/texts';
import { firstSentence } from '../parts/title-view';
import { modelsOf, modelTexts } from './entry-rows-view';
import { KeptField } from './kept-field';
import { AddRow, RemoveRow, StructuredSetting } from './structured-setting';
import { useNamedValues } from './use-whole-setting';

const gone = (): undefined => undefined;

/** The other computers, each with its address. */
export function AddressRows({ entry }: { entry: ConfigEntry }): ReactElement {
  const { set, isBusy, isFixed, trouble } = useNamedValues(entry);
  const [name, setName] = useState('');
  const [address, setAddress] = useState('');
  const names = namesOf(entry.value);
  return (
    <StructuredSetting
      entry={entry}
      title={t('setting.hosts.addresses')}
      about={t('settingAbout.hosts.addresses')}
      trouble={trouble}
    >
      {names.length === 0 ? <p className="sm t3">{t('hostRows.none')}</p> : null}
      <ul>
        {names.map((one) => (
          <Row
            key={one}
            name={one}
            removeLabel={t('hostRows.removeOf', { name: oneLine(one, 64) })}
            isDisabled={isFixed}
            onRemove={() => void set(one, gone)}
          >
            <KeptField
              className="grow"
              name={t('hostRows.addressOf', { name: oneLine(one, 64) })}
              value={String(valuesOf(entry.value)[one])}
              isDisabled={isFixed}
              onSave={(text) => void set(one, () => text)}
            />
          </Row>
        ))}
      </ul>
      <AddRow
        isBusy={isBusy}
        isDisabled={isFixed}
        isReady={name.trim() !== '' && address.trim() !== '' && !names.includes(name.trim())}
        onAdd={async () => {
          if (!(await set(name.trim(), () => address.trim()))) return;
          setName('');
          setAddress('');
        }}
      >
        <TextInput
          w={150}
          aria-label={t('hostRows.name')}
          placeholder={t('hostRows.name')}
          maxLength={64}
          value={name}
          disabled={isFixed}
          error={names.includes(name.trim()) ? t('hostRows.taken') : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          className="grow"
          aria-label={t('hostRows.address')}
          placeholder="ssh://user@box.example"
          maxLength={400}
          value={address}
          disabled={isFixed}
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
      </AddRow>
    </StructuredSetting>
  );
}

/** The models that answer in place of a provider, in order. */
export function FallbackRows({ entry }: { entry: ConfigEntry }): ReactElement {
  const { set, isBusy, isFixed, trouble } = useNamedValues(entry);
  const providers = useVerb('provider.list', {});
  const [name, setName] = useState('');
  const names = namesOf(entry.value);
  const known = (providers.data?.providers ?? [])
    .filter((one) => one.kind !== 'practice' && !names.includes(one.name))
    .map((one) => one.name);
  return (
    <StructuredSetting
      entry={entry}
      title={t('setting.gateway.fallback')}
      about={t('settingAbout.gateway.fallback')}
      trouble={trouble ?? providers.trouble}
    >
      <ul>
        {names.map((one) => (
          <Row
            key={one}
            name={one}
            removeLabel={t('fallbackRows.removeOf', { name: oneLine(one, 64) })}
            isDisabled={isFixed}
            onRemove={() => void set(one, gone)}
          >
            <TagsInput
              className="grow"
              aria-label={t('fallbackRows.modelsOf', { name: oneLine(one, 64) })}
              placeholder={t('fallbackRows.models')}
              value={[...modelTexts(valuesOf(entry.value)[one])]}
              disabled={isFixed}
              onChange={(texts) => void set(one, (before) => modelsOf(texts, before))}
            />
          </Row>
        ))}
      </ul>
      <AddRow
        isBusy={isBusy}
        isDisabled={isFixed}
        isReady={name.trim() !== '' && !names.includes(name.trim())}
        onAdd={async () => {
          if (await set(name.trim(), () => [])) setName('');
        }}
      >
        <Autocomplete
          className="grow"
          aria-label={t('fallbackRows.name')}
          placeholder={t('fallbackRows.name')}
          data={known}
          maxLength={64}
          value={name}
          disabled={isFixed}
          onChange={setName}
        />
      </AddRow>
    </StructuredSetting>
  );
}

/** Tasks that the file names: they are written there, the page of the schedule creates others. */
export function FileTaskRows({ entry }: { entry: ConfigEntry }): ReactElement {
  const names = namesOf(entry.value);
  return (
    <StructuredSetting
      entry={entry}
      title={t('setting.tasks.own')}
      about={t('settingAbout.tasks.own')}
      trouble={undefined}
    >
      {names.length === 0 ? <p className="sm t3">{t('fileTasks.none')}</p> : null}
      <ul>
        {names.map((one) => {
          const { schedule, prompt, agent } = valuesOf(valuesOf(entry.value)[one]);
          return (
            <li key={one} className="file-task">
              <div className="wrap">
                <Inert as="strong" className="m5" text={one} />{' '}
                <span className="sm t2">
                  <Inert text={oneLine(String(schedule), 200)} />
                  {typeof agent === 'string' ? (
                    <Inert text={` · ${oneLine(agentTitle(agent), 64)}`} />
                  ) : null}
                </span>
              </div>
              <Inert as="div" className="sm t3 wrap" text={firstSentence(String(prompt))} />
            </li>
          );
        })}
      </ul>
    </StructuredSetting>
  );
}

function Row({
  name,
  removeLabel,
  isDisabled,
  onRemove,
  children,
}: {
  name: string;
  removeLabel: string;
  isDisabled: boolean;
  onRemove: () => void;
  children: ReactNode;
}): ReactElement {
  return (
    <li className="flex flex-wrap per-skill-row">
      <Inert className="entry-name wrap" text={name} />
      {children}
      <RemoveRow label={removeLabel} isDisabled={isDisabled} onRemove={onRemove} />
    </li>
  );
}
