/** The tools that Holdfast offers to agents outside of it (`holdfast mcp`): one entry each. */
import { z } from 'zod';
import type { Access, Reach } from './reach';

/** Hints of the protocol; what they promise is kept by the engine behind the verbs. */
export interface OfferedHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly hints: OfferedHints;
  /** `read` works from disk while nothing runs. */
  readonly access: Access;
  /** The value told to the agent; JSON. @throws HoldfastError */
  readonly call: (engine: Reach, input: never) => Promise<Record<string, unknown>>;
}

const READS: OfferedHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const OPEN_STATES = ['queued', 'running', 'requires_action', 'waiting', 'held', 'parked'] as const;
const MAX_TURNS = 50;

function tool<S extends z.ZodObject>(
  name: string,
  rest: {
    readonly description: string;
    readonly input: S;
    readonly hints: OfferedHints;
    readonly access: Access;
    readonly call: (engine: Reach, input: z.infer<S>) => Promise<Record<string, unknown>>;
  },
): OfferedTool {
  return { name, ...rest };
}

export const OFFERED_TOOLS: readonly OfferedTool[] = [
  tool('journal_status', {
    description:
      'What Holdfast keeps: counts, open turns with their state and reason, and what waits for a person. With a session: that session and its open turns. Reads only.',
    input: z.strictObject({
      session: z.string().min(1).max(200).optional().describe('key or number of one session'),
    }),
    hints: READS,
    access: 'read',
    call: journalStatus,
  }),
];

async function journalStatus(
  engine: Reach,
  { session }: { readonly session?: string | undefined },
): Promise<Record<string, unknown>> {
  if (session !== undefined) {
    const found = await engine.call('session.status', { session });
    const { key, title, agent, status, stopReason } = found.session;
    return {
      isRunning: engine.isRunning,
      session: { key, title, agent, status, stopReason },
      openTurns: found.openTurns.map(turnFacts),
    };
  }
  const status = await engine.call('status.get', {});
  const { turns, hasMore } = await engine.call('turns.list', {
    states: [...OPEN_STATES],
    limit: MAX_TURNS,
  });
  const { items } = await engine.call('inbox.list', { limit: MAX_TURNS });
  return {
    isRunning: engine.isRunning,
    phase: status.phase,
    isPaused: status.paused !== undefined,
    counts: status.counts,
    openTurns: turns.map(turnFacts),
    hasMoreTurns: hasMore,
    waitsForAPerson: items.map(({ kind, turnId, title }) => ({ kind, turnId, title })),
  };
}

const turnFacts = (turn: {
  readonly id: number;
  readonly sessionKey: string;
  readonly agent: string;
  readonly state: string;
  readonly reason: string;
  readonly promptStart: string;
  readonly steps: number;
}): Record<string, unknown> => ({
  turn: turn.id,
  session: turn.sessionKey,
  agent: turn.agent,
  state: turn.state,
  reason: turn.reason,
  prompt: turn.promptStart,
  steps: turn.steps,
});
