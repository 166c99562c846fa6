import { quoted } from '../../../shared/reason';
import type { TurnRow } from '../../ports/journal/rows';
import { toHoldfastError } from '../kernel/errors';
import type { ExecutorKind } from './agents';
import { handedBack, openedInTerminal } from './program/plan-adopt';
import type { Conversations } from '../../ports/conversations';
import { isTaskCommand } from '../schedule/chat-command';
import type { Lease } from '../turns/lease-table';
import { actedTurn } from '../turns/acting-agent';
import { park, type RunEnd } from '../turns/run-ends';
import type { TurnRunDeps } from '../turns/run-record';

/** A turn that can run now, or the reason why it needs review. */
type OpenedTurn =
  | { readonly kind: 'open'; readonly drive: (signal: AbortSignal) => Promise<RunEnd> }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Its settings changed after the executor was chosen. Refused before the turn is opened: no attempt
 * is counted, and the next run uses the settings that apply by then.
 */
export const changedAgent = (agent: string): OpenedTurn => ({
  kind: 'refused',
  reason: `The agent "${agent}" was changed to another type as this turn was starting. Nothing was run, and the turn is saved. Change the agent back if you want, then resume.`,
});

/** Runs the turns of one kind of agent. */
export interface Executor {
  open(turn: TurnRow, lease: Lease): Promise<OpenedTurn>;
}

interface RunTurnDeps {
  readonly run: TurnRunDeps;
  /**
   * Loaded with the first turn of their kind. Implemented by engine/executors/llm/loop.ts,
   * engine/executors/acp/run.ts and engine/executors/command/run.ts.
   */
  readonly executors: Readonly<Record<ExecutorKind, () => Promise<Executor>>>;
  readonly executorOf: (agent: string) => ExecutorKind;
  readonly conversations: Pick<Conversations, 'watched'>;
  /** Another computer has it. */
  readonly isElsewhere: (turn: TurnRow) => boolean;
  /**
   * Waits for the code that judges commands.
   * Implemented by engine/shell-policy/shell-verdicts.ts.
   */
  readonly policyReady: () => Promise<unknown>;
  /** Waits for what a model may call. Implemented by adapters/mcp/mcp.ts. */
  readonly toolsReady: (turn: TurnRow, signal: AbortSignal) => Promise<void>;
  /** The run is over, however it ended. */
  readonly onOver: (turnId: number) => void;
}

/** Runs one turn to the end of its run, by the executor of its agent. */
export function createRunTurn(
  deps: RunTurnDeps,
): (turn: TurnRow, signal: AbortSignal, lease: Lease) => Promise<RunEnd> {
  const run = async (row: TurnRow, signal: AbortSignal, lease: Lease): Promise<RunEnd> => {
    // Whatever has queued it here.
    if (deps.isElsewhere(row)) return { kind: 'stopped' };
    await deps.policyReady();
    const turn = actedTurn(row);
    const away = await whyInTerminal(deps, turn);
    if (away !== undefined) return park(deps.run, turn, quoted(away), []);
    // Answered from our own tables, without starting a program or waiting for a server.
    const isOwn = isTaskCommand(turn.promptStart);
    const kind = isOwn ? 'llm' : deps.executorOf(turn.agent);
    const executor = await deps.executors[kind]();
    if (kind === 'llm' && !isOwn) await deps.toolsReady(turn, signal);
    return runWith(deps.run, executor, { turn, signal, lease });
  };
  return (row, signal, lease) =>
    run(row, signal, lease).finally(() => {
      deps.onOver(row.id);
    });
}

/** A conversation that is open in a terminal does not continue here; undefined if Holdfast has it. */
async function whyInTerminal(
  { run, conversations }: Pick<RunTurnDeps, 'run' | 'conversations'>,
  turn: TurnRow,
): Promise<string | undefined> {
  const own = run.store.reads.outsideSession(turn.sessionId, turn.agent);
  if (own === undefined) return undefined;
  const back = handedBack(own);
  if (back !== undefined) return back;
  try {
    return openedInTerminal(await conversations.watched(own.ref));
  } catch (error) {
    return toHoldfastError(error).message; // it may be open there
  }
}

async function runWith(
  deps: TurnRunDeps,
  executor: Executor,
  one: { readonly turn: TurnRow; readonly signal: AbortSignal; readonly lease: Lease },
): Promise<RunEnd> {
  const { turn, signal, lease } = one;
  try {
    const opened = await executor.open(turn, lease);
    lease.assertHeld();
    if (opened.kind === 'refused') return await park(deps, turn, quoted(opened.reason), []);
    return await opened.drive(signal);
  } catch (error) {
    if (!lease.isHeld()) return { kind: 'lost' };
    if (signal.aborted) return { kind: 'stopped' };
    throw error;
  }
}
