import { createLiveOutput, type LiveOutput } from '../engine/turns/live-output';
import type Database from 'better-sqlite3';
import type { StatusSnapshot } from '../../shared/types';
import type { EventName } from '../../shared/contract';
import type { Redactor } from '../../shared/redact';
import type { KeySources } from '../adapters/secrets/provider-key';
import type { CrashPoints } from '../engine/kernel/crash-points';
import type { Blobs, Hasher } from '../ports/blobs';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { JournalReads } from '../ports/journal/reads';
import type { ScheduleReads } from '../ports/journal/schedule';
import type { WorkReads } from '../ports/journal/work';
import type { SettingsPort } from '../ports/settings';
import { createBlobs } from '../adapters/blobs/blobs';
import { createHasher } from '../adapters/blobs/hasher';
import { createSystemIds } from '../adapters/ids/system-ids';
import type { FileAudit } from '../adapters/log/audit';
import type { FileLog } from '../adapters/log/log';
import { createSecrets } from '../adapters/secrets/secrets';
import {
  createLoginEnvironment,
  type FindSecrets,
  type LoginEnvironment,
} from '../adapters/shell/login-environment';
import { newRunId } from '../adapters/shell/shell-tools';
import { createGroupCommit, type GroupCommit } from '../adapters/sqlite/journal/group-commit';
import { createReads } from '../adapters/sqlite/tables/reads';
import {
  createReadFailures,
  noReadFailures,
  type ReadFailures,
} from '../adapters/sqlite/read-failures';
import { createScheduleReads } from '../adapters/sqlite/tables/schedule';
import { createUnsentRows } from '../adapters/sqlite/tables/unsent';
import { createWorkReads } from '../adapters/sqlite/tables/activations';
import type { ComposeOptions } from './options';
import { createAttempts } from '../engine/retry/saved-attempts';
import type { RecoveryPolicy } from '../engine/recovery/plan-resume';
import type { Attempts } from '../ports/attempts';
import type { UnsentTexts } from '../ports/unsent';
import { createDeliveryPart, type DeliveryPart } from './delivery';
import { readOnlyJournal } from '../adapters/sqlite/journal/read-only-journal';
import { recoveryPolicy } from '../engine/recovery/plan-resume';
import { createSecretsInUse } from '../adapters/secrets/secrets-in-use';

/** The base of nearly every part. A part lists what it takes: `PartDeps<…>`. */
export interface Core {
  readonly compose: ComposeOptions;
  /** The data directory, `D`. */
  readonly dataDir: string;
  /** Of this Holdfast. */
  readonly version: string;
  readonly db: Database.Database;
  readonly settings: SettingsPort;
  readonly journal: GroupCommit;
  readonly reads: JournalReads;
  readonly workReads: WorkReads;
  readonly scheduleReads: ScheduleReads;
  readonly readFailures: ReadFailures;
  readonly blobs: Blobs;
  readonly hasher: Hasher;
  /** The events part, started: its rows share the journal's commits. */
  readonly events: DeliveryPart;
  /** Text of windows that was typed and not sent. */
  readonly unsent: UnsentTexts;
  /** Retries of external calls, across restarts. */
  readonly attempts: Attempts;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly crashPoints: CrashPoints;
  readonly log: FileLog;
  readonly audit: FileAudit;
  readonly redactor: Redactor;
  readonly keys: KeySources;
  /** The environment of this process. */
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  /** The environment that a terminal of this person has; read once, with its first use. */
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  /** Finds the secrets of an environment, by the current settings. */
  readonly findSecrets: FindSecrets;
  /** Of this start; children carry it. */
  readonly runId: string;
  readonly policy: () => RecoveryPolicy;
  readonly phase: () => StatusSnapshot['phase'];
  readonly isRunning: () => boolean;
  /** The data of a stopped Holdfast: nothing is written, nothing is followed. */
  readonly isReadOnly: boolean;
  /** False if another process holds the data and does not respond: its work is unknown. */
  readonly isAnswering: () => boolean;
  readonly assertOwner: () => void;
  /** The process that holds the data; undefined if there is none or it is unknown. */
  readonly pid: number | undefined;
  readonly startedAtMs: number;
  readonly requestStop: (reason: 'stop' | 'takeover' | 'update') => void;
  readonly draining: AbortSignal;
  /** Open ports on 127.0.0.1; absent if no process listens for this data. */
  readonly ports?: NonNullable<StatusSnapshot['ports']>;
  readonly emit: (event: EventName, payload: never) => void;
  /** The status changed: notifies everything that shows it. */
  readonly changed: () => void;
  /** What running commands have printed so far. */
  readonly live: LiveOutput;
}

/** The part of the core that a room takes. */
export type PartDeps<Name extends keyof Core> = Pick<Core, Name>;

/**
 * Inputs from a start, or from opening data without a running engine; the rest of the core is built
 * from them.
 */
export type CoreInput = PartDeps<
  | 'assertOwner'
  | 'audit'
  | 'clock'
  | 'compose'
  | 'crashPoints'
  | 'db'
  | 'draining'
  | 'emit'
  | 'isReadOnly'
  | 'log'
  | 'phase'
  | 'pid'
  | 'ports'
  | 'redactor'
  | 'requestStop'
  | 'settings'
  | 'startedAtMs'
>;

export function createCore(options: CoreInput): Core {
  const { compose, db, clock, crashPoints, settings, log, redactor } = options;
  const { dataDir, env: ownEnvironment } = compose;
  const ids = compose.ids ?? createSystemIds(clock);
  const events = createDeliveryPart({ ...options, ids, ownEnvironment });
  const unsent = createUnsentRows(db);
  const hasher = createHasher();
  const secrets = createSecrets({
    dir: `${dataDir}/secrets`,
    keyring: compose.desktop?.keyring,
    log,
    redactor,
  });
  const findSecrets = createSecretsInUse({ settings, own: ownEnvironment, redactor });
  const policy = recoveryPolicy(settings);
  const changed = (): void => {
    options.emit('status.changed', undefined as never);
  };
  const journal = options.isReadOnly
    ? readOnlyJournal(db)
    : createGroupCommit({
        ...options,
        together: (entry, applied) => {
          events.together(entry, applied);
          unsent.together(entry);
        },
        forget: (sent) => unsent.forget(sent),
        onFollowerError: (error) => {
          log.error('journal.follower_failed', { error });
        },
      });
  const reads = createReads(db);
  const isWatched = !options.isReadOnly && options.phase() !== 'stopped';
  return {
    ...options,
    dataDir,
    version: compose.version,
    ownEnvironment,
    loginEnvironment: createLoginEnvironment({ own: ownEnvironment, secrets: findSecrets }),
    findSecrets,
    ids,
    runId: newRunId(),
    events,
    unsent: unsent.texts((work) => journal.run(work)),
    journal,
    reads,
    readFailures: isWatched
      ? createReadFailures({ file: db.name, clock, signal: options.draining, onChange: changed })
      : noReadFailures,
    attempts: createAttempts({ journal, reads, crashPoints, log }),
    workReads: createWorkReads(db),
    scheduleReads: createScheduleReads(db),
    hasher,
    blobs: createBlobs({ dir: `${dataDir}/blobs`, hasher, clock, crashPoints }),
    keys: { env: ownEnvironment, secrets, redactor },
    policy: () => policy,
    isRunning: () => options.phase() === 'running',
    isAnswering: () => options.phase() !== 'silent',
    changed,
    live: createLiveOutput((output) => {
      options.emit('step.output', output as never);
    }),
  };
}
