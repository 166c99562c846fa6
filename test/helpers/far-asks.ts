/** Decisions, a session, an event of it and a hit of another computer. */
import type { FarCall, FarEvent, FarHit, FarSession, FarStep, FarTurn } from '../../shared/types';

const about = {
  turnId: 7,
  agent: 'coder',
  sessionKey: 'night',
  promptStart: 'Clean up the build',
  reason: 'Your rule for shell commands asks first.',
  folder: '~/project',
  askedAtMs: 1_000,
};

export const farCall: FarCall = {
  ...about,
  kind: 'call',
  wantsResult: false,
  requestId: 12,
  requestHash: 'a'.repeat(64),
  tool: 'shell.shell',
  hint: 'rm -rf build',
  covers: 'shell.shell rm',
  args: '{"command":"rm -rf build"}',
  isTruncated: false,
};

export const farTurn: FarTurn = {
  ...about,
  kind: 'turn',
  turnId: 8,
  waits: 'held',
  question: 'Was the mail to Ann sent?',
  reason: 'Holdfast ended before it knew.',
  promptStart: 'Write to Ann',
  askedAtMs: 2_000,
  unknown: [
    {
      index: 3,
      tool: 'mail.send',
      purity: 'external',
      args: '{"to":"ann@example.org"}',
      isTruncated: false,
      isIdempotent: false,
      hasStatusCheck: false,
      isListed: true,
      startedAtMs: 1_500,
    },
  ],
  reused: 2,
  requestHash: 'b'.repeat(64),
};

export const farSession: FarSession = {
  id: 4,
  key: 'night',
  title: 'Clean up the build',
  agent: 'coder',
  status: 'idle',
  stopReason: 'end_turn',
  turns: 3,
  pendingEvents: 0,
  lastEventAtMs: 3_000,
};

export const farEvent: FarEvent = {
  seq: 40,
  sessionId: 4,
  turnId: 9,
  type: 'agent.tool_use',
  atMs: 3_500,
  isPending: false,
  text: '{"command":"feed walrus"}',
  isTruncated: false,
  tool: 'shell.shell',
  purity: 'external',
  stepIndex: 2,
  stepState: 'completed',
  stepFate: 'fresh',
  startedAtMs: 3_500,
  endedAtMs: 4_000,
};

/** What is opened of it. */
export const farStep: FarStep = {
  turnId: 9,
  index: 2,
  tool: 'shell.shell',
  startedAtMs: 3_500,
  endedAtMs: 4_000,
  args: '{"command":"feed walrus"}',
  result: 'It ate 12 herrings.\n[exit code 0]',
  isTruncated: false,
};

export const farHit: FarHit = {
  part: 'result',
  atMs: 4_000,
  turnId: 9,
  title: 'Feed the walrus',
  step: 2,
  tool: 'shell.shell',
  sessionId: 4,
  session: 'night',
  agent: 'coder',
  state: 'completed',
  excerpt: 'the walrus is fed',
};
