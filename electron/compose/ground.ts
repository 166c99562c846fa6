import type Database from 'better-sqlite3';
import type { StatusSnapshot } from '../../shared/types';
import { createBlobs } from '../adapters/blobs/blobs';
import { createHasher } from '../adapters/blobs/hasher';
import { createSystemIds } from '../adapters/ids/system-ids';
import type { FileAudit } from '../adapters/log/audit';
import type { FileLog } from '../adapters/log/log';
import { createSecrets } from '../adapters/secrets/secrets';
import { createLoginEnvironment } from '../adapters/shell/login-environment';
import { newRunId } from '../adapters/shell/shell-tools';
import { createGroupCommit, type GroupCommit } from '../adapters/sqlite/journal/group-commit';
import { createReads } from '../adapters/sqlite/tables/reads';
import { createReadSense, noReadSense, type ReadSense } from '../adapters/sqlite/read-failures';
import { createScheduleReads } from '../adapters/sqlite/tables/schedule';
import { createUnsentRows } from '../adapters/sqlite/tables/unsent';
import { createWorkReads } from '../adapters/sqlite/tables/activations';
import type { ComposeOptions } from './options';
import { createAttempts } from '../engine/retry/saved-attempts';
import type { RecoveryPolicy } from '../engine/recovery/plan-resume';
import type { Attempts } from '../ports/attempts';
import type { UnsentTexts } from '../ports/unsent';
import type { Basis, PartDeps } from './basis';
import { createDeliveryPart, type DeliveryPart } from './delivery';
import { readOnlyJournal } from './read-only-journal';
import { recoveryPolicy } from './recovery-policy';
import { createSecretsInUse } from './secrets-in-use';

/** What the rooms are built over. */
export interface RoomsOptions extends PartDeps<
  'clock' | 'crashPoints' | 'settings' | 'redactor' | 'isReadOnly' | 'emit'
> {
  readonly compose: ComposeOptions;
  readonly db: Database.Database;
  readonly log: FileLog;
  readonly audit: FileAudit;
  readonly assertOwner: () => void;
  readonly phase: () => StatusSnapshot['phase'];
  /** Of the process that holds the data; undefined where none does or it is not known. */
  readonly pid: number | undefined;
  readonly startedAtMs: number;
  readonly requestStop: (reason: 'stop' | 'takeover') => void;
  readonly draining: AbortSignal;
  /** Ports on 127.0.0.1 that are listened on; absent where nobody listens for this data. */
  readonly ports?: NonNullable<StatusSnapshot['ports']>;
}

/** The basis of one start, opened: data on disk, keys, and what the host handed in. */
export interface Ground extends RoomsOptions, Basis {
  readonly log: FileLog;
  readonly audit: FileAudit;
  readonly journal: GroupCommit;
  readonly readSense: ReadSense;
  /** The room of events, begun: its rows ride in the journal's commits. */
  readonly events: DeliveryPart;
  /** Text of windows that was typed and not sent. */
  readonly unsent: UnsentTexts;
  /** What is tried again and again outside, over restarts. */
  readonly attempts: Attempts;
  readonly policy: () => RecoveryPolicy;
  /** False where another process holds the data and does not answer: what it runs is not known. */
  readonly isAnswering: () => boolean;
  /** The status is another: whoever shows it hears of it. */
  readonly changed: () => void;
}

export function createGround(options: RoomsOptions): Ground {
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
    readSense: isWatched
      ? createReadSense({ file: db.name, clock, signal: options.draining, onChange: changed })
      : noReadSense,
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
  };
}
