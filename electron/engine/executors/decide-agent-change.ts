import type { AgentSettings } from '../../../shared/settings';
import type { SessionReads, TurnReads } from '../../ports/journal/reads';
import type { ScheduleReads } from '../../ports/journal/schedule';
import type { WorkReads } from '../../ports/journal/work';
import type { SettingsPort } from '../../ports/settings';
import { SYSTEM_HEARTBEAT } from '../schedule/heartbeats';

/** Reads of everything that may need an agent. */
export interface AgentWorkReads {
  readonly reads: TurnReads & SessionReads;
  readonly scheduleReads: Pick<ScheduleReads, 'heartbeats' | 'tasks' | 'timers'>;
  readonly workReads: Pick<WorkReads, 'pendingWakes'>;
  readonly settings: SettingsPort;
}

/** More than exist at a time; any beyond are found once those are gone. */
const MOST = 20_000;

/** Work that still refers to an agent by name. */
export interface AgentWork {
  /** Turns that have not ended, whatever they wait for. */
  readonly openTurns: readonly number[];
  /** Unfinished tasks, including paused ones. */
  readonly openTasks: readonly number[];
  /** Timers of its sessions. */
  readonly timers: number;
  /** The default heartbeat wakes one of its sessions. */
  readonly hasSettingsHeartbeat: boolean;
  /** Queued wake-ups of its sessions. */
  readonly wakes: number;
}

/** Why an agent change is rejected, and what the user can do about it. */
export interface AgentRefusal {
  readonly sentence: string;
  readonly hint: string;
}

/** Maximum IDs listed in a sentence; the rest is counted. */
const NAMED = 5;

/**
 * Whether an agent may be removed; undefined if nothing needs it. Sessions and ended turns never
 * block the removal: they stay readable as history. Heartbeats that the agent set end with it.
 */
export function refuseRemoval(name: string, work: AgentWork): AgentRefusal | undefined {
  const parts = [
    numbered('unfinished turn', work.openTurns),
    numbered('task', work.openTasks),
    counted('timer', work.timers),
    work.hasSettingsHeartbeat ? 'the default heartbeat' : undefined,
    counted('queued wake-up', work.wakes),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  return {
    sentence: `The agent "${name}" still has ${joined(parts)}.`,
    hint: `Nothing was changed. ${joined(waysOut(work))}, then remove it.`,
  };
}

/**
 * Whether an agent may change to `next`. Command, folder, variables and rules take effect with the
 * next turn; another executor cannot resume a turn that the previous one started.
 */
export function refuseEdit(
  name: string,
  before: AgentSettings,
  next: AgentSettings,
  openTurns: readonly number[],
): AgentRefusal | undefined {
  const turns = numbered('unfinished turn', openTurns);
  if (executorOf(before) === executorOf(next) || turns === undefined) return undefined;
  return {
    sentence: `The agent "${name}" still has ${turns}, started as ${executorOf(before)}.`,
    hint: `Nothing was changed. The type of an agent can change once it has no unfinished turns: cancel them with "holdfast turns cancel ID", or let them end.`,
  };
}

const executorOf = (agent: AgentSettings): 'llm' | 'acp' | 'command' => agent.executor ?? 'llm';

/** Names of the fields in which two settings of an agent differ, for the audit; never a value. */
export function changedFields(before: AgentSettings, next: AgentSettings): readonly string[] {
  const [a, b] = [before, next].map((one) => new Map(Object.entries(one)));
  const keys = new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])]);
  return [...keys]
    .filter((key) => JSON.stringify(a?.get(key)) !== JSON.stringify(b?.get(key)))
    .toSorted();
}

function waysOut(work: AgentWork): readonly string[] {
  return [
    ...(work.openTurns.length === 0
      ? []
      : ['answer or cancel the turns ("holdfast turns cancel ID")']),
    ...(work.openTasks.length === 0 ? [] : ['cancel the tasks ("holdfast tasks cancel ID")']),
    ...(work.timers === 0 ? [] : ['cancel the timers ("holdfast timers cancel")']),
    ...(work.hasSettingsHeartbeat
      ? ['switch that heartbeat off ("holdfast config set heartbeat.enabled false")']
      : []),
    ...(work.wakes === 0
      ? []
      : ['interrupt the session that waits ("holdfast sessions interrupt")']),
  ].map((way, at) => (at === 0 ? `${way.charAt(0).toUpperCase()}${way.slice(1)}` : way));
}

function numbered(what: string, ids: readonly number[]): string | undefined {
  const count = counted(what, ids.length);
  if (count === undefined) return undefined;
  const shown = ids.slice(0, NAMED).map(String).join(', ');
  return `${count} (${shown}${ids.length > NAMED ? ', …' : ''})`;
}

const counted = (what: string, count: number): string | undefined =>
  count === 0 ? undefined : `${String(count)} ${what}${count === 1 ? '' : 's'}`;

function joined(parts: readonly string[]): string {
  if (parts.length < 2) return parts.join('');
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}

/** Its turns that have not ended. */
export const openTurnsOf = ({ reads }: AgentWorkReads, name: string): readonly number[] =>
  reads
    .openTurns()
    .filter(({ agent }) => agent === name)
    .map(({ id }) => id);

/** The sessions of heartbeats that the agent has set. */
export const heartbeatsOf = (deps: AgentWorkReads, name: string): readonly number[] =>
  deps.scheduleReads
    .heartbeats()
    .map(({ sessionId }) => sessionId)
    .filter((id) => id !== SYSTEM_HEARTBEAT && agentOf(deps, id) === name);

const agentOf = ({ reads }: AgentWorkReads, sessionId: number): string | undefined =>
  reads.session({ id: sessionId })?.agent;

/** Open work of an agent. */
export function workOf(deps: AgentWorkReads, name: string): AgentWork {
  const { scheduleReads: schedule, settings } = deps;
  const isOf = ({ sessionId }: { readonly sessionId: number }): boolean =>
    agentOf(deps, sessionId) === name;
  const woken = deps.reads.session({ key: settings.get('heartbeat.contextId') })?.agent;
  return {
    openTurns: openTurnsOf(deps, name),
    openTasks: schedule
      .tasks({ isOpen: true, limit: MOST })
      .filter(({ agent }) => agent === name)
      .map(({ id }) => id),
    timers: schedule.timers({ limit: MOST }).filter(isOf).length,
    hasSettingsHeartbeat: settings.get('heartbeat.enabled') && woken === name,
    wakes: deps.workReads.pendingWakes({ limit: MOST }).filter(isOf).length,
  };
}
