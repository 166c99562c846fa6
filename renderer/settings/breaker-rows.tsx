/** Exceptions of single circuit breakers: a row for each, its four numbers, and one to add. */
import { Autocomplete } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { breakerTitle } from '../../shared/breaker-title';
import { t } from '../../shared/messages';
import type { ConfigEntry } from '../../shared/types';
import { useVerb } from '../bridge';
import { oneLine } from '../parts/inert-view';
import { Inert } from '../parts/texts';
import { BREAKER_FIELDS, breakerRows, withBreaker, withBreakerField } from './breaker-rows-view';
import { KeptField } from './kept-field';
import { isOverridden } from './settings-view';
import { AddRow, RemoveRow, StructuredSetting } from './structured-setting';
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
  const add = async (): Promise<void> => {
    if (await write((value) => withBreaker(value, name.trim(), true))) setName('');
  };
  return (
    <StructuredSetting
      entry={entry}
      title={t('setting.breakers.per_dependency')}
      about={t('breakerRows.about')}
      trouble={save.trouble ?? breakers.trouble}
    >
      <ul>
        {rows.map((row) => (
          <li key={row.name} className="breaker-row">
            <Inert
              className="wrap breaker-name"
              title={oneLine(row.name, 200)}
              text={breakerTitle(row.name)}
            />
            {BREAKER_FIELDS.map((field) => (
              <KeptField
                key={field}
                label={t(`breakerRows.${field}`)}
                name={t('breakerRows.fieldOf', {
                  name: oneLine(breakerTitle(row.name), 80),
                  what: t(`breakerRows.${field}`),
                })}
                placeholder={t('breakerRows.asAll')}
                value={row.fields[field]}
                isDisabled={isFixed}
                onSave={(text) =>
                  void write((value) => withBreakerField(value, row.name, field, text))
                }
              />
            ))}
            <RemoveRow
              label={t('breakerRows.removeOf', {
                name: oneLine(breakerTitle(row.name), 80),
              })}
              isDisabled={isFixed}
              onRemove={() => void write((value) => withBreaker(value, row.name, false))}
            />
          </li>
        ))}
      </ul>
      <AddRow
        label={t('breakerRows.add')}
        isBusy={save.isBusy}
        isDisabled={isFixed}
        isReady={name.trim() !== ''}
        onAdd={add}
      >
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
      </AddRow>
    </StructuredSetting>
  );
}
