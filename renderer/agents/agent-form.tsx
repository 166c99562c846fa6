/** Adds and changes agents: provider, model, folder, tools; or the program of an external agent. */
import { MultiSelect, Select, Switch, TagsInput, TextInput, Textarea } from '@mantine/core';
import { useEffect } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand, useVerb } from '../bridge';
import { FolderField } from '../parts/folder-field';
import { FormEnd } from '../parts/form-end';
import { storedUnder } from '../parts/named-values';
import { onlyProvider } from '../setup/setup-view';
import { KeptMark } from '../unsent/kept-mark';
import { useUnsentForm } from '../unsent/use-unsent';
import type { UnsentForm } from '../unsent/use-unsent';
import { agentField, useStable } from '../unsent/kept-form';
import { ExternalForm } from './outside-form';
import { RemoveAgent } from './remove-agent';
import type { AgentInput } from './external-form-view';

type LlmInput = Extract<AgentInput, { readonly provider: string }>;

/** What the form shows; a key has no place in it. */
const wishOf = (name: string | undefined, stored: LlmInput | undefined) => ({
  name: name ?? '',
  provider: stored?.provider ?? null,
  model: stored?.model ?? '',
  workspace: stored?.workspace ?? '',
  instructions: stored?.instructions ?? '',
  tools: (stored?.tools ?? []) as readonly string[],
  env: (stored?.env ?? []) as readonly string[],
  drafts: stored?.drafts ?? false,
});

const without = (stored: LlmInput | undefined, keys: readonly string[]): Partial<LlmInput> =>
  Object.fromEntries(Object.entries(stored ?? {}).filter(([key]) => !keys.includes(key)));

/** The form of an existing agent, by its kind; nothing if the settings do not contain it. */
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
    <ExternalForm {...both} stored={stored} />
  );
}

export function NewAgentForm(both: { onSaved: () => void; onCancel: () => void }): ReactElement {
  return <LlmForm {...both} stored={undefined} />;
}

/**
 * An agent that is in the settings exactly as typed here was already added: a kill came before the
 * answer.
 */
function useStored(form: UnsentForm<ReturnType<typeof wishOf>>, name: string | undefined): void {
  const agents = useVerb('config.get', name === undefined ? undefined : { key: 'agents' });
  const twin =
    name === undefined || agents.data === undefined
      ? undefined
      : (storedUnder([agents.data], 'agents', name) as LlmInput | undefined);
  const isThere =
    form.isRead &&
    twin !== undefined &&
    JSON.stringify(wishOf(name, twin)) === JSON.stringify(form.value);
  const { drop } = form;
  useEffect(() => {
    if (isThere) drop();
  }, [isThere, drop]);
}

function LlmForm({
  name: fixedName,
  stored,
  onSaved,
  onCancel,
}: {
  name?: string;
  /** Undefined for a new agent. */
  stored: LlmInput | undefined;
  onSaved: () => void;
  onCancel: () => void;
}): ReactElement {
  const providers = useVerb('provider.list', {});
  const tools = useVerb('tools.list', {});
  const save = useCommand(stored === undefined ? 'agents.add' : 'agents.edit');
  const form = useUnsentForm(agentField(fixedName), useStable(wishOf(fixedName, stored)));
  const { change } = form;
  const { name, model, workspace, instructions, tools: ownTools, env, drafts } = form.value;
  const own = (providers.data?.providers ?? []).filter(({ kind }) => kind !== 'practice');
  const provider = form.value.provider ?? onlyProvider(own) ?? null;
  useStored(form, fixedName === undefined ? name : undefined);
  const isComplete = name !== '' && provider !== null && model !== '' && workspace !== '';

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (provider === null) return;
    const answer = await save.run({
      name,
      agent: {
        // What the form does not show is unchanged: skills, servers, external tools.
        ...without(stored, ['instructions', 'tools', 'env', 'drafts']),
        provider,
        model,
        workspace,
        ...(instructions === '' ? {} : { instructions }),
        ...(ownTools.length === 0 ? {} : { tools: [...ownTools] }),
        ...(env.length === 0 ? {} : { env: [...env] }),
        ...(drafts ? { drafts: true } : {}),
      },
    });
    if (!answer.ok) return;
    form.drop();
    onSaved();
  };
  return (
    <form className="form-grid" onSubmit={(event) => void submit(event)}>
      <TextInput
        label={t('agent.name')}
        value={name}
        disabled={fixedName !== undefined}
        onChange={(event) => change({ name: event.currentTarget.value })}
        required
      />
      <Select
        label={t('agents.provider')}
        data={own.map((known) => known.name)}
        value={provider}
        onChange={(chosen) => change({ provider: chosen })}
        placeholder={t('agent.pickProvider')}
        nothingFoundMessage={t('agent.noProviders')}
        required
      />
      <TextInput
        label={t('agents.model')}
        value={model}
        onChange={(event) => change({ model: event.currentTarget.value })}
        required
      />
      <FolderField folder={workspace} onFolder={(folder) => change({ workspace: folder })} />
      <MultiSelect
        label={t('agents.tools')}
        description={t('agent.toolsAbout')}
        data={(tools.data?.tools ?? [])
          .map((tool) => tool.name)
          .filter((tool) => !tool.includes(':'))}
        value={[...ownTools]}
        onChange={(chosen) => change({ tools: chosen })}
        searchable
      />
      <TagsInput
        label={t('agent.env')}
        description={t('agent.envAbout')}
        value={[...env]}
        onChange={(names) => change({ env: names })}
      />
      <Textarea
        className="form-wide"
        label={t('agent.instructions')}
        value={instructions}
        onChange={(event) => change({ instructions: event.currentTarget.value })}
        autosize
        minRows={3}
        maxRows={10}
      />
      <Switch
        className="form-wide"
        label={t('agent.drafts')}
        description={t('agent.draftsAbout')}
        checked={drafts}
        onChange={(event) => change({ drafts: event.currentTarget.checked })}
      />
      <KeptMark keeping={form.keeping} />
      <FormEnd
        trouble={save.trouble}
        isBusy={save.isBusy}
        isReady={isComplete}
        label={t('agent.save')}
        onCancel={() => {
          form.drop();
          onCancel();
        }}
        remove={
          fixedName === undefined ? undefined : <RemoveAgent name={fixedName} onRemoved={onSaved} />
        }
      />
    </form>
  );
}
