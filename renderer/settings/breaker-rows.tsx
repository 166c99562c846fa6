/** Exceptions of single circuit breakers: a row for each, its four numbers, and one to add. */
import { ActionIcon, Autocomplete, Button, TextInput, Tooltip } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { breakerTitle } from '../../shared/breaker-title';
import { t } from '../../shared/messages';
import type { ConfigEntry } from '../../shared/types';
import { useVerb } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { Inert, TroubleNote } from '../parts/texts';
import {
  BREAKER_FIELDS,
  breakerRows,
  withBreaker,
  withBreakerField,
  type BreakerField,
} from './breaker-rows-view';
import { isOverridden } from './settings-view';
import { SettingTitle } from './setting-title';
import { useWholeSetting } from './use-whole-setting';

export function BreakerRows({ entry }: { entry: ConfigEntry }): ReactElement {
  const { write, ...save } = useWholeSetting(entry);
  const breakers = useVerb('breakers.list', {});
  const [name, setName] = useState('');
  const isFixed = isOverridden(entry);
  const rows = breakerRows(entry.value);
  const known = (breakers.data?.breakers ?? [])
    .map((breaker) => breaker.name)
    .filter((one) => !rows.some((row) => row.name === one));
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (name.trim() === '') return;
    if (await write((value) => withBreaker(value, name.trim(), true))) setName('');
  };
  return (
    <li className="setting" data-setting={entry.key}>
      <div className="grow">
        <SettingTitle title={t('setting.breakers.per_dependency')} entry={entry} />
        <div className="sm t3">{t('breakerRows.about')}</div>
        {isFixed ? (
          <div className="sm ink-attention">
            {entry.source === 'environment' ? t('settings.fixedEnv') : t('settings.fixedCli')}
          </div>
        ) : null}
        <TroubleNote trouble={save.trouble ?? breakers.trouble} />
      </div>
      <div className="per-skill">
        <ul>
          {rows.map((row) => (
            <li key={row.name} className="breaker-row">
              <span className="wrap breaker-name" title={oneLine(row.name, 200)}>
                <Inert text={breakerTitle(row.name)} />
              </span>
              {BREAKER_FIELDS.map((field) => (
                <Field
                  key={field}
                  of={row.name}
                  field={field}
                  value={row.fields[field]}
                  isDisabled={isFixed}
                  onSave={(text) =>
                    void write((value) => withBreakerField(value, row.name, field, text))
                  }
                />
              ))}
              <Tooltip label={t('perSkill.remove')}>
                <ActionIcon
                  variant="subtle"
                  size={26}
                  disabled={isFixed}
                  aria-label={t('breakerRows.removeOf', {
                    name: oneLine(breakerTitle(row.name), 80),
                  })}
                  onClick={() => void write((value) => withBreaker(value, row.name, false))}
                >
                  <X className="icon small" aria-hidden="true" />
                </ActionIcon>
              </Tooltip>
            </li>
          ))}
        </ul>
        <form className="per-skill-row" onSubmit={(event) => void add(event)}>
          <Autocomplete
            className="grow"
            aria-label={t('breakerRows.name')}
            placeholder={t('breakerRows.name')}
            data={known}
            maxLength={200}
            value={name}
            disabled={isFixed}
            onChange={setName}
          />
          <Button
            type="submit"
            size="xs"
            data-size="xs"
            loading={save.isBusy}
            disabled={isFixed || name.trim() === ''}
            leftSection={<Plus className="icon small" aria-hidden="true" />}
          >
            {t('breakerRows.add')}
          </Button>
        </form>
      </div>
    </li>
  );
}

/** Written when it is left or with Enter; Esc puts back what is stored. */
function Field({
  of,
  field,
  value,
  isDisabled,
  onSave,
}: {
  of: string;
  field: BreakerField;
  value: string;
  isDisabled: boolean;
  onSave: (text: string) => void;
}): ReactElement {
  const [draft, setDraft] = useState(value);
  const [seen, setSeen] = useState(value);
  if (seen !== value) {
    setSeen(value);
    setDraft(value);
  }
  const keep = (): void => {
    if (draft.trim() !== value) onSave(draft);
  };
  return (
    <TextInput
      size="xs"
      label={t(`breakerRows.${field}`)}
      aria-label={t('breakerRows.fieldOf', {
        name: oneLine(breakerTitle(of), 80),
        what: t(`breakerRows.${field}`),
      })}
      placeholder={t('breakerRows.asAll')}
      value={draft}
      disabled={isDisabled}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={keep}
      onKeyDown={(event) => {
        if (event.key === 'Enter') keep();
        if (event.key !== 'Escape' || draft === value) return;
        event.preventDefault();
        setDraft(value);
      }}
    />
  );
}
