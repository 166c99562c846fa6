import type { Redactor } from '../../shared/redact';
import type { ComposeOptions, StopReason } from './options';
import type { Holdfast } from '../engine/api/facade';
import type { CrashPoints } from '../engine/kernel/crash-points';
import type { Clock } from '../ports/clock';
import type { Events } from '../engine/api/events';
import type { Run } from './run';

/** What the parts of one start share; what they make of it stands in `run`. */
export interface Start {
  readonly options: ComposeOptions;
  readonly run: Run;
  readonly clock: Clock;
  readonly crashPoints: CrashPoints;
  readonly redactor: Redactor;
  readonly events: Events;
  readonly holdfast: Holdfast;
  readonly startedAtMs: number;
  readonly socketPath: string;
  readonly tokenPath: string;
  /** Begins the ordered stop. */
  readonly stop: (reason: StopReason) => void;
}

/** The engine's code. Loaded when D is ours: tray and window appear without waiting for it. */
export const loadEngine = () => import('./load-engine');
