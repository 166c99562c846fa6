/** When turns run, and what runs them. */
import { hostsOfAgents } from '../../shared/settings/agents';
import { holderOf } from '../adapters/power/awake-holder';
import { createPowerSource } from '../adapters/power/power-source';
import { createPauseStore } from '../adapters/sqlite/tables/pauses';
import {
  createQuitWhenDone,
  type QuitWhenDone,
  type StepGate,
} from '../engine/turns/quit-when-done';
import type { TurnRunDeps } from '../engine/turns/run-record';
import { createLlmExecutor } from '../engine/executors/llm/loop';
import { createRunTurn } from '../engine/executors/run-turn';
import { requeueBySettings } from '../engine/turns/plan-requeue';
import { turnLimitsBySettings } from '../engine/turns/run-limits';
import { createSchedulerBySettings, type TurnScheduler } from '../engine/turns/scheduler';
import { takeOver } from '../engine/recovery/take-over';
import { taskCommand } from '../engine/schedule/chat-command';
import type { Tasks } from '../engine/schedule/tasks';
import { isBeatOfSettings } from '../engine/replies/timed-answers';
import type { Approvals } from '../engine/permissions/approvals';
import { rulesBySettings } from '../engine/permissions/judge-call';
import type { Conversations } from '../ports/conversations';
import type { TurnRow } from '../ports/journal/rows';
import type { Agents } from '../engine/executors/agents';
import type { Dependencies } from './dependencies';
import type { Core } from './core';
import { programChanged } from '../engine/kernel/errors';
import { timeText } from '../engine/outage/views';
import { createPrograms, type ExternalPart } from './executors';
import type { LazyCommands } from '../engine/executors/command/lazy-commands';
import { parkAfterError } from '../engine/turns/run-ends';
import { createBudgets, type Budgets } from '../engine/budgets/budgets';
import { createPayers } from '../engine/budgets/payers';
import { accountsBySettings } from '../engine/outage/account';
import { type Awake, createAwake, followWork } from '../engine/awake/awake';
import { turnsAtWork } from '../engine/awake/turns-at-work';
import type { Schedule } from '../engine/schedule/schedule';
import { mostCostBySettings } from '../adapters/providers/price';
import type { Skills } from '../engine/skills/skills';
import type { ShareGate } from '../engine/sharing/share-gate';
import type { Tools } from './tools';

/** Dependencies for running turns. */
interface TurnsDeps {
  readonly conversations: Conversations;
  readonly dependencies: Dependencies;
  readonly tools: Tools;
  readonly agents: Agents;
  readonly approvals: Approvals;
  readonly budgets: Budgets;
  readonly skills: Skills;
  readonly gate: ShareGate;
  readonly tasks: () => Pick<Tasks, 'add'>;
  /** Whether the turn's end is reported on its channel. */
  readonly hasReply: (turn: TurnRow) => boolean;
}

/** Runs turns and decides when. */
export interface Turns {
  readonly scheduler: TurnScheduler;
  readonly quitWhenDone: QuitWhenDone;
  /** Agents that are one command line a turn. */
  readonly commands: LazyCommands;
  /** Agents that speak the Agent Client Protocol. */
  readonly outside: ExternalPart;
}

