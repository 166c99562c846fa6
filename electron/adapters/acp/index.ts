import { realpath } from 'node:fs/promises';
import type { Log } from '../../ports/log';
import type { ExternalAgents, ExternalStart } from '../../ports/external-agent';
import {
  INSTANCE_MARKER,
  RUN_MARKER,
  TURN_MARKER,
  type Environment,
} from '../shell/child-environment';
import type { LoginEnvironment } from '../shell/login-environment';
import { ACP_TIMEOUTS, type AcpTimeouts } from './acp-agent';
import type { StreamLimits } from './guarded-stream';
import { identifyAgent } from '../command/identify-agent';
import { knownAgent } from './known-agents';
import { withLimits } from './prompt-limits';
import { childEnvironment } from '../shell/login-environment';

export interface AcpAgentsDeps {
  /** Identifies the database; the same across restarts. */
  readonly instanceId: string;
  /** Identifies this run of Holdfast. */
  readonly runId: string;
  readonly version: string;
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  /** Folder for copies of the agents' own records. */
  readonly recordsDir: string;
  /** Maximum wait for processes that an earlier run left running. */
  readonly orphanWaitMs: () => number;
  readonly log: Log;
  readonly timeouts?: Partial<AcpTimeouts>;
  readonly limits?: StreamLimits;
}

/**
 * Agents that speak the Agent Client Protocol on their standard pipes. The protocol's code and
 * child processes are loaded with the first agent. Row S2-+05.
 */
export function createAcpAgents(deps: AcpAgentsDeps): ExternalAgents {
  const environment = async (
    declared: readonly string[],
    markers: Environment,
  ): Promise<Environment> => (await childEnvironment(deps, declared, markers)).env;
  const environmentOf = async (start: ExternalStart): Promise<Environment> => {
    const known = knownAgent(identifyAgent(start.command, start.args));
    const env = await environment(start.env, {
      NO_COLOR: '1',
      [TURN_MARKER]: String(start.turnId),
      [INSTANCE_MARKER]: deps.instanceId,
      [RUN_MARKER]: deps.runId,
    });
    // The user's settings for the agent take precedence.
    return { ...known?.askingEnv, ...env };
  };
  const { instanceId, runId } = deps;
  return {
    identify: identifyAgent,
    async start(start) {
      const { startAcpAgent } = await import('./acp-agent');
      // Loaded early, because the end of a lease must not wait for a file.
      const orphans = import('../shell/orphans');
      const known = knownAgent(identifyAgent(start.command, start.args));
      const workspace = await realpath(start.workspace).catch(() => undefined);
      if (workspace === undefined) {
        return {
          kind: 'failure',
          failure: {
            kind: 'start',
            message: "The agent's folder does not exist.",
            hint: 'Nothing was run. Create the folder or change the agent, then resume.',
          },
        };
      }
      const started = await startAcpAgent({
        start: { ...start, workspace },
        env: await environmentOf(start),
        // An argument of the user takes precedence.
        extraArgs: start.args.some((arg) => arg.includes('approval_policy'))
          ? []
          : (known?.askingArgs ?? []),
        version: deps.version,
        hide: (await deps.loginEnvironment()).secrets?.hide,
        timeouts: { ...ACP_TIMEOUTS, ...deps.timeouts },
        ...(deps.limits === undefined ? {} : { limits: deps.limits }),
        onEnd: (facts) => {
          deps.log.info('outside.agent.ended', { turnId: start.turnId, ...facts });
        },
      });
      if (started.kind === 'failure') return started;
      const agent = withLimits(started.value);
      return {
        kind: 'ok',
        value: {
          ...agent,
          async kill() {
            const { killTurn } = await orphans;
            await Promise.all([
              agent.kill(),
              killTurn({ instanceId, runId, turnId: start.turnId }),
            ]);
          },
        },
      };
    },
    async settleOrphans(turnId, policy) {
      const { settleOrphans } = await import('./settle-orphans');
      return settleOrphans({ instanceId, runId, turnId }, policy, deps.orphanWaitMs());
    },
    async backUp(id, ref, turnId) {
      const { backUpRecord } = await import('./back-up-record');
      const env = await environment([], {});
      return backUpRecord({ id, ref, turnId, intoDir: deps.recordsDir, env });
    },
  };
}
