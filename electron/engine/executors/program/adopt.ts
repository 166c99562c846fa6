import type { VerbInput, VerbOutput } from '../../../../shared/contract';
import type { AcpAgentSettings, CommandAgentSettings } from '../../../../shared/settings';
import type { Conversation, WatchedTerminal } from '../../../../shared/types/terminals';
import { resumeCommand, type WatchedSession } from '../../../../shared/watch-rules';
import type { Conversations } from '../../../ports/conversations';
import type { ExternalReads } from '../../../ports/journal/external';
import type { SessionReads, TurnReads } from '../../../ports/journal/reads';
import type { SessionRow } from '../../../ports/journal/rows';
import type { Basics } from '../../kernel/basics';
import { HoldfastError, unknownAgent } from '../../kernel/errors';
import { createKeyedMutex } from '../../kernel/keyed-mutex';
import type { SessionsRoom } from '../../sessions/intake';
import type { AgentConversations } from '../acp/ask-agent';
import type { Agents } from '../agents';
import { planAdopt, type AdoptFacts } from './plan-adopt';

const LISTED = 50;
const SHOWN_CALLS = 20;
const ACTIVE = ['queued', 'running', 'requires_action', 'waiting'] as const;

interface AdoptDeps extends Pick<
  Basics,
  'settings' | 'journal' | 'clock' | 'audit' | 'crashPoints'
> {
  readonly reads: ExternalReads & SessionReads & TurnReads;
  readonly conversations: Conversations;
  readonly agents: Pick<Agents, 'has' | 'commandOf' | 'acpOf'>;
  readonly sessions: SessionsRoom;
  /** Starts the agent and queries it; `knows` is present if `ref` was given. */
  readonly askAgent: (
    name: string,
    spec: AcpAgentSettings,
    ref?: string,
  ) => Promise<AgentConversations>;
}

/** Conversations that started in a terminal: adopted, handed back, inspected. */
export interface Adoption {
  /**
   * Without an ID: lists what `agent` could continue. @throws CONVERSATION_UNKNOWN, AGENT_UNKNOWN
   */
  adopt(wanted: VerbInput<'session.adopt'>): Promise<Adopted>;
  /**
   * The session that has the conversation of a terminal at its usage limit: the one that adopted it
   * for that, now or before a restart. Undefined if it cannot be continued here: no agent works in
   * its folder, or the user has it in another session. @throws CONVERSATION_UNKNOWN,
   * CONVERSATION_BUSY
   */
  takeOver(one: WatchedSession): Promise<SessionRow | undefined>;
  /** @throws CONVERSATION_UNKNOWN, TURN_STATE */
  handBack(session: string): Promise<VerbOutput<'session.handBack'>>;
  watched(): Promise<readonly WatchedTerminal[]>;
}

/** An adoptable conversation, and the session that adopted it. */
type Adopted = Omit<VerbOutput<'session.adopt'>, 'session'> & { readonly row?: SessionRow };

interface Wanted {
  readonly ref: string;
  readonly agent: string;
  readonly key: string | undefined;
  /** Its terminal may stay open if it is at a usage limit. */
  readonly isAtLimit?: boolean;
}

/** The session that adopted a conversation at its limit; found again after a restart. */
const keyOfLimit = (ref: string): string => `terminal-${ref}`.slice(0, 100);

