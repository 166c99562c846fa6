/**
 * One MCP server: its state with the reason, what it is passed, its tools, and a restart. S2-19,
 * S2-52.
 */
import { Button } from '@mantine/core';
import { RefreshCw } from 'lucide-react';
import type { ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import type { ExtView, ToolView } from '../../shared/types';
import { useCommand } from '../bridge';
import { Chip } from '../parts/state-chip';
import { At, Countdown, Inert, NoteLine, SectionHead, TroubleNote } from '../parts/texts';
import { ToolsTable } from '../parts/tools-table';
import { serverNote, serverTools, shownServer } from './server-view';

export function ServerPane({
  server,
  tools,
  onChanged,
}: {
  server: ExtView;
  tools: readonly ToolView[];
  onChanged: () => void;
}): ReactElement {
  const restart = useCommand('ext.restart');
  const shown = shownServer(server.state);
  const note = serverNote(server);
  return (
    <div className="stack agent">
      <div className="flex flex-wrap">
        <h2 className="agent-name grow">
          <Inert text={server.name} /> <span className="executor">mcp</span>
        </h2>
        <Chip tone={shown.tone} mark={shown.mark}>
          {t(shown.label as 'ext.state.running')}
        </Chip>
        <Button
          size="xs"
          aria-label={t('ext.restartOf', { name: server.name })}
          disabled={server.state === 'disabled'}
          loading={restart.isBusy}
          leftSection={<RefreshCw className="icon small" />}
          onClick={() => void restart.run({ name: server.name }).then(onChanged)}
        >
          {t('ext.restart')}
        </Button>
      </div>
      <TroubleNote trouble={restart.trouble} />
      {server.reason === '' && note === undefined ? null : (
        <NoteLine tone={shown.tone}>
          {server.reason === '' ? null : (
            <>
              <Inert as="strong" className="m5" text={server.reason} />{' '}
            </>
          )}
          {note}
        </NoteLine>
      )}
      <dl className="facts">
        <Fact
          name={t(server.kind === 'url' ? 'ext.address' : 'ext.program')}
          className="mono"
          text={server.about}
        />
        <Fact name={t('ext.since')}>
          <At atMs={server.sinceMs} withSeconds />
          {server.nextAtMs === undefined ? null : (
            <span className="t3">
              {' · '}
              {t('ext.next')} <Countdown untilMs={server.nextAtMs} />
            </span>
          )}
        </Fact>
        <Fact name={t('ext.process')}>{server.pid}</Fact>
        {server.env.length === 0 ? null : (
          <Fact name={t('agents.env')}>
            <ul className="env-names">
              {server.env.map((variable) => (
                <li key={variable.name} className={variable.isSet ? undefined : 'ink-attention'}>
                  <Inert text={variable.name} /> {t(variable.isSet ? 'ext.isSet' : 'ext.isNotSet')}
                </li>
              ))}
            </ul>
            <span className="sm t3">{t('ext.envAbout')}</span>
          </Fact>
        )}
      </dl>
      <section>
        <SectionHead
          title={t('agents.tools')}
          count={t('ext.tools', { count: server.tools.length })}
          level={3}
        />
        {server.tools.length === 0 ? (
          <p className="sm t2">
            {t(server.state === 'running' ? 'ext.offersNone' : 'ext.noTools')}
          </p>
        ) : (
          <div className="agent-tools">
            <ToolsTable
              tools={serverTools(server, tools)}
              columns={['class', 'about', 'afterCrash']}
            />
          </div>
        )}
      </section>
    </div>
  );
}
