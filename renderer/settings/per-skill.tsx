/** The step policy of single skills: a list of names, each with its own answer. */
import { ActionIcon, Button, Select, TextInput, Tooltip } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ConfigEntry } from '../../shared/model';
import { useCommand } from '../bridge';
import { Inert, SourceTag, TroubleNote } from '../parts/texts';
import { POLICIES, isOverridden, perSkillRows, withSkill } from './settings-model';
import type { StepPolicy } from './settings-model';

const choices = (): { value: StepPolicy; label: string }[] =>
  POLICIES.map((value) => ({ value, label: t(`choice.skill_resume.default.${value}`) }));

export function PerSkill({ entry }: { entry: ConfigEntry }): ReactElement {
  const save = useCommand('config.set');
  const [name, setName] = useState('');
  const [policy, setPolicy] = useState<StepPolicy>('retry');
  const isFixed = isOverridden(entry);
  const rows = perSkillRows(entry.value);
  const write = (skill: string, wanted: StepPolicy | undefined): Promise<boolean> =>
    save
      .run({ key: entry.key, value: withSkill(entry.value, skill, wanted) })
      .then((answer) => answer.ok);
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (name.trim() !== '' && (await write(name.trim(), policy))) setName('');
  };
  return (
    <li className="setting">
      <div className="grow">
        <div className="m5">{t('setting.skill_resume.per_skill')}</div>
        <div className="sm t3">
          <Inert text={entry.about} />
        </div>
        <div className="mono t3 setting-key">{entry.key}</div>
        {isFixed ? (
          <div className="sm ink-attention">
            {entry.source === 'environment' ? t('settings.fixedEnv') : t('settings.fixedCli')}
          </div>
        ) : null}
      </div>
      <SourceTag source={entry.source} />
      <div className="per-skill">
        <ul>
          {rows.map((row) => (
            <li key={row.skill} className="per-skill-row">
              <span className="mono grow wrap">
                <Inert text={row.skill} />
              </span>
              <Select
                aria-label={t('perSkill.policyOf', { name: row.skill })}
                data={choices()}
                value={row.policy}
                disabled={isFixed}
                w={190}
                onChange={(wanted) => {
                  const picked = POLICIES.find((known) => known === wanted);
                  if (picked && picked !== row.policy) void write(row.skill, picked);
                }}
              />
              <Tooltip label={t('perSkill.remove')}>
                <ActionIcon
                  variant="subtle"
                  size={26}
                  disabled={isFixed}
                  aria-label={t('perSkill.removeOf', { name: row.skill })}
                  onClick={() => void write(row.skill, undefined)}
                >
                  <X className="icon small" aria-hidden="true" />
                </ActionIcon>
              </Tooltip>
            </li>
          ))}
        </ul>
        <form className="per-skill-row" onSubmit={(event) => void add(event)}>
          <TextInput
            className="grow"
            aria-label={t('perSkill.name')}
            placeholder={t('perSkill.name')}
            value={name}
            disabled={isFixed}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Select
            aria-label={t('perSkill.policy')}
            data={choices()}
            value={policy}
            disabled={isFixed}
            w={190}
            onChange={(wanted) => setPolicy(POLICIES.find((known) => known === wanted) ?? 'retry')}
          />
          <Button
            type="submit"
            size="xs"
            data-size="xs"
            loading={save.isBusy}
            disabled={isFixed || name.trim() === ''}
            leftSection={<Plus className="icon small" aria-hidden="true" />}
          >
            {t('perSkill.add')}
          </Button>
        </form>
        <TroubleNote trouble={save.trouble} />
      </div>
    </li>
  );
}