export function createAdoption(deps: AdoptDeps): Adoption {
  const { reads, sessions } = deps;
  const oneByOne = createKeyedMutex<string>();
  const holderOf = (ref: string): AdoptFacts['holder'] => {
    const row = reads.outsideSessionByRef(ref);
    const session = row === undefined ? undefined : reads.session({ id: row.sessionId });
    if (row === undefined || session === undefined) return undefined;
    const { agent, isInTerminal } = row;
    return { sessionId: session.id, key: session.key, agent, isInTerminal };
  };
  /** The key of a session that already has the conversation. */
  const takenBy = (ref: string): { readonly session?: string } => {
    const holder = holderOf(ref);
    return holder === undefined || holder.isInTerminal ? {} : { session: holder.key };
  };

  const factsOf = async (wanted: Wanted, recordAtMs: number | undefined): Promise<AdoptFacts> => {
    const watched = await deps.conversations.watched(wanted.ref);
    return {
      ...wanted,
      nowMs: deps.clock.nowMs(),
      recordAtMs,
      holder: holderOf(wanted.ref),
      watched,
    };
  };

  const takeBack = async (sessionId: number, agent: string, ref: string): Promise<SessionRow> => {
    await deps.journal.commit([{ kind: 'outside.session', sessionId, agent, ref }]);
    return sessions.find(String(sessionId));
  };

  const take = async (
    wanted: Wanted,
    recordAtMs: number | undefined,
    title: string,
    /** The final check, once no one else has the conversation. @throws CONVERSATION_UNKNOWN */
    look: () => Promise<void> = () => Promise.resolve(),
  ): Promise<SessionRow> => {
    const { ref, agent, key } = wanted;
    const plan = planAdopt(await factsOf(wanted, recordAtMs));
    if (plan.kind === 'refused')
      throw new HoldfastError(plan.code, plan.message, { hint: plan.hint });
    await look();
    deps.crashPoints.hit('conversation.take.before');
    const row =
      plan.kind === 'new'
        ? await sessions.create({
            agent,
            ...(key === undefined ? {} : { key }),
            ...(title === '' ? {} : { title: title.slice(0, 200) }),
            together: (sessionId) => [{ kind: 'outside.session', sessionId, agent, ref }],
          })
        : await takeBack(plan.sessionId, agent, ref);
    deps.crashPoints.hit('conversation.take.after');
    deps.audit.record('session_adopted', { sessionId: row.id, agent });
    return row;
  };

  const claude = async (
    agent: string,
    spec: CommandAgentSettings,
    ref?: string,
    key?: string,
    isAtLimit?: boolean,
  ) => {
    const records = await deps.conversations.claude(spec.env ?? []);
    const home = deps.conversations.realFolder(spec.workspace);
    if (ref === undefined) {
      const found = await records.list(
        LISTED,
        (folder) => deps.conversations.realFolder(folder) === home,
      );
      return {
        conversations: found.map((one): Conversation => ({ ...one, ...takenBy(one.ref) })),
        note: found.length === 0 ? `No conversation was found in ${spec.workspace} yet.` : '',
      };
    }
    const found = await records.find(ref);
    if (found === undefined) throw unknown(agent, ref);
    if (deps.conversations.realFolder(found.folder) !== home) {
      throw new HoldfastError(
        'CONVERSATION_UNKNOWN',
        `This conversation belongs to the folder ${found.folder}; "${agent}" works in ${spec.workspace}.`,
        { hint: 'Nothing was changed. Continue it with an agent that works in its folder.' },
      );
    }
    const wanted = { ref, agent, key, isAtLimit: isAtLimit === true };
    const row = await take(wanted, found.lastUsedAtMs, found.firstWords);
    return { conversations: [], note: '', row };
  };

  const acp = async (agent: string, spec: AcpAgentSettings, ref?: string, key?: string) => {
    if (ref === undefined) {
      const { listed, canContinue } = await deps.askAgent(agent, spec);
      const back = canContinue
        ? "If you know a conversation's ID, continue it with --id."
        : 'It cannot resume earlier conversations either.';
      return {
        conversations: (listed ?? []).map(({ title, updatedAtMs, ...one }) => ({
          ...one,
          firstWords: title,
          ...(updatedAtMs === undefined ? {} : { lastUsedAtMs: Math.floor(updatedAtMs) }),
          ...takenBy(one.ref),
        })),
        note:
          listed === undefined
            ? `"${agent}" does not list its conversations. ${back}`
            : listed.length === 0
              ? `No conversation was found in ${spec.workspace} yet.`
              : '',
      };
    }
    // The Claude Code adapter stores its conversations where the program does.
    const record = await (await deps.conversations.claude(spec.env ?? [])).find(ref);
    const row = await take(
      { ref, agent, key },
      record?.lastUsedAtMs,
      record?.firstWords ?? '',
      async () => {
        const { knows } = await deps.askAgent(agent, spec, ref);
        if (knows !== true) throw unknown(agent, ref);
      },
    );
    return { conversations: [], note: '', row };
  };

  const agentsIn = (folder: string): string[] => {
    const here = deps.conversations.realFolder(folder);
    return Object.keys(deps.settings.get('agents')).filter((name) => {
      const spec = deps.agents.commandOf(name);
      return (
        spec !== undefined &&
        isClaude(spec.command) &&
        deps.conversations.realFolder(spec.workspace) === here
      );
    });
  };

  return {
    takeOver: ({ session: ref, cwd }) =>
      oneByOne('adopt', async () => {
        const key = keyOfLimit(ref);
        const holder = holderOf(ref);
        if (holder !== undefined && !holder.isInTerminal)
          return holder.key === key ? sessions.find(String(holder.sessionId)) : undefined;
        const agent = holder?.agent ?? agentsIn(cwd)[0];
        const spec = agent === undefined ? undefined : deps.agents.commandOf(agent);
        if (agent === undefined || spec === undefined) return undefined;
        const own = holder === undefined ? key : holder.key;
        return (await claude(agent, spec, ref, own, true)).row;
      }),
    adopt: ({ agent, ref, key }) =>
      oneByOne('adopt', async () => {
        const outside = deps.agents.acpOf(agent);
        if (outside !== undefined) return acp(agent, outside, ref, key);
        const command = deps.agents.commandOf(agent);
        if (command !== undefined && isClaude(command.command))
          return claude(agent, command, ref, key);
        if (!deps.agents.has(agent)) throw unknownAgent(agent);
        const note = `"${agent}" stores no conversations that Holdfast can read: only Claude Code and agents of the Agent Client Protocol do.`;
        if (ref === undefined) return { conversations: [], note };
        throw new HoldfastError('CONVERSATION_UNKNOWN', note, { hint: 'Nothing was changed.' });
      }),
    async handBack(session) {
      const row = sessions.find(session);
      const held = reads.outsideSession(row.id, row.agent);
      const spec = deps.agents.commandOf(row.agent);
      const other = deps.agents.acpOf(row.agent);
      const workspace = (spec ?? other)?.workspace;
      if (held === undefined || workspace === undefined) {
        throw new HoldfastError(
          'CONVERSATION_UNKNOWN',
          `The session "${row.key}" has no conversation of an external agent.`,
          { hint: 'Nothing was changed.' },
        );
      }
      const program = spec === undefined ? 'claude' : spec.command;
      const isKnown =
        other === undefined ? isClaude(program) : await deps.conversations.isClaudeAdapter(other);
      if (!isKnown) {
        throw new HoldfastError(
          'CONVERSATION_UNKNOWN',
          `Holdfast does not know how "${row.agent}" opens a conversation in a terminal.`,
          { hint: `Nothing was changed. Its ID is ${held.ref}, its folder ${workspace}.` },
        );
      }
      const [busy] = reads.turns({ sessionId: row.id, states: [...ACTIVE], limit: 1 });
      if (busy !== undefined) {
        throw new HoldfastError(
          'TURN_STATE',
          `Turn ${String(busy.id)} of this session is ${busy.state.replaceAll('_', ' ')}.`,
          { hint: 'Nothing was changed. Wait for its end or cancel it, then try again.' },
        );
      }
      if (!held.isInTerminal) {
        const { ref, agent } = held;
        deps.crashPoints.hit('conversation.return.before');
        await deps.journal.commit([
          { kind: 'outside.session', sessionId: row.id, agent, ref, isInTerminal: true },
        ]);
        deps.crashPoints.hit('conversation.return.after');
        deps.audit.record('session_handed_back', { sessionId: row.id, agent });
      }
      const folder = deps.conversations.realFolder(workspace);
      return {
        session: row.key,
        agent: row.agent,
        ref: held.ref,
        folder,
        command: resumeCommand(folder, held.ref, program),
      };
    },
    async watched() {
      const all = await deps.conversations.terminals();
      return all.map((one) => ({
        ...terminalView(one),
        agents: agentsIn(one.cwd),
        ...takenBy(one.session),
      }));
    },
  };
}

const isClaude = (program: string): boolean => /(^|[\\/])claude(\.exe|\.cmd)?$/i.test(program);

const unknown = (agent: string, ref: string): HoldfastError =>
  new HoldfastError(
    'CONVERSATION_UNKNOWN',
    `"${agent}" has no conversation ${ref.slice(0, 80)} that it can resume.`,
    { hint: `Nothing was changed. List them: holdfast sessions attach ${agent}` },
  );

function terminalView(one: WatchedSession): Omit<WatchedTerminal, 'agents' | 'session'> {
  return {
    ref: one.session,
    folder: one.cwd.slice(0, 4096),
    lastAtMs: Math.max(0, Math.floor(one.lastAtMs)),
    prompt: one.prompt,
    state: one.state,
    finishedCount: one.finished.length,
    finished: one.finished.slice(-SHOWN_CALLS).map(bounded),
    open: one.open.slice(-SHOWN_CALLS).map(bounded),
    ...(one.limit === undefined ? {} : { limit: one.limit }),
    command: resumeCommand(one.cwd, one.session).slice(0, 10_000),
  };
}

const bounded = (call: { readonly tool: string; readonly about: string }) => ({
  tool: call.tool.slice(0, 200),
  about: call.about.slice(0, 200),
});
