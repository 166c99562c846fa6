/** Whether there is a newer version, and when it is installed. */
import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ConfigEntry } from '../../shared/types';
import { useCommand, useVerb } from '../bridge';
import { useNow } from '../clock';
import { Inert, SectionHead, TroubleNote } from '../parts/texts';
import { ageText } from '../parts/time-view';
import { SettingGroups } from './setting-rows';
import { updatesView } from './updates-view';

export function UpdatesSection({ entries }: { entries: readonly ConfigEntry[] }): ReactElement {
  return (
    <div className="stack settings-stack narrow">
      <UpdateCard />
      <SettingGroups section="updates" entries={entries} />
    </div>
  );
}

function UpdateCard(): ReactElement {
  const status = useVerb('updates.status', {});
  const check = useCommand('updates.check');
  const install = useCommand('updates.install');
  const cancel = useCommand('updates.cancel');
  const nowMs = useNow('minute');
  const view = status.data === undefined ? undefined : updatesView(status.data);
  const asked = (answer: Promise<unknown>): void => void answer.then(() => status.reload());
  const { checkedAtMs } = status.data ?? {};
  const version = view?.install;
  return (
    <section>
      <SectionHead title={t('updates.title')} />
      <TroubleNote trouble={status.trouble ?? check.trouble ?? install.trouble ?? cancel.trouble} />
      {view === undefined ? null : (
        <div className="card rows">
          <div className="row">
            <div className="row-text" role="status">
              <Inert as="div" className="m5" text={view.sentence} />
              {checkedAtMs === undefined ? null : (
                <div className="sm t3">
                  {t('updates.checked', { age: ageText(checkedAtMs, nowMs) })}
                </div>
              )}
              {view.problem === undefined ? null : (
                <Inert as="div" className="sm ink-attention" text={view.problem} />
              )}
              {view.advice === undefined ? null : (
                <Inert as="div" className="sm t2" text={view.advice} />
              )}
            </div>
            {version === undefined ? null : (
              <>
                {view.canCancel ? null : (
                  <Button
                    size="xs"
                    loading={install.isBusy}
                    onClick={() => asked(install.run({ when: 'idle', version }))}
                  >
                    {t('updates.whenIdle')}
                  </Button>
                )}
                <Button
                  size="xs"
                  variant="filled"
                  loading={install.isBusy}
                  onClick={() => asked(install.run({ when: 'now', version }))}
                >
                  {t('updates.now')}
                </Button>
              </>
            )}
            {view.canCancel ? (
              <Button size="xs" onClick={() => asked(cancel.run({}))}>
                {t('updates.cancel')}
              </Button>
            ) : null}
            {view.canCheck && version === undefined ? (
              <Button size="xs" loading={check.isBusy} onClick={() => asked(check.run({}))}>
                {t('updates.check')}
              </Button>
            ) : null}
          </div>
          {view.last === undefined ? null : (
            <div className="row">
              <div className={`row-text sm ${view.last.isBad ? 'ink-attention' : 't2'}`}>
                <Inert text={view.last.text} /> <span>{ageText(view.last.atMs, nowMs)}</span>
              </div>
            </div>
          )}
        </div>
      )}
    </section>
  );
}
