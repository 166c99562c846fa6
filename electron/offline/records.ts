/** The log and the audit of a command that works on a data directory itself. */
import path from 'node:path';
import { createAudit } from '../adapters/log/audit';
import { createLog } from '../adapters/log/log';
import type { Clock } from '../ports/clock';
import { createRedactor } from '../../shared/redact';

export function openRecords(dataDir: string, clock: Clock) {
  const redactor = createRedactor();
  const log = createLog({ dir: path.join(dataDir, 'logs'), level: 'warn', clock, redactor });
  const audit = createAudit({ dir: path.join(dataDir, 'audit'), clock, log, redactor });
  return { redactor, log, audit };
}
