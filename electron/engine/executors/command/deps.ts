import type { TurnRunDeps } from '../../turns/run-record';
import type { CommandAgents } from '../../../ports/command-agent';
import type { OwnConversations } from '../program/session-refs';
import type { CommandAgentSettings } from '../../../../shared/settings';
import type { ShellVerdicts } from './call';

export interface CommandRunDeps extends TurnRunDeps {
  readonly commands: CommandAgents;
  readonly conversations: OwnConversations;
  /** The settings of an agent that is a command line; undefined for all others. */
  readonly commandOf: (agent: string) => CommandAgentSettings | undefined;
  readonly shell: ShellVerdicts;
  /** Hosts of the tools of ACP agents: no server of a command agent is one of them. */
  readonly agentHosts: () => readonly string[];
}
