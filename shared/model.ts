/**
 * What Holdfast shows: the shapes that windows, tray, CLI and control socket share.
 * Times are epoch ms UTC (`…AtMs`), durations ms (`…Ms`), money US dollars (`…Usd`).
 */
import { z } from 'zod';
import { MAX_TASK_NAME } from './schedule/limits';
import { BROKER_STATES, PROVIDER_STATES, PURITIES, STEP_STATES, TURN_STATES } from './states';

const id = z.number().int().positive();
const atMs = z.number().int().nonnegative();
const text = (max: number) => z.string().max(max);

export type { Purity, StepState, TurnState } from './states';

export const turnState = z.enum(TURN_STATES);
export const stepState = z.enum(STEP_STATES);
export const purity = z.enum(PURITIES);

export const usage = z.strictObject({
  inputTokens: z.number().nonnegative(),
  outputTokens: z.number().nonnegative(),
  /** Absent where the provider's prices are not known. */
  costUsd: z.number().nonnegative().optional(),
});
export type Usage = z.infer<typeof usage>;

/** What became of a step after a restart, for badges and the timeline. */
export const stepFate = z.enum([
  'fresh',
  'reused',
  'asked_again',
  'run_again',
  'cut_off',
  'recorded_as_done',
  'skipped_by_you',
]);
export type StepFate = z.infer<typeof stepFate>;

export const stepView = z.strictObject({
  turnId: id,
  /** 1-based, in the order of their start. */
  index: z.number().int().positive(),
  tool: text(200),
  purity,
  state: stepState,
  fate: stepFate,
  /** One line that says what it is about: path, command, model. Not the payload. */
  hint: text(300),
  startedAtMs: atMs,
  endedAtMs: atMs.optional(),
  /** Which run of the turn started it: 1 is the first, 2 the first resume. */
  attempt: z.number().int().positive(),
  /** The step that this one asks or runs again. */
  againOf: z.number().int().positive().optional(),
  /** Only on asked-again world steps. */
  drift: z.enum(['same', 'changed']).optional(),
  isListed: z.boolean(),
  /** The question that was answered before this call was made, and who answered it. S3-08. */
  requestId: id.optional(),
  approvedBy: text(64).optional(),
  /** Duplicate possible: re-invoked after a crash without idempotency. S4-24. */
  duplicateRisk: z.boolean(),
  idempotencyKey: text(200).optional(),
  usage: usage.optional(),
  /** Tries of this call that failed and were repeated, oldest first. S2-02, S2-25. */
  tries: z
    .array(
      z.strictObject({
        atMs,
        /** When the next try went out, or will. */
        nextAtMs: atMs,
        failure: text(40),
        status: z.number().int().optional(),
        error: text(500),
      }),
    )
    .max(100)
    .optional(),
  /** How often a later run reused the stored result. */
  reusedCount: z.number().int().nonnegative(),
  /** The visit of a phase in a run of a skill that it belongs to; absent outside of skills. S4-05. */
  run: z
    .strictObject({
      runId: id,
      skill: text(64),
      phase: text(64),
      visit: z.number().int().positive(),
    })
    .optional(),
  /**
   * What was handed in and what came back, shown inert; at most 4,000 characters, then
   * `isTruncated`. All three are there only where they were asked for: `turns.step`, or
   * `turns.show` with `withTexts`.
   */
  args: text(4000).optional(),
  result: text(4000).optional(),
  isTruncated: z.boolean().optional(),
  error: text(2000).optional(),
});
export type StepView = z.infer<typeof stepView>;

export const turnSummary = z.strictObject({
  id,
  sessionId: id,
  sessionKey: text(200),
  agent: text(64),
  state: turnState,
  /** Why it is in this state, one sentence; empty where the state says it all. */
  reason: text(500),
  /** First 200 characters of the prompt. */
  promptStart: text(200),
  channel: text(64),
  acceptedAtMs: atMs,
  startedAtMs: atMs.optional(),
  endedAtMs: atMs.optional(),
  steps: z.number().int().nonnegative(),
  attempt: z.number().int().nonnegative(),
  /** Steps reused over all resumes. */
  reused: z.number().int().nonnegative(),
  usage,
  savedUsage: usage,
  /** Failed in a way that may pass: tried again then. S3-12, S3-15. */
  retry: z
    .strictObject({
      dueAtMs: atMs.optional(),
      streak: z.number().int().nonnegative(),
      lastError: text(500),
    })
    .optional(),
});
export type TurnSummary = z.infer<typeof turnSummary>;

