import type {
  LeftProcessView,
  ReplayDecision,
  ResumePlan,
  SessionView,
  StepView,
  TurnSummary,
} from '../../../shared/types';
import { NOW_MS } from '../../integration/control/fake-holdfast';

const usage = { inputTokens: 900, outputTokens: 100, costUsd: 0.02 };

export function turnOf(over: Partial<TurnSummary> = {}): TurnSummary {
  return {
    id: 7,
    sessionId: 3,
    sessionKey: 'notes',
    agent: 'practice',
    state: 'completed',
    reason: '',
    promptStart: 'Write notes',
    channel: 'cli',
    acceptedAtMs: NOW_MS - 240_000,
    startedAtMs: NOW_MS - 239_000,
    endedAtMs: NOW_MS - 60_000,
    steps: 4,
    attempt: 2,
    reused: 3,
    usage,
    savedUsage: usage,
    ...over,
  };
}

export function stepOf(over: Partial<StepView> = {}): StepView {
  return {
    turnId: 7,
    index: 1,
    tool: 'read_file',
    purity: 'world',
    state: 'completed',
    fate: 'fresh',
    hint: 'notes-source.txt',
    startedAtMs: NOW_MS - 200_000,
    endedAtMs: NOW_MS - 199_160,
    attempt: 1,
    isListed: false,
    duplicateRisk: false,
    reusedCount: 0,
    isTruncated: false,
    ...over,
  };
}

export const HASH = 'a'.repeat(64);

export function planOf(over: Partial<ResumePlan> = {}): ResumePlan {
  return {
    turnId: 7,
    action: 'hold',
    reason: 'send_mail is on your list',
    mode: 'safe_only',
    attempt: 1,
    delayMs: 0,
    steps: [
      {
        index: 1,
        tool: 'model',
        purity: 'llm',
        hint: 'practice',
        action: 'reuse',
        reason: 'finished',
        isListed: false,
      },
      {
        index: 2,
        tool: 'send_mail',
        purity: 'external',
        hint: 'to mara',
        action: 'ask',
        reason: 'result unknown',
        isListed: true,
      },
    ],
    reused: 1,
    reissued: 0,
    ambiguous: [2],
    toRun: 1,
    savedUsage: usage,
    ...over,
  };
}

export function processOf(over: Partial<LeftProcessView> = {}): LeftProcessView {
  return {
    inboxId: 9,
    turnId: 7,
    step: 2,
    pid: 4242,
    processes: 1,
    startedAtMs: NOW_MS - 60_000,
    command: 'bash -c ./report.sh',
    state: 'running',
    requestHash: HASH,
    ...over,
  };
}

export function decisionOf(over: Partial<ReplayDecision> = {}): ReplayDecision {
  return {
    inboxId: 4,
    turnId: 7,
    kind: 'held',
    question: 'Was this mail sent?',
    reason: 'A listed tool had started',
    agent: 'practice',
    sessionKey: 'notes',
    promptStart: 'Write notes',
    createdAtMs: NOW_MS - 60_000,
    ambiguous: [
      {
        index: 2,
        tool: 'send_mail',
        purity: 'external',
        isListed: true,
        startedAtMs: NOW_MS - 120_000,
        args: '{"to":"mara"}',
        isTruncated: false,
        hasStatusCheck: false,
        isIdempotent: false,
      },
    ],
    listedTools: ['send_mail'],
    plan: planOf(),
    requestHash: HASH,
    ...over,
  };
}

export function sessionOf(over: Partial<SessionView> = {}): SessionView {
  return {
    id: 3,
    key: 'notes',
    title: 'Notes',
    agent: 'practice',
    status: 'idle',
    stopReason: '',
    turns: 2,
    pendingEvents: 0,
    createdAtMs: NOW_MS - 900_000,
    lastEventAtMs: NOW_MS - 60_000,
    ...over,
  };
}
