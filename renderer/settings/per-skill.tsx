/** The step policy of single skills: a list of names, each with its own answer. */
import { Select, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ConfigEntry } from '../../shared/types';
import { Inert } from '../parts/texts';
import { NamedChoices } from './named-choices';
import { POLICIES } from './settings-view';

export function PerSkill({ entry }: { entry: ConfigEntry }): ReactElement {
  return (
    <NamedChoices
      entry={entry}
      title={t('setting.skill_resume.per_skill')}
      about={<Inert text={entry.about} />}
      choices={POLICIES}
      initial="retry"
      words={{
        add: t('perSkill.add'),
        remove: t('perSkill.remove'),
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