/** One line of a resume plan. S4-05. */
export const planStep = z.strictObject({
  index: z.number().int().positive(),
  tool: text(200),
  purity,
  hint: text(300),
  action: z.enum(['reuse', 'reissue', 'run_again', 'ask', 'skip', 'run']),
  reason: text(300),
  isListed: z.boolean(),
  idempotencyKey: text(200).optional(),
});
export type PlanStep = z.infer<typeof planStep>;

/** What a resume does with one open run of a skill. S4-06. */
export const runVerdict = z.strictObject({
  runId: id,
  skill: text(64),
  phase: text(64),
  visit: z.number().int().nonnegative(),
  /** The message itself asked for this run: it ends with its turn. */
  isWholeTurn: z.boolean(),
  action: z.enum(['resume', 'retry', 'skip', 'discard']),
  reason: text(500),
});
export type RunVerdict = z.infer<typeof runVerdict>;

const runState = z.enum(['running', 'completed', 'failed', 'discarded', 'cancelled']);
const visitNumber = z.number().int().nonnegative();

/** A run of a skill. S4-04, S4-28. */
export const runView = z.strictObject({
  id,
  turnId: id,
  turnState,
  agent: text(64),
  sessionKey: text(200),
  /** Which run of the turn it is in: 2 is the first resume. */
  attempt: z.number().int().nonnegative(),
  parentRunId: id.optional(),
  /** How deep it stands below other runs of the list. */
  depth: z.number().int().nonnegative(),
  /** Its parent is not there any more: it is shown as a root. S4-+06. */
  isOrphan: z.boolean(),
  skill: text(64),
  version: text(64),
  state: runState,
  reason: text(500),
  /** The phase it is in, or comes to next; `visit` 0 is not entered yet. */
  phase: text(64),
  visit: visitNumber,
  visits: z.record(text(64), visitNumber),
  /** Phases that are done, oldest first. */
  history: z.array(
    z.strictObject({
      phase: text(64),
      visit: visitNumber,
      next: text(64).optional(),
      leftAtMs: atMs,
    }),
  ),
  /** Shown inert; at most 4,000 characters each, then `isTruncated`. */
  input: text(4000),
  artifact: text(4000).optional(),
  isTruncated: z.boolean(),
  awaiting: z.strictObject({ inboxId: id, kind: text(40), title: text(300) }).optional(),
  action: z.enum(['resume', 'retry', 'skip', 'discard']).optional(),
  actionReason: text(500).optional(),
  startedAtMs: atMs,
  endedAtMs: atMs.optional(),
  ageMs: z.number().int().nonnegative(),
});
export type RunView = z.infer<typeof runView>;

/** What a resume does with one run, inspectable before and after. S4-05, S4-06, S4-+08. */
export const runPlan = z.strictObject({
  runId: id,
  turnId: id,
  skill: text(64),
  phase: text(64),
  visit: visitNumber,
  /** sha256 of the skill's folder: of the run, and of now. */
  version: text(64),
  currentVersion: text(64).optional(),
  isVersionChanged: z.boolean(),
  doesPlanMatch: z.boolean(),
  action: z.enum(['resume', 'retry', 'skip', 'discard', 'none']),
  reason: text(500),
  /** The gate of the turn comes first. */
  turnAction: z.enum(['resume', 'hold', 'park', 'stale', 'discard', 'none']),
  turnReason: text(500),
  /** Why a resume would stop and ask. */
  problem: text(500).optional(),
  phases: z.array(
    z.strictObject({
      phase: text(64),
      visit: visitNumber,
      state: z.enum(['done', 'in_flight', 'to_run']),
    }),
  ),
  steps: z.array(planStep).max(100_000),
  reused: z.number().int().nonnegative(),
  ambiguous: z.array(z.number().int().positive()).max(100_000),
  toRun: z.number().int().nonnegative(),
});
export type RunPlan = z.infer<typeof runPlan>;

