/** The second half of the setup sheet: model, folder, drafts, approvals, and a test message. */
import { Button, Select, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { t } from '../../shared/messages';
import { freeName, folderProblem, nameProblem } from '../agents/found-view';
import { useCommand, useVerb } from '../bridge';
import { FolderField } from '../parts/folder-field';
import { Inert, NoteLine, TroubleNote } from '../parts/texts';
import { goTo } from '../route';
import {
  agentOfSheet,
  priceText,
  storedProvider,
  withPrices,
  type ProviderInput,
  type Ready,
} from './setup-view';

const APPROVALS = ['risky', 'all_effects', 'off'] as const;

export function AgentPart({ ready, onClose }: { ready: Ready; onClose: () => void }): ReactElement {
  const agents = useVerb('agents.list', {});
  const [turnId, setTurnId] = useState<number | undefined>(undefined);
  if (agents.data === undefined) return <TroubleNote trouble={agents.trouble} />;
  return (
    <section aria-label={t('setup.agent')}>
      <h3 className="setup-step">{t('setup.agent')}</h3>
      {turnId === undefined ? (
        <AgentFields
          ready={ready}
          taken={agents.data.agents.map(({ name }) => name)}
          onSent={setTurnId}
        />
      ) : (
        <Hello turnId={turnId} onClose={onClose} />
      )}
    </section>
  );
}

function AgentFields({
  ready: { provider, models },
  taken,
  onSent,
}: {
  ready: Ready;
  taken: readonly string[];
  onSent: (turnId: number) => void;
}): ReactElement {
  const config = useVerb('config.get', { key: 'providers' });
  const approvals = useVerb('config.get', { key: 'approvals.mode' });
  const price = useCommand('provider.set');
  const set = useCommand('config.set');
  const add = useCommand('agents.add');
  const send = useCommand('send');
  const [name, setName] = useState(() => freeName('assistant', taken));
  const [model, setModel] = useState(models.length === 1 ? (models[0]?.id ?? '') : '');
  const [folder, setFolder] = useState('');
  const [hasDrafts, setDrafts] = useState(false);
  const [mode, setMode] = useState<string | undefined>(undefined);
  const [isAdded, setAdded] = useState(false);
  const storedMode = String(approvals.data?.value ?? 'risky');
  const listed = models.find(({ id }) => id === model);
  const wrongName = isAdded ? undefined : nameProblem(name, taken);
  const isComplete =
    model.trim() !== '' && wrongName === undefined && folderProblem(folder) === undefined;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isComplete) return;
    const stored = config.data === undefined ? undefined : storedProvider([config.data], provider);
    const priced =
      stored?.kind === undefined ? undefined : withPrices({ ...stored, kind: stored.kind }, listed);
    if (priced !== undefined && !(await price.run({ name: provider, provider: priced })).ok) return;
    if (mode !== undefined && mode !== storedMode) {
      const answer = await set.run({ key: 'approvals.mode', value: mode });
      if (!answer.ok) return;
    }
    const agent = agentOfSheet({ provider, model, folder, hasDrafts });
    if (!(await add.run({ name, agent, ...(isAdded ? { replace: true } : {}) })).ok) return;
    setAdded(true);
    const sent = await send.run({ text: t('setup.helloText'), agent: name });
    if (sent.ok) onSent(sent.value.turnId);
  };
  return (
    <form className="setup-fields" onSubmit={(event) => void submit(event)}>
      <ModelField
        models={models}
        model={model}
        provider={config.data === undefined ? undefined : storedProvider([config.data], provider)}
        onModel={setModel}
      />
      <FolderField folder={folder} onFolder={setFolder} />
      <TextInput
        label={t('agent.name')}
        value={name}
        maxLength={64}
        error={wrongName === undefined ? undefined : t(wrongName as 'found.nameWrong')}
        onChange={(event) => setName(event.currentTarget.value)}
        required
      />
      <Select
        label={t('setup.approvals')}
        description={t('setup.approvalsAbout')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        data={APPROVALS.map((value) => ({ value, label: t(`setup.approvals.${value}`) }))}
        value={mode ?? storedMode}
        allowDeselect={false}
        onChange={(value) => setMode(value ?? undefined)}
      />
      <Switch
        label={t('agent.drafts')}
        description={t('agent.draftsAbout')}
        checked={hasDrafts}
        onChange={(event) => setDrafts(event.currentTarget.checked)}
      />
      <div>
        <Button
          type="submit"
          variant="filled"
          disabled={!isComplete}
          loading={price.isBusy || set.isBusy || add.isBusy || send.isBusy}
        >
          {t('setup.hello')}
        </Button>
      </div>
      <TroubleNote trouble={price.trouble ?? set.trouble ?? add.trouble ?? send.trouble} />
    </form>
  );
}

/** The provider's own list; a text field if it lists nothing. */
function ModelField({
  models,
  model,
  provider,
  onModel,
}: {
  models: Ready['models'];
  model: string;
  /** As in the settings. */
  provider: Partial<ProviderInput> | undefined;
  onModel: (model: string) => void;
}): ReactElement {
  const about = priceText(models.find(({ id }) => id === model) ?? { id: model }, provider);
  if (models.length === 0) {
    return (
      <TextInput
        label={t('agents.model')}
        description={about}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={model}
        maxLength={200}
        onChange={(event) => onModel(event.currentTarget.value)}
        required
      />
    );
  }
  return (
    <Select
      label={t('agents.model')}
      description={about}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={models.map(({ id }) => id)}
      value={model === '' ? null : model}
      limit={200}
      searchable
      nothingFoundMessage={t('setup.noModel')}
      onChange={(chosen) => onModel(chosen ?? '')}
      required
    />
  );
}

/** The result of the test: the agent's own answer. */
function Hello({ turnId, onClose }: { turnId: number; onClose: () => void }): ReactElement {
  const shown = useVerb('turns.show', { turnId });
  const { turn, answer } = shown.data ?? {};
  const isOver = turn !== undefined && ['completed', 'failed', 'cancelled'].includes(turn.state);
  return (
    <div className="setup-fields" role="status">
      <TroubleNote trouble={shown.trouble} />
      {turn?.state === 'completed' ? (
        <NoteLine tone="ok">
          <strong className="m5">{t('setup.answered')}</strong> <Inert text={answer ?? ''} />
        </NoteLine>
      ) : (
        <NoteLine tone={isOver ? 'attention' : 'kept'}>
          {isOver ? t('setup.noAnswer') : t('setup.waiting')}{' '}
          {turn === undefined ? null : <Inert text={turn.reason} />}
        </NoteLine>
      )}
      <div className="flex">
        <Button
          variant="filled"
          onClick={() => {
            onClose();
            if (turn !== undefined) goTo({ kind: 'sessions', sessionId: turn.sessionId });
          }}
        >
          {t('setup.openSession')}
        </Button>
        <Button variant="subtle" onClick={onClose}>
          {t('common.close')}
        </Button>
      </div>
    </div>
  );
}
