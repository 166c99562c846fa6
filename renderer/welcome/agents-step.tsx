import { Bot, KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { AgentView } from '../../shared/types';
import { agentTitle } from '../agents/agent-titles';
import { exactOf } from '../agents/agent-view';
import { foundHere, freeName, planFirstAgents } from '../agents/found-view';
import type { FoundAnswer } from '../agents/found-view';
import { useDetected } from '../agents/use-detected';
import { useCommand, useVerb } from '../bridge';
import { Tile } from '../parts/state-chip';
import { ScriptMark } from '../parts/icons';
import { Inert, NoteLine, TroubleNote } from '../parts/texts';
import { KeyField } from '../settings/key-field';
import { SetupButton } from '../setup/setup-button';
import { TestButton } from '../settings/test-button';
import { FoundRows } from './found-rows';
import { StepFrame } from './step-frame';
import type { StepProps } from './step-props';

/**
 * Agents found on this computer, existing ones, and a field for a provider key. Nothing is
 * preselected; the choice is applied on Continue.
 */
export function AgentsStep({ onNext, onBack }: StepProps): ReactElement {
  const detected = useDetected();
  const add = useCommand('agents.add');
  const edit = useCommand('agents.edit');
  const [answers, setAnswers] = useState<Readonly<Record<string, FoundAnswer>>>({});
  const [isChecked, setChecked] = useState(false);
  const [saved, setSaved] = useState<readonly AgentView[]>([]);
  const agents = useVerb('agents.list', {});
  const providers = useVerb('provider.list', {});
  const own = (providers.data?.providers ?? []).filter((provider) => provider.kind !== 'practice');
  const list = agents.data?.agents ?? [];
  const taken = list.map((agent) => agent.name);
  const { here, gone } = foundHere(detected.agents ?? []);
  const answerOf = (id: string): FoundAnswer =>
    answers[id] ?? { name: freeName(id, taken), folder: '' };
  const plan = planFirstAgents(here, answerOf, taken);
  const troubled = saved.filter((agent) => agent.problem !== undefined);
  const next = async (): Promise<void> => {
    setChecked(true);
    if (!plan.isComplete) return;
    const made: AgentView[] = [];
    for (const { verb, id, name, agent } of plan.toSave) {
      const answer = await (verb === 'agents.add' ? add : edit).run({ name, agent });
      if (!answer.ok) break;
      made.push(answer.value);
      const { choice, folder } = answerOf(id);
      const wrong = answer.value.problem === undefined ? {} : { savedFolder: folder };
      const said: FoundAnswer = { name, folder, isSaved: true, ...wrong };
      setAnswers((before) => ({
        ...before,
        [id]: choice === undefined ? said : { ...said, choice },
      }));
    }
    setSaved((before) => [
      ...before.filter(({ name }) => made.every((one) => one.name !== name)),
      ...made,
    ]);
    agents.reload();
    // Shows what cannot run yet before the user leaves the page.
    const isFine = made.every((agent) => agent.problem === undefined);
    if (made.length === plan.toSave.length && isFine) onNext();
  };
  return (
    <StepFrame
      title={t('yourAgents.title')}
      sub={
        detected.agents === undefined && detected.isLooking
          ? t('found.looking')
          : t('found.welcome', {
              count: here.length,
              word: t('number.word', { count: here.length }),
            })
      }
      foot={t('yourAgents.foot')}
      isBusy={add.isBusy || edit.isBusy}
      onNext={() => void next()}
      onBack={onBack}
    >
      <TroubleNote trouble={agents.trouble ?? providers.trouble} />
      <TroubleNote trouble={detected.trouble ?? add.trouble ?? edit.trouble} />
      {here.length === 0 && gone.length === 0 ? null : (
        <FoundRows
          here={here}
          gone={gone}
          taken={taken}
          isChecked={isChecked}
          answerOf={answerOf}
          onAnswer={(id, answer) => setAnswers((before) => ({ ...before, [id]: answer }))}
          onLook={detected.look}
        />
      )}
      {troubled.map((agent) => (
        <NoteLine key={agent.name} tone="attention" role="status">
          {t('found.saved', { name: agent.name })} {t('agents.cannotRun')}{' '}
          <Inert text={agent.problem ?? ''} /> {t('found.correct')}
        </NoteLine>
      ))}
      <ul className="card rows">
        {list.map((agent) => (
          <li key={agent.name} className="row tall">
            <span className="tile tone-kept">
              {agent.executor === 'practice' ? <ScriptMark /> : <Bot className="icon" />}
            </span>
            <div className="row-text">
              <Inert as="div" className="m5" text={agentTitle(agent.name)} />
              <Inert as="div" className="sm t2" text={agent.problem ?? exactOf(agent)} />
            </div>
            {agent.executor === 'practice' ? (
              <span className="chip tone-line">{t('practice.chip')}</span>
            ) : null}
          </li>
        ))}
      </ul>
      {own.map((provider) => (
        <section
          key={provider.name}
          className="card padded stack provider"
          aria-label={provider.name}
        >
          <div className="flex flex-wrap">
            <Tile tone="kept" mark={KeyRound} />
            <span className="m5 grow">{provider.name}</span>
            <TestButton verb="provider.test" name={provider.name} />
          </div>
          <KeyField
            verb="provider.setKey"
            name={provider.name}
            held={provider.key}
            onSaved={providers.reload}
          />
        </section>
      ))}
      <div className="card padded provider-row">
        <div className="flex flex-wrap">
          <Tile tone="muted" mark={KeyRound} />
          <div className="grow">
            <span className="m5">{t('yourAgents.key')}</span>{' '}
            <span className="sm t3">{t('yourAgents.keyAbout')}</span>
          </div>
          <SetupButton label={t('yourAgents.addKey')} size="xs" />
        </div>
      </div>
    </StepFrame>
  );
}