/** What a discard of a run would end; the hash goes back with the order. */
export const runDiscardPreview = z.strictObject({
  runId: id,
  turnId: id,
  skill: text(64),
  /** The message asked for this run: its turn ends with it. */
  endsTurn: z.boolean(),
  runs: z.array(z.strictObject({ runId: id, skill: text(64), phase: text(64) })),
  /** Steps whose result is unknown and will not be asked about. */
  openSteps: z.array(z.number().int().positive()),
  requestHash: text(64),
});
export type RunDiscardPreview = z.infer<typeof runDiscardPreview>;

/** A skill as its folder says. S2-52. */
export const skillView = z.strictObject({
  name: text(64),
  source: z.enum(['data', 'folder', 'workspace']),
  folder: text(4096),
  state: z.enum(['ready', 'skipped', 'broken', 'shadowed']),
  /** `FOO is not set`, what is wrong with the file, or which one comes first. */
  reason: text(1000),
  line: z.number().int().positive().optional(),
  description: text(2000),
  version: text(64).optional(),
  phases: z.array(
    z.strictObject({
      name: text(64),
      next: z.array(text(64)),
      maxVisits: z.number().int().positive(),
    }),
  ),
});
export type SkillView = z.infer<typeof skillView>;

/** What a start would do (or did) with an open turn: inspectable before and after. */
export const resumePlan = z.strictObject({
  turnId: id,
  action: z.enum(['resume', 'hold', 'park', 'stale', 'discard', 'none']),
  reason: text(500),
  mode: z.enum(['safe_only', 'always', 'never']),
  attempt: z.number().int().nonnegative(),
  delayMs: z.number().int().nonnegative(),
  steps: z.array(planStep).max(100_000),
  /** Open runs of skills in the turn. */
  runs: z.array(runVerdict).max(10_000).optional(),
  reused: z.number().int().nonnegative(),
  reissued: z.number().int().nonnegative(),
  ambiguous: z.array(z.number().int().positive()).max(100_000),
  /** The provider answer that comes next, and any step by policy. */
  toRun: z.number().int().nonnegative(),
  savedUsage: usage,
});
export type ResumePlan = z.infer<typeof resumePlan>;

/** Leave to make a call, or the result of a tool that the outside carries out; durable. S3-06..S3-11. */
export const approvalView = z.strictObject({
  requestId: id,
  kind: z.enum(['approval', 'custom_tool']),
  turnId: id,
  sessionId: id,
  sessionKey: text(200),
  agent: text(64),
  promptStart: text(200),
  tool: text(200),
  hint: text(300),
  /** Why it is asked. */
  reason: text(500),
  /** What leave for the session would cover: the tool, or `shell.shell git push`. */
  covers: text(200),
  /** Exact input as JSON, escaped for display, at most 4,000 characters. */
  args: text(4000),
  isTruncated: z.boolean(),
  /** sha256 over tool and canonical input: an answer is for exactly this. */
  inputHash: text(64),
  requestedAtMs: atMs,
  requestHash: text(64),
  answer: z.enum(['allowed', 'denied', 'result', 'cleared']).optional(),
  answeredAtMs: atMs.optional(),
  scope: z.enum(['once', 'session', 'always']).optional(),
  by: text(64).optional(),
  note: text(4000).optional(),
});
export type ApprovalView = z.infer<typeof approvalView>;