export function createTurns(core: Core, deps: TurnsDeps): Turns {
  const { settings } = core;
  const { tools, agents } = deps;
  const quitWhenDone = createQuitWhenDone({
    ...core,
    soon: (work) => void setImmediate(work),
    quit: (reason) => core.requestStop(reason),
    onTakenBack: () => scheduler.lookAgain(),
    onChange: core.changed,
  });
  if (!core.isReadOnly) core.journal.onCommitted(() => quitWhenDone.look());
  const run = turnRunDeps(core, deps, quitWhenDone);
  const { commands, outside } = createPrograms(core, {
    run,
    shell: tools.shell,
    commandOf: (name) => agents.commandOf(name),
    acpOf: (name) => agents.acpOf(name),
    agentHosts: () => hostsOfAgents(settings.get('agents')),
  });
  const llm = Promise.resolve(createLlmExecutor(run));
  const scheduler = createSchedulerBySettings({
    ...core,
    starts: {
      pauseStore: createPauseStore(core.db, core.crashPoints),
      outage: deps.dependencies.outage,
      quitWhenDone,
      isProgramChanged: core.isProgramChanged,
    },
    leases: { ...core, gate: deps.gate },
    run: {
      turn: createRunTurn({
        run,
        executors: { llm: () => llm, acp: outside.acp, command: commands.executor },
        executorOf: (name) => agents.executorOf(name),
        conversations: deps.conversations,
        isElsewhere: (turn) => deps.gate.isElsewhere(turn),
        policyReady: () => tools.shell.loaded(),
        async toolsReady(turn, signal) {
          await tools.mcp.ready(turn, signal);
          // A server whose code is gone only counts as failed: no turn runs without its tools.
          if (core.isProgramChanged()) throw programChanged();
        },
        onOver: (turnId) => quitWhenDone.left(turnId),
      }),
      takeOver: (lost) => takeOver({ ...core, hasReply: deps.hasReply }, lost),
      onCrash: (turn, error) => parkAfterError(core.journal, turn, error),
    },
    onChange: core.changed,
    // 50 turns accepted in one commit start in a separate event loop round.
    soon: (work) => void setImmediate(work),
  });
  return { scheduler, quitWhenDone, commands, outside };
}

function turnRunDeps(core: Core, deps: TurnsDeps, stepGate: StepGate): TurnRunDeps {
  const { settings, emit, clock, ids } = core;
  const { dependencies, tools, agents, skills } = deps;
  return {
    store: { ...core, journal: deps.gate.journal },
    model: {
      providers: dependencies.providers,
      breakers: dependencies.breakers.registry,
      retries: dependencies.breakers.retryPolicy,
      requeue: requeueBySettings(settings),
      mostCostUsd: mostCostBySettings(settings),
      random: () => ids.random(),
      outcomes: dependencies.outage,
      outages: dependencies.outage,
    },
    tools: {
      registry: tools.registry,
      rules: rulesBySettings(settings),
      approvals: deps.approvals,
      refusedCommand: tools.shell.refusedIn,
      skills: skills.runs,
      commandAnswer: (text, turn) =>
        taskCommand(
          { reads: core.scheduleReads, tasks: deps.tasks, nowMs: () => clock.nowMs() },
          text,
          turn,
        ),
    },
    limits: {
      policy: core.policy,
      ...turnLimitsBySettings(settings),
      budgets: deps.budgets,
      draining: core.draining,
      stepGate,
    },
    notify: {
      hasReply: deps.hasReply,
      isForNobody: (turnId) => isBeatOfSettings(core.scheduleReads.madeBy(turnId)),
      time: (atMs) => timeText(atMs, clock.nowMs()),
      onText: (turnId, text) => {
        emit('turn.delta', { turnId, text, isWithdrawn: false });
      },
      onTextWithdrawn: (turnId) => {
        emit('turn.delta', { turnId, text: '', isWithdrawn: true });
      },
    },
    frameOf: async (name, turnId) =>
      skills.frame(name, agents.frameOf(name, deps.gate.live()?.folderOf(turnId))),
    portable: core.portableIn,
  };
}

export const createBudgetsPart = (core: Core, scheduler: () => TurnScheduler): Budgets =>
  createBudgets({
    ...core,
    time: (atMs) => timeText(atMs, core.clock.nowMs()),
    payers: createPayers({ ...core, accounts: accountsBySettings(core) }),
    runNow(turn) {
      scheduler().runNow(turn);
    },
    onChange: core.changed,
  });

/** Keeps the computer awake while turns run: by the desktop's own means in the app. KA-01 */
export function createAwakePart(
  core: Core,
  rooms: { readonly scheduler: TurnScheduler; readonly schedule: Pick<Schedule, 'outlook'> },
): Awake {
  const { compose } = core;
  const { platform } = process;
  const awake = createAwake({
    ...core,
    holder: holderOf(compose.desktop?.awake, { platform, env: compose.env }),
    readPower: createPowerSource(platform),
    turnsAtWork: (upTo) =>
      turnsAtWork(core.reads, rooms.scheduler.running(), core.clock.nowMs(), upTo),
    nextDueAtMs: () => rooms.schedule.outlook()?.next[0]?.atMs,
    onChange: core.changed,
  });
  followWork(awake, core);
  return awake;
}
