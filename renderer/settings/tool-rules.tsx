/** Which tools run, ask or never run: a list of names, each with its own rule; known ones proposed. */
import { ActionIcon, Autocomplete, Button, SegmentedControl, Tooltip } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ConfigEntry } from '../../shared/model';
import { useCommand, useVerb } from '../bridge';
import { Inert, SourceTag, TroubleNote } from '../parts/texts';
import {
  TOOL_RULES,
  isOverridden,
  ruleProposals,
  toolRuleRows,
  withToolRule,
} from './settings-model';
import type { ToolRule } from './settings-model';

const choices = (): { value: ToolRule; label: string }[] =>
  TOOL_RULES.map((value) => ({ value, label: t(`toolRules.${value}`) }));

export function ToolRules({ entry }: { entry: ConfigEntry }): ReactElement {
  const save = useCommand('config.set');
  const tools = useVerb('tools.list', {});
  const [name, setName] = useState('');
  const [rule, setRule] = useState<ToolRule>('ask');
  const isFixed = isOverridden(entry);
  const rows = toolRuleRows(entry.value);
  const write = (tool: string, wanted: ToolRule | undefined): Promise<boolean> =>
    save
      .run({ key: entry.key, value: withToolRule(entry.value, tool, wanted) })
      .then((answer) => answer.ok);
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (name.trim() !== '' && (await write(name.trim(), rule))) setName('');
  };
  return (
    <li className="setting">
      <div className="grow">
        <div className="m5">{t('setting.approvals.tools')}</div>
        <div className="sm t3">{t('toolRules.about')}</div>
        <div className="mono t3 setting-key">{entry.key}</div>
        {isFixed ? (
          <div className="sm ink-attention">
            {entry.source === 'environment' ? t('settings.fixedEnv') : t('settings.fixedCli')}
          </div>
        ) : null}
      </div>
      <SourceTag source={entry.source} />
      <div className="per-skill">
        {rows.length === 0 ? <p className="sm t3">{t('toolRules.none')}</p> : null}
        <ul>
          {rows.map((row) => (
            <li key={row.tool} className="per-skill-row">
              <span className="mono grow wrap">
                <Inert text={row.tool} />
              </span>
              <SegmentedControl
                aria-label={t('toolRules.ruleOf', { name: row.tool })}
                data={choices()}
                value={row.rule}
                disabled={isFixed}
                onChange={(wanted) => {
                  const picked = TOOL_RULES.find((known) => known === wanted);
                  if (picked && picked !== row.rule) void write(row.tool, picked);
                }}
              />
              <Tooltip label={t('toolRules.remove')}>
                <ActionIcon
                  variant="subtle"
                  size={26}
                  disabled={isFixed}
                  aria-label={t('toolRules.removeOf', { name: row.tool })}
                  onClick={() => void write(row.tool, undefined)}
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
            aria-label={t('toolRules.name')}
            placeholder={t('toolRules.name')}
            data={[...ruleProposals(tools.data?.tools ?? [], entry.value)]}
            maxLength={200}
            value={name}
            disabled={isFixed}
            onChange={setName}
          />
          <SegmentedControl
            aria-label={t('toolRules.rule')}
            data={choices()}
            value={rule}
            disabled={isFixed}
            onChange={(wanted) => setRule(TOOL_RULES.find((known) => known === wanted) ?? 'ask')}
          />
          <Button
            type="submit"
            size="xs"
            data-size="xs"
            loading={save.isBusy}
            disabled={isFixed || name.trim() === ''}
            leftSection={<Plus className="icon small" aria-hidden="true" />}
          >
            {t('toolRules.add')}
          </Button>
        </form>
        <TroubleNote trouble={save.trouble ?? tools.trouble} />
      </div>
    </li>
  );
}