/** An open question about a turn that a crash cut off; durable until answered. */
export const replayDecision = z.strictObject({
  inboxId: id,
  turnId: id,
  kind: z.enum(['held', 'stale', 'parked', 'limit']),
  /** The question in one sentence. */
  question: text(300),
  reason: text(500),
  agent: text(64),
  sessionKey: text(200),
  promptStart: text(200),
  createdAtMs: atMs,
  /** Steps whose result is unknown. */
  ambiguous: z.array(
    z.strictObject({
      index: z.number().int().positive(),
      tool: text(200),
      purity,
      isListed: z.boolean(),
      startedAtMs: atMs,
      /** Exact input, escaped for display, at most 4,000 characters. */
      args: text(4000),
      isTruncated: z.boolean(),
      hasStatusCheck: z.boolean(),
      isIdempotent: z.boolean(),
    }),
  ),
  /** Listed tools that had started, for the sentence. */
  listedTools: z.array(text(200)),
  plan: resumePlan,
  /** sha256 of the exact facts shown; a decision carries it back (I4). */
  requestHash: text(64),
});
/** Name used by the documents of the product. */
export type ReplayDecision = z.infer<typeof replayDecision>;

export const RESTART_REASONS = [
  'first_start',
  'clean',
  'crash',
  'kill',
  'takeover',
  'os_shutdown',
  'power_loss',
  'update',
  'data_copied',
] as const;
export const restartReason = z.enum(RESTART_REASONS);
export type RestartReason = z.infer<typeof restartReason>;

/** The report of one restart: why, how long, what was done with the open turns. S0-29, S0-30. */
export const restartNotice = z.strictObject({
  inboxId: id.optional(),
  reason: restartReason,
  startedAtMs: atMs,
  /** When the last process was last known alive. */
  downSinceMs: atMs.optional(),
  downMs: z.number().int().nonnegative(),
  resumedTurns: z.array(id).max(10_000),
  heldTurns: z.array(id).max(10_000),
  parkedTurns: z.array(id).max(10_000),
  staleTurns: z.array(id).max(10_000),
  /** Marks of `holdfast start --no-restore`. */
  restoreSkipped: z.boolean(),
  isDismissed: z.boolean(),
});
export type RestartNotice = z.infer<typeof restartNotice>;

/** Anything that waits for a person. */
export const inboxItem = z.strictObject({
  id,
  kind: z.enum([
    'replay_decision',
    'limit',
    'approval',
    'unanswered',
    'restart_notice',
    'outage',
    'problem',
  ]),
  turnId: id.optional(),
  sessionId: id.optional(),
  /** The task that was missed. */
  taskId: id.optional(),
  title: text(300),
  detail: text(1000),
  createdAtMs: atMs,
  settledAtMs: atMs.optional(),
  outcome: text(300).optional(),
});
export type InboxItem = z.infer<typeof inboxItem>;

export const sessionView = z.strictObject({
  id,
  key: text(200),
  title: text(200),
  agent: text(64),
  status: z.enum(['idle', 'running', 'requires_action', 'rescheduling', 'terminated']),
  stopReason: text(300),
  turns: z.number().int().nonnegative(),
  pendingEvents: z.number().int().nonnegative(),
  createdAtMs: atMs,
  lastEventAtMs: atMs,
});
export type SessionView = z.infer<typeof sessionView>;

export const SESSION_EVENT_TYPES = [
  'user.message',
  'user.interrupt',
  'session.status_changed',
  'session.status_idle',
  'agent.message',
  'agent.tool_use',
] as const;
export const sessionEvent = z.strictObject({
  seq: id,
  sessionId: id,
  turnId: id.optional(),
  type: z.enum(SESSION_EVENT_TYPES),
  atMs,
  /** Pending means not yet consumed by a committed turn. */
  isPending: z.boolean(),
  text: text(20_000),
  isTruncated: z.boolean(),
  tool: text(200).optional(),
  purity: purity.optional(),
  stepIndex: z.number().int().positive().optional(),
  stepState: stepState.optional(),
  stepFate: stepFate.optional(),
});
export type SessionEvent = z.infer<typeof sessionEvent>;

export const toolView = z.strictObject({
  name: text(200),
  host: text(64),
  purity,
  about: text(500),
  isListed: z.boolean(),
  /** Proposed for the side-effect list. S0-37. */
  isProposed: z.boolean(),
});
export type ToolView = z.infer<typeof toolView>;

