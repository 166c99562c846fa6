import type { Blobs, Hasher } from '../../ports/blobs';
import type { Clock } from '../../ports/clock';
import type { Journal } from '../../ports/journal/journal';
import type { Audit, Log } from '../../ports/log';
import type { SettingsPort } from '../../ports/settings';
import type { CrashPoints } from './crash-points';

/** What most parts are given: each says in its dependencies which of it it takes. */
export interface Basics {
  readonly journal: Journal;
  readonly blobs: Blobs;
  readonly hasher: Hasher;
  readonly clock: Clock;
  readonly settings: SettingsPort;
  readonly log: Log;
  readonly audit: Audit;
  readonly crashPoints: CrashPoints;
}
