/** The one truth for tray, windows, CLI and metrics, and what the doctor finds. */
import { z } from 'zod';
import { atMs, count, id, text } from './base';
import { configProblem } from './config';
import { hostView } from './hosts';
import { limitUse } from './outage';
import { restartNotice } from './recovery';
import { MAX_TASK_NAME } from '../schedule/limits';
import { BROKER_STATES, PROVIDER_STATES } from '../states';

const portNumber = z.number().int().min(1).max(65_535);

/** In the order of priority: the first that applies wins. */
export const trayState = z.enum([
  'attention',
  'outage',
  'degraded',
  'working',
  'paused',
  'idle',
  'stopped',
]);
export type TrayState = z.infer<typeof trayState>;

/** A running step that a quit waits for; the tool is empty between two steps. */
export const quitStep = z.strictObject({
  turnId: id,
  tool: text(300),
  hint: text(500),
  /** It has side effects: interrupted, it is repeated or needs a decision. */
  isEffect: z.boolean(),
  startedAtMs: atMs,
});
export type QuitStep = z.infer<typeof quitStep>;

/** The one truth for tray, windows, CLI and metrics. */
export const statusSnapshot = z.strictObject({
  /** `silent`: another process holds the data and does not answer; this is what is on disk. */
  phase: z.enum(['starting', 'running', 'stopping', 'stopped', 'silent']),
  version: text(40),
  /** Of the process that holds the data. Absent: none does, or it is not known which. */
  pid: z.number().int().positive().optional(),
  dataDir: text(4096),
  startedAtMs: atMs,
  nowMs: atMs,
  tray: trayState,
  /** First sentence of Home and of the tooltip's facts. */
  counts: z.strictObject({
    needsYou: count,
    running: count,
    queued: count,
    waiting: count,
    parked: count,
  }),
  /**
   * Turns that were interrupted when Holdfast ended and that are not running: it is stopped, or was
   * started without restoring. The next normal start decides. Absent: none.
   */
  cutOff: count.optional(),
  /** Turns whose run stopped responding and that were not taken over yet. Absent: none. */
  lostRuns: count.optional(),
  /** Files of Holdfast have gone while it runs: turns wait until it is restarted. Absent: none. */
  programChanged: z.literal(true).optional(),
  /** Holdfast quits when these steps are done, and starts none. Absent: no quit is pending. */
  quitsBehind: z.array(quitStep).optional(),
  /** Holdfast keeps the computer awake: since when, and for what. Absent: it does not. KA-05 */
  awake: z
    .strictObject({ sinceMs: atMs, cause: z.enum(['turns', 'due']), turns: count })
    .optional(),
  /** A newer version of Holdfast that is downloaded and verified. Absent: none is. UP-02 */
  update: z.strictObject({ state: z.enum(['ready', 'waiting']), version: text(40) }).optional(),
  /** Other computers that this one is linked to. Absent: none is set. HO-02 */
  hosts: z.array(hostView).max(200).optional(),
  paused: z.strictObject({ untilMs: atMs.optional() }).optional(),
  /** What came in through channels since the start; filtered is what was no message (S2-53). */
  inbound: z.strictObject({
    accepted: count,
    filtered: count,
  }),
  recovery: z.strictObject({
    mode: z.enum(['safe_only', 'always', 'never']),
    sideEffectTools: z.array(text(200)),
    restoreSkipped: z.boolean(),
  }),
  restart: restartNotice.optional(),
  /** Providers that do not simply answer, those of an outage first. Absent: all answer. */
  outside: z
    .strictObject({
      providers: z
        .array(
          z.strictObject({
            provider: text(64),
            state: z.enum(PROVIDER_STATES),
            downSinceMs: atMs.optional(),
            nextTryAtMs: atMs.optional(),
            waiting: count,
            /** `Anthropic down since 14:02, next try 14:20, 4 turns wait.` */
            sentence: text(500),
          }),
        )
        .max(50),
      /** Names of breakers that are not closed. */
      openBreakers: z.array(text(200)).max(200),
    })
    .optional(),
  /** Usage limits that are not reached yet, as agents report them. Absent: none did. LM-09 */
  limits: z
    .array(z.strictObject({ provider: text(64), ...limitUse.shape }))
    .max(50)
    .optional(),
  /** Upcoming runs. Absent if nothing is scheduled. */
  schedule: z
    .strictObject({
      active: count,
      paused: count,
      missed: count,
      /** The tasks that run next, soonest first. */
      next: z
        .array(
          z.strictObject({
            taskId: id,
            name: text(MAX_TASK_NAME),
            atMs,
            isOnce: z.boolean(),
          }),
        )
        .max(4),
    })
    .optional(),
  /** This computer's connection to the shared store. Absent: it shares no work. DW-28 */
  shared: z
    .strictObject({
      state: z.enum(['connecting', 'connected', 'asking', 'refused', 'halted']),
      /** Shared turns that this computer has now. */
      held: count,
    })
    .optional(),
  /** Events to the broker, where anything about them is worth a look. */
  delivery: z
    .strictObject({
      broker: z.enum(BROKER_STATES),
      depth: count,
      deadLetters: count,
      shed: count,
      /** Set while more than 80 % of the queue on disk is taken. */
      isNearlyFull: z.literal(true).optional(),
    })
    .optional(),
  journal: z.strictObject({
    seq: count,
    appliedSeq: count,
    /** Set while the disk rejects writes, or also reads if marked so. */
    refusal: z
      .strictObject({
        code: text(40),
        message: text(500),
        sinceMs: atMs,
        of: z.literal('reads').optional(),
      })
      .optional(),
  }),
  /** Ports on 127.0.0.1 that are really open; absent if there is none. */
  ports: z
    .strictObject({
      health: portNumber.optional(),
      metrics: portNumber.optional(),
      gateway: portNumber.optional(),
      channels: portNumber.optional(),
    })
    .optional(),
  configProblems: z.array(configProblem),
  kept: z.strictObject({
    stepsReusedToday: count,
    savedUsdToday: z.number().nonnegative(),
  }),
});
export type StatusSnapshot = z.infer<typeof statusSnapshot>;

const doctorCheck = z.strictObject({
  name: text(100),
  ok: z.boolean(),
  level: z.enum(['ok', 'warn', 'fail']),
  detail: text(2000),
});
export const doctorReport = z.strictObject({
  version: text(40),
  ok: z.boolean(),
  checks: z.array(doctorCheck).max(100),
});
export type DoctorReport = z.infer<typeof doctorReport>;
export type DoctorCheck = z.infer<typeof doctorCheck>;