/** One MCP server. Rows S2-19, S2-52. */
export const extView = z.strictObject({
  name: text(64),
  kind: z.enum(['command', 'url']),
  /** The program or the address; no arguments. */
  about: text(500),
  state: z.enum([
    /** Holdfast does not run, or has not come to it yet. */
    'stopped',
    'disabled',
    /** Something it needs is not there: the reason names it. Not an error. */
    'skipped',
    'starting',
    'running',
    'restarting',
    'failed',
    'stopping',
  ]),
  /** Empty where the state says it all. */
  reason: text(1000),
  sinceMs: atMs,
  /** Set while it is restarting. */
  nextAtMs: atMs.optional(),
  pid: z.number().int().positive().optional(),
  /** As people list them: `server.tool`. */
  tools: z.array(text(200)).max(300),
  /** Variables that it is handed besides the plain ones; never their values. */
  env: z.array(z.strictObject({ name: text(128), isSet: z.boolean() })).max(400),
});
export type ExtView = z.infer<typeof extView>;

export const agentView = z.strictObject({
  name: text(64),
  executor: z.enum(['llm', 'practice', 'acp', 'command']),
  provider: text(64),
  model: text(200),
  workspace: text(4096),
  howExact: text(500),
  /** Set where it cannot run yet: missing provider, missing key, missing folder. */
  problem: text(500).optional(),
  tools: z.array(text(200)).max(1000),
});
export type AgentView = z.infer<typeof agentView>;

/** A known agent of another program, as it was found on this computer. */
export const detectedAgent = z.strictObject({
  id: text(20),
  name: text(64),
  isInstalled: z.boolean(),
  path: text(4096).optional(),
  version: text(100).optional(),
  /** For `holdfast agents add NAME --acp '<command>'`. */
  command: text(500).optional(),
  /** What has to be done first. */
  missing: text(300).optional(),
});
export type DetectedAgent = z.infer<typeof detectedAgent>;

export const keyStorage = z.enum([
  'os-keyring',
  'session-only',
  'plaintext-consented',
  'environment',
  'file',
  'none',
]);
/** What is told of a key; never the key. */
export const keyView = z.strictObject({
  present: z.boolean(),
  last4: text(4).optional(),
  storage: keyStorage,
  problem: text(500).optional(),
});
export type KeyView = z.infer<typeof keyView>;

export const providerView = z.strictObject({
  name: text(64),
  kind: z.enum(['openai-compatible', 'anthropic', 'google', 'practice']),
  baseUrl: text(500).optional(),
  key: keyView,
});
export type ProviderView = z.infer<typeof providerView>;

export const configEntry = z.strictObject({
  key: text(200),
  value: z.json(),
  default: z.json(),
  source: z.enum(['default', 'file', 'environment', 'command line']),
  applies: z.enum(['hot', 'restart']),
  about: text(300),
  /** Allowed values where the key is a choice. */
  choices: z.array(text(100)).optional(),
});
export type ConfigEntry = z.infer<typeof configEntry>;

export const configProblem = z.strictObject({
  key: text(200).optional(),
  line: z.number().int().positive().optional(),
  message: text(1000),
  /** `hint`: everything written is in force, or was never a setting. Absent means problem. */
  level: z.enum(['problem', 'hint']).optional(),
});
export type ConfigProblem = z.infer<typeof configProblem>;

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

/** The last 24 hours in numbers that the journal, the starts and the log really hold. */
export const dayLine = z.strictObject({
  /** Start of the first slot. */
  fromMs: atMs,
  /** When the answer was made: the right end. */
  toMs: atMs,
  slotMs: z.number().int().positive(),
  /** Steps that were finished in each slot, oldest first; the first and the last slot may be cut. */
  steps: z.array(z.number().int().nonnegative()).max(200),
  /** Without a gap from the first known start on, oldest first; nothing before it. */
  stretches: z
    .array(
      z.strictObject({
        kind: z.enum(['running', 'asleep', 'stopped']),
        fromMs: atMs,
        toMs: atMs,
      }),
    )
    .max(10_000),
  /** Ends that nobody asked for, oldest first. */
  stops: z
    .array(z.strictObject({ atMs, backAtMs: atMs, reason: z.enum(RESTART_REASONS) }))
    .max(2000),
  /** Outages of providers that reach into these hours, oldest first; one in force has no end. */
  outages: z
    .array(z.strictObject({ provider: text(64), fromMs: atMs, toMs: atMs.optional() }))
    .max(500)
    .optional(),
  /** Turns that were completed since local midnight. */
  turnsFinishedToday: z.number().int().nonnegative(),
});
export type DayLine = z.infer<typeof dayLine>;

