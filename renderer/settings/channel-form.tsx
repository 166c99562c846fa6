/** Adds and edits a channel: its kind, its destination, its token or secret. */
import {
  Checkbox,
  PasswordInput,
  Select,
  Switch,
  TagsInput,
  TextInput,
  Textarea,
} from '@mantine/core';
import { useState, type FormEvent, type ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand, useVerb } from '../bridge';
import { FormEnd } from '../parts/form-end';
import { CHANNEL_FORMS, FORM_KINDS, type ChannelField, type ChannelInput } from './channel-fields';
import {
  channelOf,
  draftOf,
  isComplete,
  keyOf,
  valueOf,
  type ChannelDraft,
} from './channel-form-view';
import { oneLine } from '../parts/inert-view';
import { RemoveButton } from '../parts/remove-button';

/** Removes a channel: its stored key is deleted, and its answers go to the default channel. */
function RemoveChannel({ name, onRemoved }: { name: string; onRemoved: () => void }): ReactElement {
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

export function ChannelForm({
  name: fixedName,
  stored,
  onSaved,
  onCancel,
}: {
  name?: string;
  /** Undefined for a new channel. */
  stored?: ChannelInput;
  onSaved: () => void;
  onCancel: () => void;
}): ReactElement {
  const isNew = fixedName === undefined;
  const add = useCommand('channels.add');
  const edit = useCommand('channels.edit');
  const [draft, setDraft] = useState(() => draftOf(fixedName ?? '', stored));
  const [key, setKey] = useState('');
  const [isAllowed, setAllowed] = useState(false);
  const change = (part: Partial<ChannelDraft>): void =>
    setDraft((before) => ({ ...before, ...part }));
  const changeField = (field: string, value: FieldValue): void =>
    setDraft((before) => ({ ...before, values: { ...before.values, [field]: value } }));
  const held = keyOf(draft);
  const hasKey = held !== undefined;

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const wish = { name: draft.name.trim(), channel: channelOf(draft, stored) };
    const given = hasKey && key.trim() !== '' ? { key: key.trim(), allowPlaintext: isAllowed } : {};
    const answer = isNew ? await add.run({ ...wish, ...given }) : await edit.run(wish);
    if (!answer.ok) return;
    setKey('');
    onSaved();
  };
  return (
    <form className="form-grid" onSubmit={(event) => void submit(event)}>
      {isNew ? (
        <>
          <TextInput
            label={t('channelForm.name')}
            description={t('channelForm.nameAbout')}
            value={draft.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            placeholder="phone"
            required
          />
          <Select
            label={t('channelForm.kind')}
            description={t(`channelForm.kindAbout.${draft.kind}`)}
            data={FORM_KINDS.map((value) => ({ value, label: t(`channels.kind.${value}`) }))}
            value={draft.kind}
            onChange={(value) =>
              change({ kind: FORM_KINDS.find((known) => known === value) ?? draft.kind })
            }
          />
        </>
      ) : null}
      {CHANNEL_FORMS[draft.kind].fields.map((field) => (
        <FormField
          key={field.field}
          field={field}
          value={valueOf(draft, field)}
          onChange={(value) => changeField(field.field, value)}
        />
      ))}
      {isNew && held !== undefined ? (
        <div className="form-wide">
          <PasswordInput
            label={t(held.label)}
            description={t('key.optional')}
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': t('key.show') }}
          />
          {add.trouble?.code === 'SECRET_NOT_PERSISTED' ? (
            <Checkbox
              className="consent"
              checked={isAllowed}
              onChange={(event) => setAllowed(event.currentTarget.checked)}
              label={t('key.allowPlaintext')}
              description={t('key.allowPlaintextAbout')}
            />
          ) : null}
        </div>
      ) : null}
      {held === undefined ? null : (
        <TextInput
          label={t('channelForm.keyEnv')}
          description={t('channelForm.keyEnvAbout')}
          value={String(draft.values[held.envField] ?? '')}
          onChange={(event) => changeField(held.envField, event.currentTarget.value)}
        />
      )}
      {isNew ? null : (
        <Switch
          className="form-wide"
          label={t('channelForm.on')}
          description={t('channelForm.onAbout')}
          checked={draft.isOn}
          onChange={(event) => change({ isOn: event.currentTarget.checked })}
        />
      )}
      <FormEnd
        trouble={add.trouble ?? edit.trouble}
        isBusy={add.isBusy || edit.isBusy}
        isReady={isComplete(draft)}
        label={isNew ? t('channelForm.add') : t('channelForm.save')}
        onCancel={onCancel}
        remove={isNew ? undefined : <RemoveChannel name={fixedName} onRemoved={onSaved} />}
      />
    </form>
  );
}

type FieldValue = string | boolean | readonly string[];
interface FieldProps {
  readonly field: ChannelField;
  readonly value: FieldValue;
  readonly onChange: (value: FieldValue) => void;
}

const DECIDES = ['all', 'local', 'none'] as const;

const linesOf = (value: FieldValue): readonly string[] => (typeof value === 'object' ? value : []);

/** One field of a kind, by the type of its value. */
function FormField({ field, value, onChange }: FieldProps): ReactElement {
  const words = {
    label: t(field.label),
    description: t(field.about),
    ...(field.isWide === true ? { className: 'form-wide' } : {}),
  };
  const hint = field.placeholder === undefined ? {} : { placeholder: field.placeholder };
  switch (field.input) {
    case 'text':
      return (
        <TextInput
          {...words}
          {...hint}
          value={String(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'switch':
      return (
        <Switch
          {...words}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'tags':
      return (
        <TagsInput
          {...words}
          {...hint}
          value={[...linesOf(value)]}
          onChange={onChange}
          splitChars={[',', ' ']}
          acceptValueOnBlur
        />
      );
    case 'lines':
      return (
        <Textarea
          {...words}
          value={linesOf(value).join('\n')}
          onChange={(event) => {
            const typed = event.currentTarget.value;
            onChange(typed === '' ? [] : typed.split('\n'));
          }}
          autosize
          minRows={1}
          maxRows={6}
        />
      );
    case 'decides':
      return (
        <Select
          {...words}
          data={DECIDES.map((one) => ({ value: one, label: t(`channelForm.decides.${one}`) }))}
          value={value === '' ? 'all' : String(value)}
          onChange={(chosen) => onChange(chosen === null || chosen === 'all' ? '' : chosen)}
          allowDeselect={false}
        />
      );
    case 'agent':
      return <AgentField field={field} value={value} onChange={onChange} />;
  }
}

function AgentField({ field, value, onChange }: FieldProps): ReactElement {
  const agents = useVerb('agents.list', {});
  const names = (agents.data?.agents ?? []).map(({ name }) => name);
  const chosen = String(value);
  return (
    <Select
      label={t(field.label)}
      description={t(field.about)}
      data={chosen === '' || names.includes(chosen) ? names : [...names, chosen]}
      value={chosen === '' ? null : chosen}
      onChange={(agent) => onChange(agent ?? '')}
      placeholder={t('channelForm.agentDefault')}
      clearable
      clearButtonProps={{ 'aria-label': t('channelForm.agentDefault') }}
    />
  );
}
