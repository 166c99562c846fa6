/** Skills and their runs: what can be run, and where each run is. */
import { Button, SegmentedControl, Select } from '@mantine/core';
import { ChevronRight, CornerDownRight, TriangleAlert } from 'lucide-react';
import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { RunView, SkillView } from '../../shared/types';
import { useVerb } from '../bridge';
import { usePageRows } from '../keys/page-rows';
import { oneLine } from '../parts/inert-view';
import { Chip } from '../parts/state-chip';
import { StopButton } from '../parts/stop-button';
import { Ago, EmptyState, Inert, NoteLine, SectionHead, TroubleNote } from '../parts/texts';
import { hrefOf } from '../route';
import { RunPane } from './run-pane';
import { sessionTitle } from '../session/session-title';
import { phaseText, phasesText, runLook, runTree, skillLook } from './runs-view';
import '../decisions/decisions.css';
import '../session/session.css';
import '../turn/turn.css';
import './runs.css';
import { keyTitle } from '../parts/title-view';

export function RunsPage({ runId }: { runId?: number }): ReactElement {
  return runId === undefined ? <Lists /> : <RunPane key={runId} runId={runId} />;
}

type Shown = 'inFlight' | 'all';
/** The last view: returning from a run shows the list unchanged. */
let lastShown: Shown = 'inFlight';

function Lists(): ReactElement {
  const page = useRef<HTMLDivElement>(null);
  usePageRows(page);
  const [shown, setShown] = useState<Shown>(lastShown);
  const open = useVerb('runs.list', { limit: 1000 });
  const all = useVerb(
    'runs.list',
    shown === 'all' ? { includeEnded: true, limit: 1000 } : undefined,
  );
  const list = shown === 'all' ? all : open;
  const runs = list.data?.runs ?? [];
  const sessions = useVerb('sessions.list', { limit: 500 });
  const titles = new Map(
    (sessions.data?.sessions ?? []).map((one) => [one.key, sessionTitle(one)] as const),
  );
  return (
    <div className="page full runs-page" ref={page}>
      <nav className="crumb" aria-label={t('turn.crumb')}>
        <a href={hrefOf({ kind: 'sessions' })}>{t('nav.sessions')}</a>
        <ChevronRight className="icon small" />
        <span>{t('runs.title')}</span>
      </nav>
      <header className="page-top">
        <div className="grow">
          <h1>
            {open.data ? t('runs.headline', { count: open.data.runs.length }) : t('runs.title')}
          </h1>
          <p className="sub">{t('runs.sub')}</p>
        </div>
      </header>
      <TroubleNote trouble={open.trouble ?? all.trouble} />
      <section className="runs-section">
        <SectionHead title={t('runs.list')} count={list.data ? runs.length : undefined}>
          <SegmentedControl
            className="end"
            aria-label={t('runs.filter')}
            value={shown}
            onChange={(value) => {
              lastShown = value === 'all' ? 'all' : 'inFlight';
              setShown(lastShown);
            }}
            data={[
              { value: 'inFlight', label: t('runs.inFlight') },
              { value: 'all', label: t('runs.all') },
            ]}
          />
        </SectionHead>
        {list.data && runs.length === 0 ? (
          <div className="card">
            <EmptyState
              mark={null}
              sentence={t(shown === 'all' ? 'runs.noneAtAll' : 'runs.none')}
              command="holdfast runs list"
            />
          </div>
        ) : (
          <ul className="card rows" aria-label={t('runs.list')}>
            {runTree(runs).map(({ run, depth }) => (
              <RunRow
                key={run.id}
                run={run}
                depth={depth}
                session={titles.get(run.sessionKey) ?? keyTitle(run.sessionKey)}
              />
            ))}
          </ul>
        )}
      </section>
      <Skills />
    </div>
  );
}

