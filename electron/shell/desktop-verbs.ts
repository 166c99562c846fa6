/** Operations that only a desktop can answer. No path in here comes from a window. */
import { join } from 'node:path';
import { makeMissingFolders } from '../disk/missing-folders';
import { readSmallFile } from '../disk/small-file';
import type { VerbInput, VerbOutput } from '../../shared/contract';
import { parsedJson } from '../../shared/parsed-json';
import type { Desktop, DesktopVerb } from '../engine/api/desktop';
import { HoldfastError } from '../engine/kernel/errors';
import type { PagePlace } from './windows/decide-landing';
import { parseLink } from './windows/links';
import type { Page } from './windows/links';
import type { LoginItem } from './system/login-item';
import type { FolderProgram } from './windows/open-workspace';
import { testNotice } from './notices/notices';
import { outcomeText } from './notices/notification-policy';
import type { Notifier } from './notices/notifier';
import { say } from './say';
import type { TrayHost } from './system/session-bus';

export interface DesktopVerbDeps {
  /** This program with this data directory. */
  readonly app: {
    readonly dataDir: string;
    readonly version: string;
    readonly electronVersion: string;
    /** The command that starts it in a terminal. */
    readonly terminal: () => Promise<{ readonly command: string; readonly options: string }>;
    /** A shortcut is set, but another program has it. */
    readonly isShortcutTaken: () => boolean;
  };
  readonly loginItem: LoginItem;
  readonly notifications: {
    readonly notifier: Notifier;
    readonly isSupported: () => boolean;
    readonly reminder: {
      readonly atMs: () => number | undefined;
      /** Undefined cancels the reminder. */
      readonly set: (atMs: number | undefined) => void;
    };
  };
  readonly landing: (asked: string) => Promise<VerbOutput<'app.landing'>>;
  readonly place: (place: PagePlace) => void;
  readonly settled: () => void;
  readonly nowMs: () => number;
  /** `off`: the user wants no icon. */
  readonly tray: () => TrayHost | 'off';
  /**
   * Ends the wait of a quit, by quitting now or by staying open. Does nothing if no quit waits, so
   * that a page can never start one. True if Holdfast quits.
   */
  readonly answerQuit: (isNow: boolean) => Promise<boolean>;
  readonly open: (page: Page, route?: string) => void;
  /** Shows the host of a web address and asks; true if it was opened in the browser. */
  readonly openLink: (url: string) => Promise<boolean>;
  readonly paths: {
    /** Opens a folder in the file manager; resolves to an error text, or empty. */
    readonly open: (path: string) => Promise<string>;
    /** The path chosen in the system's dialog; undefined if the user closed it. */
    readonly choose: (what: 'folder' | 'program' | 'file') => Promise<string | undefined>;
    /** Writes a text to the file that the user chooses; undefined if the dialog was closed. */
    readonly save: (file: {
      readonly name: string;
      readonly text: string;
    }) => Promise<string | undefined>;
    /**
     * Writes the changes of a turn to the file that the user chooses; undefined if the dialog was
     * closed.
     */
    readonly savePatch: (turnId: number) => Promise<string | undefined>;
    /** Opens the folder of an agent; the path comes from its settings. */
    readonly openWorkspace: (agent: string, with_: FolderProgram) => Promise<void>;
  };
}

type Handlers = {
  readonly [V in DesktopVerb]: (input: VerbInput<V>) => Promise<VerbOutput<V>>;
};

const TRAY_REASON: Readonly<Record<TrayHost | 'off', string>> = {
  available: '',
  missing: say('tray.reason.missing'),
  unknown: say('tray.reason.unknown'),
  off: say('tray.reason.off'),
};

/** Address of our control socket from the lock's record; empty if there is none. */
function socketPath(dataDir: string): string {
  const file = readSmallFile(join(dataDir, 'agent.lock'));
  // No record: the engine is not up.
  const record = file.kind === 'text' ? parsedJson(file.text) : undefined;
  const path = (record as { socketPath?: unknown } | null | undefined)?.socketPath;
  return typeof path === 'string' ? path.slice(0, 4096) : '';
}

