/** Seed data for the fake bridge: one afternoon with two decisions, two running turns and a crash. */
import type { VerbOutput } from '../../shared/contract';
import type {
  AgentSetup,
  AgentView,
  ApprovalView,
  ConfigEntry,
  DayLine,
  DetectedAgent,
  DoctorReport,
  ExtView,
  HistoryEvent,
  InboxItem,
  ProviderView,
  ReplayDecision,
  RunView,
  SessionEvent,
  SessionView,
  SkillView,
  StatusSnapshot,
  StepView,
  ToolView,
  TurnSummary,
} from '../../shared/model';
import { SETTINGS } from '../../shared/settings';
import type { SessionStatus } from '../../shared/model/work';
import type { ActivationEvent } from '../../shared/model/work';
import type { DraftDiff, DraftView } from '../../shared/model/drafts';
import { seedDecidedDrafts, seedDrafts } from './fake-drafts';
import { seedRuns } from './fake-runs';
import type { SeedRuns } from './fake-runs';
import { seedDetected, seedServers } from './fake-extensions';
import { localDelivery } from './fake-delivery';
import type { SeedDelivery } from './fake-delivery';
import { fakeDayLine, fakeEvents } from './fake-history';
import { calmOutside } from './fake-outages';
import type { SeedOutside } from './fake-outages';
import { noSchedule } from './fake-schedule';
import type { SeedSchedule } from './fake-schedule';

/** Everything the fake engine knows; tests change it before or while a page is shown. */
export interface Seed {
  readonly nowMs: number;
  status: StatusSnapshot;
  turns: TurnSummary[];
  prompts: Record<number, string>;
  answers: Record<number, string>;
  steps: Record<number, StepView[]>;
  stops: Record<number, VerbOutput<'turns.show'>['stops']>;
  decisions: ReplayDecision[];
  approvals: ApprovalView[];
  drafts: DraftDiff[];
  decidedDrafts: DraftView[];
  /** Skills, their runs, and the history of activations. */
  work: SeedRuns;
  /** What a session says of itself beside its turns. */
  sessionStatus: Record<number, Partial<SessionStatus>>;
  lastStart: VerbOutput<'recovery.list'>['lastStart'];
  processes: VerbOutput<'recovery.list'>['processes'];
  inbox: InboxItem[];
  sessions: SessionView[];
  events: Record<number, SessionEvent[]>;
  agents: AgentView[];
  /** What is so of an agent on this computer, by its name. */
  setups: Record<string, Omit<AgentSetup, 'agent'>>;
  detected: DetectedAgent[];
  servers: ExtView[];
  skills: SkillView[];
  runs: RunView[];
  activations: ActivationEvent[];
  tools: ToolView[];
  providers: ProviderView[];
  keyStorage: ProviderView['key']['storage'];
  config: VerbOutput<'config.list'>;
  doctor: DoctorReport;
  log: string[];
  dayLine: DayLine;
  history: HistoryEvent[];
  outside: SeedOutside;
  delivery: SeedDelivery;
  schedule: SeedSchedule;
  info: VerbOutput<'app.info'>;
}

export const HASH = 'ab'.repeat(32);
const MINUTE = 60_000;

const CHOICES: Readonly<Record<string, string[]>> = {
  'app.theme': ['system', 'light', 'dark'],
  'resilience.recovery.mode': ['safe_only', 'always', 'never'],
  'approvals.mode': ['risky', 'all_effects', 'off'],
  'skill_resume.default': ['retry', 'skip', 'discard_skill', 'prompt'],
  'resume.world_drift': ['continue', 'pin', 'hold'],
  'instance.on_conflict': ['auto', 'focus', 'takeover', 'refuse'],
  'notifications.restart': ['on', 'silent', 'off'],
  'notifications.decisions': ['on', 'silent', 'off'],
  'notifications.outages': ['on', 'silent', 'off'],
  'notifications.answers': ['on', 'silent', 'off'],
  'log.level': ['debug', 'info', 'warn', 'error'],
};

const configEntries = (): ConfigEntry[] =>
  Object.entries(SETTINGS).map(([key, row]) => ({
    key,
    value: row.default as ConfigEntry['value'],
    default: row.default as ConfigEntry['value'],
    source: 'default',
    applies: row.applies,
    about: row.about,
    ...(CHOICES[key] === undefined ? {} : { choices: CHOICES[key] }),
  }));

