/** One agent: how exact, what is wrong, a test of it, its limits, its tools with class. */
import { Button } from '@mantine/core';
import { Info, KeyRound, MessageSquarePlus, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { AgentSetup, AgentView, ConfigEntry, ToolView, TurnSummary } from '../../shared/types';
import { PRACTICE_AGENT } from '../../shared/practice';
import { isSecretName } from '../../shared/secret-names';
import { useCommand, useVerb } from '../bridge';
import { StopButton } from '../parts/stop-button';
import { Address } from '../parts/address';
import { At, Inert, NoteLine, SectionHead, TroubleNote } from '../parts/texts';
import { ToolsTable } from '../parts/tools-table';
import { goTo, hrefOf } from '../route';
import { TestButton } from '../settings/test-button';
import {
  askingOf,
  environmentNames,
  executorText,
  isOutside,
  isWaitOffForAll,
  limitsText,
  ownTools,
  programText,
  storedAgent,
} from './agent-view';
import { AgentForm } from './agent-form';
import { PolicySelect } from './policy-select';
import { ProgramFact } from './program-fact';
import { TitleField } from './title-field';
import { WaitSwitch } from './wait-switch';
import { firstSentence } from '../parts/title-view';
import { agentTitle } from './agent-titles';

/** The chip that marks it, and its button: a script that wants to delete one of its files. */
function PracticeApproval(): ReactElement {
  const send = useCommand('send');
  return (
    <>
      <div className="flex flex-wrap">
        <span className="chip tone-line">{t('practice.chip')}</span>
        <Button
          size="xs"
          loading={send.isBusy}
          leftSection={<ShieldCheck className="icon small" />}
          onClick={() => {
            void send
              .run({ text: t('practice.taskApproval'), agent: PRACTICE_AGENT })
              .then((answer) => {
                if (answer.ok) goTo({ kind: 'sessions', sessionId: answer.value.sessionId });
              });
          }}
        >
          {t('agents.practiceApproval')}
        </Button>
        <span className="sm t3">{t('try.approveAbout')}</span>
      </div>
      <TroubleNote trouble={send.trouble} />
    </>
  );
}

export function AgentPane({
  agent,
  tools,
  turns,
  entries,
  onRules,
  onChanged,
}: {
  agent: AgentView;
  tools: readonly ToolView[];
  turns: readonly TurnSummary[];
  entries: readonly ConfigEntry[];
  /** The rules of tools have changed. */
  onRules: () => void;
  /** The agent was changed or removed. */
  onChanged: () => void;
}): ReactElement {
  const start = useCommand('session.create');
  const isPractice = agent.executor === 'practice';
  const [isEditing, setEditing] = useState(false);
  const stored = storedAgent(entries, agent.name);
  return (
    <div className="stack agent">
      <div className="flex flex-wrap">
        <h2 className="agent-name grow">
          <Inert text={agentTitle(agent.name)} />{' '}
          <span className="executor">{executorText(agent)}</span>
        </h2>
        <div className="agent-acts">
          {isPractice ? null : (
            <>
              <TestButton verb="agents.test" name={agent.name} />
              <Button size="xs" aria-expanded={isEditing} onClick={() => setEditing(!isEditing)}>
                {isEditing ? t('common.close') : t('common.edit')}
              </Button>
            </>
          )}
          <Button
            size="xs"
            disabled={agent.problem !== undefined}
            loading={start.isBusy}
            leftSection={<MessageSquarePlus className="icon small" />}
            onClick={() => {
              void start.run({ agent: agent.name }).then((answer) => {
                if (answer.ok) goTo({ kind: 'sessions', sessionId: answer.value.id });
              });
            }}
          >
            {t('agents.ask')}
          </Button>
        </div>
      </div>
      <TroubleNote trouble={start.trouble} />
      {agent.problem === undefined ? null : (
        <NoteLine tone="attention">
          <strong className="m5">{t('agents.cannotRun')}</strong> <Inert text={agent.problem} />{' '}
          {t('agents.change')}
        </NoteLine>
      )}
      {isEditing ? (
        <AgentForm
          name={agent.name}
          stored={stored}
          onSaved={() => {
            setEditing(false);
            onChanged();
          }}
          onCancel={() => setEditing(false)}
        />
      ) : null}
      <div className="agent-exact">
        <Info className="icon" />
        <span>
          <strong>{t('agents.howExact')}</strong> <Inert text={agent.howExact} />
        </span>
      </div>
      {isPractice ? <PracticeApproval /> : null}
      {turns.length === 0 ? null : (
        <section>
          <SectionHead title={t('agents.runs')} count={turns.length} level={3} />
          <ul className="agent-turns">
            {turns.map((turn) => (
              <li key={turn.id}>
                <a className="grow ellipsis" href={hrefOf({ kind: 'turn', turnId: turn.id })}>
                  {firstSentence(turn.promptStart)}
                </a>
                <span className="sm t3 nw">
                  <At atMs={turn.startedAtMs ?? turn.acceptedAtMs} />
                </span>
                <StopButton turnId={turn.id} name={turn.promptStart} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <Facts agent={agent} entries={entries} />
      {/* Above the tools: there may be many. */}
      {stored === undefined ? null : (
        <WaitSwitch name={agent.name} stored={stored} isOffForAll={isWaitOffForAll(entries)} />
      )}
      <section>
        {isOutside(agent) ? (
          <>
            <SectionHead title={t('agents.tools')} level={3} />
            <p className="sm t2">
              {t(agent.executor === 'acp' ? 'agents.ownTools' : 'agents.ownToolsCommand')}
            </p>
          </>
        ) : (
          <>
            <SectionHead
              title={t('agents.tools')}
              count={t('agents.toolsAbout', { count: agent.tools.length })}
              level={3}
            />
            <div className="agent-tools">
              <ToolsTable
                tools={ownTools(agent, tools)}
                columns={['from', 'class', 'policy', 'afterCrash']}
                policy={(tool) => (
                  <PolicySelect tool={tool} entries={entries} onChanged={onRules} />
                )}
              />
            </div>
            <p className="sm t3 agent-note">{t('agents.afterCrashAbout')}</p>
          </>
        )}
      </section>
      {stored === undefined ? null : <TitleField name={agent.name} stored={stored} />}
      <section className="agent-boundary sm">
        <h3>{t('boundary.title')}</h3>
        <p className="t2">{t('boundary.text')}</p>
      </section>
    </div>
  );
}

function Facts({
  agent,
  entries,
}: {
  agent: AgentView;
  entries: readonly ConfigEntry[];
}): ReactElement {
  const { data: setup, trouble } = useVerb('agents.show', { name: agent.name });
  const isPractice = agent.executor === 'practice';
  const env = environmentNames(entries, agent.name);
  const limits = limitsText(entries, isOutside(agent));
  const asking = askingOf(entries, agent);
  return (
    <dl className="facts">
      {isPractice ? null : (
        <>
          <Fact
            name={t(agent.executor === 'llm' ? 'agents.provider' : 'agents.command')}
            className={isOutside(agent) ? 'mono' : undefined}
            text={programText(entries, agent)}
          />
          {isOutside(agent) ? <ProgramOf setup={setup} /> : null}
          <Fact name={t('agents.model')} className={agent.model === '' ? undefined : 'mono'}>
            {agent.model === '' ? t('agents.ownModel') : <Inert text={agent.model} />}
          </Fact>
        </>
      )}
      <Fact name={t('agents.folder')}>
        <span className="mono">
          <Address text={agent.workspace} />
        </span>{' '}
        {isPractice ? <span className="t3">{t('agents.practiceFolder')}</span> : null}
      </Fact>
      <EnvironmentFact names={env} setup={setup} />
      {trouble === undefined ? null : (
        <dd>
          <TroubleNote trouble={trouble} />
        </dd>
      )}
      {asking === undefined ? null : (
        <Fact name={t('agents.questions')}>{t(`agents.asks.${asking}`)}</Fact>
      )}
      <Fact name={t('agents.limits')}>{limits}</Fact>
    </dl>
  );
}

/** Rendered from the start: a program may take a second to report its version. */
function ProgramOf({ setup }: { setup: AgentSetup | undefined }): ReactElement | null {
  if (setup === undefined)
    return (
      <Fact name={t('found.program')} className="t3">
        {t('agents.programLooking')}
      </Fact>
    );
  const { program } = setup;
  return program === undefined ? null : (
    <ProgramFact path={program.path} version={program.version} />
  );
}

/** Names only: values of variables are never shown. */
function EnvironmentFact({
  names,
  setup,
}: {
  names: readonly string[];
  /** Facts about this computer; undefined until they are known. */
  setup: AgentSetup | undefined;
}): ReactElement {
  const unset = new Set(setup?.env.filter(({ isSet }) => !isSet).map(({ name }) => name));
  const withheld = setup?.withheld ?? [];
  return (
    <>
      <Fact name={t('agents.env')}>
        {names.length === 0 ? null : (
          <span className="env-names">
            {names.map((name) => (
              <span key={name} className={unset.has(name) ? 'ink-attention' : undefined}>
                {isSecretName(name) ? (
                  <KeyRound className="icon" role="img" aria-label={t('agents.envSecret')} />
                ) : null}
                <Inert text={name} /> {unset.has(name) ? t('ext.isNotSet') : ''}
              </span>
            ))}
          </span>
        )}
        <span className="sm t3">
          {t(names.length === 0 ? 'agents.envNone' : 'agents.envAbout')}
        </span>
      </Fact>
      {withheld.length === 0 ? null : (
        <Fact name={t('agents.withheld')}>
          <span className="env-names">
            {withheld.map((name) => (
              <Inert key={name} as="span" text={name} />
            ))}
          </span>
          <span className="sm t3">{t('agents.withheldAbout')}</span>
        </Fact>
      )}
    </>
  );
}
