export { createAudit } from './audit';
export type { AuditOptions, FileAudit } from './audit';
export { createLog } from './log';
export type { FileLog, LogLevel, LogOptions } from './log';
export type { Rotation } from './rotating-file';
export { createRedactor, redact, redactText } from '../../../shared/redact';
