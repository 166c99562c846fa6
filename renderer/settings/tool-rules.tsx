/** Which tools run, ask or never run: a list of names, each with its own rule; known ones proposed. */
import { Autocomplete, SegmentedControl } from '@mantine/core';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ConfigEntry } from '../../shared/types';
import { useVerb } from '../bridge';
import { NamedChoices } from './named-choices';
import { TOOL_RULES, ruleProposals } from './settings-view';

export function ToolRules({ entry }: { entry: ConfigEntry }): ReactElement {
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
        remove: t('toolRules.remove'),
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
