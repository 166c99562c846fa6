import os from 'node:os';
import path from 'node:path';
import type { VerbOutput } from '../../shared/contract';
import type { AgentSetup } from '../../shared/types';
import {
  isLlmAgent,
  type AcpAgentSettings,
  type AgentSettings,
  type CommandAgentSettings,
} from '../../shared/settings';
import type { LoginEnvironment } from '../adapters/shell/login-environment';
import type { ComposeOptions } from './options';
import type { createAcpRunner } from '../engine/executors/acp/run';
import { HoldfastError } from '../engine/kernel/errors';
import type { ShellVerdicts } from '../engine/executors/command/call';
import type { OwnConversations } from '../engine/executors/program/session-refs';
import type { RunEnd } from '../engine/turns/run-ends';
import type { TurnRunDeps } from '../engine/turns/run-record';
import type { Lease } from '../engine/turns/lease-table';
import type { TurnRow } from '../ports/journal/rows';
import type { Log } from '../ports/log';
import type {
  ExternalAgent,
  ExternalAgents,
  ExternalFailure,
  ExternalResult,
} from '../ports/external-agent';
import type { SettingsPort } from '../ports/settings';
import type { AgentConversations } from './adopt';

/** Longest wait for what an earlier run of a turn left at work. */
const ORPHAN_WAIT_MS = 30_000;
const DETECT_MS = 45_000;

/** Agents that speak the Agent Client Protocol, wired; their code is loaded with the first of them. */
export interface ExternalPart {
  run(turn: TurnRow, signal: AbortSignal, lease: Lease): Promise<RunEnd>;
  /** Starts the agent, opens a session, ends it. */
  test(name: string, spec: AcpAgentSettings): Promise<{ ok: boolean; message: string }>;
  /** Starts its program, greets it and ends it, without a session; undefined where it answered. */
  greet(name: string, spec: AcpAgentSettings): Promise<ExternalFailure | undefined>;
  detect(): Promise<VerbOutput<'agents.detect'>>;
  /** Where the program of an agent is, and what it gets; nothing of an unknown program runs. */
  look(spec: AgentSettings | undefined): Promise<Omit<AgentSetup, 'agent'>>;
  /**
   * Starts the agent and asks which conversations it has, or whether it knows `ref`; ends it.
   * @throws CONVERSATION_UNKNOWN where it cannot be asked
   */
  conversations(name: string, spec: AcpAgentSettings, ref?: string): Promise<AgentConversations>;
}

