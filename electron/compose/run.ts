import type Database from 'better-sqlite3';
import type { StatusSnapshot } from '../../shared/types';
import type { FileAudit } from '../adapters/log/audit';
import type { FileLog } from '../adapters/log/log';
import { startingError } from '../engine/kernel/errors';
import type { RestartReason } from '../engine/instance/decide-restart-reason';
import type { HeldLock, LeftBehind } from '../ports/instance-lock';
import type { SettingsPort } from '../ports/settings';
import type { Rooms } from './rooms-type';
import type { Redactor } from '../../shared/redact';
import type { ComposeOptions } from './options';
import type { StopReason } from '../lifecycle';
import type { Holdfast } from '../engine/api/facade';
import type { Basics } from '../engine/kernel/basics';
import type { Events } from '../engine/api/events';

/** The state of one run of the process; each part fills in its share, in order. */
export interface Run {
  settings: SettingsPort | undefined;
  log: FileLog | undefined;
  audit: FileAudit | undefined;
  lock: HeldLock | undefined;
  leftBehind: LeftBehind | undefined;
  db: Database.Database | undefined;
  rooms: Rooms | undefined;
  phase: StatusSnapshot['phase'];
  startId: number;
  restartReason: RestartReason | undefined;
  /** Aborted when the shutdown starts: a turn's run ends at its next step boundary. */
  readonly draining: AbortController;
  /** Of the servers on 127.0.0.1 that listen now. */
  readonly ports: { health?: number; metrics?: number; gateway?: number; channels?: number };
}

export const newRun = (): Run => ({
  settings: undefined,
  log: undefined,
  audit: undefined,
  lock: undefined,
  leftBehind: undefined,
  db: undefined,
  rooms: undefined,
  phase: 'starting',
  startId: 0,
  restartReason: undefined,
  draining: new AbortController(),
  ports: {},
});

export function need<T>(value: T | undefined): T {
  if (value === undefined) throw startingError('Nothing was changed. Try again in a moment.');
  return value;
}

/** Shared by the parts of one start; their results go into `run`. */
export interface Start extends Pick<Basics, 'clock' | 'crashPoints'> {
  readonly options: ComposeOptions;
  readonly run: Run;
  readonly redactor: Redactor;
  readonly events: Events;
  readonly holdfast: Holdfast;
  readonly startedAtMs: number;
  readonly socketPath: string;
  readonly tokenPath: string;
  /** Starts the ordered shutdown. */
  readonly stop: (reason: StopReason) => void;
}
