import { Button } from '@mantine/core';
import { Bot, KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { AgentView } from '../../shared/model';
import { useVerb } from '../bridge';
import { ScriptMark } from '../parts/icons';
import { Inert, NoteLine, TroubleNote } from '../parts/texts';
import { KeyField, ProviderForm } from '../settings/providers-section';
import { TestButton } from '../settings/test-button';
import { StepFrame } from './step-frame';
import type { StepProps } from './welcome-page';

/** How exact it is; what the chip beside it says is not said twice. */
const exactOf = (agent: AgentView): string =>
  agent.executor === 'practice'
    ? agent.howExact.replace(t('practice.chip'), '').trim()
    : agent.howExact;

/** What is there already, and a provider key for those who have one. */
export function AgentsStep({ onNext, onBack }: StepProps): ReactElement {
  const agents = useVerb('agents.list', {});
  const providers = useVerb('provider.list', {});
  const [isAdding, setAdding] = useState(false);
  const [added, setAdded] = useState<string | undefined>(undefined);
  const here = agents.data?.agents.length ?? 0;
  const own = (providers.data?.providers ?? []).filter((provider) => provider.kind !== 'practice');
  return (
    <StepFrame
      title={t('yourAgents.title')}
      sub={t('yourAgents.sub', { count: here, word: t('number.word', { count: here }) }).trim()}
      foot={t('yourAgents.foot')}
      onNext={onNext}
      onBack={onBack}
    >
      <TroubleNote trouble={agents.trouble ?? providers.trouble} />
      <ul className="card rows">
        {(agents.data?.agents ?? []).map((agent) => (
          <li key={agent.name} className="row tall">
            <span className="tile tone-kept">
              {agent.executor === 'practice' ? (
                <ScriptMark />
              ) : (
                <Bot className="icon" aria-hidden="true" />
              )}
            </span>
            <div className="row-text">
              <div className="m5">
                <Inert text={agent.name} />
              </div>
              <div className="sm t2">
                <Inert text={agent.problem ?? exactOf(agent)} />
              </div>
            </div>
            {agent.executor === 'practice' ? (
              <span className="chip tone-line">{t('practice.chip')}</span>
            ) : null}
          </li>
        ))}
      </ul>
      {own.map((provider) => (
        <section key={provider.name} className="card padded provider" aria-label={provider.name}>
          <div className="flex flex-wrap">
            <span className="tile tone-kept">
              <KeyRound className="icon" aria-hidden="true" />
            </span>
            <span className="m5 grow">{provider.name}</span>
            <TestButton verb="provider.test" name={provider.name} />
          </div>
          <KeyField provider={provider} onSaved={providers.reload} />
        </section>
      ))}
      {added === undefined ? null : (
        <NoteLine tone="ok">{t('yourAgents.added', { name: added })}</NoteLine>
      )}
      <div className="card padded provider-row">
        <div className="flex flex-wrap">
          <span className="tile tone-muted">
            <KeyRound className="icon" aria-hidden="true" />
          </span>
          <div className="grow">
            <span className="m5">{t('yourAgents.key')}</span>{' '}
            <span className="sm t3">{t('yourAgents.keyAbout')}</span>
          </div>
          <Button size="xs" aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
            {isAdding ? t('common.close') : t('yourAgents.addKey')}
          </Button>
        </div>
        {isAdding ? (
          <ProviderForm
            onCancel={() => setAdding(false)}
            onSaved={(name) => {
              setAdding(false);
              setAdded(name);
              providers.reload();
            }}
          />
        ) : null}
      </div>
    </StepFrame>
  );
}
