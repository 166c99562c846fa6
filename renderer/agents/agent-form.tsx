/** Adds and changes agents: provider, model, folder, tools; or the program of somebody else. */
import { Button, MultiSelect, Select, TagsInput, TextInput, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand, useVerb } from '../bridge';
import { TroubleNote } from '../parts/texts';
import { OutsideForm } from './outside-form';
import { RemoveAgent } from './remove-agent';
import type { AgentInput } from './outside-form-model';

type LlmInput = Extract<AgentInput, { readonly provider: string }>;

const without = (stored: LlmInput | undefined, keys: readonly string[]): Partial<LlmInput> =>
  Object.fromEntries(Object.entries(stored ?? {}).filter(([key]) => !keys.includes(key)));

/** The form of an agent that is there, by what it runs as; nothing where the settings do not name it. */
export function AgentForm({
  name,
  stored,
  onSaved,
  onCancel,
}: {
  name: string;
  stored: AgentInput | undefined;
  onSaved: () => void;
  onCancel: () => void;
}): ReactElement | null {
  if (stored === undefined) return null;
  const both = { name, onSaved, onCancel };
  return 'provider' in stored ? (
    <LlmForm {...both} stored={stored} />
  ) : (
    <OutsideForm {...both} stored={stored} />
  );
}

export function NewAgentForm(both: { onSaved: () => void; onCancel: () => void }): ReactElement {
  return <LlmForm {...both} stored={undefined} />;
}

function LlmForm({
  name: fixedName,
  stored,
  onSaved,
  onCancel,
}: {
  name?: string;
  /** Undefined for an agent that is new. */
  stored: LlmInput | undefined;
  onSaved: () => void;
  onCancel: () => void;
}): ReactElement {
  const providers = useVerb('provider.list', {});
  const tools = useVerb('tools.list', {});
  const save = useCommand(stored === undefined ? 'agents.add' : 'agents.edit');
  const [name, setName] = useState(fixedName ?? '');
  const [provider, setProvider] = useState<string | null>(stored?.provider ?? null);
  const [model, setModel] = useState(stored?.model ?? '');
  const [workspace, setWorkspace] = useState(stored?.workspace ?? '');
  const [instructions, setInstructions] = useState(stored?.instructions ?? '');
  const [ownTools, setOwnTools] = useState<string[]>(stored?.tools ?? []);
  const [env, setEnv] = useState<string[]>(stored?.env ?? []);
  const isComplete = name !== '' && provider !== null && model !== '' && workspace !== '';

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (provider === null) return;
    const answer = await save.run({
      name,
      agent: {
        // What the form does not show stays: drafts, skills, servers, tools of the outside.
        ...without(stored, ['instructions', 'tools', 'env']),
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
        {fixedName === undefined ? null : (
          <>
            <span className="grow" />
            <RemoveAgent name={fixedName} onRemoved={onSaved} />
          </>
        )}
      </div>
    </form>
  );
}
