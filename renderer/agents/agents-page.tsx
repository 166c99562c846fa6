/** Agents: how exact their recovery is, what keeps them from running, their tools with class. */
import { Button } from '@mantine/core';
import { Bot, Info, MessageSquarePlus, Play, ShieldCheck } from 'lucide-react';
import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { AgentView, ConfigEntry, ToolView, TurnSummary } from '../../shared/model';
import { useCommand, useVerb } from '../bridge';
import { useListKeys } from '../keys/list-keys';
import { crashSettings } from '../parts/after-crash-model';
import { oneLine } from '../parts/inert-model';
import { OpenSettings } from '../parts/open-settings';
import { SplitView } from '../parts/split-view';
import { StopButton } from '../parts/stop-button';
import { At, EmptyState, Inert, NoteLine, SectionHead, TroubleNote } from '../parts/texts';
import { ToolsTable } from '../parts/tools-table';
import { goTo, hrefOf } from '../route';
import { PRACTICE_AGENT } from '../welcome/welcome-model';
import { TestButton } from '../settings/test-button';
import { environmentNames, limitsText, ownTools, runningOf, sourceText } from './agent-model';
import './agents.css';

export function AgentsPage(): ReactElement {
  const agents = useVerb('agents.list', {});
  const tools = useVerb('tools.list', {});
  const running = useVerb('turns.list', { states: ['running'], limit: 1000 });
  const config = useVerb('config.list', {});
  const [name, setName] = useState<string | undefined>(undefined);
  const list = agents.data?.agents ?? [];
  const turns = running.data?.turns ?? [];
  const picked = list.find((agent) => agent.name === name) ?? list[0];
  return (
    <div className="page full">
      <header className="page-top">
        <div className="grow">
          <h1>{t('agents.title')}</h1>
          <p className="sub">
            {agents.data
              ? t('agents.sub', {
                  count: list.length,
                  word: t('number.word', { count: list.length }),
                })
              : ''}
          </p>
        </div>
        <OpenSettings label={t('agents.add')} />
      </header>
      <TroubleNote trouble={agents.trouble ?? tools.trouble ?? running.trouble ?? config.trouble} />
      {agents.data && list.length === 0 ? (
        <EmptyState mark={<Bot size={28} aria-hidden="true" />} sentence={t('agents.empty')} />
      ) : (
        <SplitView
          name="agents"
          paneLabel={t('agents.pane')}
          list={
            <AgentList
              agents={list}
              turns={turns}
              picked={picked?.name}
              onPick={(wanted) => setName(wanted)}
            />
          }
          pane={
            picked ? (
              <AgentPane
                key={picked.name}
                agent={picked}
                tools={tools.data?.tools ?? []}
                turns={runningOf(turns, picked.name)}
                entries={config.data?.entries ?? []}
              />
            ) : null
          }
        />
      )}
    </div>
  );
}

