/**
 * Edits an external agent: how and where it starts, its environment, and who answers its requests.
 */
import { NativeSelect, TagsInput, TextInput } from '@mantine/core';
import type { FormEvent, ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { FormEnd } from '../parts/form-end';
import { KeptMark } from '../unsent/kept-mark';
import { agentField, useStable } from '../unsent/kept-form';
import { useUnsentForm } from '../unsent/use-unsent';
import { RemoveAgent } from './remove-agent';
import { outsideAgent, outsideForm, outsideProblems } from './external-form-view';
import type { ExternalForm as Form, ExternalInput } from './external-form-view';

export function ExternalForm({
  name,
  stored,
  onSaved,
  onCancel,
}: {
  name: string;
  stored: ExternalInput;
  onSaved: () => void;
  onCancel: () => void;
}): ReactElement {
  const save = useCommand('agents.edit');
  const kept = useUnsentForm<Form>(agentField(name), useStable(outsideForm(stored)));
  const { value: form } = kept;
  const problems = outsideProblems(form);
  const isFine = Object.keys(problems).length === 0;
  const wrong = (field: keyof Form): string | undefined => {
    const key = problems[field];
    return key === undefined ? undefined : t(key as 'found.folderWrong');
  };
  const set = kept.change;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isFine) return;
    const answer = await save.run({ name, agent: outsideAgent(stored, form) });
    if (!answer.ok) return;
    kept.drop();
    onSaved();
  };
  return (
    <form
      className="form-grid"
      aria-label={t('agent.editOf', { name })}
      onSubmit={(event) => void submit(event)}
    >
      <TextInput
        className="form-wide"
        classNames={{ input: 'mono' }}
        label={t('agents.command')}
        description={t('agent.commandAbout')}
        value={form.command}
        error={wrong('command')}
        onChange={(event) => set({ command: event.currentTarget.value })}
      />
      <TextInput
        label={t('agents.folder')}
        description={t('agent.folderAbout')}
        value={form.folder}
        maxLength={4096}
        error={wrong('folder')}
        onChange={(event) => set({ folder: event.currentTarget.value })}
      />
      <TagsInput
        label={t('agent.env')}
        description={t('agent.envAbout')}
        value={[...form.env]}
        error={wrong('env')}
        onChange={(env) => set({ env })}
      />
      {stored.executor === 'acp' ? (
        <AcpFields form={form} set={set} />
      ) : (
        <CommandFields form={form} set={set} wrongDeadline={wrong('deadline')} />
      )}
      <FormEnd
        trouble={save.trouble}
        isBusy={save.isBusy}
        isReady={isFine}
        label={t('agent.save')}
        onCancel={() => {
          kept.drop();
          onCancel();
        }}
        remove={<RemoveAgent name={name} onRemoved={onSaved} />}
        about={t('agent.editAbout')}
      >
        <KeptMark keeping={kept.keeping} />
      </FormEnd>
    </form>
  );
}

function AcpFields({
  form,
  set,
}: {
  form: Form;
  set: (changed: Partial<Form>) => void;
}): ReactElement {
  return (
    <>
      <NativeSelect
        label={t('agents.questions')}
        description={t('agent.askAbout')}
        value={form.ask}
        data={[
          { value: 'policy', label: t('agent.ask.policy') },
          { value: 'always', label: t('agent.ask.always') },
        ]}
        onChange={(event) =>
          set({ ask: event.currentTarget.value === 'always' ? 'always' : 'policy' })
        }
      />
      <TextInput
        label={t('agents.model')}
        description={t('agent.modelAbout')}
        value={form.model}
        maxLength={200}
        onChange={(event) => set({ model: event.currentTarget.value })}
      />
      <TextInput
        label={t('agent.login')}
        description={t('agent.loginAbout')}
        value={form.login}
        maxLength={200}
        onChange={(event) => set({ login: event.currentTarget.value })}
      />
    </>
  );
}

function CommandFields({
  form,
  set,
  wrongDeadline,
}: {
  form: Form;
  set: (changed: Partial<Form>) => void;
  wrongDeadline: string | undefined;
}): ReactElement {
  return (
    <>
      <NativeSelect
        label={t('agent.prompt')}
        description={t('agent.promptAbout')}
        value={form.prompt}
        data={[
          { value: 'stdin', label: t('agent.prompt.stdin') },
          { value: 'argument', label: t('agent.prompt.argument') },
        ]}
        onChange={(event) =>
          set({ prompt: event.currentTarget.value === 'argument' ? 'argument' : 'stdin' })
        }
      />
      <TextInput
        classNames={{ input: 'mono' }}
        label={t('agent.resume')}
        description={t('agent.resumeAbout', { text: '{session}' })}
        value={form.resume}
        onChange={(event) => set({ resume: event.currentTarget.value })}
      />
      <TextInput
        label={t('agent.deadline')}
        description={t('agent.deadlineAbout')}
        value={form.deadline}
        error={wrongDeadline}
        onChange={(event) => set({ deadline: event.currentTarget.value })}
      />
    </>
  );
}
