import type { DueTask, TaskRun, TaskView } from '../../../shared/schedule/model';
import type { DraftView } from '../../../shared/types/drafts';
import type { BreakerView } from '../../../shared/types/outage';
import type { ApprovalView, ExtView, RunPlan, RunView, SkillView } from '../../../shared/types';
import { planOf } from '../../unit/cli/samples';
import { NOW_MS } from '../control/fake-holdfast';

/** Approvals, drafts, servers, skills and runs as an engine answers them. */

export const REQUEST_HASH = 'c'.repeat(64);
export const DRAFT_HASH = 'd'.repeat(64);
export const RUN_HASH = 'e'.repeat(64);
export const KEPT_HASH = 'f'.repeat(64);
const OLD_VERSION = '0'.repeat(64);
const NEW_VERSION = '1'.repeat(64);

export const approval: ApprovalView = {
  requestId: 11,
  kind: 'approval',
  turnId: 7,
  sessionId: 3,
  sessionKey: 'notes',
  agent: 'coder',
  promptStart: 'Publish the notes',
  tool: 'shell.shell',
  hint: 'git push',
  reason: 'A rule says that this tool is asked about.',
  covers: 'shell.shell git push',
  args: '{\n  "command": "git push origin main"\n}',
  isTruncated: false,
  inputHash: '9'.repeat(64),
  requestedAtMs: NOW_MS - 60_000,
  requestHash: REQUEST_HASH,
};
export const fromOutside: ApprovalView = {
  ...approval,
  requestId: 12,
  kind: 'custom_tool',
  sessionKey: "anna's notes",
  tool: 'warehouse.stock',
  hint: 'bolts',
  reason: 'The result of this tool is external.',
  covers: 'warehouse.stock',
  args: '{\n  "item": "bolts"\n}',
  isTruncated: true,
};
export const answered = (over: Partial<ApprovalView>): ApprovalView => ({
  ...approval,
  answeredAtMs: NOW_MS,
  by: 'cli',
  ...over,
});

export const draft: DraftView = {
  draftId: 5,
  sessionId: 3,
  sessionKey: 'notes',
  sessionTitle: 'Notes',
  agent: 'coder',
  turnId: 7,
  workspace: '/w',
  path: 'docs/plan.md',
  place: '/d/drafts/3/docs/plan.md',
  stage: 'staged',
  state: 'ready',
  sourceChanged: true,
  draftChanged: false,
  isNewFile: false,
  sizeBytes: 2048,
  stagedAtMs: NOW_MS - 300_000,
  updatedAtMs: NOW_MS - 120_000,
  fileChangedAtMs: NOW_MS - 60_000,
  requestHash: DRAFT_HASH,
};
export const settledDraft: DraftView = {
  ...draft,
  draftId: 6,
  path: 'docs/new.md',
  place: '/d/drafts/3/docs/new.md',
  state: 'in_sync',
  sourceChanged: false,
  isNewFile: true,
};
export const { state: _state, ...appliedDraft }: DraftView = {
  ...draft,
  draftId: 2,
  path: 'docs/old.md',
  stage: 'promoted',
  sourceChanged: false,
  decidedAtMs: NOW_MS - 30_000,
  keptHash: KEPT_HASH,
};

export const breaker: BreakerView = {
  name: 'provider.anthropic',
  dependency: 'provider',
  state: 'open',
  failures: 5,
  successes: 0,
  failureThreshold: 5,
  successThreshold: 2,
  initialBackoffMs: 10_000,
  maxBackoffMs: 120_000,
  backoffMs: 10_000,
  openedAtMs: NOW_MS - 4_000,
  nextTrialAtMs: NOW_MS + 6_000,
  isTrialOut: false,
  counters: { allowed: 9, refused: 2, succeeded: 4, failed: 5, ignored: 0 },
  lastError: 'anthropic reports an internal error (503).',
  explanation:
    'Open since 09:59:56: 5 requests in a row failed. The next probe is sent at 10:00:06. The last error: anthropic reports an internal error (503).',
};
export const extServer: ExtView = {
  name: 'calendar',
  kind: 'command',
  about: 'calendar-server',
  state: 'running',
  reason: '',
  sinceMs: NOW_MS - 1_500_000,
  pid: 4711,
  tools: ['calendar.list_events'],
  env: [{ name: 'CALENDAR_TOKEN', isSet: true }],
};
export const skippedServer: ExtView = {
  name: 'forge',
  kind: 'command',
  about: 'forge-server',
  state: 'skipped',
  reason: 'FORGE_TOKEN is not set.',
  sinceMs: NOW_MS - 1_500_000,
  tools: [],
  env: [{ name: 'FORGE_TOKEN', isSet: false }],
};

