import type { VerbInput, VerbOutput } from '../../shared/contract';
import type { CallOrigin, Holdfast } from '../engine/api/facade';
import type { DesktopVerb } from '../engine/api/instance';
import type { CrashPoints } from '../engine/kernel/crash-points';
import type { DesktopHolder } from '../ports/awake';
import type { Channel } from '../ports/channel';
import type { Clock, Ticker } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { Keyring } from '../ports/keyring';
import type { Audit, Log } from '../ports/log';
import type { Provider } from '../ports/provider';
import type { SettingsPort } from '../ports/settings';
import type { LazyStoreClass, StoreClass } from '../ports/settings-store';
import type { ToolHost } from '../ports/tools';

/** What the Electron shell provides to the engine. Absent in headless mode and in most tests. */
export interface Desktop {
  readonly storeClass: StoreClass | LazyStoreClass;
  readonly keyring: Keyring;
  /** Holds off sleep by the means of the desktop. */
  readonly awake?: DesktopHolder;
  /**
   * The `window` channel: restart notices and answers of timed turns become native notifications.
   */
  readonly channel: Channel;
  /** Answers a desktop verb. */
  handle<V extends DesktopVerb>(
    verb: V,
    input: VerbInput<V>,
    origin: CallOrigin,
  ): Promise<VerbOutput<V>>;
  /**
   * D is ours from here on: tray and window may appear while the engine starts. Called once, and
   * not where another instance does the work. Calls other than `status.get` are refused with
   * STARTING until the start has got that far.
   */
  owned(engine: OwnedEngine): void;
  /**
   * Early in a shutdown, while the journal still writes: pages store what was just typed.
   * Time-limited.
   */
  settlePages(): Promise<void>;
  /** First act of any stop: ends the helper that would start the app again. */
  disarmRelaunch(): void;
}

/** What a desktop may use directly, without waiting for the engine. */
export interface OwnedEngine {
  readonly holdfast: Holdfast;
  readonly settings: SettingsPort;
  readonly log: Log;
  readonly audit: Audit;
  /**
   * The computer woke up: decides what became due meanwhile and probes providers that are down,
   * without waiting for the next clock check. S0-22, R2
   */
  woke(): void;
  /** A text without secrets, as the log writes it. */
  hideSecrets(text: string): string;
  /** Notifications are allowed again: sends the held-back answers of timed turns. */
  tellAnswers(): void;
}

/** How this process was started. */
export interface StartFlags {
  readonly noRestore: boolean;
  readonly hidden: boolean;
  readonly takeover: boolean;
  /** Started by the come-back helper after an unexpected death. */
  readonly afterCrash: boolean;
}

/** All options of `compose()`. Tests replace external systems through the same options. */
// eslint-disable-next-line sizes/dependency-fields -- options of the program: each caller names a few
export interface ComposeOptions {
  readonly dataDir: string;
  readonly mode: 'app' | 'headless';
  readonly flags: StartFlags;
  readonly version: string;
  /** Settings given on the command line: highest source. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** Written into a data directory that is new, for a start without a window that asks. */
  readonly firstSettings?: {
    readonly values: Readonly<Record<string, unknown>>;
    readonly onWritten: (key: string) => void;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How this program is started again with a command; absent: agents cannot call it back. */
  readonly self?: {
    readonly command: string;
    readonly args: readonly string[];
    /** The program as it can be written into a file that outlives this process, if it is another. */
    readonly lasting?: string;
  };
  readonly desktop?: Desktop;
  /** A `holdfast://` link of this start: handed to the instance that already runs. */
  readonly link?: string;
  readonly channels?: readonly Channel[];
  readonly toolHosts?: readonly ToolHost[];
  /** By name; found before the providers of the settings. */
  readonly providers?: readonly Provider[];
  readonly clock?: Clock;
  readonly clockwork?: Ticker;
  readonly ids?: Ids;
  readonly crashPoints?: CrashPoints;
}

/** Result of a start. */
export type StartOutcome =
  | { readonly kind: 'started' }
  /** Another healthy instance was brought to the front; this process exits with 0. */
  | { readonly kind: 'handed_over' }
  /** A stop was requested during the start; started parts have stopped cleanly. */
  | { readonly kind: 'stopped' };

export type StopReason = 'stop' | 'takeover' | 'os_shutdown' | 'update' | 'crash';

/** The ordered start and its exact reverse. */
export interface Lifecycle {
  start(): Promise<StartOutcome>;
  /**
   * Idempotent; bounded: 4.5 s on takeover and OS shutdown, `shutdown.grace` per part otherwise
   * (R15).
   */
  stop(reason: StopReason): Promise<void>;
  /** Resolves when the shutdown has finished, however it started (control socket, signal, tray). */
  readonly stopped: Promise<StopReason>;
}

/** The result of `compose()`. Nothing has happened yet: no file touched, no lock taken. */
export interface Composition {
  readonly holdfast: Holdfast;
  readonly lifecycle: Lifecycle;
}
