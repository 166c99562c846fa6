/** What the shell and the engine know of each other. */
import type { VerbInput, VerbOutput } from '../../../shared/contract';
import type { DesktopHolder } from '../../ports/awake';
import type { Channel } from '../../ports/channel';
import type { Keyring } from '../../ports/keyring';
import type { Basics } from '../kernel/basics';
import type { LazyStoreClass, StoreClass } from '../../ports/settings-store';
import type { CallOrigin, Holdfast } from './facade';

/** Verbs that only a desktop can answer. */
export type DesktopVerb =
  | 'app.info'
  | 'app.landing'
  | 'app.place'
  | 'app.settled'
  | 'app.remind'
  | 'app.choosePath'
  | 'app.openFolder'
  | 'app.openLink'
  | 'app.openWorkspace'
  | 'app.saveText'
  | 'app.savePatch'
  | 'app.openPage'
  | 'app.openSettings'
  | 'app.answerQuit'
  | 'app.testNotification'
  | 'instance.focus';

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
export interface OwnedEngine extends Pick<Basics, 'settings' | 'log' | 'audit'> {
  readonly holdfast: Holdfast;
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
