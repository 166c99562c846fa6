/** The display name of an agent. Its name stays: sessions, tasks and commands know it by that. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { TroubleNote } from '../parts/texts';
import { KeptField } from '../settings/kept-field';
import type { AgentInput } from './external-form-view';

const MAX_CHARS = 64;

export function TitleField({ name, stored }: { name: string; stored: AgentInput }): ReactElement {
  const save = useCommand('agents.edit');
  const { title = '', ...rest } = stored;
  return (
    <section className="aligned flex-wrap agent-wait" aria-label={t('agents.displayName')}>
      <div className="grow">
        <div className="m5">{t('agents.displayName')}</div>
        <div className="sm t3">{t('agents.displayNameAbout', { name })}</div>
        <TroubleNote trouble={save.trouble} />
      </div>
      <KeptField
        size="sm"
        name={t('agents.displayName')}
        placeholder={name}
        maxLength={MAX_CHARS}
        value={title}
        onSave={(next) =>
          void save.run({ name, agent: next === '' ? rest : { ...rest, title: next } })
        }
      />
    </section>
  );
}
