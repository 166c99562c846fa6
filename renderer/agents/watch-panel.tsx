/** Watching the user's own terminals: the lines that are added, the button, and whether it works. */
import { Button } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { Check } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import type { VerbOutput } from '../../shared/contract';
import { t } from '../../shared/messages';
import { useCommand, useVerb } from '../bridge';
import { useNow } from '../clock';
import { Inert, NoteLine, TroubleNote } from '../parts/texts';
import { ageText, durationText } from '../parts/time-view';
import { diffKind } from './found-view';
import './agents.css';

type HookCheck = VerbOutput<'hooks.install'>['check'];

export function WatchPanel(): ReactElement | null {
  const hooks = useVerb('hooks.show', {});
  const install = useCommand('hooks.install');
  const [check, setCheck] = useState<HookCheck | undefined>(undefined);
  const { reload } = hooks;
  // The user comes back from the terminal that should have reported by now.
  useWindowEvent('focus', reload);
  const view = hooks.data;
  if (view === undefined) return <TroubleNote trouble={hooks.trouble} />;
  const add = async (): Promise<void> => {
    const answer = await install.run({ requestHash: view.requestHash });
    if (answer.ok) setCheck(answer.value.check);
    reload();
  };
  return (
    <div className="stack watch-panel">
      {view.problem !== undefined ? (
        <NoteLine tone="attention" role="alert">
          {t('watch.unreadable', { file: view.path })} <Inert text={view.problem} />{' '}
          {t('watch.fix')}
        </NoteLine>
      ) : view.isInstalled ? (
        <Installed view={view} check={check} onChanged={reload} />
      ) : (
        <>
          <p className="sm t2">
            {t('watch.adds', {
              count: view.diff.filter((line) => diffKind(line) === 'added').length,
              file: view.path,
            })}
          </p>
          <p className="sm t2">{t('watch.what')}</p>
          <details className="watch-diff sm">
            <summary>{t('watch.show')}</summary>
            <DiffLines lines={view.diff} label={t('watch.lines')} />
          </details>
          <div className="flex">
            <Button loading={install.isBusy} onClick={() => void add()}>
              {t('watch.add')}
            </Button>
            <span className="sm t2" role="status">
              {install.isBusy ? t('watch.adding') : null}
            </span>
          </div>
        </>
      )}
      <TroubleNote trouble={install.trouble} />
    </div>
  );
}

function Installed({
  view,
  check,
  onChanged,
}: {
  view: VerbOutput<'hooks.show'>;
  check: HookCheck | undefined;
  onChanged: () => void;
}): ReactElement {
  const remove = useCommand('hooks.remove');
  const [isRemoving, setRemoving] = useState(false);
  const removeNow = async (): Promise<void> => {
    await remove.run({ requestHash: view.requestHash });
    onChanged();
  };
  return (
    <>
      {check?.isAnswered === false ? (
        <NoteLine tone="attention" role="status">
          {t('watch.notAnswered')} <Inert text={check.problem ?? ''} />
        </NoteLine>
      ) : (
        <NoteLine tone="ok" role="status" mark={<Check className="icon small" />}>
          {t('watch.installed', { file: view.path })}{' '}
          {check === undefined ? null : (
            <>{t('watch.answered', { duration: durationText(check.tookMs) })} </>
          )}
          {view.lastReportAtMs === undefined ? (
            t('watch.noReport')
          ) : (
            <Reported atMs={view.lastReportAtMs} />
          )}
        </NoteLine>
      )}
      {isRemoving ? (
        <>
          <DiffLines lines={view.removal} label={t('watch.removedLines')} />
          <div className="flex">
            <Button loading={remove.isBusy} onClick={() => void removeNow()}>
              {t('watch.removeNow')}
            </Button>
            <Button variant="subtle" onClick={() => setRemoving(false)}>
              {t('common.cancel')}
            </Button>
          </div>
        </>
      ) : (
        <div>
          <Button size="xs" variant="subtle" onClick={() => setRemoving(true)}>
            {t('watch.remove')}
          </Button>
        </div>
      )}
      <TroubleNote trouble={remove.trouble} />
    </>
  );
}

const Reported = ({ atMs }: { atMs: number }): ReactElement => (
  <>{t('watch.reported', { age: ageText(atMs, useNow('second')) })}</>
);

function DiffLines({ lines, label }: { lines: readonly string[]; label: string }): ReactElement {
  return (
    <pre className="plain-text-box hook-lines" tabIndex={0} role="region" aria-label={label}>
      {lines.map((line, index) => (
        <span key={index} className={`hook-line is-${diffKind(line)}`}>
          <Inert text={line} />
          {'\n'}
        </span>
      ))}
    </pre>
  );
}
