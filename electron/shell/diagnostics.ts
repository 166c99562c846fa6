/** "Copy diagnostics": the report of `holdfast doctor` as text. Pure. */
import type { DoctorReport } from '../../shared/model';

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

export function diagnosticsText(report: DoctorReport): string {
  return [
    `Holdfast ${report.version}: ${report.ok ? 'everything it needs is there' : 'something needs attention'}`,
    ...report.checks.map(
      ({ level, name, detail }) =>
        `${MARKS[level]}  ${name}: ${detail.replaceAll('\n', '\n      ')}`,
    ),
    '',
  ].join('\n');
}