const step = (
  turnId: number,
  index: number,
  startedAtMs: number,
  tookMs: number | undefined,
  given: Partial<StepView> & Pick<StepView, 'tool' | 'purity' | 'hint'>,
): StepView => ({
  turnId,
  index,
  state: 'completed',
  fate: 'fresh',
  startedAtMs,
  ...(tookMs === undefined ? {} : { endedAtMs: startedAtMs + tookMs }),
  attempt: 1,
  isListed: false,
  duplicateRisk: false,
  reusedCount: 0,
  isTruncated: false,
  ...given,
});

const turn = (
  given: Partial<TurnSummary> & Pick<TurnSummary, 'id' | 'promptStart'>,
  acceptedAtMs: number,
): TurnSummary => ({
  sessionId: given.id,
  sessionKey: `session-${String(given.id)}`,
  agent: 'Researcher',
  state: 'completed',
  reason: '',
  channel: 'window',
  acceptedAtMs,
  startedAtMs: acceptedAtMs + 200,
  steps: 4,
  attempt: 1,
  reused: 0,
  usage: { inputTokens: 8200, outputTokens: 900, costUsd: 0.04 },
  savedUsage: { inputTokens: 0, outputTokens: 0 },
  ...given,
});

const PRACTICE_CHIP_HOW =
  'Exact, step by step: finished effects are not fired again, answers not paid twice.';

const ACP_HOW =
  'Records the tool calls and the permission questions that the agent reports, and asks it again after a restart. A finished effect that it wants to repeat is then put to you while the agent asks for permission; where you have switched its questions off, Holdfast can only tell it what is already done.';

