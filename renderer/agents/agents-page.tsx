/**
 * Agents: their recovery guarantees and what keeps them from running; external agents on this
 * computer; MCP servers with their state.
 */
import { Button } from '@mantine/core';
import { Play } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { t } from '../../shared/messages';
import type { AgentView, DetectedAgent, ExtView, TurnSummary } from '../../shared/types';
import { useVerb } from '../bridge';
import { useListKeys } from '../keys/list-keys';
import { oneLine } from '../parts/inert-view';
import { SetupButton } from '../setup/setup-button';
import { SplitView } from '../parts/split-view';
import { Mark } from '../parts/state-chip';
import { Countdown, Inert, TroubleNote } from '../parts/texts';
import { exactWord, executorText, runningOf, sourceText } from './agent-view';
import { AddServerPane } from './add-server-pane';
import { AgentPane } from './agent-pane';
import { foundHere, usedAs } from './found-view';
import { FoundPane } from './found-pane';
import { serverLine, shownServer } from './server-view';
import { ServerPane } from './server-pane';
import { useDetected } from './use-detected';
import type { Detected } from './use-detected';
import './agents.css';
import { agentTitle } from './agent-titles';

/** Content of the pane. */
interface Picked {
  readonly kind: 'agent' | 'found' | 'server' | 'new-server';
  readonly name: string;
}

/** `agent` is shown until another is picked. */
export function AgentsPage({ agent: first }: { agent?: string }): ReactElement {
  const agents = useVerb('agents.list', {});
  const tools = useVerb('tools.list', {});
  const servers = useVerb('ext.list', {});
  const running = useVerb('turns.list', { states: ['running'], limit: 1000 });
  const config = useVerb('config.list', {});
  const detected = useDetected();
  const [picked, setPicked] = useState<Picked | undefined>(
    first === undefined ? undefined : { kind: 'agent', name: first },
  );
  const list = agents.data?.agents ?? [];
  const turns = running.data?.turns ?? [];
  const entries = config.data?.entries ?? [];
  const known = tools.data?.tools ?? [];
  const ext = servers.data?.servers ?? [];

  // Tools of a server appear and disappear with it.
  const offered = servers.data && JSON.stringify(ext.map((server) => server.tools));
  const offeredBefore = useRef(offered);
  const { reload: reloadAgents } = agents;
  const { reload: reloadTools } = tools;
  useEffect(() => {
    const before = offeredBefore.current;
    offeredBefore.current = offered;
    if (before === undefined || before === offered) return;
    reloadAgents();
    reloadTools();
  }, [offered, reloadAgents, reloadTools]);

  const found = detected.agents?.find(({ id }) => picked?.kind === 'found' && id === picked.name);
  const server = ext.find(({ name }) => picked?.kind === 'server' && name === picked.name);
  const isNewServer = picked?.kind === 'new-server';
  const isAgent = found === undefined && server === undefined && !isNewServer;
  const agent = isAgent
    ? (list.find(({ name }) => picked?.kind === 'agent' && name === picked.name) ?? list[0])
    : undefined;
  const pane =
    found !== undefined ? (
      <FoundPane
        key={`found ${found.id}`}
        found={found}
        agents={list}
        onAdded={(name) => {
          agents.reload();
          setPicked({ kind: 'agent', name });
        }}
        onLook={detected.look}
      />
    ) : server !== undefined ? (
      <ServerPane
        key={`server ${server.name}`}
        server={server}
        tools={known}
        onChanged={servers.reload}
      />
    ) : isNewServer ? (
      <AddServerPane />
    ) : agent !== undefined ? (
      <AgentPane
        key={agent.name}
        agent={agent}
        tools={known}
        turns={runningOf(turns, agent.name)}
        entries={entries}
        onRules={config.reload}
        onChanged={() => {
          agents.reload();
          config.reload();
        }}
      />
    ) : null;
  const shown: Picked | undefined =
    agent === undefined ? picked : { kind: 'agent', name: agent.name };
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
        <SetupButton label={t('agents.add')} isMain />
      </header>
      <TroubleNote
        trouble={
          agents.trouble ?? tools.trouble ?? running.trouble ?? config.trouble ?? servers.trouble
        }
      />
      <SplitView
        name="agents"
        paneLabel={t('agents.pane')}
        list={
          <Lists
            agents={agents.data?.agents}
            turns={turns}
            detected={detected}
            servers={servers.data?.servers}
            picked={shown}
            onPick={setPicked}
          />
        }
        pane={pane}
      />
    </div>
  );
}

