import { cutText } from '../../../../shared/cut-text';
import type { AcpAgentSettings } from '../../../../shared/settings';
import type {
  ExternalAgent,
  ExternalConversation,
  ExternalFailure,
  ExternalResult,
  ExternalStart,
} from '../../../ports/external-agent';
import { HoldfastError } from '../../kernel/errors';

/** An agent's conversations, or whether it knows a given one. */
export interface AgentConversations {
  readonly canContinue: boolean;
  /** Undefined if the agent cannot list them. */
  readonly listed: readonly ExternalConversation[] | undefined;
  readonly knows?: boolean;
}

/** Queries to an agent outside of turns. Each one starts the agent and ends it. */
export interface AgentQuestions {
  /** Starts the agent, opens a session, ends it. */
  test(name: string, spec: AcpAgentSettings): Promise<{ ok: boolean; message: string }>;
  /** Starts its program and greets it, without a session; undefined if it responded. */
  greet(name: string, spec: AcpAgentSettings): Promise<ExternalFailure | undefined>;
  /** @throws CONVERSATION_UNKNOWN if the agent cannot be queried */
  conversations(name: string, spec: AcpAgentSettings, ref?: string): Promise<AgentConversations>;
}

type Start = (start: ExternalStart) => Promise<ExternalResult<ExternalAgent>>;

export function createAgentQuestions(start: Start): AgentQuestions {
  const startOne = (name: string, spec: AcpAgentSettings) =>
    start({
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
  return {
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
          ? 'can resume earlier sessions'
          : 'cannot resume earlier sessions';
      return { ok: true, message: `${facts.name} ${facts.version} responds and ${back}.` };
    },
    async conversations(name, spec, ref) {
      const started = await startOne(name, spec);
      if (started.kind === 'failure') throw notAsked(started.failure);
      try {
        return await conversationsOf(started.value, ref);
      } finally {
        await started.value.stop();
      }
    },
  };
}

async function conversationsOf(
  agent: ExternalAgent,
  ref: string | undefined,
): Promise<AgentConversations> {
  const { facts } = agent;
  const canContinue = facts.canLoad || facts.canResume;
  if (ref !== undefined) {
    const loaded = canContinue ? await agent.loadSession(ref, () => undefined) : undefined;
    return { canContinue, listed: undefined, knows: loaded?.kind === 'ok' };
  }
  if (!facts.canList) return { canContinue, listed: undefined };
  const listed = await agent.listSessions();
  if (listed.kind === 'failure') throw notAsked(listed.failure);
  return { canContinue, listed: listed.value };
}

const notAsked = (failure: ExternalFailure): HoldfastError =>
  new HoldfastError('CONVERSATION_UNKNOWN', failure.message, {
    hint: `Nothing was changed. ${hintOf(failure)}`,
  });

const refusal = (failure: ExternalFailure): { ok: boolean; message: string } => ({
  ok: false,
  message: cutText(`${failure.message} ${hintOf(failure)}`, 1000),
});

/** Without a turn there is no progress that is saved, and nothing to resume. */
function hintOf({ kind, hint }: ExternalFailure): string {
  switch (kind) {
    case 'start':
      return hint;
    case 'login':
      return 'Log in with the agent in a terminal, pass its API key by name with "env", or name one of its ways to log in with "login".';
    case 'provider':
      return 'Try again when its provider is back.';
    case 'protocol':
      return 'It was terminated. Check its command: "holdfast agents detect" lists known ones.';
    case 'timeout':
    case 'died':
    case 'refused':
    case 'session_unknown':
      return 'Try its command in a terminal.';
  }
}