function AgentList({
  agents,
  turns,
  picked,
  onPick,
}: {
  agents: readonly AgentView[];
  turns: readonly TurnSummary[];
  picked: string | undefined;
  onPick: (name: string) => void;
}): ReactElement {
  const list = useRef<HTMLUListElement>(null);
  useListKeys(list, '.agent-entry', (row) => row.click());
  return (
    <nav aria-label={t('agents.title')}>
      <ul className="agent-list" ref={list}>
        {agents.map((agent) => {
          const count = runningOf(turns, agent.name).length;
          return (
            <li key={agent.name}>
              <button
                type="button"
                className="agent-entry"
                aria-current={picked === agent.name ? 'true' : undefined}
                onClick={() => onPick(agent.name)}
              >
                <span className="agent-line">
                  <span className="m5">
                    <Inert text={agent.name} />
                  </span>
                  <span className="sm t3 grow ellipsis" title={oneLine(sourceText(agent), 60)}>
                    {oneLine(sourceText(agent), 60)}
                  </span>
                  {count > 0 ? (
                    <span className="fate sm ink-working nw">
                      <Play className="icon small filled" aria-hidden="true" />
                      {t('agents.turns', { count })}
                    </span>
                  ) : null}
                  <span className="executor">{agent.executor}</span>
                </span>
                {agent.problem === undefined ? (
                  <span className="agent-second">
                    <Inert text={agent.howExact} />
                  </span>
                ) : (
                  <span className="agent-second ink-attention">
                    {t('agents.cannotRun')} <Inert text={agent.problem} />
                  </span>
                )}
              </button>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

/** The chip that says what it is, and its button: a script that wants to delete a file of its own. */
function PracticeApproval(): ReactElement {
  const send = useCommand('send');
  return (
    <>
      <div className="flex flex-wrap">
        <span className="chip tone-line">{t('practice.chip')}</span>
        <Button
          size="xs"
          data-size="xs"
          loading={send.isBusy}
          leftSection={<ShieldCheck className="icon small" aria-hidden="true" />}
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

function AgentPane({
  agent,
  tools,
  turns,
  entries,
}: {
  agent: AgentView;
  tools: readonly ToolView[];
  turns: readonly TurnSummary[];
  entries: readonly ConfigEntry[];
}): ReactElement {
  const start = useCommand('session.create');
  const isPractice = agent.executor === 'practice';
  const env = environmentNames(entries, agent.name);
  const limits = limitsText(entries);
  return (
    <div className="agent">
      <div className="flex flex-wrap">
        <h2 className="agent-name grow">
          <Inert text={agent.name} /> <span className="executor">{agent.executor}</span>
        </h2>
        {isPractice ? null : <TestButton verb="agents.test" name={agent.name} />}
        <Button
          size="xs"
          data-size="xs"
          disabled={agent.problem !== undefined}
          loading={start.isBusy}
          leftSection={<MessageSquarePlus className="icon small" aria-hidden="true" />}
          onClick={() => {
            void start.run({ agent: agent.name }).then((answer) => {
              if (answer.ok) goTo({ kind: 'sessions', sessionId: answer.value.id });
            });
          }}
        >
          {t('agents.ask')}
        </Button>
      </div>
      <TroubleNote trouble={start.trouble} />
      {agent.problem === undefined ? null : (
        <NoteLine tone="attention">
          <strong className="m5">{t('agents.cannotRun')}</strong> <Inert text={agent.problem} />{' '}
          {t('agents.change')}.
        </NoteLine>
      )}
      <div className="agent-exact">
        <Info className="icon" aria-hidden="true" />
        <span>
          <strong className="m5">{t('agents.howExact')}</strong> <Inert text={agent.howExact} />
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
                  {oneLine(turn.promptStart, 120)}
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
      <dl className="facts">
        {isPractice ? null : (
          <>
            <dt>{t(agent.executor === 'llm' ? 'agents.provider' : 'agents.command')}</dt>
            <dd>
              <Inert text={agent.provider} />
            </dd>
            <dt>{t('agents.model')}</dt>
            <dd className="mono">
              {agent.model === '' ? t('agents.ownModel') : <Inert text={agent.model} />}
            </dd>
          </>
        )}
        <dt>{t('agents.folder')}</dt>
        <dd>
          <span className="mono">
            <Inert text={agent.workspace} />
          </span>{' '}
          {isPractice ? <span className="t3">{t('agents.practiceFolder')}</span> : null}
        </dd>
        {env.length === 0 ? null : (
          <>
            <dt>{t('agents.env')}</dt>
            <dd>
              <span className="env-names">
                {env.map((variable) => (
                  <span key={variable}>
                    <Inert text={variable} />
                  </span>
                ))}
              </span>
              <span className="sm t3">{t('agents.envAbout')}</span>
            </dd>
          </>
        )}
        {limits === undefined ? null : (
          <>
            <dt>{t('agents.limits')}</dt>
            <dd>{limits}</dd>
          </>
        )}
      </dl>
      <section>
        <SectionHead
          title={t('agents.tools')}
          count={t('agents.toolsAbout', { count: agent.tools.length })}
          level={3}
        />
        <div className="agent-tools">
          <ToolsTable
            tools={ownTools(agent, tools)}
            columns={['from', 'class', 'about', 'afterCrash']}
            settings={crashSettings(entries)}
          />
        </div>
        <p className="sm t3 agent-note">{t('agents.afterCrashAbout')}</p>
      </section>
      <section className="agent-boundary sm">
        <h3>{t('boundary.title')}</h3>
        <p className="t2">{t('boundary.text')}</p>
      </section>
    </div>
  );
}
