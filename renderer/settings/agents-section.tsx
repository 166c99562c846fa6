/** Own agents: provider, model, folder, tools. */
import { Button, MultiSelect, Select, TagsInput, TextInput, Textarea } from '@mantine/core';
import { Bot, Plus } from 'lucide-react';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import type { VerbInput } from '../../shared/contract';
import { t } from '../../shared/messages';
import type { AgentView, ConfigEntry } from '../../shared/model';
import { useCommand, useVerb } from '../bridge';
import { ScriptMark } from '../parts/icons';
import { crashSettings } from '../parts/after-crash-model';
import { Inert, SectionHead, TroubleNote } from '../parts/texts';
import { ToolsTable } from '../parts/tools-table';
import { SettingRows } from './setting-row';
import { SECTION_KEYS } from './settings-model';
import { TestButton } from './test-button';

/** The form is for agents of the built-in executor; the others are changed on the command line. */
type AgentInput = Extract<VerbInput<'agents.add'>['agent'], { provider: string }>;

const storedAgent = (
  entries: readonly ConfigEntry[],
  name: string,
): Partial<AgentInput> | undefined => {
  const all = entries.find((entry) => entry.key === 'agents')?.value;
  return all !== null && typeof all === 'object' && !Array.isArray(all)
    ? (all[name] as Partial<AgentInput> | undefined)
    : undefined;
};

const isAboutAsking = (key: string): boolean => key.startsWith('approvals.');

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
                {agent.executor === 'practice' ? (
                  <ScriptMark />
                ) : (
                  <Bot className="icon" aria-hidden="true" />
                )}
              </span>
              <div className="grow">
                <div className="m5">
                  <Inert text={agent.name} />
                </div>
                <div className="sm t3 wrap">{agentLine(agent)}</div>
                {agent.problem === undefined ? null : (
                  <div className="sm ink-attention">
                    <Inert text={agent.problem} />
                  </div>
                )}
              </div>
              {agent.executor === 'practice' ? null : (
                <>
                  <TestButton verb="agents.test" name={agent.name} />
                  {agent.executor === 'llm' ? (
                    <Button
                      size="xs"
                      aria-expanded={editing === agent.name}
                      onClick={() => setEditing(editing === agent.name ? undefined : agent.name)}
                    >
                      {editing === agent.name ? t('common.close') : t('common.edit')}
                    </Button>
                  ) : null}
                </>
              )}
            </div>
            {editing === agent.name ? (
              <AgentForm
                name={agent.name}
                stored={storedAgent(entries, agent.name) ?? {}}
                onSaved={done}
                onCancel={() => setEditing(undefined)}
              />
            ) : null}
          </li>
        ))}
      </ul>
      {editing === '' ? (
        <div className="card padded">
          <h3>{t('agent.new')}</h3>
          <AgentForm stored={{}} onSaved={done} onCancel={() => setEditing(undefined)} />
        </div>
      ) : (
        <div>
          <Button
            leftSection={<Plus className="icon small" aria-hidden="true" />}
            onClick={() => setEditing('')}
          >
            {t('agents.add')}
          </Button>
        </div>
      )}
      <section>
        <SectionHead title={t('toolRules.title')} />
        <SettingRows keys={SECTION_KEYS.agents.filter(isAboutAsking)} entries={entries} />
      </section>
      <section>
        <SectionHead title={t('settings.shell')} />
        <SettingRows
          keys={SECTION_KEYS.agents.filter((key) => !isAboutAsking(key))}
          entries={entries}
        />
      </section>
      <section>
        <SectionHead title={t('settings.tools')} count={tools.data?.tools.length ?? ''} />
        <div className="card">
          <ToolsTable
            tools={tools.data?.tools ?? []}
            columns={['from', 'class', 'about', 'afterCrash']}
            settings={crashSettings(entries)}
          />
        </div>
      </section>
    </div>
  );
}

const agentLine = (agent: AgentView): string =>
  agent.executor === 'practice'
    ? t('practice.chip')
    : [agent.provider, agent.model, agent.workspace].filter((part) => part !== '').join(' · ');

function AgentForm({
  name: fixedName,
  stored,
  onSaved,
  onCancel,
}: {
  name?: string;
  stored: Partial<AgentInput>;
  onSaved: () => void;
  onCancel: () => void;
}): ReactElement {
  const providers = useVerb('provider.list', {});
  const tools = useVerb('tools.list', {});
  const save = useCommand('agents.add');
  const [name, setName] = useState(fixedName ?? '');
  const [provider, setProvider] = useState<string | null>(stored.provider ?? null);
  const [model, setModel] = useState(stored.model ?? '');
  const [workspace, setWorkspace] = useState(stored.workspace ?? '');
  const [instructions, setInstructions] = useState(stored.instructions ?? '');
  const [ownTools, setOwnTools] = useState<string[]>(stored.tools ?? []);
  const [env, setEnv] = useState<string[]>(stored.env ?? []);
  const isComplete = name !== '' && provider !== null && model !== '' && workspace !== '';

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (provider === null) return;
    const answer = await save.run({
      name,
      agent: {
        provider,
        model,
        workspace,
        ...(instructions === '' ? {} : { instructions }),
        ...(ownTools.length === 0 ? {} : { tools: ownTools }),
        ...(env.length === 0 ? {} : { env }),
      },
    });
    if (answer.ok) onSaved();
  };
  return (
    <form className="form-grid" onSubmit={(event) => void submit(event)}>
      <TextInput
        label={t('agent.name')}
        value={name}
        disabled={fixedName !== undefined}
        onChange={(event) => setName(event.currentTarget.value)}
        required
      />
      <Select
        label={t('agents.provider')}
        data={(providers.data?.providers ?? [])
          .filter((known) => known.kind !== 'practice')
          .map((known) => known.name)}
        value={provider}
        onChange={setProvider}
        placeholder={t('agent.pickProvider')}
        nothingFoundMessage={t('agent.noProviders')}
        required
      />
      <TextInput
        label={t('agents.model')}
        value={model}
        onChange={(event) => setModel(event.currentTarget.value)}
        required
      />
      <TextInput
        label={t('agents.folder')}
        description={t('agent.folderAbout')}
        value={workspace}
        onChange={(event) => setWorkspace(event.currentTarget.value)}
        required
      />
      <MultiSelect
        label={t('agents.tools')}
        description={t('agent.toolsAbout')}
        data={(tools.data?.tools ?? [])
          .map((tool) => tool.name)
          .filter((tool) => !tool.includes(':'))}
        value={ownTools}
        onChange={setOwnTools}
        searchable
      />
      <TagsInput
        label={t('agent.env')}
        description={t('agent.envAbout')}
        value={env}
        onChange={setEnv}
      />
      <Textarea
        className="form-wide"
        label={t('agent.instructions')}
        value={instructions}
        onChange={(event) => setInstructions(event.currentTarget.value)}
        autosize
        minRows={3}
        maxRows={10}
      />
      <div className="form-end">
        <TroubleNote trouble={save.trouble} />
        <Button type="submit" loading={save.isBusy} disabled={!isComplete}>
          {t('agent.save')}
        </Button>
        <Button variant="subtle" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      </div>
    </form>
  );
}
