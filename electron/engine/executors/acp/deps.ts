import type { TurnRunDeps } from '../../turns/run-record';
import type { ExternalAgents } from '../../../ports/external-agent';
import type { OwnConversations } from '../program/session-refs';
import type { AcpAgentSettings } from '../../../../shared/settings';
import type { CallRisk } from '../../../ports/tool-call';

/** What a run of an outside agent needs besides what every run needs. */
export interface AcpRunDeps extends TurnRunDeps {
  readonly outside: ExternalAgents;
  readonly conversations: OwnConversations;
  /** The agent as it is set now; undefined where it is not one of these any more. */
  readonly specOf: (agent: string) => AcpAgentSettings | undefined;
  readonly orphanPolicy: () => 'wait' | 'end';
  readonly commandHasEffects: (command: string) => boolean;
  readonly commandRisk: (command: string) => CallRisk;
}
