/** Adds and changes a channel: what it is, where it goes, its token or secret. */
import {
  Button,
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
import { TroubleNote } from '../parts/texts';
import {
  channelOf,
  draftOf,
  FORM_KINDS,
  isComplete,
  type ChannelDraft,
  type ChannelInput,
} from './channel-form-view';
import { oneLine } from '../parts/inert-view';
import { RemoveButton } from '../parts/remove-button';

/** Removes a channel: its stored key goes, its answers go to the default one. */
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

interface FieldsProps {
  readonly draft: ChannelDraft;
  readonly change: (part: Partial<ChannelDraft>) => void;
}

export function ChannelForm({
  name: fixedName,
  stored,
  onSaved,
  onCancel,
}: {
  name?: string;
  /** Undefined for a channel that is new. */
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
  const change: FieldsProps['change'] = (part) => setDraft((before) => ({ ...before, ...part }));
  const hasKey = draft.kind === 'telegram' || (draft.kind === 'webhook' && draft.url.trim() !== '');

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
      {draft.kind === 'webhook' ? <WebhookFields draft={draft} change={change} /> : null}
      {draft.kind === 'telegram' ? <TelegramFields draft={draft} change={change} /> : null}
      {draft.kind === 'command' ? <CommandFields draft={draft} change={change} /> : null}
      {isNew && hasKey ? (
        <div className="form-wide">
          <PasswordInput
            label={t(`channelForm.key.${draft.kind === 'telegram' ? 'telegram' : 'webhook'}`)}
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
      {hasKey ? (
        <TextInput
          label={t('channelForm.keyEnv')}
          description={t('channelForm.keyEnvAbout')}
          value={draft.keyEnv}
          onChange={(event) => change({ keyEnv: event.currentTarget.value })}
        />
      ) : null}
      {draft.kind === 'command' ? null : <AgentField draft={draft} change={change} />}
      {isNew ? null : (
        <Switch
          className="form-wide"
          label={t('channelForm.on')}
          description={t('channelForm.onAbout')}
          checked={draft.isOn}
          onChange={(event) => change({ isOn: event.currentTarget.checked })}
        />
      )}
      <div className="form-end">
        <TroubleNote trouble={add.trouble ?? edit.trouble} />
        <Button type="submit" loading={add.isBusy || edit.isBusy} disabled={!isComplete(draft)}>
          {isNew ? t('channelForm.add') : t('channelForm.save')}
        </Button>
        <Button variant="subtle" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        {isNew ? null : (
          <>
            <span className="grow" />
            <RemoveChannel name={fixedName} onRemoved={onSaved} />
          </>
        )}
      </div>
    </form>
  );
}

function WebhookFields({ draft, change }: FieldsProps): ReactElement {
  return (
    <>
      <TextInput
        className="form-wide"
        label={t('channelForm.url')}
        description={t('channelForm.urlAbout')}
        value={draft.url}
        onChange={(event) => change({ url: event.currentTarget.value })}
        placeholder="https://example.com/hook"
      />
      <Switch
        className="form-wide"
        label={t('channelForm.hears')}
        description={t('channelForm.hearsAbout')}
        checked={draft.hears}
        onChange={(event) => change({ hears: event.currentTarget.checked })}
      />
    </>
  );
}

const TelegramFields = ({ draft, change }: FieldsProps): ReactElement => (
  <TagsInput
    className="form-wide"
    label={t('channelForm.chats')}
    description={t('channelForm.chatsAbout')}
    value={[...draft.chats]}
    onChange={(chats) => change({ chats })}
    splitChars={[',', ' ']}
    acceptValueOnBlur
    placeholder="12345678"
  />
);

function CommandFields({ draft, change }: FieldsProps): ReactElement {
  return (
    <>
      <TextInput
        className="form-wide"
        label={t('channelForm.command')}
        description={t('channelForm.commandAbout')}
        value={draft.command}
        onChange={(event) => change({ command: event.currentTarget.value })}
        placeholder="/usr/local/bin/say-it"
      />
      <Textarea
        label={t('channelForm.args')}
        description={t('channelForm.argsAbout')}
        value={draft.args.join('\n')}
        onChange={(event) => {
          const { value } = event.currentTarget;
          change({ args: value === '' ? [] : value.split('\n') });
        }}
        autosize
        minRows={1}
        maxRows={6}
      />
      <TagsInput
        label={t('agent.env')}
        description={t('channelForm.envAbout')}
        value={[...draft.env]}
        onChange={(env) => change({ env })}
        acceptValueOnBlur
      />
    </>
  );
}

function AgentField({ draft, change }: FieldsProps): ReactElement {
  const agents = useVerb('agents.list', {});
  const names = (agents.data?.agents ?? []).map(({ name }) => name);
  return (
    <Select
      label={t('channelForm.agent')}
      description={t('channelForm.agentAbout')}
      data={draft.agent === '' || names.includes(draft.agent) ? names : [...names, draft.agent]}
      value={draft.agent === '' ? null : draft.agent}
      onChange={(agent) => change({ agent: agent ?? '' })}
      placeholder={t('channelForm.agentDefault')}
      clearable
      clearButtonProps={{ 'aria-label': t('channelForm.agentDefault') }}
    />
  );
}
