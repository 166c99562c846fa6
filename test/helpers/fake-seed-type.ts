import type { UpdateStatus } from '../../shared/types/updates';
import type { RunPlan } from '../../shared/types';
import type {
  StatusSnapshot,
  TurnSummary,
  StepView,
  ReplayDecision,
  ApprovalView,
  InboxItem,
  SessionView,
  SessionEvent,
  AgentView,
  AgentSetup,
  DetectedAgent,
  ExtView,
  SkillView,
  RunView,
  ToolView,
  ProviderView,
  DoctorReport,
  DayLine,
  HistoryEvent,
} from '../../shared/types';
import type { VerbOutput } from '../../shared/contract';
import type { DraftDiff, DraftView } from '../../shared/types/drafts';

import type { SessionStatus, ActivationEvent } from '../../shared/types/work';
import type { SeedOutside } from './fake-outages';
import type { SeedDelivery } from './fake-delivery';
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
  /** Absent: nothing newer is known. */
  update?: UpdateStatus;
  doctor: DoctorReport;
  log: string[];
  dayLine: DayLine;
  history: HistoryEvent[];
  outside: SeedOutside;
  delivery: SeedDelivery;
  schedule: SeedSchedule;
  info: VerbOutput<'app.info'>;
}

export interface SeedRuns {
  skills: SkillView[];
  hints: string[];
  runs: RunView[];
  plans: Record<number, RunPlan>;
  activations: ActivationEvent[];
}