export const skill: SkillView = {
  name: 'compare-offers',
  source: 'data',
  folder: '/d/skills/compare-offers',
  state: 'ready',
  reason: '',
  description: 'Compares offers and mails what came of it',
  version: NEW_VERSION,
  phases: [
    { name: 'gather', next: ['compare'], maxVisits: 1 },
    { name: 'compare', next: ['gather', 'send'], maxVisits: 3 },
    { name: 'send', next: [], maxVisits: 1 },
  ],
};

export const skillRun: RunView = {
  id: 4,
  turnId: 7,
  turnState: 'held',
  agent: 'coder',
  sessionKey: 'notes',
  attempt: 2,
  depth: 0,
  isOrphan: false,
  skill: 'compare-offers',
  version: OLD_VERSION,
  state: 'running',
  reason: '',
  phase: 'send',
  visit: 1,
  visits: { gather: 1, compare: 1, send: 1 },
  history: [
    { phase: 'gather', visit: 1, next: 'compare', leftAtMs: NOW_MS - 1_680_000 },
    { phase: 'compare', visit: 1, next: 'send', leftAtMs: NOW_MS - 1_500_000 },
  ],
  input: 'the three cable suppliers',
  artifact: 'Northcable: 4.10 per metre.\nHellmann: 4.35 per metre.',
  isTruncated: false,
  awaiting: { inboxId: 4, kind: 'replay_decision', title: 'Was this mail sent?' },
  action: 'retry',
  actionReason: 'A step with an unknown outcome runs again.',
  startedAtMs: NOW_MS - 1_860_000,
  ageMs: 1_860_000,
};
export const {
  awaiting: _awaiting,
  artifact: _artifact,
  ...innerRun
}: RunView = {
  ...skillRun,
  id: 5,
  parentRunId: 4,
  depth: 1,
  skill: 'look-up-rates',
  phase: 'main',
  visit: 0,
  visits: {},
  history: [],
  input: 'EUR to GBP',
  startedAtMs: NOW_MS - 90_000,
  ageMs: 90_000,
};

export const skillPlan: RunPlan = {
  runId: 4,
  turnId: 7,
  skill: 'compare-offers',
  phase: 'send',
  visit: 1,
  version: OLD_VERSION,
  currentVersion: NEW_VERSION,
  isVersionChanged: true,
  doesPlanMatch: true,
  action: 'retry',
  reason: 'A step with an unknown outcome runs again.',
  turnAction: 'hold',
  turnReason: 'send_mail had started and is on your list',
  phases: [
    { phase: 'gather', visit: 1, state: 'done' },
    { phase: 'compare', visit: 1, state: 'done' },
    { phase: 'send', visit: 1, state: 'in_flight' },
  ],
  steps: planOf().steps,
  reused: 1,
  ambiguous: [2],
  toRun: 1,
};
export const discardPreview = {
  runId: 4,
  turnId: 7,
  skill: 'compare-offers',
  endsTurn: true,
  runs: [
    { runId: 4, skill: 'compare-offers', phase: 'send' },
    { runId: 5, skill: 'look-up-rates', phase: 'main' },
  ],
  openSteps: [2],
  requestHash: RUN_HASH,
};

export const scheduledRun: TaskRun = {
  taskId: 1,
  slotMs: NOW_MS - 1_260_000,
  atMs: NOW_MS - 60_000,
  outcome: 'ran',
  why: 'in_window',
  lateMs: 1_200_000,
  slots: 3,
  oldestMs: NOW_MS - 8_460_000,
  words: 'Caught up, 20 min late. 3 missed between 06:39 and 08:39, one run.',
  turnId: 7,
  status: 'completed',
  durationMs: 4_000,
  result: 'All green.',
};

export const scheduled: TaskView = {
  id: 1,
  name: 'Check the build',
  prompt: 'Check the build and tell me what is red.',
  schedule: '0 9 * * 1-5',
  words: 'Weekdays at 09:00, Europe/Berlin time',
  kind: 'cron',
  zone: 'Europe/Berlin',
  catchup: 'default',
  state: 'active',
  agent: 'fake',
  channel: 'window',
  peer: '',
  session: 'task-1',
  madeBy: 'user',
  createdAtMs: NOW_MS - 86_400_000,
  updatedAtMs: NOW_MS - 86_400_000,
  nextRunAtMs: NOW_MS + 3_600_000,
  runs: 4,
  lastRun: scheduledRun,
};

export const overdue: DueTask = {
  id: 1,
  name: 'Check the build',
  prompt: 'Check the build and tell me what is red.',
  schedule: '0 9 * * 1-5',
  dueAtMs: NOW_MS - 1_200_000,
  overdueMs: 1_200_000,
};
