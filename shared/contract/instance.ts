/** Settings, the desktop, and this instance itself. */
import { z } from 'zod';
import { exactObject } from '../exact-object';
import { configEntry, configProblem, quitStep } from '../types';
import { MAX_ROUTE_CHARS, PAGE_ROUTE } from '../page-route';
import { SCROLL_BOXES } from '../scroll-boxes';
import { COMMAND, QUERY, nothing, done, turnId, type VerbSpec } from './base';

const route = z.string().max(MAX_ROUTE_CHARS).regex(PAGE_ROUTE);
const scrollBox = z.enum(SCROLL_BOXES);
const scrollTop = z.number().int().nonnegative().max(100_000_000);

/** A whole session as text: 20 MB. */
const MAX_SAVED_CHARS = 20_000_000;

export const INSTANCE_VERBS = {
  'config.list': {
    ...QUERY,
    input: () => nothing,
    output: exactObject(() => ({
      path: z.string().max(4096),
      entries: z.array(configEntry),
      problems: z.array(configProblem),
    })),
    about: 'List every setting: value, source, default',
  },
  'config.get': {
    ...QUERY,
    input: exactObject(() => ({ key: z.string().min(1).max(200) })),
    output: () => configEntry,
    about: 'One setting',
  },
  'config.set': {
    ...COMMAND,
    input: exactObject(() => ({ key: z.string().min(1).max(200), value: z.json() })),
    output: () => configEntry,
    about: 'Change a setting in the file',
  },
  'practice.kill': {
    ...COMMAND,
    input: () => nothing,
    output: () => done,
    about: 'Kill the engine process like a crash, for the demo',
  },
  'app.info': {
    ...QUERY,
    surface: 'window',
    input: () => nothing,
    output: exactObject(() => ({
      version: z.string().max(40),
      electron: z.string().max(40),
      dataDir: z.string().max(4096),
      configPath: z.string().max(4096),
      logPath: z.string().max(4096),
      practiceFolder: z.string().max(4096),
      socketPath: z.string().max(4096),
      /** Start and end of a command line of this program on this data, quoted for a terminal. */
      terminal: z.strictObject({ command: z.string().max(9000), options: z.string().max(5000) }),
      loginItem: z.strictObject({
        supported: z.boolean(),
        enabled: z.boolean(),
        path: z.string().max(4096),
      }),
      tray: z.strictObject({ available: z.boolean(), reason: z.string().max(300) }),
      /** Empty if the shortcut of the settings works, or none is set. */
      shortcutProblem: z.string().max(300),
      notifications: z.strictObject({ available: z.boolean(), reason: z.string().max(300) }),
      /** When to remind the user of open decisions. */
      remindAtMs: z.number().optional(),
    })),
    about: 'Paths and features of this desktop',
  },
  'app.landing': {
    ...QUERY,
    surface: 'window',
    /** The route with which the window was opened, such as that of a link or a notice. */
    input: exactObject(() => ({ asked: route })),
    output: exactObject(() => ({
      route,
      box: scrollBox.optional(),
      top: scrollTop.optional(),
      /** The first start is over, although its setting does not say so yet. */
      isStoryOver: z.boolean(),
    })),
    about: 'Page that the main window opens on; after a crash, the page to review',
  },
  'app.place': {
    ...COMMAND,
    surface: 'window',
    input: exactObject(() => ({
      route,
      box: scrollBox.optional(),
      top: scrollTop.optional(),
      isOwnKill: z.literal(true).optional(),
    })),
    output: () => done,
    about: 'Save the current page, so that the window returns to it after a crash',
  },
  'app.settled': {
    ...COMMAND,
    surface: 'window',
    input: () => nothing,
    output: () => done,
    about: 'Report that the page has saved everything, so that a shutdown need not wait for it',
  },
  'app.remind': {
    ...COMMAND,
    surface: 'window',
    /** At most a week ahead; absent cancels a reminder. */
    input: exactObject(() => ({
      afterMs: z.number().int().min(60_000).max(604_800_000).optional(),
    })),
    output: exactObject(() => ({ remindAtMs: z.number().optional() })),
    about: 'Set a reminder for open decisions, which survives a restart; one reminder at a time',
  },
  'app.openFolder': {
    ...COMMAND,
    surface: 'window',
    input: exactObject(() => ({ which: z.enum(['data', 'logs', 'practice']) })),
    output: () => done,
    about: "Open one of Holdfast's folders in the file manager",
  },
  'app.openLink': {
    ...COMMAND,
    surface: 'window',
    input: exactObject(() => ({ url: z.string().min(1).max(2_000) })),
    output: exactObject(() => ({ isOpened: z.boolean() })),
    about: 'Open a web address from an answer in the browser, after a dialog that names its host',
  },
  'app.choosePath': {
    ...COMMAND,
    surface: 'window',
    input: exactObject(() => ({ what: z.enum(['folder', 'program', 'file']) })),
    /** Empty if the user closed the dialog. */
    output: exactObject(() => ({ path: z.string().max(4096).optional() })),
    about: 'Let the user pick a folder, a program or a file in the dialog of the system',
  },
  'app.openWorkspace': {
    ...COMMAND,
    surface: 'window',
    input: exactObject(() => ({
      agent: z.string().min(1).max(64),
      with: z.enum(['files', 'editor', 'terminal']),
    })),
    output: () => done,
    about: 'Open the folder of an agent in the file manager, an editor or a terminal',
  },
  'app.saveText': {
    ...COMMAND,
    surface: 'window',
    input: exactObject(() => ({
      name: z.string().min(1).max(200),
      text: z.string().max(MAX_SAVED_CHARS),
    })),
    /** Empty if the user closed the dialog. */
    output: exactObject(() => ({ path: z.string().max(4096).optional() })),
    about: 'Save a text to a file that the user chooses in the dialog of the system',
  },
  'app.savePatch': {
    ...COMMAND,
    surface: 'window',
    input: exactObject(() => ({ turnId })),
    /** Empty if the user closed the dialog. */
    output: exactObject(() => ({ path: z.string().max(4096).optional() })),
    about: 'Save the file changes of a shared turn as a patch, in a place that the user chooses',
  },
  'app.openPage': {
    ...COMMAND,
    surface: 'window',
    input: exactObject(() => ({ route })),
    output: () => done,
    about: 'Open a page in the main window',
  },
  'app.openSettings': {
    ...COMMAND,
    surface: 'window',
    input: exactObject(() => ({
      /** A section, or a section and a setting: `recovery/limits.turn_cost_usd`. */
      at: z
        .string()
        .regex(/^[a-z]+(\/[a-zA-Z0-9_.]+)?$/)
        .max(120)
        .optional(),
    })),
    output: () => done,
    about: 'Open the settings window',
  },
  'app.answerQuit': {
    ...COMMAND,
    surface: 'window',
    input: exactObject(() => ({ answer: z.enum(['keep_running', 'quit_now']) })),
    output: exactObject(() => ({
      ok: z.literal(true),
      /** A quit is still pending: just requested, or too late to be canceled. */
      isQuitting: z.boolean(),
    })),
    about: 'Cancel a quit that waits for running steps, or stop waiting for them',
  },
  'app.testNotification': {
    ...COMMAND,
    surface: 'window',
    input: () => nothing,
    output: exactObject(() => ({ outcome: z.string().max(100) })),
    about: 'Show a test notification',
  },
  'instance.focus': {
    ...COMMAND,
    surface: 'control',
    input: exactObject(() => ({ link: z.string().max(500).optional() })),
    output: () => done,
    about: 'Bring the window to the front',
  },
  'instance.foresee': {
    ...QUERY,
    surface: 'control',
    input: () => nothing,
    output: exactObject(() => ({
      resume: z.number().int().nonnegative(),
      ask: z.number().int().nonnegative(),
      discard: z.number().int().nonnegative(),
      /** Queued; they resume unchanged. */
      queued: z.number().int().nonnegative(),
      /**
       * Running steps that a quit may wait for: interrupted, they would be repeated or need a
       * decision.
       */
      atWork: z.number().int().nonnegative(),
    })),
    about: 'What the next start would do with unfinished turns if Holdfast stopped now',
  },
  'instance.letSleep': {
    ...COMMAND,
    surface: 'control',
    input: () => nothing,
    /** `wasHeld` false: nothing kept the computer awake. */
    output: exactObject(() => ({ ok: z.literal(true), wasHeld: z.boolean() })),
    about: 'Let the computer sleep until the current work is done',
  },
  'instance.quitWhenDone': {
    ...COMMAND,
    surface: 'control',
    input: exactObject(() => ({ isWanted: z.boolean() })),
    output: exactObject(() => ({
      ok: z.literal(true),
      /** Still pending if it was too late to cancel. */
      isWanted: z.boolean(),
      steps: z.array(quitStep),
    })),
    about: 'Stop gracefully after the running steps and start no new ones; or cancel that',
  },
  'instance.stop': {
    ...COMMAND,
    surface: 'control',
    input: exactObject(() => ({ reason: z.enum(['stop', 'takeover']) })),
    output: exactObject(() => ({
      ok: z.literal(true),
      willResume: z.number().int().nonnegative(),
      /** Turns that would be interrupted and then need a decision. Absent: none. */
      willAsk: z.number().int().positive().optional(),
      /** Turns that the step policy discards then. Absent: none. */
      willDiscard: z.number().int().positive().optional(),
    })),
    about: 'Stop gracefully; unfinished turns resume at the next start',
  },
} as const satisfies Record<string, VerbSpec>;
