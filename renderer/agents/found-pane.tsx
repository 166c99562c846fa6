/** An external agent found on this computer: what it is, and how to use it. */
import { Button } from '@mantine/core';
import { Info } from 'lucide-react';
import { useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { AgentView, DetectedAgent } from '../../shared/types';
import { useCommand } from '../bridge';
import { Inert, NoteLine, SectionHead, TroubleNote } from '../parts/texts';
import {
  agentOfFound,
  canInstall,
  folderProblem,
  freeName,
  isWatchable,
  nameProblem,
  usedAs,
} from './found-view';
import { InstallNote } from './install-note';
import { ProgramFact } from './program-fact';
import { UseHereFields } from './use-here-fields';
import { AdapterInstall } from './adapter-install';
import { WatchPanel } from './watch-panel';

export function FoundPane({
  found,
  agents,
  onAdded,
  onLook,
}: {
  found: DetectedAgent;
  agents: readonly AgentView[];
  onAdded: (name: string) => void;
  /** Searches for agents again, for example after an adapter was installed. */
  onLook: () => void;
}): ReactElement {
  const used = usedAs(found, agents);
  return (
    <div className="stack agent">
      <h2 className="agent-name">
        <Inert text={found.name} /> <span className="executor">{t('found.kind')}</span>
      </h2>
      {canInstall(found) ? (
        <AdapterInstall found={found} onInstalled={onLook} />
      ) : found.missing === undefined ? (
        <div className="agent-exact">
          <Info className="icon" />
          <span>
            <strong>{t('agents.howExact')}</strong> {t('found.exact')}
          </span>
        </div>
      ) : (
        <NoteLine tone="attention">
          <InstallNote missing={found.missing} next={t('found.then')} />
        </NoteLine>
      )}
      <dl className="facts">
        {found.path === undefined ? null : (
          <ProgramFact path={found.path} version={found.version} />
        )}
        <Fact name={t('found.command')} className="mono" text={found.command} />
      </dl>
      {used.map((name) => (
        <NoteLine key={name} tone="kept">
          {t('found.usedAs', { name })}
        </NoteLine>
      ))}
      {found.isInstalled ? <UseHere found={found} agents={agents} onAdded={onAdded} /> : null}
      {isWatchable(found) ? (
        <section>
          <SectionHead title={t('found.watch')} level={3} />
          <p className="sm t2 found-about">
            {t('found.watchAbout')} {t('found.watchExact')}
          </p>
          <WatchPanel />
        </section>
      ) : null}
    </div>
  );
}

function UseHere({
  found,
  agents,
  onAdded,
}: {
  found: DetectedAgent;
  agents: readonly AgentView[];
  onAdded: (name: string) => void;
}): ReactElement {
  const save = useCommand('agents.add');
  const taken = agents.map((agent) => agent.name);
  const [name, setName] = useState(() => freeName(found.id, taken));
  const [folder, setFolder] = useState('');
  const [isChecked, setChecked] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setChecked(true);
    const agent = agentOfFound(found, folder);
    if (agent === undefined || nameProblem(name, taken) || folderProblem(folder)) return;
    const answer = await save.run({ name, agent });
    if (answer.ok) onAdded(answer.value.name);
  };
  return (
    <section>
      <SectionHead title={t('found.use')} level={3} />
      <p className="sm t2 found-about">{t('found.useAbout')}</p>
      <form onSubmit={(event) => void submit(event)}>
        <UseHereFields
          name={name}
          folder={folder}
          taken={taken}
          isChecked={isChecked}
          onName={setName}
          onFolder={setFolder}
        />
        <TroubleNote trouble={save.trouble} />
        <Button type="submit" loading={save.isBusy}>
          {t('found.use')}
        </Button>
      </form>
    </section>
  );
}
