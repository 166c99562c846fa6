/** Own agents: provider, model, folder, and tools. */
import { Bot } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { agentTitle } from '../agents/agent-titles';
import { sourceText } from '../agents/agent-view';
import type { AgentView, ConfigEntry } from '../../shared/types';
import { storedAgent } from '../agents/agent-view';
import { AgentForm, NewAgentForm } from '../agents/agent-form';
import { useVerb } from '../bridge';
import { ScriptMark } from '../parts/icons';
import { Inert, SectionHead, TroubleNote } from '../parts/texts';
import { ToolsTable } from '../parts/tools-table';
import { AddInPlace } from './add-in-place';
import { EditButton } from './edit-button';
import { SettingGroups } from './setting-rows';
import { TestButton } from './test-button';

export function AgentsSection({ entries }: { entries: readonly ConfigEntry[] }): ReactElement {
  const agents = useVerb('agents.list', {});
  const tools = useVerb('tools.list', {});
  const [editing, setEditing] = useState<string | undefined>(undefined);
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
                  <EditButton
                    name={agent.name}
                    isEditing={editing === agent.name}
                    onEdit={() => setEditing(editing === agent.name ? undefined : agent.name)}
                  />
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
      <AddInPlace
        title={t('agent.new')}
        label={t('agents.add')}
        isOpen={editing === ''}
        onOpen={() => setEditing('')}
      >
        <NewAgentForm onSaved={done} onCancel={() => setEditing(undefined)} />
      </AddInPlace>
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
