/** The doctor's report: the verdict, and each check with its mark and label. */
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import type { DoctorReport } from '../../shared/types';
import { valueWords } from '../../shared/value-words';
import { Mark } from './state-chip';
import { Inert } from './texts';

const LEVEL = {
  ok: { mark: 'check', tone: 'ok' },
  warn: { mark: 'triangle', tone: 'attention' },
  fail: { mark: 'cross', tone: 'outage' },
} as const;

export function DoctorVerdict({ report }: { report: DoctorReport }): ReactElement {
  return (
    <span className={`m5 ink-${report.ok ? 'ok' : 'outage'}`}>
      {report.ok ? t('doctor.ok') : t('doctor.notOk')}
    </span>
  );
}

export function DoctorChecks({ report }: { report: DoctorReport }): ReactElement {
  return (
    <ul className="doctor-list">
      {report.checks.map((check) => (
        <li key={check.name}>
          <span className={`fate ink-${LEVEL[check.level].tone}`}>
            <Mark name={LEVEL[check.level].mark} className="icon small" />
            {t(`doctor.level.${check.level}`)}
          </span>
          <span className="m5">{valueWords(check.name)}</span>
          <Inert className="t2 inert" text={check.detail} />
        </li>
      ))}
    </ul>
  );
}

/** The report as text, with the same lines as the page. */
export function doctorText(report: DoctorReport): string {
  return [
    `Holdfast ${report.version}`,
    ...report.checks.map(
      (check) => `${check.level.padEnd(4)} ${valueWords(check.name)}: ${check.detail}`,
    ),
  ].join('\n');
}