export function createDesktopVerbs(deps: DesktopVerbDeps): Desktop['handle'] {
  const folders = {
    data: deps.app.dataDir,
    logs: join(deps.app.dataDir, 'logs'),
    practice: join(deps.app.dataDir, 'practice'),
  };
  const handlers: Handlers = {
    'app.info': async () => {
      const host = deps.tray();
      const last = deps.notifications.notifier.lastOutcome();
      const isSupported = deps.notifications.isSupported();
      const remindAtMs = deps.notifications.reminder.atMs();
      return {
        version: deps.app.version,
        electron: deps.app.electronVersion,
        dataDir: deps.app.dataDir,
        configPath: join(deps.app.dataDir, 'config.json'),
        logPath: folders.logs,
        practiceFolder: folders.practice,
        socketPath: socketPath(deps.app.dataDir),
        terminal: await deps.app.terminal(),
        loginItem: deps.loginItem.facts(),
        tray: { available: host === 'available', reason: TRAY_REASON[host] },
        shortcutProblem: deps.app.isShortcutTaken() ? say('shortcut.taken') : '',
        notifications: {
          available: isSupported && !last.startsWith('failed'),
          reason: !isSupported
            ? say('notifications.reason.unsupported')
            : last.startsWith('failed')
              ? say('notifications.reason.failed')
              : '',
        },
        ...(remindAtMs === undefined ? {} : { remindAtMs }),
      };
    },
    'app.landing': ({ asked }) => deps.landing(asked),
    'app.place': async (place) => {
      deps.place(place);
      return { ok: true };
    },
    'app.settled': async () => {
      deps.settled();
      return { ok: true };
    },
    'app.remind': async ({ afterMs }) => {
      const remindAtMs = afterMs === undefined ? undefined : deps.nowMs() + afterMs;
      deps.notifications.reminder.set(remindAtMs);
      return remindAtMs === undefined ? {} : { remindAtMs };
    },
    'app.openFolder': async ({ which }) => {
      const folder = folders[which];
      makeMissingFolders(folder);
      const problem = await deps.paths.open(folder);
      if (problem !== '') {
        throw new HoldfastError('INTERNAL', say('folder.failed', { text: problem.slice(0, 200) }), {
          hint: say('folder.hint', { folder }),
        });
      }
      return { ok: true };
    },
    'app.openLink': async ({ url }) => ({ isOpened: await deps.openLink(url) }),
    'app.choosePath': async ({ what }) => {
      const path = await deps.paths.choose(what);
      return path === undefined ? {} : { path };
    },
    'app.openWorkspace': async ({ agent, with: program }) => {
      await deps.paths.openWorkspace(agent, program);
      return { ok: true };
    },
    'app.saveText': async (file) => {
      const path = await deps.paths.save(file);
      return path === undefined ? {} : { path };
    },
    'app.savePatch': async ({ turnId }) => {
      const path = await deps.paths.savePatch(turnId);
      return path === undefined ? {} : { path };
    },
    'app.openPage': async ({ route }) => {
      deps.open('index', route);
      return { ok: true };
    },
    'app.openSettings': async ({ at }) => {
      deps.open('settings', at === undefined ? undefined : `/${at}`);
      return { ok: true };
    },
    'app.answerQuit': async ({ answer }) => ({
      ok: true,
      isQuitting: await deps.answerQuit(answer === 'quit_now'),
    }),
    'app.testNotification': async () => ({
      outcome: outcomeText(await deps.notifications.notifier.notify(testNotice)),
    }),
    'instance.focus': async ({ link }) => {
      deps.open('index', link === undefined ? undefined : parseLink(link));
      return { ok: true };
    },
  };
  return async (verb, input) => handlers[verb](input);
}
