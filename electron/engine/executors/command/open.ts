import type { CommandAgentSettings } from '../../../../shared/settings';
import type { TurnRow } from '../../../ports/journal/rows';
import { HoldfastError, toHoldfastError } from '../../kernel/errors';
import {
  buildLedger,
  createLedgerCursor,
  toldWorkMs,
  type LedgerLine,
} from '../../recovery/ledger';
import { cutEnd } from '../../recovery/recover-at-start';
import type { Lease } from '../../turns/lease-table';
import type { CommandRunDeps } from './deps';
import { leftAtWork } from '../program/calls';
import { aliveWhile } from '../program/watch';
import { promptOf } from '../../turns/prompt-of';
import { frameFor } from '../../turns/open-turn';
import { createTurnRun, type TurnRun } from '../../turns/run-record';

/** Everything that one run of a turn starts with. */
export interface Job {
  readonly spec: CommandAgentSettings;
  readonly run: TurnRun;
  readonly lines: readonly LedgerLine[];
  readonly prompt: string;
}

type Refused = { readonly kind: 'refused'; readonly reason: string };

/** Opens a run: what an earlier one left at work and on disk is settled before it begins. */
export async function openJob(
  deps: CommandRunDeps,
  frames: Map<string, Promise<number>>,
  turn: TurnRow,
  lease: Lease,
  settle: (turnId: number) => Promise<void>,
): Promise<{ readonly kind: 'open'; readonly job: Job } | Refused> {
  try {
    const spec = deps.commandOf(turn.agent);
    if (spec === undefined) throw notACommand(turn.agent);
    const framed = await frameFor(deps, frames, turn);
    if (turn.attempt > 0) {
      const left = await aliveWhile(lease, () => settleEarlier(deps, turn, settle));
      if (left !== undefined) return { kind: 'refused', reason: left };
    }
    const steps = turn.attempt === 0 ? [] : deps.reads.steps(turn.id);
    const lines = buildLedger(steps);
    const attempt = turn.attempt + 1;
    const { frameId, framedAtMs, frame } = framed;
    const { claimId, owner } = lease;
    const run = createTurnRun(deps, {
      turn,
      attempt,
      frame,
      cursor: createLedgerCursor(lines),
      messages: [],
      lastStep: turn.stepCount,
      ranBeforeMs: toldWorkMs(steps),
      lease,
      opening: [
        { kind: 'turn.started', turnId: turn.id, attempt, frameId, framedAtMs, claimId, owner },
      ],
    });
    const prompt = await promptOf(deps, turn);
    return { kind: 'open', job: { spec, run, lines, prompt } };
  } catch (error) {
    const known = toHoldfastError(error);
    const reason = known.hint === undefined ? known.message : `${known.message} ${known.hint}`;
    return { kind: 'refused', reason };
  }
}

/** What an earlier run left. @returns why nothing may go on, undefined where it may */
async function settleEarlier(
  deps: CommandRunDeps,
  turn: TurnRow,
  settle: (turnId: number) => Promise<void>,
): Promise<string | undefined> {
  const orphans = await deps.commands.settleOrphans(turn.id);
  if (orphans.found > 0)
    await deps.journal.commit([{ kind: 'outside.orphans', turnId: turn.id, ...orphans }]);
  const left = leftAtWork(orphans);
  if (left !== undefined) return left;
  await settle(turn.id);
  const cut = deps.reads
    .steps(turn.id)
    .filter((step) => step.state === 'started')
    .map((step) => ({
      kind: 'step.ended' as const,
      turnId: turn.id,
      step: step.step,
      end: cutEnd(step),
    }));
  if (cut.length > 0) await deps.journal.commit(cut, { isOutcome: true });
  return undefined;
}

const notACommand = (agent: string): HoldfastError =>
  new HoldfastError('AGENT_INVALID', `The agent "${agent}" is no command any more.`, {
    hint: 'The turn is kept. Change the agent back, or discard the turn.',
  });
