/** One setting: name, key, source, and the matching control. A change is saved at once. */
import {
  Button,
  NumberInput,
  Select,
  Switch,
  TagsInput,
  TextInput,
  Autocomplete,
  SegmentedControl,
} from '@mantine/core';
import { useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import type { VerbInput } from '../../shared/contract';
import { t } from '../../shared/messages';
import type { ConfigEntry } from '../../shared/types';
import { useCommand, useVerb } from '../bridge';
import { Inert, TroubleNote } from '../parts/texts';
import {
  aboutOf,
  choiceLabel,
  controlOf,
  isChanged,
  isOverridden,
  placeholderOf,
  POLICIES,
  TOOL_RULES,
  ruleProposals,
} from './settings-view';
import { isRemembered, type ShownKey } from './setting-groups';
import { BreakerRows } from './breaker-rows';
import { BudgetRows } from './budget-rows';
import { AddressRows, FallbackRows, FileTaskRows } from './entry-rows';
import { NamedChoices } from './named-choices';
import { SettingTitle } from './setting-title';

/**
 * Which tools run, ask, or never run: a list of names with one rule each; known tools are
 * suggested.
 */
function ToolRules({ entry }: { entry: ConfigEntry }): ReactElement {
  const tools = useVerb('tools.list', {});
  return (
    <NamedChoices
      entry={entry}
      title={t('setting.approvals.tools')}
      about={t('toolRules.about')}
      choices={TOOL_RULES}
      initial="ask"
      words={{
        none: t('toolRules.none'),
        add: t('toolRules.add'),
        removeOf: (name) => t('toolRules.removeOf', { name }),
        choice: t('toolRules.rule'),
        choiceOf: (name) => t('toolRules.ruleOf', { name }),
      }}
      control={({ label, value, isDisabled, onPick }) => (
        <SegmentedControl
          aria-label={label}
          data={TOOL_RULES.map((rule) => ({ value: rule, label: t(`toolRules.${rule}`) }))}
          value={value}
          disabled={isDisabled}
          onChange={onPick}
        />
      )}
      field={({ value, isDisabled, onChange }) => (
        <Autocomplete
          className="grow"
          aria-label={t('toolRules.name')}
          placeholder={t('toolRules.name')}
          data={[...ruleProposals(tools.data?.tools ?? [], entry.value)]}
          maxLength={200}
          value={value}
          disabled={isDisabled}
          onChange={onChange}
        />
      )}
      trouble={tools.trouble}
    />
  );
}

/** The step policy of single skills: a list of names with one choice each. */
function PerSkill({ entry }: { entry: ConfigEntry }): ReactElement {
  return (
    <NamedChoices
      entry={entry}
      title={t('setting.skill_resume.per_skill')}
      about={<Inert text={entry.about} />}
      choices={POLICIES}
      initial="retry"
      words={{
        add: t('perSkill.add'),
        removeOf: (name) => t('perSkill.removeOf', { name }),
        choice: t('perSkill.policy'),
        choiceOf: (name) => t('perSkill.policyOf', { name }),
      }}
      control={({ label, value, isDisabled, onPick }) => (
        <Select
          aria-label={label}
          data={POLICIES.map((policy) => ({
            value: policy,
            label: t(`choice.skill_resume.default.${policy}`),
          }))}
          value={value}
          disabled={isDisabled}
          w={190}
          onChange={onPick}
        />
      )}
      field={({ value, isDisabled, onChange }) => (
        <TextInput
          className="grow"
          aria-label={t('perSkill.name')}
          placeholder={t('perSkill.name')}
          value={value}
          disabled={isDisabled}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    />
  );
}

/** Settings that are edited in rows. */
const STRUCTURED: ReadonlyMap<ShownKey, (props: { entry: ConfigEntry }) => ReactElement> = new Map([
  ['approvals.tools', ToolRules],
  ['breakers.per_dependency', BreakerRows],
  ['budgets.caps', BudgetRows],
  ['gateway.fallback', FallbackRows],
  ['hosts.addresses', AddressRows],
  ['skill_resume.per_skill', PerSkill],
  ['tasks.own', FileTaskRows],
]);

type Value = VerbInput<'config.set'>['value'];

interface ControlProps {
  readonly label: string;
  readonly entry: ConfigEntry;
  readonly isDisabled: boolean;
  readonly onSave: (value: Value) => void;
}

/** Settings that name a channel; if empty is allowed, it means no channel. */
const CHANNEL_KEYS: ReadonlySet<string> = new Set(['channels.default', 'reminders.escalate_to']);

/** The existing channels, plus the one that is set, even if it no longer exists. */
function ChannelSelect({ label, entry, isDisabled, onSave }: ControlProps): ReactElement {
  const list = useVerb('channels.list', {});
  const value = String(entry.value);
  const names = (list.data?.channels ?? []).filter(({ speaks }) => speaks).map(({ name }) => name);
  return (
    <Select
      aria-label={label}
      disabled={isDisabled}
      data={[...new Set([...names, value])].filter((name) => name !== '')}
      value={value === '' ? null : value}
      placeholder={placeholderOf(entry.key)}
      clearable={entry.default === ''}
      onChange={(name) => {
        if (name !== null || entry.default === '') onSave(name ?? '');
      }}
    />
  );
}

export function SettingRow({
  settingKey,
  entry,
}: {
  settingKey: ShownKey;
  entry: ConfigEntry | undefined;
}): ReactElement | null {
  const save = useCommand('config.set');
  if (!entry) return null;
  const Structured = STRUCTURED.get(settingKey);
  if (Structured !== undefined) return <Structured entry={entry} />;
  const label = t(`setting.${settingKey}`);
  const about = aboutOf(settingKey, label, entry.about);
  const isFixed = isOverridden(entry);
  const Control = CHANNEL_KEYS.has(settingKey) ? ChannelSelect : SettingControl;
  return (
    <li className="aligned flex-wrap setting" data-setting={settingKey}>
      <div className="grow">
        <SettingTitle title={label} entry={entry} isQuiet={isRemembered(settingKey)} />
        {about === '' ? null : <Inert as="div" className="sm t3" text={about} />}
        {settingKey === 'app.start_at_login' ? (
          <div className="sm t3">{t('general.login')}</div>
        ) : null}
        {settingKey === 'approvals.mode' ? (
          <div className="sm t3">{t('toolRules.modeAbout')}</div>
        ) : null}
        {entry.applies === 'restart' ? (
          <div className="sm t3">{t('settings.atRestart')}</div>
        ) : null}
        {isFixed ? (
          <div className="sm ink-attention">
            {entry.source === 'environment' ? t('settings.fixedEnv') : t('settings.fixedCli')}
          </div>
        ) : null}
        {isChanged(entry) ? (
          <Button
            size="xs"
            variant="subtle"
            className="to-default"
            aria-label={t('settings.toDefaultOf', { name: label })}
            loading={save.isBusy}
            onClick={() => void save.run({ key: entry.key, value: entry.default })}
          >
            {t('settings.toDefault')}
          </Button>
        ) : null}
        <TroubleNote trouble={save.trouble} />
      </div>
      <div className="setting-control">
        <Control
          label={label}
          entry={entry}
          isDisabled={isFixed}
          onSave={(value) => void save.run({ key: entry.key, value })}
        />
      </div>
    </li>
  );
}

function SettingControl({ label, entry, isDisabled, onSave }: ControlProps): ReactElement {
  const control = controlOf(entry);
  const stored = control.kind === 'text' || control.kind === 'number' ? control.value : '';
  const [draft, setDraft] = useState<string | number>(stored);
  const [seen, setSeen] = useState(stored);
  // A new value from the file replaces the draft; the field keeps its focus.
  if (seen !== stored) {
    setSeen(stored);
    setDraft(stored);
  }
  const shared = { 'aria-label': label, disabled: isDisabled };
  switch (control.kind) {
    case 'switch':
      return (
        <Switch
          {...shared}
          checked={control.value}
          onChange={(event) => onSave(event.currentTarget.checked)}
        />
      );
    case 'onOff':
      return (
        <Switch
          {...shared}
          checked={control.value}
          onChange={(event) => onSave(event.currentTarget.checked ? 'on' : 'off')}
        />
      );
    case 'choice':
      return (
        <Select
          {...shared}
          data={control.choices.map((value) => ({ value, label: choiceLabel(entry.key, value) }))}
          value={control.value}
          onChange={(value) => {
            if (value !== null && value !== control.value) onSave(value);
          }}
        />
      );
    case 'number':
      return (
        <NumberInput
          {...shared}
          value={draft}
          onChange={setDraft}
          onBlur={() => {
            if (typeof draft === 'number' && draft !== control.value) onSave(draft);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && typeof draft === 'number' && draft !== control.value) {
              onSave(draft);
            }
            takeBackOnEscape(event, draft !== control.value, () => setDraft(control.value));
          }}
        />
      );
    case 'tags':
      return (
        <TagsInput
          {...shared}
          placeholder={control.value.length === 0 ? placeholderOf(entry.key) : ''}
          value={[...control.value]}
          onChange={(value) => onSave(value)}
        />
      );
    case 'text': {
      const keep = (): void => {
        if (draft !== control.value) onSave(draft);
      };
      return (
        <TextInput
          {...shared}
          placeholder={placeholderOf(entry.key)}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          onBlur={keep}
          onKeyDown={(event) => {
            if (event.key === 'Enter') keep();
            takeBackOnEscape(event, draft !== control.value, () => setDraft(control.value));
          }}
        />
      );
    }
  }
}

/** Blur saves, so Esc restores the saved value before it leaves the field. */
function takeBackOnEscape(event: KeyboardEvent, isEdited: boolean, restore: () => void): void {
  if (event.key !== 'Escape' || !isEdited) return;
  event.preventDefault();
  restore();
}