export function createExternalPart(deps: {
  readonly run: TurnRunDeps;
  readonly compose: Pick<ComposeOptions, 'dataDir' | 'env' | 'version'>;
  readonly settings: SettingsPort;
  readonly runId: string;
  readonly log: Log;
  readonly loginEnvironment: () => Promise<LoginEnvironment>;
  readonly acpOf: (agent: string) => AcpAgentSettings | undefined;
  readonly conversations: OwnConversations;
  readonly shell: ShellVerdicts;
}): ExternalPart {
  const { dataDir, env, version } = deps.compose;
  let adapter: Promise<ExternalAgents> | undefined;
  let runner: Promise<ReturnType<typeof createAcpRunner>> | undefined;
  const loadAdapter = async (): Promise<ExternalAgents> => {
    const { createAcpAgents } = await import('../adapters/acp');
    return createAcpAgents({
      instanceId: deps.run.reads.databaseId(),
      runId: deps.runId,
      version,
      loginEnvironment: deps.loginEnvironment,
      ownEnvironment: env,
      recordsDir: path.join(dataDir, 'agent-records'),
      orphanWaitMs: () => ORPHAN_WAIT_MS,
      log: deps.log,
    });
  };
  const outside = (): Promise<ExternalAgents> => (adapter ??= loadAdapter());
  const loadRunner = async (): Promise<ReturnType<typeof createAcpRunner>> => {
    const [acp, agents] = await Promise.all([import('../engine/executors/acp/run'), outside()]);
    return acp.createAcpRunner({
      ...deps.run,
      outside: agents,
      conversations: deps.conversations,
      specOf: deps.acpOf,
      orphanPolicy: () => deps.settings.get('resume.orphans'),
      commandHasEffects: deps.shell.hasEffects,
      commandRisk: deps.shell.riskOf,
    });
  };
  const startOne = async (
    name: string,
    spec: AcpAgentSettings,
  ): Promise<ExternalResult<ExternalAgent>> =>
    (await outside()).start({
      agent: name,
      command: spec.command,
      args: spec.args ?? [],
      workspace: spec.workspace,
      env: spec.env ?? [],
      ...(spec.model === undefined ? {} : { model: spec.model }),
      ...(spec.login === undefined ? {} : { login: spec.login }),
      turnId: 0,
      signal: new AbortController().signal,
    });
  const surroundings = () => ({
    loginEnvironment: deps.loginEnvironment,
    ownEnvironment: env,
    cwd: os.tmpdir(),
    signal: AbortSignal.timeout(DETECT_MS),
  });
  return {
    async run(turn, signal, lease) {
      return (await (runner ??= loadRunner())).run(turn, signal, lease);
    },
    async greet(name, spec) {
      const started = await startOne(name, spec);
      if (started.kind === 'failure') return started.failure;
      await started.value.stop();
      return undefined;
    },
    async test(name, spec) {
      const started = await startOne(name, spec);
      if (started.kind === 'failure') return refusal(started.failure);
      const { facts } = started.value;
      const session = await started.value.newSession();
      await started.value.stop();
      if (session.kind === 'failure') return refusal(session.failure);
      const back =
        facts.canLoad || facts.canResume
          ? 'goes on with earlier sessions'
          : 'knows no earlier sessions';
      return { ok: true, message: `${facts.name} ${facts.version} answers and ${back}.` };
    },
    async conversations(name, spec, ref) {
      const started = await startOne(name, spec);
      if (started.kind === 'failure') throw notAsked(started.failure);
      const { facts } = started.value;
      const canContinue = facts.canLoad || facts.canResume;
      try {
        if (ref !== undefined) {
          const loaded = canContinue
            ? await started.value.loadSession(ref, () => undefined)
            : undefined;
          return { canContinue, listed: undefined, knows: loaded?.kind === 'ok' };
        }
        if (!facts.canList) return { canContinue, listed: undefined };
        const listed = await started.value.listSessions();
        if (listed.kind === 'failure') throw notAsked(listed.failure);
        return { canContinue, listed: listed.value };
      } finally {
        await started.value.stop();
      }
    },
    async detect() {
      const { detectAgents } = await import('../adapters/acp/detect');
      return { agents: [...(await detectAgents(surroundings()))] };
    },
    async look(spec) {
      const { lookAtAgent } = await import('../adapters/acp/detect');
      const own = spec === undefined || isLlmAgent(spec) ? undefined : spec;
      const {
        env: given,
        withheld,
        ...found
      } = await lookAtAgent(surroundings(), {
        program: own?.command,
        workspace: spec?.workspace ?? os.tmpdir(),
        declared: spec?.env ?? [],
      });
      return {
        ...(own === undefined
          ? {}
          : { program: { name: own.command, line: lineOf(own), ...found } }),
        env: [...given],
        withheld: withheld.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST_NAME)),
      };
    },
  };
}

const lineOf = ({ command, args = [] }: AcpAgentSettings | CommandAgentSettings): string =>
  [command, ...args].join(' ').slice(0, 4_096);

/** More than any environment has; the contract allows no more. */
const MOST_NAMES = 1_000;
const LONGEST_NAME = 200;

const notAsked = (failure: ExternalFailure): HoldfastError =>
  new HoldfastError('CONVERSATION_UNKNOWN', failure.message, {
    hint: `Nothing was changed. ${failure.hint}`,
  });

const refusal = (failure: {
  readonly message: string;
  readonly hint: string;
}): { ok: boolean; message: string } => ({
  ok: false,
  message: `${failure.message} ${failure.hint}`.slice(0, 1000),
});