/** A message of the catalogue and what fills it; a value may be a message itself. */
export interface HistorySentence {
  readonly key: string;
  readonly values?: Readonly<Record<string, string | number | HistorySentence>> | undefined;
}
const historySentence: z.ZodType<HistorySentence> = z.lazy(() =>
  z.strictObject({
    key: text(80),
    values: z.record(text(32), z.union([text(4000), z.number(), historySentence])).optional(),
  }),
);

/** One line of the journal or of the audit, in words. Never a payload, never a secret. */
export const historyEvent = z.strictObject({
  /** Unique and stable: `j<sequence>` or `a<month>:<byte>`. */
  id: text(40),
  atMs,
  kind: text(200),
  /** In English; the same as `sentence`, for search, logs and the command line. */
  words: text(500),
  /** For a window, which says it in its own language. Absent where the words are just a name. */
  sentence: historySentence.optional(),
  /** What came of it, where the kind alone does not say: a state, an answer, a reason. */
  outcome: text(60).optional(),
  turnId: id.optional(),
  sessionId: id.optional(),
  step: z.number().int().positive().optional(),
  detail: text(2000).optional(),
  /** Where the detail is made of messages, too. */
  detailSentences: z.array(historySentence).max(5).optional(),
});
export type HistoryEvent = z.infer<typeof historyEvent>;

const portNumber = z.number().int().min(1).max(65_535);

/** The one truth for tray, windows, CLI and metrics. */
export const statusSnapshot = z.strictObject({
  phase: z.enum(['starting', 'running', 'stopping', 'stopped']),
  version: text(40),
  pid: z.number().int().positive(),
  dataDir: text(4096),
  startedAtMs: atMs,
  nowMs: atMs,
  tray: trayState,
  /** First sentence of Home and of the tooltip's facts. */
  counts: z.strictObject({
    needsYou: z.number().int().nonnegative(),
    running: z.number().int().nonnegative(),
    queued: z.number().int().nonnegative(),
    waiting: z.number().int().nonnegative(),
    parked: z.number().int().nonnegative(),
  }),
  paused: z.strictObject({ untilMs: atMs.optional() }).optional(),
  /** What came in through channels since the start; filtered is what was no message (S2-53). */
  inbound: z.strictObject({
    accepted: z.number().int().nonnegative(),
    filtered: z.number().int().nonnegative(),
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
            waiting: z.number().int().nonnegative(),
            /** `Anthropic down since 14:02, next try 14:20, 4 turns wait.` */
            sentence: text(500),
          }),
        )
        .max(50),
      /** Names of breakers that are not closed. */
      openBreakers: z.array(text(200)).max(200),
    })
    .optional(),
  /** What time will bring. Absent where nobody has scheduled anything. */
  schedule: z
    .strictObject({
      active: z.number().int().nonnegative(),
      paused: z.number().int().nonnegative(),
      missed: z.number().int().nonnegative(),
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
  /** Events to the broker, where anything about them is worth a look. */
  delivery: z
    .strictObject({
      broker: z.enum(BROKER_STATES),
      depth: z.number().int().nonnegative(),
      deadLetters: z.number().int().nonnegative(),
      shed: z.number().int().nonnegative(),
    })
    .optional(),
  journal: z.strictObject({
    seq: z.number().int().nonnegative(),
    appliedSeq: z.number().int().nonnegative(),
    /** Set while the disk refuses writes. */
    refusal: z.strictObject({ code: text(40), message: text(500), sinceMs: atMs }).optional(),
  }),
  /** Ports on 127.0.0.1 that are really listened on; absent while there is none. */
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
    stepsReusedToday: z.number().int().nonnegative(),
    savedUsdToday: z.number().nonnegative(),
  }),
});
export type StatusSnapshot = z.infer<typeof statusSnapshot>;

export const doctorCheck = z.strictObject({
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
