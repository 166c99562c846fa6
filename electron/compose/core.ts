import { createLiveOutput, type LiveOutput } from '../engine/turns/live-output';
import type Database from 'better-sqlite3';
import type { ProviderSettings } from '../../shared/settings';
import type { StatusSnapshot } from '../../shared/types';
import type { Emit } from '../engine/api/events';
import type { Redactor } from '../../shared/redact';
import {
  describeProviderKey,
  resolveProviderKey,
  type KeySources,
} from '../adapters/secrets/provider-key';
import { keyTarget } from '../adapters/providers/base-url';
import type { CrashPoints } from '../engine/kernel/crash-points';
import type { Blobs, Hasher } from '../ports/blobs';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { JournalReads } from '../ports/journal/reads';
import type { ScheduleReads } from '../ports/journal/schedule';
import type { WorkReads } from '../ports/journal/work';
import type { Secrets } from '../ports/secrets';
import type { SettingsPort } from '../ports/settings';
import { createBlobs } from '../adapters/blobs/blobs';
import { identifyAgent } from '../adapters/command/identify-agent';
import { isProgramChanged } from '../program-files';
import { computerZone } from '../adapters/clock/system-clock';
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
import { homeSpellings, ownTemporaryFolders, spellingsOf } from '../adapters/files/spellings';
import { createPortableFolders } from '../engine/journal/portable-folders';
import type { PortableTexts } from '../engine/journal/portable-text';
import { createAttempts } from '../engine/retry/saved-attempts';
import type { RecoveryPolicy } from '../engine/recovery/plan-resume';
import type { Attempts } from '../ports/attempts';
import type { UnsentTexts } from '../ports/unsent';
import { createJournalEvents, type JournalEvents } from '../engine/outbox/journal-events';
import { brokerBySettings } from '../adapters/nats/by-settings';
import { createEventRows } from '../adapters/sqlite/tables/outbox';
import { readOnlyJournal } from '../adapters/sqlite/journal/read-only-journal';
import { recoveryPolicy } from '../engine/recovery/plan-resume';
import { createSecretsInUse } from '../adapters/secrets/secrets-in-use';

/** What a part needs of the outside and of this process: time, ids, hashes, environments. */
export interface World {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly hasher: Hasher;
  readonly crashPoints: CrashPoints;
  /** Of this start; children carry it. */
  readonly runId: string;
  /** The environment of this process. */
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  /** The environment that a terminal of this person has; read once, with its first use. */
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  /** Time zone of this computer. */
  readonly zone: () => string;
  /** Which known agent a command starts. */
  readonly identify: typeof identifyAgent;
}

/** What lies in the data directory. */
export interface Disk {
  readonly db: Database.Database;
  readonly journal: GroupCommit;
  readonly reads: JournalReads;
  readonly workReads: WorkReads;
  readonly scheduleReads: ScheduleReads;
  readonly readFailures: ReadFailures;
  readonly blobs: Blobs;
  /** The events part, started: its rows share the journal's commits. */
  readonly events: JournalEvents;
  /** Text of windows that was typed and not sent. */
  readonly unsent: UnsentTexts;
  /** Retries of external calls, across restarts. */
  readonly attempts: Attempts;
}

/** Of a provider with its address: a stored key goes nowhere else. */
type KeySpec = ProviderSettings | Pick<ProviderSettings, 'api_key_env' | 'api_key_file'>;
const targetOf = (name: string, spec: KeySpec): string | undefined =>
  'kind' in spec ? keyTarget(name, spec) : undefined;

interface SecretsOfRun {
  readonly secrets: Secrets;
  readonly keys: KeySources;
  /** The key of a provider or channel; undefined if it has none. */
  readonly keyOf: (name: string, spec: KeySpec) => ReturnType<typeof resolveProviderKey>;
  /** Displayable facts about a key; never asks a keyring to decrypt. */
  readonly viewKey: (name: string, spec: KeySpec) => ReturnType<typeof describeProviderKey>;
  /** Finds the secrets of an environment, by the current settings. */
  readonly findSecrets: FindSecrets;
  readonly redactor: Redactor;
}

export interface Records {
  readonly log: FileLog;
  readonly audit: FileAudit;
}

/** Whether Holdfast runs, since when, and how it is stopped. */
export interface Life {
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
  /** Files of this program have gone under it: only a restart brings them back. */
  readonly isProgramChanged: () => boolean;
  /** Open ports on 127.0.0.1; absent if no process listens for this data. */
  readonly ports?: NonNullable<StatusSnapshot['ports']>;
}

/** What windows, the command line and the tray are told. */
export interface Signals {
  readonly emit: Emit;
  /** The status changed: notifies everything that shows it. */
  readonly changed: () => void;
  /** What running commands have printed so far. */
  readonly live: LiveOutput;
}

