/** Own agents: provider, model, folder, and tools. */
import { Button } from '@mantine/core';
import { Bot, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { agentTitle } from '../agents/agent-titles';
import { sourceText } from '../agents/agent-view';
import type { AgentView, ConfigEntry } from '../../shared/types';
import { storedAgent } from '../agents/agent-view';
import { AgentForm, NewAgentForm } from '../agents/agent-form';
import { useVerb } from '../bridge';
import { useFormInPlace } from '../keys/use-form-in-place';
import { ScriptMark } from '../parts/icons';
import { Inert, SectionHead, TroubleNote } from '../parts/texts';
import { ToolsTable } from '../parts/tools-table';
import { SettingGroups } from './setting-rows';
import { TestButton } from './test-button';

export function AgentsSection({ entries }: { entries: readonly ConfigEntry[] }): ReactElement {
  const agents = useVerb('agents.list', {});
  const tools = useVerb('tools.list', {});
  const [editing, setEditing] = useState<string | undefined>(undefined);
  const adding = useFormInPlace(editing === '');
  const done = (): void => {
    setEditing(undefined);
    agents.reload();
  };
  return (
    <div className="stack settings-stack narrow">
      <TroubleNote trouble={agents.trouble ?? tools.trouble} />
      <ul className="card rows">
        {(agents.data?.agents ?? []).map((agent) => (
          <li key={agent.name} className="padded-row">
            <div className="flex flex-wrap">
              <span className={`tile tone-${agent.problem === undefined ? 'kept' : 'attention'}`}>
                {agent.executor === 'practice' ? <ScriptMark /> : <Bot className="icon" />}
              </span>
              <div className="grow">
                <Inert as="div" className="m5" text={agentTitle(agent.name)} />
                <div className="sm t3 wrap">{agentLine(agent)}</div>
                {agent.problem === undefined ? null : (
                  <Inert as="div" className="sm ink-attention" text={agent.problem} />
                )}
              </div>
              {agent.executor === 'practice' ? null : (
                <>
                  <TestButton verb="agents.test" name={agent.name} />
                  <Button
                    size="xs"
                    aria-expanded={editing === agent.name}
                    aria-label={t(editing === agent.name ? 'common.closeOf' : 'common.editOf', {
                      name: agent.name,
                    })}
                    onClick={() => setEditing(editing === agent.name ? undefined : agent.name)}
                  >
                    {editing === agent.name ? t('common.close') : t('common.edit')}
                  </Button>
                </>
              )}
            </div>
            {editing === agent.name ? (
              <AgentForm
                name={agent.name}
                stored={storedAgent(entries, agent.name)}
                onSaved={done}
                onCancel={() => setEditing(undefined)}
              />
            ) : null}
          </li>
        ))}
      </ul>
      {editing === '' ? (
        <div ref={adding.place} className="card padded">
          <h3>{t('agent.new')}</h3>
          <NewAgentForm onSaved={done} onCancel={() => setEditing(undefined)} />
        </div>
      ) : (
        <div>
          <Button
            ref={adding.opener}
            leftSection={<Plus className="icon small" />}
            onClick={() => setEditing('')}
          >
            {t('agents.add')}
          </Button>
        </div>
      )}
      <SettingGroups section="agents" entries={entries} />
      <section>
        <SectionHead title={t('settings.tools')} count={tools.data?.tools.length ?? ''} />
        <div className="card">
          <ToolsTable
            tools={tools.data?.tools ?? []}
            columns={['from', 'class', 'about', 'afterCrash']}
          />
        </div>
      </section>
    </div>
  );
}

const agentLine = (agent: AgentView): string =>
  agent.executor === 'practice'
    ? t('practice.chip')
    : [sourceText(agent), agent.model, agent.workspace].filter((part) => part !== '').join(' · ');
