/** One setting: name, key, source, and the control that fits. A change is written at once. */
import { NumberInput, Select, Switch, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import type { VerbInput } from '../../shared/contract';
import { t } from '../../shared/messages';
import type { ConfigEntry } from '../../shared/types';
import { useCommand } from '../bridge';
import { Inert, SourceTag, TroubleNote } from '../parts/texts';
import { PerSkill } from './per-skill';
import { ToolRules } from './tool-rules';
import {
  aboutBeside,
  choiceLabel,
  controlOf,
  isOverridden,
  isRemembered,
  valueOfJson,
} from './settings-view';
import type { ShownKey } from './settings-view';

type Value = VerbInput<'config.set'>['value'];

export function SettingRow({
  settingKey,
  entry,
}: {
  settingKey: ShownKey;
  entry: ConfigEntry | undefined;
}): ReactElement | null {
  const save = useCommand('config.set');
  if (!entry) return null;
  if (settingKey === 'skill_resume.per_skill') return <PerSkill entry={entry} />;
  if (settingKey === 'approvals.tools') return <ToolRules entry={entry} />;
  const label = t(`setting.${settingKey}`);
  // The description of the choices says more than the general sentence.
  const about = settingKey === 'approvals.mode' ? '' : aboutBeside(label, entry.about);
  const isFixed = isOverridden(entry);
  return (
    <li className="setting">
      <div className="grow">
        <div className={isRemembered(settingKey) ? 't2' : 'm5'}>{label}</div>
        {about === '' || isRemembered(settingKey) ? null : (
          <div className="sm t3">
            <Inert text={about} />
          </div>
        )}
        {settingKey === 'app.start_at_login' ? (
          <div className="sm t3">{t('general.login')}</div>
        ) : null}
        {settingKey === 'approvals.mode' ? (
          <div className="sm t3">{t('toolRules.modeAbout')}</div>
        ) : null}
        <div className="mono t3 setting-key">{entry.key}</div>
        {entry.applies === 'restart' ? (
          <div className="sm t3">{t('settings.atRestart')}</div>
        ) : null}
        {isFixed ? (
          <div className="sm ink-attention">
            {entry.source === 'environment' ? t('settings.fixedEnv') : t('settings.fixedCli')}
          </div>
        ) : null}
        <TroubleNote trouble={save.trouble} />
      </div>
      <SourceTag source={entry.source} />
      <div className="setting-control">
        <SettingControl
          label={label}
          entry={entry}
          isDisabled={isFixed}
          onSave={(value) => void save.run({ key: entry.key, value })}
        />
      </div>
    </li>
  );
}

function SettingControl({
  label,
  entry,
  isDisabled,
  onSave,
}: {
  label: string;
  entry: ConfigEntry;
  isDisabled: boolean;
  onSave: (value: Value) => void;
}): ReactElement {
  const control = controlOf(entry);
  const stored =
    control.kind === 'text' || control.kind === 'json' || control.kind === 'number'
      ? control.value
      : '';
  const [draft, setDraft] = useState<string | number>(stored);
  const [seen, setSeen] = useState(stored);
  // A new value from the file takes the place of the draft; the field keeps its focus.
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
          }}
        />
      );
    case 'tags':
      return (
        <TagsInput {...shared} value={[...control.value]} onChange={(value) => onSave(value)} />
      );
    case 'json':
    case 'text': {
      const keep = (): void => {
        if (draft === control.value) return;
        onSave(control.kind === 'json' ? (valueOfJson(String(draft)) as Value) : draft);
      };
      return (
        <TextInput
          {...shared}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          onBlur={keep}
          onKeyDown={(event) => {
            if (event.key === 'Enter') keep();
          }}
        />
      );
    }
  }
}

/** Several settings in a card. */
export function SettingRows({
  keys,
  entries,
}: {
  keys: readonly ShownKey[];
  entries: readonly ConfigEntry[];
}): ReactElement {
  return (
    <ul className="card rows">
      {keys.map((key) => (
        <SettingRow key={key} settingKey={key} entry={entries.find((entry) => entry.key === key)} />
      ))}
    </ul>
  );
}
