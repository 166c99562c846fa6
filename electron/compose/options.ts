import type { Desktop } from '../engine/api/desktop';
import type { Holdfast } from '../engine/api/facade';
import type { CrashPoints } from '../engine/kernel/crash-points';
import type { Lifecycle } from '../lifecycle';
import type { Channel } from '../ports/channel';
import type { Clock, Ticker } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { Provider } from '../ports/provider';
import type { ToolHost } from '../ports/tools';

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
  readonly ticker?: Ticker;
  readonly ids?: Ids;
  readonly crashPoints?: CrashPoints;
}

/** The result of `compose()`. Nothing has happened yet: no file touched, no lock taken. */
export interface Composition {
  readonly holdfast: Holdfast;
  readonly lifecycle: Lifecycle;
}
