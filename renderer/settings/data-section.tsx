/** Where the data is, whether all checks pass, and the end of the log. */
import { Button, CopyButton } from '@mantine/core';
import { FolderOpen, Stethoscope } from 'lucide-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { ConfigEntry, DoctorReport } from '../../shared/types';
import { useCommand, useVerb } from '../bridge';
import { DoctorChecks, DoctorVerdict, doctorText } from '../parts/doctor-report';
import { CopyText, InertBlock, SectionHead, TroubleNote } from '../parts/texts';
import { GatewayClients } from './gateway-clients';
import { SECTION_GROUPS } from './setting-groups';
import { GroupHead, SettingRows } from './setting-rows';

const OPENABLE = { dataDir: 'data', logPath: 'logs', practiceFolder: 'practice' } as const;
const PLACES = ['dataDir', 'configPath', 'logPath', 'practiceFolder', 'socketPath'] as const;

export function DataSection({ entries }: { entries: readonly ConfigEntry[] }): ReactElement {
  const info = useVerb('app.info', {});
  const open = useCommand('app.openFolder');
  return (
    <div className="stack settings-stack narrow">
      <section>
        <SectionHead
          title={t('data.places')}
          count={
            info.data
              ? t('data.version', { version: info.data.version, electron: info.data.electron })
              : ''
          }
        />
        <TroubleNote trouble={info.trouble ?? open.trouble} />
        {info.data ? (
          <ul className="card rows">
            {PLACES.map((place) => {
              const path = info.data?.[place] ?? '';
              return (
                <li key={place} className="row">
                  <div className="row-text">
                    <div className="m5">{t(`data.${place}`)}</div>
                    <div className="mono t2 wrap">{path}</div>
                  </div>
                  {place === 'dataDir' || place === 'logPath' || place === 'practiceFolder' ? (
                    <Button
                      size="xs"
                      aria-label={t('data.openOf', { what: t(`data.${place}`) })}
                      leftSection={<FolderOpen className="icon small" />}
                      onClick={() => void open.run({ which: OPENABLE[place] })}
                    >
                      {t('data.open')}
                    </Button>
                  ) : null}
                  <CopyText
                    text={path}
                    label={t('data.copyOf', { what: t(`data.${place}`) })}
                    tip={t('common.copy')}
                    size={26}
                  />
                </li>
              );
            })}
          </ul>
        ) : null}
      </section>
      <Doctor />
      <LogTail entries={entries} />
      <section>
        <GroupHead name="gateway" />
        <SettingRows keys={SECTION_GROUPS.data.gateway} entries={entries} />
        <GatewayClients />
      </section>
      <section>
        <GroupHead name="monitoring" />
        <SettingRows keys={SECTION_GROUPS.data.monitoring} entries={entries} />
      </section>
    </div>
  );
}

function Doctor(): ReactElement {
  const run = useCommand('doctor.run');
  const [report, setReport] = useState<DoctorReport | undefined>(undefined);
  const start = (full: boolean): void => {
    void run.run({ full }).then((answer) => {
      if (answer.ok) setReport(answer.value);
    });
  };
  return (
    <section>
      <SectionHead title={t('doctor.title')}>
        {report ? (
          <span className="end sm">
            <DoctorVerdict report={report} />
          </span>
        ) : null}
      </SectionHead>
      <div className="card padded">
        <p className="t2">{t('doctor.about')}</p>
        <div className="flex flex-wrap doctor-actions">
          <Button
            leftSection={<Stethoscope className="icon small" />}
            loading={run.isBusy}
            onClick={() => start(false)}
          >
            {t('doctor.run')}
          </Button>
          <Button variant="subtle" disabled={run.isBusy} onClick={() => start(true)}>
            {t('doctor.full')}
          </Button>
          {report ? (
            <CopyButton value={doctorText(report)}>
              {({ copied, copy }) => (
                <Button variant="subtle" onClick={copy}>
                  {copied ? t('common.copied') : t('doctor.copy')}
                </Button>
              )}
            </CopyButton>
          ) : null}
        </div>
        <TroubleNote trouble={run.trouble} />
        <div role="status">{report ? <DoctorChecks report={report} /> : null}</div>
      </div>
    </section>
  );
}

function LogTail({ entries }: { entries: readonly ConfigEntry[] }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const log = useVerb('logs.tail', isOpen ? { lines: 200 } : undefined);
  return (
    <section>
      <SectionHead title={t('log.title')}>
        <span className="end flex">
          {isOpen ? (
            <Button size="xs" variant="subtle" onClick={log.reload}>
              {t('log.again')}
            </Button>
          ) : null}
          <Button
            size="xs"
            variant="subtle"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? t('log.hide') : t('log.show')}
          </Button>
        </span>
      </SectionHead>
      <TroubleNote trouble={log.trouble} />
      {log.data ? (
        <InertBlock
          text={log.data.lines.length === 0 ? t('log.empty') : log.data.lines.join('\n')}
          label={t('log.title')}
        />
      ) : null}
      <SettingRows keys={SECTION_GROUPS.data.log} entries={entries} />
    </section>
  );
}