function Lists({
  agents,
  turns,
  detected,
  servers,
  picked,
  onPick,
}: {
  agents: readonly AgentView[] | undefined;
  turns: readonly TurnSummary[];
  detected: Detected;
  servers: readonly ExtView[] | undefined;
  picked: Picked | undefined;
  onPick: (wanted: Picked) => void;
}): ReactElement {
  const list = useRef<HTMLElement>(null);
  useListKeys(list, '.agent-entry', (row) => row.click());
  const pick = (kind: Picked['kind'], name: string): EntryPick => ({
    isPicked: picked?.kind === kind && picked.name === name,
    onPick: () => onPick({ kind, name }),
  });
  return (
    <nav aria-label={t('agents.title')} ref={list}>
      <ul className="agent-list">
        {(agents ?? []).map((agent) => (
          <AgentEntry
            key={agent.name}
            agent={agent}
            running={runningOf(turns, agent.name).length}
            {...pick('agent', agent.name)}
          />
        ))}
      </ul>
      <FoundList detected={detected} agents={agents} pick={pick} />
      <div className="aligned flex-wrap agent-group">
        <h2>{t('ext.title')}</h2>
        <Button
          size="xs"
          variant="subtle"
          aria-label={t('ext.addOf')}
          aria-pressed={picked?.kind === 'new-server'}
          onClick={() => onPick({ kind: 'new-server', name: '' })}
        >
          {t('ext.add')}
        </Button>
      </div>
      {servers?.length === 0 ? (
        <p className="sm t3 wrap agent-group-text">{t('ext.none')}</p>
      ) : null}
      <ul className="agent-list">
        {(servers ?? []).map((server) => (
          <ServerEntry key={server.name} server={server} {...pick('server', server.name)} />
        ))}
      </ul>
    </nav>
  );
}

interface EntryPick {
  readonly isPicked: boolean;
  readonly onPick: () => void;
}

function Entry({
  name,
  beside,
  second,
  isAttention = false,
  isPicked,
  onPick,
  children,
}: EntryPick & {
  name: string;
  /** After the name, in one line. */
  beside: string;
  second: ReactNode;
  isAttention?: boolean;
  /** At the end of the first line. */
  children?: ReactNode;
}): ReactElement {
  return (
    <li>
      <button
        type="button"
        className="bare agent-entry"
        aria-current={isPicked ? 'true' : undefined}
        onClick={onPick}
      >
        <span className="flex agent-line">
          <Inert className="m5" text={name} />
          <span className="sm t3 grow agent-beside" title={oneLine(beside, 60)}>
            <span className="ellipsis block">{oneLine(beside, 60)}</span>
          </span>
          {children}
        </span>
        <span className={isAttention ? 'clamp agent-second ink-attention' : 'clamp agent-second'}>
          {second}
        </span>
      </button>
    </li>
  );
}

function AgentEntry({
  agent,
  running,
  ...pick
}: EntryPick & { agent: AgentView; running: number }): ReactElement {
  const { problem } = agent;
  return (
    <Entry
      name={agentTitle(agent.name)}
      beside={sourceText(agent)}
      isAttention={problem !== undefined}
      second={
        problem === undefined ? (
          <Inert text={exactWord(agent)} />
        ) : (
          <>
            {t('agents.cannotRun')} <Inert text={problem} />
          </>
        )
      }
      {...pick}
    >
      {running > 0 ? (
        <span className="fate sm ink-working nw">
          <Play className="icon small filled" />
          {t('agents.turns', { count: running })}
        </span>
      ) : null}
      <span className="executor">{executorText(agent)}</span>
    </Entry>
  );
}

function FoundList({
  detected,
  agents,
  pick,
}: {
  detected: Detected;
  agents: readonly AgentView[] | undefined;
  pick: (kind: 'found', name: string) => EntryPick;
}): ReactElement {
  // Nothing is called unused before usage is known.
  const all = agents === undefined ? undefined : detected.agents;
  const { here, gone } = foundHere(all ?? []);
  const second = (found: DetectedAgent): ReactNode => {
    if (found.missing !== undefined) return <Inert text={found.missing} />;
    const used = usedAs(found, agents ?? []);
    return used.length === 0 ? t('found.ready') : t('found.usedAs', { name: used.join(', ') });
  };
  return (
    <>
      <div className="aligned flex-wrap agent-group">
        <h2>{t('found.title')}</h2>
        <Button size="xs" variant="subtle" loading={detected.isLooking} onClick={detected.look}>
          {t('found.again')}
        </Button>
      </div>
      <TroubleNote trouble={detected.trouble} />
      <ul className="agent-list">
        {here.map((found) => (
          <Entry
            key={found.id}
            name={found.name}
            beside={found.version ?? ''}
            second={second(found)}
            {...pick('found', found.id)}
          >
            <span className="executor">{t('found.kind')}</span>
          </Entry>
        ))}
      </ul>
      <p className="sm t3 wrap agent-group-text" role="status">
        {all === undefined
          ? detected.isLooking
            ? t('found.looking')
            : ''
          : gone.length === 0
            ? ''
            : t(here.length === 0 ? 'found.nothing' : 'found.gone', { text: gone.join(', ') })}
      </p>
    </>
  );
}

function ServerEntry({ server, ...pick }: EntryPick & { server: ExtView }): ReactElement {
  const shown = shownServer(server.state);
  return (
    <Entry
      name={server.name}
      beside=""
      second={
        <>
          <Inert text={serverLine(server)} />
          {server.nextAtMs === undefined ? null : (
            <>
              {' '}
              {t('ext.next')} <Countdown untilMs={server.nextAtMs} />
            </>
          )}
        </>
      }
      {...pick}
    >
      <span className={`fate sm ink-${shown.tone} nw`}>
        <Mark name={shown.mark} className="icon small" />
        {t(shown.label as 'ext.state.running')}
      </span>
      <span className="executor">mcp</span>
    </Entry>
  );
}
