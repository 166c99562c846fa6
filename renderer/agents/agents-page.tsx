/** Agents: how exact their recovery is, what keeps them from running, their tools with class. */
import { Bot } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { AgentView, ToolView } from '../../shared/model';
import { useVerb } from '../bridge';
import { ScriptMark } from '../parts/icons';
import { PurityIcon } from '../parts/state-chip';
import { EmptyState, Inert, NoteLine, SectionHead, TroubleNote } from '../parts/texts';
import { OpenSettings } from '../parts/open-settings';
import '../decisions/decisions.css';

export function AgentsPage(): ReactElement {
  const agents = useVerb('agents.list', {});
  const tools = useVerb('tools.list', {});
  const [name, setName] = useState<string | undefined>(undefined);
  const list = agents.data?.agents ?? [];
  const picked = list.find((agent) => agent.name === name) ?? list[0];
  return (
    <div className="page full">
      <header className="page-top">
        <div className="grow">
          <h1>{t('agents.title')}</h1>
          <p className="sub">{t('agents.sub')}</p>
        </div>
        <OpenSettings label={t('agents.add')} />
      </header>
      <TroubleNote trouble={agents.trouble ?? tools.trouble} />
      {agents.data && list.length === 0 ? (
        <EmptyState mark={<Bot size={28} aria-hidden="true" />} sentence={t('agents.empty')} />
      ) : (
        <div className="card split">
          <div className="split-list" role="navigation" aria-label={t('agents.title')}>
            <ul className="agent-list">
              {list.map((agent) => (
                <li key={agent.name}>
                  <button
                    type="button"
                    className="entry agent-entry"
                    aria-current={picked?.name === agent.name ? 'true' : undefined}
                    onClick={() => setName(agent.name)}
                  >
                    <span
                      className={`tile tone-${agent.problem === undefined ? 'kept' : 'attention'}`}
                    >
                      {agent.executor === 'practice' ? (
                        <ScriptMark />
                      ) : (
                        <Bot className="icon" aria-hidden="true" />
                      )}
                    </span>
                    <span className="grow">
                      <span className="m5 ellipsis entry-second">
                        <Inert text={agent.name} />
                      </span>
                      <span className="sm t3 ellipsis entry-second">
                        {agent.problem === undefined
                          ? agent.executor === 'practice'
                            ? t('practice.chip')
                            : `${agent.provider} · ${agent.model}`
                          : t('agents.cannotRun')}
                      </span>
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </div>
          <article className="split-pane" aria-label={t('agents.pane')}>
            {picked ? <AgentPane agent={picked} tools={tools.data?.tools ?? []} /> : null}
          </article>
        </div>
      )}
    </div>
  );
}

function AgentPane({
  agent,
  tools,
}: {
  agent: AgentView;
  tools: readonly ToolView[];
}): ReactElement {
  const isPractice = agent.executor === 'practice';
  const own = agent.tools.map(
    (name): ToolView | { readonly name: string; readonly purity?: undefined } =>
      tools.find((tool) => tool.name === name) ?? { name },
  );
  return (
    <div className="decision">
      <div>
        <h2 className="decision-question">
          <Inert text={agent.name} />
        </h2>
        <div className="turn-facts">
          <span className="chip tone-line mono">{agent.executor}</span>
          {isPractice ? <span className="chip tone-line">{t('practice.chip')}</span> : null}
        </div>
      </div>
      {agent.problem === undefined ? null : (
        <NoteLine tone="attention">
          <strong className="m5">{t('agents.cannotRun')}</strong> <Inert text={agent.problem} />
        </NoteLine>
      )}
      <section>
        <SectionHead title={t('agents.howExact')} level={3} />
        <p>
          <Inert text={agent.howExact} />
        </p>
      </section>
      <dl className="facts">
        {isPractice ? null : (
          <>
            <dt>{t('agents.provider')}</dt>
            <dd>{agent.provider}</dd>
            <dt>{t('agents.model')}</dt>
            <dd className="mono">{agent.model}</dd>
          </>
        )}
        <dt>{t('agents.folder')}</dt>
        <dd className="mono">{agent.workspace}</dd>
      </dl>
      <section>
        <SectionHead title={t('agents.tools')} count={agent.tools.length} level={3} />
        <div className="scroll-x">
          <table className="grid">
            <thead>
              <tr>
                <th>{t('table.tool')}</th>
                <th>{t('table.class')}</th>
                <th>{t('agents.about')}</th>
                <th>{t('agents.afterCrash')}</th>
              </tr>
            </thead>
            <tbody>
              {own.map((tool) => (
                <tr key={tool.name}>
                  <td className="mono">
                    <Inert text={tool.name} />
                  </td>
                  {tool.purity === undefined ? (
                    <td colSpan={3} className="t3">
                      {t('agents.unknownTool')}
                    </td>
                  ) : (
                    <>
                      <td>
                        <PurityIcon purity={tool.purity} withLabel />
                      </td>
                      <td className="t2">
                        <Inert text={tool.about} />
                      </td>
                      <td className="t2">
                        {tool.isListed ? t('afterCrash.listed') : t(`afterCrash.${tool.purity}`)}
                      </td>
                    </>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <section className="card quiet padded sm">
        <h3>{t('boundary.title')}</h3>
        <p className="t2">{t('boundary.text')}</p>
      </section>
    </div>
  );
}
