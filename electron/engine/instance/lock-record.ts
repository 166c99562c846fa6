import { parsedJson } from '../../../shared/parsed-json';
import type {
  AgentLockRecord,
  LockContent,
  LockPhase,
  TakeoverNote,
} from '../../ports/instance-lock';
import { isJson, type Json } from '../kernel/json-object';

/** Maximum size of `agent.lock` that is read, in bytes. */
const LOCK_RECORD_LIMIT_BYTES = 16_384;

const PHASES: readonly LockPhase[] = ['starting', 'migrating', 'running', 'stopping', 'deciding'];
const TEXT_LIMIT = 4096;
/** Above every pid_max that exists (Linux 2^22, Windows below 2^32). */
const PID_LIMIT = 2 ** 32;

function textOr<T>(value: unknown, fallback: T): string | T {
  return typeof value === 'string' && value.length > 0 && value.length <= TEXT_LIMIT
    ? value
    : fallback;
}

function integerOr<T>(value: unknown, fallback: T): number | T {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : fallback;
}

function isPid(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && Math.abs(value) < PID_LIMIT;
}

/**
 * Reads the content of `agent.lock`. Never throws. Fields that are missing or of the wrong type
 * become null or empty, and such a record never leads to a signal (`decideLock` compares all of
 * them); only the pid is required. A bare number is another program's format.
 * Rows S2-39, S2-41; security L5.
 */
export function parseLockRecord(text: string): LockContent {
  if (text.length > LOCK_RECORD_LIMIT_BYTES) return { kind: 'unreadable', reason: 'too large' };
  const trimmed = text.trim();
  if (trimmed === '') return { kind: 'unreadable', reason: 'empty' };
  if (/^[+-]?\d+$/.test(trimmed)) {
    const pid = Number(trimmed);
    return isPid(pid) ? { kind: 'bare_pid', pid } : { kind: 'unreadable', reason: 'not a pid' };
  }
  // Invalid JSON is expected here: the file may come from any program or a torn write.
  const fields = parsedJson(trimmed);
  if (!isJson(fields)) return { kind: 'unreadable', reason: 'not a lock record' };
  if (!isPid(fields['pid'])) return { kind: 'unreadable', reason: 'no pid' };
  return { kind: 'record', record: recordFrom(fields['pid'], fields) };
}

function recordFrom(pid: number, fields: Json): AgentLockRecord {
  const phase = PHASES.find((known) => known === fields['phase']) ?? 'running';
  const startedAtMs = integerOr(fields['startedAtMs'], 0);
  return {
    pid,
    startTicks: textOr(fields['startTicks'], null),
    bootId: textOr(fields['bootId'], null),
    instanceId: textOr(fields['instanceId'], ''),
    machineId: textOr(fields['machineId'], null),
    host: textOr(fields['host'], ''),
    uid: integerOr(fields['uid'], null),
    exe: textOr(fields['exe'], null),
    argvMarker: textOr(fields['argvMarker'], null),
    version: textOr(fields['version'], ''),
    phase,
    phaseAtMs: integerOr(fields['phaseAtMs'], startedAtMs),
    stopReason: textOr(fields['stopReason'], null),
    socketPath: textOr(fields['socketPath'], null),
    tokenHash: textOr(fields['tokenHash'], null),
    startedAtMs,
    dataDir: textOr(fields['dataDir'], ''),
  };
}

/** The text of `agent.lock`: one readable JSON object, ending in a newline (S2-39). */
export function formatLockRecord(record: AgentLockRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** Reads `run/takeover.json`. Never throws; anything but a whole note is null. */
export function parseTakeoverNote(text: string): TakeoverNote | null {
  const fields = text.length > LOCK_RECORD_LIMIT_BYTES ? undefined : parsedJson(text);
  if (!isJson(fields)) return null;
  const byPid = integerOr(fields['byPid'], null);
  const atMs = integerOr(fields['atMs'], null);
  const byInstanceId = textOr(fields['byInstanceId'], null);
  const targetInstanceId = textOr(fields['targetInstanceId'], null);
  if (byPid === null || atMs === null || byInstanceId === null || targetInstanceId === null) {
    return null;
  }
  return { byPid, byInstanceId, atMs, targetInstanceId };
}
