import type { EventName } from '../../shared/contract';
import type { Redactor } from '../../shared/redact';
import type { KeySources } from '../adapters/secrets/provider-key';
import type { FindSecrets, LoginEnvironment } from '../adapters/shell/login-environment';
import type { CrashPoints } from '../engine/kernel/crash-points';
import type { Blobs, Hasher } from '../ports/blobs';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { Journal } from '../ports/journal/journal';
import type { JournalReads } from '../ports/journal/reads';
import type { ScheduleReads } from '../ports/journal/schedule';
import type { WorkReads } from '../ports/journal/work';
import type { Audit, Log } from '../ports/log';
import type { SettingsPort } from '../ports/settings';

/** What nearly every part is built over, by its port. A part names what it takes: `PartDeps<…>`. */
export interface Basis {
  /** The data directory, `D`. */
  readonly dataDir: string;
  /** Of this Holdfast. */
  readonly version: string;
  readonly settings: SettingsPort;
  readonly journal: Journal;
  readonly reads: JournalReads;
  readonly workReads: WorkReads;
  readonly scheduleReads: ScheduleReads;
  readonly blobs: Blobs;
  readonly hasher: Hasher;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly crashPoints: CrashPoints;
  readonly log: Log;
  readonly audit: Audit;
  readonly redactor: Redactor;
  readonly keys: KeySources;
  /** The environment of this process. */
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  /** The environment that a terminal of this person has; read once, with its first use. */
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  /** What of an environment is secret, by the settings as they are now. */
  readonly findSecrets: FindSecrets;
  /** Of this start; children carry it. */
  readonly runId: string;
  /** The data of a stopped Holdfast: nothing is written, nothing is followed. */
  readonly isReadOnly: boolean;
  readonly isRunning: () => boolean;
  readonly emit: (event: EventName, payload: never) => void;
}

/** The look-alike part of what a part takes. */
export type PartDeps<Name extends keyof Basis> = Pick<Basis, Name>;