/**
 * What nearly every part is made from, in one: the dependencies of a part say in their type what it
 * takes of it.
 */
export interface Core extends World, Disk, SecretsOfRun, Records, Life, Signals {
  readonly compose: ComposeOptions;
  /** The data directory, `D`. */
  readonly dataDir: string;
  /** Of this Holdfast. */
  readonly version: string;
  readonly settings: SettingsPort;
  readonly policy: () => RecoveryPolicy;
  /** Texts to and from other computers, by workspace. */
  readonly portableIn: (workspace: string) => PortableTexts;
}

/**
 * Inputs from a start, or from opening data without a running engine; the rest of the core is built
 * from them.
 */
export interface CoreInput {
  readonly compose: ComposeOptions;
  readonly settings: SettingsPort;
  readonly db: Database.Database;
  readonly clock: Clock;
  readonly crashPoints: CrashPoints;
  readonly redactor: Redactor;
  readonly records: Records;
  readonly life: Omit<Life, 'isRunning' | 'isAnswering' | 'isProgramChanged'>;
  readonly emit: Signals['emit'];
}

export function createCore(input: CoreInput): Core {
  const { compose, settings, records, emit } = input;
  const { dataDir } = compose;
  const secrets = openSecrets(input);
  const policy = recoveryPolicy(settings);
  const changed = (): void => {
    emit('status.changed', undefined);
  };
  const life: Life = {
    ...input.life,
    isRunning: () => life.phase() === 'running',
    isAnswering: () => life.phase() !== 'silent',
    isProgramChanged,
  };
  const world = createWorld(input, secrets.findSecrets);
  return {
    ...world,
    ...openDisk(input, world, life, changed),
    ...secrets,
    ...records,
    ...life,
    compose,
    dataDir,
    version: compose.version,
    settings,
    policy: () => policy,
    portableIn: createPortableFolders({
      ...world,
      home: () => homeSpellings(compose.env),
      data: () => spellingsOf(dataDir),
      privateFolders: () => [...settings.get('share.private_folders'), ...ownTemporaryFolders()],
      spellingsOf,
    }),
    emit,
    changed,
    live: createLiveOutput((output) => {
      emit('step.output', output);
    }),
  };
}

function openSecrets({ compose, settings, redactor, records }: CoreInput): SecretsOfRun {
  const secrets = createSecrets({
    dir: `${compose.dataDir}/secrets`,
    keyring: compose.desktop?.keyring,
    log: records.log,
    redactor,
  });
  const keys: KeySources = { env: compose.env, secrets, redactor };
  return {
    secrets,
    keys,
    keyOf: (name, spec) => resolveProviderKey(name, spec, keys, targetOf(name, spec)),
    viewKey: (name, spec) => describeProviderKey(name, spec, keys, targetOf(name, spec)),
    findSecrets: createSecretsInUse({ settings, own: compose.env, redactor }),
    redactor,
  };
}

const createWorld = (
  { compose, clock, crashPoints }: CoreInput,
  findSecrets: FindSecrets,
): World => ({
  clock,
  ids: compose.ids ?? createSystemIds(clock),
  hasher: createHasher(),
  crashPoints,
  runId: newRunId(),
  ownEnvironment: compose.env,
  loginEnvironment: createLoginEnvironment({ own: compose.env, secrets: findSecrets }),
  zone: computerZone,
  identify: identifyAgent,
});

function openDisk(input: CoreInput, world: World, life: Life, changed: () => void): Disk {
  const { db, compose, records } = input;
  const { clock, crashPoints, hasher } = world;
  const { log } = records;
  const events = createJournalEvents({
    ...input,
    ...world,
    ...records,
    rows: createEventRows(db),
    openBroker: brokerBySettings({ ...input, ...world, ...records }),
    onChanged(delivery) {
      if (!db.open) return;
      const { depth, deadLetters } = delivery.status();
      input.emit('queue.changed', { depth, deadLetters });
      changed();
    },
  });
  const unsent = createUnsentRows(db);
  const journal = life.isReadOnly
    ? readOnlyJournal(db)
    : createGroupCommit({
        db,
        clock,
        crashPoints,
        assertOwner: life.assertOwner,
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
  const isWatched = !life.isReadOnly && life.phase() !== 'stopped';
  return {
    db,
    journal,
    reads,
    workReads: createWorkReads(db),
    scheduleReads: createScheduleReads(db),
    readFailures: isWatched
      ? createReadFailures({ file: db.name, clock, signal: life.draining, onChange: changed })
      : noReadFailures,
    blobs: createBlobs({ dir: `${compose.dataDir}/blobs`, hasher, crashPoints }),
    events,
    unsent: unsent.texts((work) => journal.run(work)),
    attempts: createAttempts({ journal, reads, crashPoints, log }),
  };
}
