import {
  changedFields,
  refuseEdit,
  refuseRemoval,
  type AgentRefusal,
  type AgentWork,
} from '../engine/executors/decide-agent-change';
import type { Handlers } from '../engine/api/handlers';
import { HoldfastError, unknownAgent } from '../engine/kernel/errors';
import { SYSTEM_HEARTBEAT } from '../engine/schedule/heartbeats';
import type { ScheduleReads } from '../ports/journal/schedule';
import type { WorkReads } from '../ports/journal/work';
import type { AgentSettings } from '../../shared/settings';
import { storedFolder } from './agent-folder';
import type { PartDeps } from './core';
import { PRACTICE_AGENT, type Agents } from './agents';

/** More than anybody has at a time; what is beyond is found when that is gone. */
const MOST = 20_000;

interface AgentVerbsDeps extends PartDeps<'settings' | 'reads' | 'audit'> {
  readonly agents: Agents;
  readonly schedule: ScheduleReads;
  readonly work: Pick<WorkReads, 'pendingWakes'>;
  readonly endHeartbeat: (sessionId: number) => Promise<boolean>;
}

/** The agents of the settings: list, add, change, remove. */
export function createAgentVerbs(
  deps: AgentVerbsDeps,
): Pick<Handlers, 'agents.list' | 'agents.add' | 'agents.edit' | 'agents.remove'> {
  const { agents, audit } = deps;
  const need = (name: string) => {
    const spec = agents.specOf(name);
    if (spec !== undefined && name !== PRACTICE_AGENT) return spec;
    if (name === PRACTICE_AGENT) throw new HoldfastError('AGENT_EXISTS', OWN, { hint: OWN_HINT });
    throw unknownAgent(name);
  };
  return {
    'agents.list': async () => ({ agents: await agents.list() }),
    'agents.add': async ({ name, agent: written, replace = false }, by) => {
      const agent = withStoredFolder(written);
      const before = agents.specOf(name);
      if (before !== undefined && changedFields(before, agent).length === 0)
        return agents.view(name); // asked twice, or the first answer was lost
      if (before !== undefined && !replace) refuseTaken(name);
      if (before !== undefined) refuse(refuseEdit(name, before, agent, openTurnsOf(deps, name)));
      const view = await agents.put(name, agent);
      audit.record(before === undefined ? 'agent_added' : 'agent_changed', { agent: name, by });
      return view;
    },
    'agents.edit': async ({ name, agent: written }, by) => {
      const before = need(name);
      const agent = withStoredFolder(written);
      refuse(refuseEdit(name, before, agent, openTurnsOf(deps, name)));
      const fields = changedFields(before, agent);
      if (fields.length === 0) return agents.view(name);
      const view = await agents.put(name, agent);
      audit.record('agent_changed', { agent: name, fields: fields.join(', '), by });
      return view;
    },
    'agents.remove': async ({ name }, by) => {
      need(name);
      refuse(refuseRemoval(name, workOf(deps, name)));
      // First: a heartbeat of an agent that is gone would wake nobody for ever.
      for (const sessionId of heartbeatsOf(deps, name)) await deps.endHeartbeat(sessionId);
      await agents.drop(name);
      audit.record('agent_removed', { agent: name, by });
      return { name, defaultAgent: agents.defaultName() };
    },
  };
}

const OWN = 'The practice agent belongs to Holdfast: it can be neither changed nor removed.';
const OWN_HINT = 'Nothing was changed. It costs nothing while nobody asks it.';

const withStoredFolder = (agent: AgentSettings): AgentSettings => ({
  ...agent,
  workspace: storedFolder(agent.workspace),
});

function refuseTaken(name: string): never {
  throw new HoldfastError('AGENT_EXISTS', `There is an agent "${name.slice(0, 60)}" already.`, {
    hint: 'Nothing was changed. Choose another name, change it with "holdfast agents edit", or replace it with "holdfast agents add --replace".',
  });
}

function refuse(refusal: AgentRefusal | undefined): void {
  if (refusal === undefined) return;
  throw new HoldfastError('AGENT_BUSY', refusal.sentence, { hint: refusal.hint });
}

const openTurnsOf = ({ reads }: AgentVerbsDeps, name: string): readonly number[] =>
  reads
    .openTurns()
    .filter(({ agent }) => agent === name)
    .map(({ id }) => id);

const heartbeatsOf = (deps: AgentVerbsDeps, name: string): readonly number[] =>
  deps.schedule
    .heartbeats()
    .map(({ sessionId }) => sessionId)
    .filter((id) => id !== SYSTEM_HEARTBEAT && agentOf(deps, id) === name);

const agentOf = ({ reads }: AgentVerbsDeps, sessionId: number): string | undefined =>
  reads.session({ id: sessionId })?.agent;

function workOf(deps: AgentVerbsDeps, name: string): AgentWork {
  const { schedule, settings } = deps;
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
    wakes: deps.work.pendingWakes({ limit: MOST }).filter(isOf).length,
  };
}
