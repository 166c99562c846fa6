import type { AgentSettings } from '../../../shared/settings';
import type { ScheduleReads } from '../../ports/journal/schedule';
import type { SettingsPort } from '../../ports/settings';
import { taskNeed } from '../schedule/shared-tasks';

/** The facts about this computer's agents that sharing needs. */
export interface OfferedAgents {
  names(): readonly string[];
  has(name: string): boolean;
  specOf(name: string): AgentSettings | undefined;
  /** Settings of an ACP agent; undefined for any other. */
  acpOf(name: string): object | undefined;
  /** Settings of a command-line agent; undefined for any other. */
  commandOf(name: string): object | undefined;
}

/** An agent with its folder as written in the settings. */
export interface OfferedPlace {
  readonly agent: string;
  readonly written: string;
}

/** Capabilities that this computer offers to shared turns; turns list them as needs. DW-20 */
export function offersOf(given: {
  readonly agents: OfferedAgents;
  readonly settings: Pick<SettingsPort, 'get'>;
  readonly platform: string;
  readonly tasks: ReturnType<ScheduleReads['sharedTasks']>;
  readonly repositories: (places: readonly OfferedPlace[]) => readonly string[];
}): readonly string[] {
  const { agents, settings } = given;
  const shareable = agents.names().filter((name) => whyNotShared(agents, name) === undefined);
  const places = shareable.flatMap((agent) => {
    const written = agents.specOf(agent)?.workspace;
    return written === undefined ? [] : [{ agent, written }];
  });
  return [
    ...shareable.map((name) => needOfAgent(agents, name)),
    ...given.repositories(places),
    ...Object.keys(settings.get('providers')).map((name) => `provider:${name}`),
    `os:${given.platform}`,
    ...settings.get('share.labels').map((label) => `label:${label}`),
    ...given.tasks.flatMap(({ name, state }) => (state === 'active' ? [taskNeed(name)] : [])),
  ].toSorted();
}

/**
 * The capability that a turn of this agent needs. ACP agents have a separate word, so that a
 * version that cannot continue such a turn never takes one.
 */
export const needOfAgent = (agents: Pick<OfferedAgents, 'acpOf'>, name: string): string =>
  `${agents.acpOf(name) === undefined ? 'agent' : 'acp'}:${name}`;

/**
 * Why turns of this agent cannot be shared: steps of command-line agents, and drafts, exist on one
 * computer only.
 */
export function whyNotShared(agents: OfferedAgents, name: string): string | undefined {
  if (!agents.has(name)) return `There is no agent "${name.slice(0, 60)}".`;
  const spec = agents.specOf(name);
  if (agents.commandOf(name) !== undefined)
    return `"${name}" is a command-line agent: only this computer knows what it does in a turn, so its turns cannot be shared. Turns of ACP agents can.`;
  if (spec !== undefined && 'drafts' in spec && spec.drafts === true)
    return `"${name}" writes drafts, which exist only on this computer, so its turns cannot be shared.`;
  return undefined;
}