function RunRow({
  run,
  depth,
  session,
}: {
  run: RunView;
  depth: number;
  session: string;
}): ReactElement {
  const look = runLook(run);
  return (
    <li className="row tall run-row" data-depth={depth || undefined}>
      {depth === 0 ? null : (
        <CornerDownRight
          className="icon small t3"
          style={{ marginInlineStart: `${String(Math.min(depth - 1, 6) * 18)}px` }}
        />
      )}
      <div className="row-text">
        <div className="ellipsis">
          <a className="row-link m5" href={hrefOf({ kind: 'runs', runId: run.id })}>
            <Inert text={run.skill} />
          </a>{' '}
          <span className="t3 sm">{t('runs.run', { id: run.id })}</span>
        </div>
        <div className="sm t3 ellipsis">
          {oneLine(phaseText(run), 120)}
          {depth === 0 || run.parentRunId === undefined
            ? null
            : `, ${t('runs.child', { id: run.parentRunId })}`}
          {run.isOrphan ? `, ${t('runs.orphan')}` : null}
          {run.awaiting === undefined ? null : `, ${oneLine(run.awaiting.title, 120)}`}
        </div>
      </div>
      <span className="sm t3 nw run-session ellipsis">
        <a href={hrefOf({ kind: 'turn', turnId: run.turnId })}>
          {t('turn.title', { id: run.turnId })}
        </a>{' '}
        {session}
      </span>
      <span className="sm t3 nw">
        <Ago atMs={run.startedAtMs} />
      </span>
      <span className="run-state">
        <Chip tone={look.tone} mark={look.mark}>
          {look.text}
        </Chip>
      </span>
      <span className="run-stop">
        {/* The runs that this one started end with the turn, too. */}
        {run.state === 'running' && depth === 0 ? (
          <StopButton turnId={run.turnId} name={run.skill} />
        ) : null}
      </span>
    </li>
  );
}

function Skills(): ReactElement {
  const agents = useVerb('agents.list', {});
  const [agent, setAgent] = useState<string | undefined>(undefined);
  const skills = useVerb('skills.list', agent === undefined ? {} : { agent });
  const names = (agents.data?.agents ?? []).map((one) => one.name);
  const found = skills.data?.skills ?? [];
  return (
    <section className="runs-section">
      <SectionHead title={t('skills.title')} count={skills.data ? found.length : undefined}>
        <span className="end flex">
          {names.length < 2 ? null : (
            <Select
              size="xs"
              aria-label={t('skills.of')}
              placeholder={t('skills.of')}
              data={names}
              value={agent ?? null}
              onChange={(name) => setAgent(name ?? undefined)}
              clearable
            />
          )}
          {/* Changes in folders cause no event, so they are read on request. */}
          <Button size="xs" variant="subtle" onClick={skills.reload}>
            {t('skills.look')}
          </Button>
        </span>
      </SectionHead>
      <TroubleNote trouble={skills.trouble} />
      {(skills.data?.hints ?? []).map((hint) => (
        <NoteLine key={hint} tone="attention" mark={<TriangleAlert className="icon small" />}>
          <Inert text={hint} />
        </NoteLine>
      ))}
      {skills.data && found.length === 0 ? (
        <div className="card">
          <EmptyState mark={null} sentence={t('skills.none')} command="holdfast skills list" />
        </div>
      ) : (
        <ul className="card rows" aria-label={t('skills.title')}>
          {found.map((skill) => (
            <SkillRow key={`${skill.folder} ${skill.name}`} skill={skill} />
          ))}
        </ul>
      )}
    </section>
  );
}

function SkillRow({ skill }: { skill: SkillView }): ReactElement {
  const look = skillLook(skill);
  return (
    <li className="row tall skill-row">
      <div className="row-text">
        <div>
          <Inert className="m5" text={skill.name} />
          {skill.description === '' ? null : (
            <Inert className="t2 sm skill-about" text={skill.description} />
          )}
        </div>
        {skill.state === 'ready' ? (
          <Inert as="div" className="sm t3" text={phasesText(skill)} />
        ) : (
          <div className={`sm wrap ${skill.state === 'broken' ? 'ink-outage' : 't2'}`}>
            {skill.line === undefined ? null : `${t('skills.line', { line: skill.line })} `}
            <Inert text={skill.reason} />
          </div>
        )}
      </div>
      <span className="sm t3 nw" title={oneLine(skill.folder, 300)}>
        {t(`skills.source.${skill.source}`)}
      </span>
      <span className="run-state">
        <Chip tone={look.tone} mark={look.mark}>
          {look.text}
        </Chip>
      </span>
    </li>
  );
}