/** An afternoon as seen at `nowMs`. */
export function createSeed(nowMs: number): Seed {
  const ago = (minutes: number): number => nowMs - Math.round(minutes * MINUTE);
  const stopped = ago(29);
  const back = stopped + 253_000;

  const supplierSteps: StepView[] = [
    step(7, 1, ago(31), 21_000, {
      tool: 'model',
      purity: 'llm',
      hint: 'choose criteria',
      fate: 'reused',
      reusedCount: 1,
      usage: { inputTokens: 3100, outputTokens: 420, costUsd: 0.05 },
    }),
    step(7, 2, ago(30.6), 3000, {
      tool: 'web_fetch',
      purity: 'world',
      hint: 'exchange rates',
      fate: 'cut_off',
      reusedCount: 0,
    }),
    step(7, 3, ago(30.5), 37_000, {
      tool: 'model',
      purity: 'llm',
      hint: 'rank the offers',
      fate: 'reused',
      reusedCount: 1,
      usage: { inputTokens: 5200, outputTokens: 800, costUsd: 0.12 },
    }),
    step(7, 4, ago(29.8), 400, {
      tool: 'write_file',
      purity: 'side_effect',
      hint: 'comparison.md',
      fate: 'reused',
      reusedCount: 1,
    }),
    step(7, 5, back + 1000, 3000, {
      tool: 'web_fetch',
      purity: 'world',
      hint: 'exchange rates',
      fate: 'asked_again',
      drift: 'same',
      againOf: 2,
      attempt: 2,
    }),
    step(7, 6, back + 5000, 31_000, {
      tool: 'model',
      purity: 'llm',
      hint: 'write the summary',
      attempt: 2,
      fate: 'run_again',
      usage: { inputTokens: 6100, outputTokens: 700, costUsd: 0.09 },
    }),
    step(7, 7, back + 38_000, 1900, {
      tool: 'send_email',
      purity: 'external',
      hint: 'anna.berg',
      attempt: 2,
      isListed: true,
    }),
    step(7, 8, back + 41_000, undefined, {
      tool: 'send_email',
      purity: 'external',
      hint: 't.okafor',
      attempt: 2,
      isListed: true,
      state: 'ambiguous',
      args: '{"to":"t.okafor@northcable.example","subject":"Your offer of 3 March: two questions"}',
    }),
  ];

  const uploadSteps: StepView[] = [
    step(11, 1, ago(12), 9000, { tool: 'model', purity: 'llm', hint: 'read the failing test' }),
    step(11, 2, ago(11.5), 200, {
      tool: 'files.write_file',
      purity: 'side_effect',
      hint: 'test/upload.test.ts',
    }),
    step(11, 3, ago(11), 14_000, {
      tool: 'shell.shell',
      purity: 'side_effect',
      hint: 'rm -r coverage',
      requestId: 8,
      approvedBy: 'window',
    }),
  ];

  const push: ApprovalView = {
    requestId: 15,
    kind: 'approval',
    turnId: 11,
    sessionId: 11,
    sessionKey: 'upload-test',
    agent: 'Repo mender',
    promptStart: 'Fix the flaky upload test',
    tool: 'shell.shell',
    hint: 'git push origin fix/upload-timeout',
    reason: 'It publishes: others will see it.',
    covers: 'shell.shell git push',
    leaves: true,
    goesTo: { address: 'git@git.lindner.example:tools/uploader.git', name: 'origin' },
    args: '{\n "command": "git push origin fix/upload-timeout"\n}',
    isTruncated: false,
    inputHash: '5e'.repeat(32),
    requestedAtMs: ago(10),
    requestHash: '51'.repeat(32),
  };
  const mailing: ApprovalView = {
    requestId: 16,
    kind: 'approval',
    turnId: 12,
    sessionId: 12,
    sessionKey: 'answers',
    agent: 'Mail helper',
    promptStart: 'Answer the supplier',
    tool: 'mail.send_email',
    hint: 't.okafor@northcable.example',
    reason: 'Your rule for mail.send_email: always ask.',
    covers: 'mail.send_email',
    args: '{\n "to": "t.okafor@northcable.example",\n "subject": "Delivery in April",\n "body": "We take the offer of 3 March."\n}',
    isTruncated: false,
    inputHash: '6f'.repeat(32),
    requestedAtMs: ago(4),
    requestHash: '61'.repeat(32),
  };

  const decision = (
    given: Partial<ReplayDecision> & Pick<ReplayDecision, 'inboxId' | 'turnId' | 'question'>,
  ): ReplayDecision => ({
    kind: 'held',
    reason: 'The call left and no answer was recorded.',
    agent: 'Researcher',
    sessionKey: 'suppliers',
    promptStart: 'Compare the three cable suppliers and mail the result',
    createdAtMs: back,
    ambiguous: [],
    listedTools: [],
    plan: {
      turnId: given.turnId,
      action: 'hold',
      reason: 'A listed tool had started.',
      mode: 'safe_only',
      attempt: 2,
      delayMs: 0,
      steps: [
        {
          index: 1,
          tool: 'model',
          purity: 'llm',
          hint: 'choose criteria',
          action: 'reuse',
          reason: 'finished',
          isListed: false,
        },
        {
          index: 2,
          tool: 'web_fetch',
          purity: 'world',
          hint: 'exchange rates',
          action: 'reissue',
          reason: 'reads something outside',
          isListed: false,
        },
        {
          index: 8,
          tool: 'send_email',
          purity: 'external',
          hint: 't.okafor',
          action: 'ask',
          reason: 'started, unknown result',
          isListed: true,
        },
      ],
      reused: 13,
      reissued: 1,
      ambiguous: [],
      toRun: 1,
      savedUsage: { inputTokens: 8300, outputTokens: 1220, costUsd: 0.17 },
    },
    requestHash: HASH,
    ...given,
  });

  const mail = decision({
    inboxId: 12,
    turnId: 7,
    question: 'Did send_email happen?',
    reason:
      'The mail server exited 1.8 s later without an answer, so nobody recorded whether the mail went out.',
    createdAtMs: ago(24),
    listedTools: ['send_email'],
    ambiguous: [
      {
        index: 8,
        tool: 'send_email',
        purity: 'external',
        isListed: true,
        startedAtMs: back + 41_000,
        args: '{\n "to": "t.okafor@northcable.example",\n "subject": "Your offer of 3 March: two questions"\n}',
        isTruncated: false,
        hasStatusCheck: false,
        isIdempotent: false,
      },
    ],
  });
  mail.plan.ambiguous.push(8);
  const archive = decision({
    inboxId: 11,
    turnId: 6,
    question: 'Did archive_mail happen?',
    agent: 'Mail helper',
    sessionKey: 'inbox',
    promptStart: 'Sort the inbox and archive what is answered',
    createdAtMs: stopped,
    listedTools: ['archive_mail'],
    ambiguous: [
      {
        index: 4,
        tool: 'archive_mail',
        purity: 'external',
        isListed: true,
        startedAtMs: stopped - 900,
        args: '{"ids":[4411,4412,4415,4419,4420,4431]}',
        isTruncated: false,
        hasStatusCheck: true,
        isIdempotent: false,
      },
    ],
    requestHash: 'cd'.repeat(32),
  });
  archive.plan.ambiguous.push(4);
  const parked = decision({
    inboxId: 14,
    turnId: 4,
    kind: 'parked',
    question: 'Go on with this turn?',
    reason: 'This turn ended Holdfast 3 times at step 4.',
    agent: 'Photo index',
    promptStart: 'Index the photos of the summer',
    createdAtMs: ago(1500),
    requestHash: 'ef'.repeat(32),
  });
  const limit = decision({
    inboxId: 13,
    turnId: 5,
    kind: 'limit',
    question: 'Raise the limit or stop this turn?',
    reason: 'This turn reached $2.00. It is paused: raise the limit or stop it.',
    promptStart: 'Read all open issues and group them',
    createdAtMs: ago(9),
    requestHash: '12'.repeat(32),
  });

  return {
    nowMs,
    keyStorage: 'os-keyring',
    status: {
      phase: 'running',
      version: '0.1.0',
      pid: 4242,
      dataDir: '/home/mara/.holdfast',
      startedAtMs: back,
      nowMs,
      tray: 'attention',
      counts: { needsYou: 6, running: 2, queued: 1, waiting: 1, parked: 1 },
      recovery: {
        mode: 'safe_only',
        sideEffectTools: ['send_email', 'archive_mail'],
        restoreSkipped: false,
      },
      restart: {
        inboxId: 10,
        reason: 'power_loss',
        startedAtMs: back,
        downSinceMs: stopped,
        downMs: 253_000,
        resumedTurns: [8, 9, 3],
        heldTurns: [6],
        parkedTurns: [],
        staleTurns: [],
        restoreSkipped: false,
        isDismissed: false,
      },
      journal: { seq: 8123, appliedSeq: 8123 },
      inbound: { accepted: 0, filtered: 0 },
      configProblems: [],
      kept: { stepsReusedToday: 218, savedUsdToday: 3.86 },
    },
    turns: [
      turn(
        { id: 1, promptStart: 'Price watch', agent: 'Office helper', endedAtMs: ago(61) },
        ago(63),
      ),
      turn(
        {
          id: 2,
          promptStart: 'Fix flaky upload test',
          agent: 'Repo mender',
          steps: 14,
          endedAtMs: ago(39),
        },
        ago(45),
      ),
      turn(
        {
          id: 3,
          promptStart: 'Standup notes',
          steps: 5,
          attempt: 2,
          reused: 3,
          endedAtMs: ago(2),
          savedUsage: { inputTokens: 900, outputTokens: 100, costUsd: 0.01 },
        },
        ago(31),
      ),
      turn(
        {
          id: 4,
          promptStart: 'Index the photos of the summer',
          agent: 'Photo index',
          state: 'parked',
          reason: 'Stopped trying: it ended Holdfast 3 times at step 4.',
          attempt: 3,
        },
        ago(1560),
      ),
      turn(
        {
          id: 5,
          promptStart: 'Read all open issues and group them',
          state: 'waiting',
          reason: 'This turn reached $2.00. It is paused: raise the limit or stop it.',
          steps: 41,
        },
        ago(30),
      ),
      turn(
        {
          id: 6,
          promptStart: 'Sort the inbox and archive what is answered',
          agent: 'Mail helper',
          state: 'held',
          sessionKey: 'inbox',
          attempt: 1,
        },
        ago(33),
      ),
      turn(
        {
          id: 7,
          promptStart: 'Compare the three cable suppliers and mail the result',
          state: 'held',
          reason: 'send_email had started, its result is unknown.',
          sessionKey: 'suppliers',
          steps: 8,
          attempt: 2,
          reused: 3,
          usage: { inputTokens: 14_400, outputTokens: 1900, costUsd: 0.21 },
          savedUsage: { inputTokens: 8300, outputTokens: 1220, costUsd: 0.17 },
        },
        ago(31),
      ),
      turn(
        {
          id: 8,
          promptStart: 'Changelog draft',
          agent: 'Repo mender',
          state: 'running',
          steps: 6,
          startedAtMs: nowMs - 72_000,
        },
        nowMs - 73_000,
      ),
      turn(
        {
          id: 9,
          promptStart: 'Reading list',
          state: 'running',
          steps: 13,
          attempt: 2,
          reused: 6,
          startedAtMs: ago(25),
          sessionKey: 'reading',
        },
        ago(32),
      ),
      turn({ id: 10, promptStart: 'Sum up the week', state: 'queued', steps: 0 }, ago(1)),
      turn(
        {
          id: 11,
          promptStart: 'Fix the flaky upload test',
          agent: 'Repo mender',
          state: 'requires_action',
          reason: 'shell waits for your approval.',
          sessionKey: 'upload-test',
          steps: 3,
          startedAtMs: ago(12),
        },
        ago(12),
      ),
      turn(
        {
          id: 12,
          promptStart: 'Answer the supplier',
          agent: 'Mail helper',
          state: 'requires_action',
          reason: 'mail.send_email waits for your approval.',
          sessionKey: 'answers',
          steps: 1,
          startedAtMs: ago(5),
        },
        ago(5),
      ),
    ],
    prompts: { 7: 'Compare the three cable suppliers and mail the result to both contacts.' },
    answers: {},
    steps: { 7: supplierSteps, 11: uploadSteps },
    stops: { 7: [{ stoppedAtMs: stopped, backAtMs: back, reason: 'power_loss' }] },
    decisions: [mail, archive, parked, limit],
    approvals: [push, mailing],
    drafts: seedDrafts(nowMs),
    decidedDrafts: seedDecidedDrafts(nowMs),
    work: seedRuns(nowMs),
    sessionStatus: {},
    processes: [],
    lastStart: [
      { turnId: 9, action: 'resume', reason: '6 finished steps reused, 1 asked again', atMs: back },
      {
        turnId: 6,
        action: 'hold',
        reason: 'archive_mail had started and is on your list',
        atMs: back,
      },
    ],
    inbox: [
      {
        id: 9,
        kind: 'replay_decision',
        turnId: 2,
        title: 'Did post_message happen?',
        detail: 'Digest',
        createdAtMs: ago(320),
        settledAtMs: ago(318),
        outcome: 'recorded as done',
      },
      { id: 10, kind: 'restart_notice', title: 'Restarted', detail: '', createdAtMs: back },
      {
        id: 11,
        kind: 'replay_decision',
        turnId: 6,
        title: 'Did archive_mail happen?',
        detail: 'Mail helper, running when the power was lost',
        createdAtMs: stopped,
      },
      {
        id: 12,
        kind: 'replay_decision',
        turnId: 7,
        title: 'Did send_email happen?',
        detail: 'Supplier comparison, the mail server exited before it answered',
        createdAtMs: ago(24),
      },
      {
        id: 13,
        kind: 'limit',
        turnId: 5,
        title: 'This turn reached $2.00',
        detail: 'It is paused: raise the limit or stop it.',
        createdAtMs: ago(9),
      },
      {
        id: 14,
        kind: 'replay_decision',
        turnId: 4,
        title: 'A turn was parked',
        detail: 'Photo index, stopped 3 times at step 4',
        createdAtMs: ago(1500),
      },
      {
        id: 15,
        kind: 'approval',
        turnId: 11,
        sessionId: 11,
        title: 'Fix the flaky upload test',
        detail: 'It publishes: others will see it.',
        createdAtMs: ago(10),
      },
      {
        id: 16,
        kind: 'approval',
        turnId: 12,
        sessionId: 12,
        title: 'Answer the supplier',
        detail: 'Your rule for mail.send_email: always ask.',
        createdAtMs: ago(4),
      },
    ],
    sessions: [
      {
        id: 9,
        key: 'reading',
        title: 'Reading list',
        agent: 'Researcher',
        status: 'running',
        stopReason: '',
        turns: 3,
        pendingEvents: 0,
        createdAtMs: ago(300),
        lastEventAtMs: ago(0.2),
      },
      {
        id: 7,
        key: 'suppliers',
        title: 'Supplier comparison',
        agent: 'Researcher',
        status: 'requires_action',
        stopReason: 'A replay decision waits for you.',
        turns: 1,
        pendingEvents: 0,
        createdAtMs: ago(33),
        lastEventAtMs: ago(24),
      },
      {
        id: 2,
        key: 'repo',
        title: 'Fix flaky upload test',
        agent: 'Repo mender',
        status: 'idle',
        stopReason: '',
        turns: 6,
        pendingEvents: 0,
        createdAtMs: ago(3000),
        lastEventAtMs: ago(39),
      },
    ],
    events: {
      9: [
        {
          seq: 101,
          sessionId: 9,
          turnId: 9,
          type: 'user.message',
          atMs: ago(32),
          isPending: false,
          text: 'The upload test fails about one time in ten. Find out why and propose a fix.',
          isTruncated: false,
        },
        {
          seq: 102,
          sessionId: 9,
          turnId: 9,
          type: 'agent.message',
          atMs: ago(31.9),
          isPending: false,
          text: 'I will read the test first, then run it often enough to see it fail.',
          isTruncated: false,
        },
        {
          seq: 103,
          sessionId: 9,
          turnId: 9,
          type: 'agent.tool_use',
          atMs: ago(31.8),
          isPending: false,
          text: 'test/upload.test.ts',
          isTruncated: false,
          tool: 'read_file',
          purity: 'world',
          stepIndex: 2,
          stepState: 'completed',
          stepFate: 'fresh',
        },
        {
          seq: 104,
          sessionId: 9,
          turnId: 9,
          type: 'agent.tool_use',
          atMs: ago(31.7),
          isPending: false,
          text: '"waitForUpload" in src, 4 places',
          isTruncated: false,
          tool: 'grep',
          purity: 'world',
          stepIndex: 3,
          stepState: 'completed',
          stepFate: 'asked_again',
        },
        {
          seq: 105,
          sessionId: 9,
          turnId: 9,
          type: 'agent.tool_use',
          atMs: ago(31.5),
          isPending: false,
          text: 'npm test -- upload --repeat 20',
          isTruncated: false,
          tool: 'shell',
          purity: 'side_effect',
          stepIndex: 4,
          stepState: 'completed',
          stepFate: 'reused',
        },
        {
          seq: 106,
          sessionId: 9,
          turnId: 9,
          type: 'agent.tool_use',
          atMs: ago(25),
          isPending: false,
          text: 'CI logs of the last 6 runs',
          isTruncated: false,
          tool: 'web_fetch',
          purity: 'world',
          stepIndex: 5,
          stepState: 'started',
          stepFate: 'fresh',
        },
      ],
    },
    agents: [
      {
        name: 'practice',
        executor: 'practice',
        provider: 'practice',
        model: 'script',
        workspace: '/home/mara/.holdfast/practice',
        howExact: PRACTICE_CHIP_HOW,
        tools: ['read_file', 'write_file', 'shell'],
      },
      {
        name: 'Researcher',
        executor: 'llm',
        provider: 'anthropic',
        model: 'claude-sonnet',
        workspace: '/home/mara/research',
        howExact: PRACTICE_CHIP_HOW,
        tools: ['read_file', 'write_file', 'web_fetch', 'send_email'],
      },
      {
        name: 'Repo mender',
        executor: 'llm',
        provider: 'ollama',
        model: 'qwen3',
        workspace: '/home/mara/code/uploader',
        howExact: PRACTICE_CHIP_HOW,
        problem: 'The folder /home/mara/code/uploader does not exist.',
        tools: ['shell'],
      },
      {
        name: 'Site mender',
        executor: 'acp',
        provider: 'claude-agent-acp',
        model: '',
        workspace: '/home/mara/code/site',
        howExact: ACP_HOW,
        tools: [],
      },
    ],
    setups: {
      'Site mender': {
        program: {
          name: 'claude-agent-acp',
          line: 'claude-agent-acp',
          path: '/home/mara/.local/bin/claude-agent-acp',
          version: '0.49.0',
        },
        env: [],
        withheld: ['OPENAI_API_KEY'],
      },
    },
    detected: seedDetected(),
    servers: seedServers(nowMs),
    skills: [],
    runs: [],
    activations: [],
    tools: [
      {
        name: 'read_file',
        host: 'built in',
        purity: 'world',
        about: 'Reads a file in the folder',
        isListed: false,
        listedAs: [],
        afterCrash: 'asked_again',
        isProposed: false,
      },
      {
        name: 'web_fetch',
        host: 'built in',
        purity: 'world',
        about: 'Reads a page',
        isListed: false,
        listedAs: [],
        afterCrash: 'asked_again',
        isProposed: false,
      },
      {
        name: 'write_file',
        host: 'built in',
        purity: 'side_effect',
        about: 'Writes a file in the folder',
        isListed: false,
        listedAs: [],
        afterCrash: 'run_again',
        isProposed: false,
      },
      {
        name: 'shell',
        host: 'built in',
        purity: 'side_effect',
        about: 'Runs a command',
        isListed: false,
        listedAs: [],
        afterCrash: 'run_again',
        isProposed: false,
      },
      {
        name: 'shell:effects',
        host: 'built in',
        purity: 'side_effect',
        about: 'Commands that change something',
        isListed: false,
        listedAs: [],
        afterCrash: 'run_again',
        isProposed: true,
      },
      {
        name: 'send_email',
        host: 'mail',
        purity: 'external',
        about: 'Sends to other people',
        isListed: true,
        listedAs: ['send_email'],
        afterCrash: 'held',
        isProposed: true,
      },
      {
        name: 'archive_mail',
        host: 'mail',
        purity: 'external',
        about: 'Changes a mailbox',
        isListed: true,
        listedAs: ['archive_mail'],
        afterCrash: 'held',
        isProposed: true,
      },
      {
        name: 'calendar.list_events',
        host: 'calendar',
        purity: 'world',
        about: 'Reads the events of a day',
        isListed: false,
        listedAs: [],
        afterCrash: 'asked_again',
        isProposed: false,
      },
    ],
    providers: [
      {
        name: 'anthropic',
        kind: 'anthropic',
        key: { present: true, last4: '7Qx2', storage: 'os-keyring' },
      },
      {
        name: 'office',
        kind: 'openai-compatible',
        baseUrl: 'https://llm.lindner.example/v1',
        key: { present: true, last4: 'c0de', storage: 'session-only' },
      },
      {
        name: 'ollama',
        kind: 'openai-compatible',
        baseUrl: 'http://127.0.0.1:11434/v1',
        key: { present: false, storage: 'none' },
      },
    ],
    config: {
      path: '/home/mara/.holdfast/config.json',
      entries: configEntries().map((entry) =>
        entry.key === 'app.first_start_done'
          ? { ...entry, value: true, source: 'file' as const }
          : entry.key === 'resilience.recovery.side_effect_tools'
            ? { ...entry, value: ['send_email', 'archive_mail'], source: 'file' as const }
            : entry.key === 'resilience.recovery.max_age'
              ? { ...entry, value: '12h', source: 'environment' as const }
              : entry,
      ),
      problems: [],
    },
    doctor: {
      version: '0.1.0',
      ok: false,
      checks: [
        { name: 'Journal', ok: true, level: 'ok', detail: 'Readable, applied up to 8123.' },
        { name: 'Keyring', ok: false, level: 'warn', detail: 'No keyring: keys stay in memory.' },
        {
          name: 'Disk',
          ok: false,
          level: 'fail',
          detail: '12 MB free. New work is refused below 10 MB.',
        },
      ],
    },
    log: ['14:06:24 info engine started', '14:06:25 info 3 turns resumed'],
    dayLine: fakeDayLine(nowMs, { stoppedAtMs: stopped, backAtMs: back }),
    history: fakeEvents(nowMs, 400),
    outside: calmOutside(nowMs),
    delivery: localDelivery(),
    schedule: noSchedule(),
    info: {
      version: '0.1.0',
      electron: '33.4.1',
      dataDir: '/home/mara/.holdfast',
      configPath: '/home/mara/.holdfast/config.json',
      logPath: '/home/mara/.holdfast/logs/holdfast.log',
      practiceFolder: '/home/mara/.holdfast/practice',
      socketPath: '/home/mara/.holdfast/run/control.sock',
      terminal: { command: 'holdfast', options: '' },
      loginItem: { supported: true, enabled: false, path: '' },
      tray: { available: true, reason: '' },
      notifications: { available: true, reason: '' },
    },
  };
}

/** The same afternoon with nothing to do. */
export function createCalmSeed(nowMs: number): Seed {
  const seed = createSeed(nowMs);
  const { restart: _restart, ...status } = seed.status;
  return {
    ...seed,
    status: {
      ...status,
      tray: 'idle',
      counts: { needsYou: 0, running: 0, queued: 0, waiting: 0, parked: 0 },
    },
    turns: seed.turns.filter((one) => one.state === 'completed'),
    decisions: [],
    approvals: [],
    drafts: [],
    decidedDrafts: [],
    work: { skills: [], hints: [], runs: [], plans: {}, activations: [] },
    sessionStatus: {},
    inbox: [],
    dayLine: fakeDayLine(nowMs),
  };
}
