import type { TurnRunDeps } from '../../turns/run-record';
import type { ExternalAgents } from '../../../ports/external-agent';
import type { OwnConversations } from '../program/session-refs';
import type { AcpAgentSettings } from '../../../../shared/settings';
import type { ShellVerdicts } from '../command/call';

/** What an external agent's run needs in addition to every run's needs. */
export interface AcpRunDeps extends TurnRunDeps {
  readonly outside: ExternalAgents;
  readonly conversations: OwnConversations;
  /** The agent's current settings; undefined if it is no longer an ACP agent. */
  readonly specOf: (agent: string) => AcpAgentSettings | undefined;
  readonly orphanPolicy: () => 'wait' | 'end';
  /** Every spelling of a folder's path; the agent gets the one without links. */
  readonly spellingsOf: (folder: string) => readonly string[];
  readonly shell: Pick<ShellVerdicts, 'hasEffects' | 'riskOf'>;
}
