/** The display name of an agent. Its name stays: sessions, tasks and commands know it by that. */
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { TroubleNote } from '../parts/texts';
import type { AgentInput } from './external-form-view';

const MAX_CHARS = 64;

export function TitleField({ name, stored }: { name: string; stored: AgentInput }): ReactElement {
  const save = useCommand('agents.edit');
  const { title = '', ...rest } = stored;
  const [draft, setDraft] = useState(title);
  const [seen, setSeen] = useState(title);
  if (seen !== title) {
    setSeen(title);
    setDraft(title);
  }
  const keep = (): void => {
    const next = draft.trim();
    if (next === title) return;
    void save.run({ name, agent: next === '' ? rest : { ...rest, title: next } });
  };
  return (
    <section className="agent-wait" aria-label={t('agents.displayName')}>
      <div className="grow">
        <div className="m5">{t('agents.displayName')}</div>
        <div className="sm t3">{t('agents.displayNameAbout', { name })}</div>
        <TroubleNote trouble={save.trouble} />
      </div>
      <TextInput
        aria-label={t('agents.displayName')}
        placeholder={name}
        maxLength={MAX_CHARS}
        value={draft}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onBlur={keep}
        onKeyDown={(event) => {
          if (event.key === 'Enter') keep();
          if (event.key !== 'Escape' || draft === title) return;
          event.preventDefault();
          setDraft(title);
        }}
      />
    </section>
  );
}
