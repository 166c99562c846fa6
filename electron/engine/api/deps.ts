import type { Verb, VerbInput, VerbOutput } from '../../../shared/contract';
import type { StatusSnapshot } from '../../../shared/types';
import type { Environment } from '../../../shared/types/agents';
import type { Blobs } from '../../ports/blobs';
import type { Clock } from '../../ports/clock';
import type { Journal } from '../../ports/journal/journal';
import type { JournalReads } from '../../ports/journal/reads';
import type { TurnRow } from '../../ports/journal/rows';
import type { WorkReads } from '../../ports/journal/work';
import type { Audit } from '../../ports/log';
import type { SettingsPort } from '../../ports/settings';
import type { ToolRegistry } from '../turns/tool-registry';
import type { TurnScheduler } from '../turns/scheduler';
import type { CallOrigin } from './facade';
import type { CrashPoints } from '../kernel/crash-points';
import type { Decisions } from '../recovery/decisions';
import type { LeftProcessesRoom } from '../recovery/left-processes';
import type { RecoveryPolicy } from '../recovery/plan-resume';
import type { SessionsRoom } from '../sessions/intake';
import type { SessionStatusDeps } from '../status/session-status';
import { type NobodyRunsIt, turnSummary as summaryOf } from '../status/views';
import type { Approvals } from '../permissions/approvals';
import type { Wakes } from '../wakes/wakes';

/** A handler per verb; input is validated before it is called. */
export type Handlers<V extends Verb = Verb> = {
  readonly [K in V]: (input: VerbInput<K>, origin: CallOrigin) => Promise<VerbOutput<K>>;
};

/** The rooms and ports that the verbs of the engine are answered from. */
export interface VerbsDeps {
  readonly journal: Journal;
  readonly reads: JournalReads;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly crashPoints: CrashPoints;
  readonly audit: Audit;
  readonly settings: SettingsPort;
  readonly tools: ToolRegistry;
  readonly scheduler: TurnScheduler;
  readonly sessions: SessionsRoom;
  readonly decisions: Decisions;
  readonly leftProcesses: LeftProcessesRoom;
  readonly approvals: Approvals;
  readonly wakes: Wakes;
  readonly work: WorkReads;
  readonly drafts: SessionStatusDeps['drafts'];
  /** Null where there is no agent of this name any more. */
  readonly environmentOf: (agent: string) => Environment | null;
  readonly policy: () => RecoveryPolicy;
  readonly status: () => StatusSnapshot;
  /** False where another process holds the data and does not answer: what it runs is not known. */
  readonly isAnswering: () => boolean;
}

/** A turn with what its row cannot say: whether anybody runs it right now. */
export function summary(
  { scheduler, isAnswering }: Pick<VerbsDeps, 'scheduler' | 'isAnswering'>,
  turn: TurnRow,
): VerbOutput<'turns.cancel'> {
  const nobody: NobodyRunsIt | undefined = scheduler.running().includes(turn.id)
    ? undefined
    : isAnswering()
      ? (scheduler.lostBy(turn.id) ?? 'ended')
      : 'unanswered';
  return summaryOf(turn, nobody);
}
