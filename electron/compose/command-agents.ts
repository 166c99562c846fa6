import fs from 'node:fs';
import path from 'node:path';
import type { VerbInput, VerbOutput } from '../../shared/contract';
import { durationMs, type CommandAgentSettings } from '../../shared/settings';
import type { LoginEnvironment } from '../adapters/shell/login-environment';
import type { ComposeOptions } from './options';
import type { CommandRunner } from '../engine/executors/command/run';
import type { CommandRunDeps } from '../engine/executors/command/deps';
import type { OwnConversations } from '../engine/executors/program/session-refs';
import type { RunEnd } from '../engine/turns/run-ends';
import type { TurnRunDeps } from '../engine/turns/run-record';
import { HoldfastError } from '../engine/kernel/errors';
import { isTooDeep } from '../engine/kernel/json-depth';
import type { Lease } from '../engine/turns/lease-table';
import type { TurnRow } from '../ports/journal/rows';
import type { JsonValue } from '../ports/provider';
import type { Log } from '../ports/log';
import type { SettingsPort } from '../ports/settings';

/** Longest wait for what an earlier run of a turn left at work. */
const ORPHAN_WAIT_MS = 30_000;

/** Agents that are one command line a turn, wired; their code is loaded with the first of them. */
export interface CommandPart {
  run(turn: TurnRow, signal: AbortSignal, lease: Lease): Promise<RunEnd>;
  hook(report: VerbInput<'agents.hook'>): Promise<VerbOutput<'agents.hook'>>;
  /** Before open turns are judged: what hooks wrote after Holdfast had died. S4-20 */
  settle(): Promise<void>;
}

export function createCommandPart(deps: {
  readonly run: TurnRunDeps;
  readonly compose: Pick<ComposeOptions, 'dataDir' | 'env' | 'self'>;
  readonly settings: SettingsPort;
  readonly runId: string;
  readonly log: Log;
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  readonly commandOf: (agent: string) => CommandAgentSettings | undefined;
  readonly conversations: OwnConversations;
  readonly shell: CommandRunDeps['shell'];
}): CommandPart {
  const { dataDir, env, self } = deps.compose;
  const { reads } = deps.run;
  let loading: Promise<CommandRunner> | undefined;
  const load = async (): Promise<CommandRunner> => {
    const [{ createCommandRunner }, { createCommandAgents }] = await Promise.all([
      import('../engine/executors/command/run'),
      import('../adapters/command'),
    ]);
    return createCommandRunner({
      ...deps.run,
      commands: createCommandAgents({
        dataDir,
        instanceId: reads.databaseId(),
        runId: deps.runId,
        self,
        loginEnvironment: deps.loginEnvironment,
        ownEnvironment: env,
        maxOutputBytes: () => deps.settings.get('shell.max_output_kb') * 1024,
        orphanWaitMs: () => ORPHAN_WAIT_MS,
        stopping: deps.run.draining,
        log: deps.log,
      }),
      conversations: deps.conversations,
      commandOf: deps.commandOf,
      deadlineMs: (agent) => {
        const own = deps.commandOf(agent)?.deadline;
        return own === undefined ? undefined : durationMs(own);
      },
      shell: deps.shell,
    });
  };
  const runner = (): Promise<CommandRunner> => (loading ??= load());
  return {
    run: async (turn, signal, lease) => (await runner()).run(turn, signal, lease),
    async hook({ turnId, attempt, event }) {
      if (event.kind === 'session') return (await runner()).hook({ turnId, attempt, event });
      const { callId, tool } = event;
      return (await runner()).hook({
        turnId,
        attempt,
        event: { kind: 'call', callId, tool, input: jsonOf(event.input) },
      });
    },
    async settle() {
      const dir = path.join(dataDir, 'run', 'hooks');
      if (!fs.existsSync(dir)) return;
      const left = fs.readdirSync(dir).filter((name) => /^turn-\d+\.jsonl$/.test(name));
      const open = new Set(reads.openTurns().map((turn) => turn.id));
      for (const name of left) {
        const turnId = Number(name.slice('turn-'.length, -'.jsonl'.length));
        if (open.has(turnId)) await (await runner()).settle(turnId);
        // Its turn was closed a moment before the process died.
        else
          for (const end of ['jsonl', 'json'])
            fs.rmSync(path.join(dir, `turn-${String(turnId)}.${end}`), { force: true });
      }
    },
  };
}

function jsonOf(text: string): JsonValue {
  let value: JsonValue | undefined;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    // said below
  }
  if (value !== undefined && !isTooDeep(value)) return value;
  throw new HoldfastError(
    'INPUT_INVALID',
    `The input of the call is ${value === undefined ? 'not JSON' : 'nested too deep'}.`,
    { hint: 'Nothing was allowed.' },
  );
}
