import type { VerbInput, VerbOutput } from '../../shared/contract';
import type { CallOrigin, Holdfast } from '../engine/api/facade';
import type { DesktopVerb } from '../engine/api/instance';
import type { CrashPoints } from '../engine/kernel/crash-points';
import type { Channel } from '../ports/channel';
import type { Clock, Ticker } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { Keyring } from '../ports/keyring';
import type { Audit, Log } from '../ports/log';
import type { Provider } from '../ports/provider';
import type { SettingsPort } from '../ports/settings';
import type { LazyStoreClass, StoreClass } from '../ports/settings-store';
import type { ToolHost } from '../ports/tools';

/** What the Electron shell gives to the engine. Absent in headless and in most tests. */
export interface Desktop {
  readonly storeClass: StoreClass | LazyStoreClass;
  readonly keyring: Keyring;
  /** The `window` channel: restart notices and answers that time made become native notifications. */
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
  owned(house: OwnedEngine): void;
  /** Early in a stop, while the journal still writes: pages keep what was just typed. Bounded. */
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
   * The computer woke up: what was due meanwhile is decided and providers that are down are asked,
   * without waiting for the next look at the clock. S0-22, R2
   */
  woke(): void;
  /** The person may be disturbed again: answers of time that were held back are told now. */
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

/** Everything `compose()` takes. Tests bring their own edges of the world through the same door. */
export interface ComposeOptions {
  readonly dataDir: string;
  readonly mode: 'app' | 'headless';
  readonly flags: StartFlags;
  readonly version: string;
  /** Settings given on the command line: highest source. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How this program is started again with a command; absent: agents cannot call it back. */
  readonly self?: { readonly command: string; readonly args: readonly string[] };
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
  /** Another healthy instance was asked to come to the front; this process ends with 0. */
  | { readonly kind: 'handed_over' }
  /** A stop was asked for while it started; what had begun has stopped in order. */
  | { readonly kind: 'stopped' };

export type StopReason = 'stop' | 'takeover' | 'os_shutdown' | 'update' | 'crash';

/** The ordered start and its exact reverse. */
export interface Lifecycle {
  start(): Promise<StartOutcome>;
  /** Idempotent; bounded: 4.5 s on takeover and OS shutdown, `shutdown.grace` per part otherwise (R15). */
  stop(reason: StopReason): Promise<void>;
  /** Resolves when the stop has finished, however it began (control socket, signal, tray). */
  readonly stopped: Promise<StopReason>;
}

/** What `compose()` returns. Nothing has happened yet: no file touched, no lock taken. */
export interface Composition {
  readonly holdfast: Holdfast;
  readonly lifecycle: Lifecycle;
}
