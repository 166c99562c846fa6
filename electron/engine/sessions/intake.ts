import { cutText } from '../../../shared/cut-text';
import { because } from '../../../shared/reason';
import type { TurnPlace } from '../../../shared/runs-on';
import { turnTitle } from '../../../shared/turn-title';
import type { DueTurn } from '../../ports/due-turn';
import type { Basics } from '../kernel/basics';
import type { SessionReads, TurnReads } from '../../ports/journal/reads';
import type { SessionRow, TurnRow } from '../../ports/journal/rows';
import type { JournalEntry } from '../../ports/journal/entries';
import type { SharedAsk, SharedReads } from '../../ports/journal/shared';
import type { StoredText } from '../../ports/journal/stored';
import type { WakeRow } from '../../ports/journal/work';
import type { SentText } from '../../ports/unsent';
import { HoldfastError, startingError, stoppingError, unknownAgent } from '../kernel/errors';
import { INLINE_CHARS } from '../journal/step-keys';
import { createPresence, type Presence } from './presence';
import { sharedUid } from './shared-uid';

/** An incoming message, from the window, the CLI or a channel. */
interface Incoming {
  readonly text: string;
  readonly channel: string;
  readonly peer: string;
  readonly session?: string;
  readonly agent?: string;
  /** Agent of a session that this message creates; an existing session keeps its agent. */
  readonly newAgent?: string;
  /** The channel's ID of the message: the same ID means the same turn. */
  readonly messageId?: string;
  /** The message defines the session's goal. */
  readonly isOutcome?: true;
  /** The turn is in the shared queue: entries for the same commit; it starts when it is claimed. */
  readonly shared?: (turnId: number) => readonly JournalEntry[];
  /** The unsent text that this message was until now. */
  readonly sent?: SentText | undefined;
}

/** The requester's values for a session that it creates. */
interface NewSession {
  readonly key?: string;
  readonly title?: string;
  readonly agent: string;
  /** Key or ID of the parent session. @throws SESSION_UNKNOWN */
  readonly parent?: string;
  /** The completed turn of another session that it continues after. */
  readonly fork?: { readonly sessionId: number; readonly turnId: number };
  /** Entries that are written with the session or not at all. */
  readonly together?: (sessionId: number) => readonly JournalEntry[];
}

/** The session of a message, and the entries that create it if it is new. */
interface MessageSession {
  readonly sessionId: number;
  readonly key: string;
  readonly agent: string;
  readonly entries: readonly JournalEntry[];
}

export interface IntakeDeps extends Pick<
  Basics,
  'journal' | 'blobs' | 'hasher' | 'crashPoints' | 'audit'
> {
  readonly reads: SessionReads & SharedReads & TurnReads;
  readonly agents: {
    has(name: string): boolean;
    /** The agent of a message that names none. */
    defaultName(): string;
    /** Where shared turns of this agent run. */
    placeOf(name: string): TurnPlace;
  };
  /** The turn is on disk and may start. Implemented by engine/turns/scheduler.ts. */
  readonly onAccepted: (turn: TurnRow, delayMs?: number) => void;
  /** The waiting queue for this agent's provider is full: nothing more is accepted. R13 */
  readonly outage: { isFull(agent: string): boolean };
  /** A start without restore: no conversation goes back to the turns before it. R21 */
  readonly isRestoreSkipped: boolean;
}

/** Sessions and their messages. S3-02, S2-50, R17. */
export interface SessionsRoom {
  /**
   * Accepts a message as a turn: event, turn and, if needed, session in one commit. It is on disk
   * when this resolves. @throws STARTING, STOPPING, AGENT_UNKNOWN, SESSION_UNKNOWN, DISK_*
   */
  accept(incoming: Incoming): Promise<{ readonly turn: TurnRow; readonly session: SessionRow }>;
  /**
   * Turns a due wake-up into a turn: the wake-up is consumed in the commit that accepts its
   * message, so a kill leaves exactly one of them. Undefined while nothing is accepted. S3-16,
   * S3-17.
   */
  acceptWake(wake: WakeRow, text: string): Promise<TurnRow | undefined>;
  /**
   * Turns a due schedule into a turn: its entries share the commit of the message, so a kill leaves
   * both or neither. Works before messages are accepted, because catching up comes first. Undefined
   * while stopping, or if the session is gone. S1-+05.
   */
  acceptDue(due: DueTurn): Promise<TurnRow | undefined>;
  create(options: NewSession): Promise<SessionRow>;
  find(ref: string): SessionRow;
  /**
   * Does work that ends a session while no message for it is being accepted; a message that arrives
   * meanwhile waits. False, with nothing done, if a message is being accepted.
   */
  ending(sessionId: number, work: () => Promise<void>): Promise<boolean>;
  open(): void;
  /** From here on, messages are rejected before anything is written. */
  close(): void;
}

const PROMPT_START = 200;
const FIRE_POINTS = {
  task: ['task.fire.before', 'task.fire.after'],
  timer: ['timer.fire.before', 'timer.fire.after'],
  heartbeat: ['heartbeat.fire.before', 'heartbeat.fire.after'],
} as const;

/** Another computer ran this slot first, and its turn is here. DW-24 */
async function knownSlot(
  { reads, journal }: Pick<IntakeDeps, 'reads' | 'journal'>,
  due: DueTurn,
  turnId: number,
): Promise<TurnRow | undefined> {
  const turn = reads.turn(turnId);
  if (turn !== undefined) await journal.commit(due.together(turnId, turn.sessionId));
  return turn;
}

/** The turn starts on the computer that claims it. */
function sharedEntries(
  { shared }: DueTurn,
  { turnId, uid }: { readonly turnId: number; readonly uid: string | undefined },
  place: TurnPlace,
): readonly JournalEntry[] {
  if (shared === undefined || uid === undefined) return [];
  const ask: SharedAsk = {
    priority: 1,
    messageId: shared.messageId,
    needs: [...shared.needs, ...place.needs],
    isHere: place.isHere,
    ...(place.isWithFiles ? { lacksFiles: true } : {}),
  };
  return [
    { kind: 'share.sent', turnId, uid, ask },
    { kind: 'turn.state', turnId, state: 'waiting', reason: because('reason.shared') },
  ];
}

type Behind = () => { readonly behindTurn?: number };

/**
 * The last turn before a start without restore, on disk with each message, so that the turn's
 * request is the same after a restart (S4-10). Looked up at the first message.
 */
function createBehind({ reads, isRestoreSkipped }: IntakeDeps): Behind {
  let last: number | undefined;
  return () =>
    isRestoreSkipped ? { behindTurn: (last ??= reads.turns({ limit: 1 })[0]?.id ?? 0) } : {};
}

/** Commits a due schedule, and returns its turn. */
async function acceptDueIn(
  deps: IntakeDeps,
  due: DueTurn,
  text: StoredText,
  known: SessionRow | undefined,
  { presence, behind }: { readonly presence: Presence; readonly behind: Behind },
): Promise<TurnRow | undefined> {
  const wanted = due.session;
  const uid = due.shared && sharedUid(deps.hasher, due.shared.messageId);
  const there = uid === undefined ? undefined : deps.reads.sharedByUid(uid);
  if (there !== undefined) return knownSlot(deps, due, there.turnId);
  if ((known === undefined || known.isDeleted) && 'id' in wanted) return undefined;
  const agent = known?.agent ?? ('key' in wanted ? wanted.agent : '');
  const sessionId = known?.id ?? deps.journal.allocate('session');
  const turnId = deps.journal.allocate('turn');
  const [before, after] = FIRE_POINTS[due.what];
  deps.crashPoints.hit(before);
  const commit = deps.journal.commit([
    ...(known === undefined && 'key' in wanted
      ? [{ kind: 'session.created', sessionId, ...wanted } as const]
      : []),
    {
      kind: 'message.accepted',
      sessionId,
      turnId,
      text,
      promptStart: cutText(due.promptStart, PROMPT_START),
      channel: due.channel,
      peer: due.peer,
      ...behind(),
    },
    ...due.together(turnId, sessionId),
    ...sharedEntries(due, { turnId, uid }, deps.agents.placeOf(agent)),
  ]);
  if (known === undefined && 'key' in wanted) presence.announce(wanted.key, commit);
  await commit;
  deps.crashPoints.hit(after);
  deps.audit.record('turn_accepted', {
    turnId,
    sessionId,
    channel: due.what,
    chars: due.text.length,
  });
  const turn = deps.reads.turn(turnId);
  if (turn !== undefined && uid === undefined) deps.onAccepted(turn, due.delayMs);
  return turn;
}

export function createSessions(deps: IntakeDeps): SessionsRoom {
  let gate: 'starting' | 'open' | 'stopping' = 'starting';
  const presence = createPresence();
  const behind = createBehind(deps);

  const find = (ref: string): SessionRow => {
    const byKey = deps.reads.session({ key: ref });
    const row =
      byKey ?? (/^\d{1,15}$/.test(ref) ? deps.reads.session({ id: Number(ref) }) : undefined);
    if (row === undefined || row.isDeleted) throw unknownSession(ref);
    return row;
  };

  /** The default session name; a user-given name may already be the first candidate. */
  const freeKey = (agent: string, sessionId: number): string => {
    for (let number = sessionId; ; number += 1) {
      const key = `${agent}-${String(number)}`;
      if (!presence.isBeingMade(key) && deps.reads.session({ key }) === undefined) return key;
    }
  };

  const needAgent = (agent: string): void => {
    if (deps.agents.has(agent)) return;
    throw unknownAgent(agent, 'Nothing was accepted.');
  };

  const place = (incoming: Incoming): MessageSession => {
    const key = incoming.session ?? defaultKey(incoming);
    const numbered = /^\d{1,15}$/.test(key) ? deps.reads.session({ id: Number(key) }) : undefined;
    const known = deps.reads.session({ key }) ?? numbered;
    if (known?.isDeleted === true) throw unknownSession(key);
    if (known !== undefined) {
      if (incoming.agent !== undefined && incoming.agent !== known.agent) {
        throw new HoldfastError(
          'INPUT_INVALID',
          `Session "${known.key}" belongs to the agent "${known.agent}".`,
          {
            hint: 'Nothing was accepted. Omit the agent, or choose another session.',
          },
        );
      }
      if (!deps.agents.has(known.agent)) throw agentGone(known);
      return { sessionId: known.id, key: known.key, agent: known.agent, entries: [] };
    }
    // A number that matches no session is a mistake, not the name of a new one.
    if (/^\d+$/.test(key)) throw unknownSession(key);
    const agent = incoming.agent ?? incoming.newAgent ?? deps.agents.defaultName();
    needAgent(agent);
    const sessionId = deps.journal.allocate('session');
    return {
      sessionId,
      key,
      agent,
      entries: [
        { kind: 'session.created', sessionId, key, title: titleOf(key, incoming.text), agent },
      ],
    };
  };

  const agentGone = ({ key: gone, agent }: SessionRow): HoldfastError =>
    new HoldfastError(
      'AGENT_UNKNOWN',
      `Session "${gone}" belongs to the agent "${agent}", which no longer exists.`,
      {
        hint: 'Nothing was accepted, and the session is saved. Add an agent with this name again, or start another session.',
      },
    );

  const store = async (text: string) =>
    text.length <= INLINE_CHARS
      ? ({ kind: 'inline', text } as const)
      : ({ kind: 'blob', address: await deps.blobs.put(text), chars: text.length } as const);

  /** Commits a message, and returns its turn. */
  const acceptIn = async (
    incoming: Incoming,
    text: StoredText,
    { sessionId, key, agent, entries }: MessageSession,
  ): Promise<{ readonly turn: TurnRow; readonly session: SessionRow }> => {
    if (deps.outage.isFull(agent)) throw queueFull(agent);
    const turnId = deps.journal.allocate('turn');
    deps.crashPoints.hit('turn.accept.before');
    const commit = deps.journal.commit(
      [
        ...entries,
        {
          kind: 'message.accepted',
          sessionId,
          turnId,
          text,
          promptStart: cutText(incoming.text, PROMPT_START),
          channel: incoming.channel,
          peer: incoming.peer,
          ...behind(),
          ...(incoming.isOutcome === true ? { isOutcome: true } : {}),
        },
        ...heardOf(incoming, turnId),
        ...(incoming.shared?.(turnId) ?? []),
      ],
      { sent: incoming.sent },
    );
    if (entries.length > 0) presence.announce(key, commit);
    await commit;
    deps.crashPoints.hit('turn.accept.after');
    deps.audit.record('turn_accepted', {
      turnId,
      sessionId,
      channel: incoming.channel,
      chars: incoming.text.length,
    });
    const turn = deps.reads.turn(turnId);
    const session = deps.reads.session({ id: sessionId });
    if (turn === undefined || session === undefined) {
      throw new HoldfastError(
        'INTERNAL',
        `Turn ${String(turnId)} was accepted and cannot be read back.`,
      );
    }
    if (incoming.shared === undefined) deps.onAccepted(turn);
    return { turn, session };
  };

  /** Commits a wake-up, and returns its turn. */
  const wakeIn = async (
    wake: WakeRow,
    { text, stored }: { readonly text: string; readonly stored: StoredText },
    session: SessionRow,
  ): Promise<TurnRow | undefined> => {
    const asked =
      wake.askedByTurnId === undefined ? undefined : deps.reads.turn(wake.askedByTurnId);
    const turnId = deps.journal.allocate('turn');
    deps.crashPoints.hit('wake.consume.before');
    await deps.journal.commit([
      {
        kind: 'message.accepted',
        sessionId: session.id,
        turnId,
        text: stored,
        promptStart: cutText(text, PROMPT_START),
        // The answer goes to the conversation's peer.
        channel: asked?.channel ?? 'window',
        peer: asked?.peer ?? '',
        wakeId: wake.wakeId,
        ...behind(),
      },
      { kind: 'wake.consumed', wakeId: wake.wakeId, sessionId: session.id, turnId },
    ]);
    deps.crashPoints.hit('wake.consume.after');
    deps.audit.record('turn_accepted', {
      turnId,
      sessionId: session.id,
      channel: 'wake',
      chars: text.length,
    });
    const turn = deps.reads.turn(turnId);
    if (turn !== undefined) deps.onAccepted(turn);
    return turn;
  };

  /** Commits a new session. */
  const createIn = async (
    { title, agent, parent, fork, together }: NewSession,
    { sessionId, wanted }: { readonly sessionId: number; readonly wanted: string },
  ): Promise<SessionRow> => {
    if (fork !== undefined) find(String(fork.sessionId));
    const begunIn = parent === undefined ? {} : { parentId: find(parent).id };
    if (deps.reads.session({ key: wanted }) !== undefined || /^\d+$/.test(wanted)) {
      throw new HoldfastError(
        'SESSION_EXISTS',
        `There is already a session "${wanted.slice(0, 60)}", or the name has only digits.`,
        {
          hint: 'Nothing was created. Choose another name.',
        },
      );
    }
    const commit = deps.journal.commit([
      {
        kind: 'session.created',
        sessionId,
        key: wanted,
        title: title ?? titleOf(wanted),
        agent,
        ...begunIn,
        ...(fork === undefined ? {} : { fork }),
      },
      ...(together?.(sessionId) ?? []),
    ]);
    presence.announce(wanted, commit);
    await commit;
    return find(wanted);
  };

  return {
    async accept(incoming) {
      if (gate !== 'open') throw closedError(gate);
      const text = await store(incoming.text);
      const key = incoming.session ?? defaultKey(incoming);
      return presence.inSession(
        key,
        () => place(incoming),
        (found) => acceptIn(incoming, text, found),
      );
    },
    async acceptWake(wake, text) {
      if (gate !== 'open') return undefined;
      const stored = await store(text);
      return presence.inSession(
        undefined,
        () => ({
          sessionId: wake.sessionId,
          session: deps.reads.session({ id: wake.sessionId }),
        }),
        async ({ session }) =>
          session === undefined || session.isDeleted
            ? undefined
            : wakeIn(wake, { text, stored }, session),
      );
    },
    async acceptDue(due) {
      if (gate === 'stopping') return undefined;
      const text = await store(due.text);
      const wanted = due.session;
      return presence.inSession(
        'key' in wanted ? wanted.key : undefined,
        () => {
          const known = deps.reads.session(
            'id' in wanted ? { id: wanted.id } : { key: wanted.key },
          );
          return { known, sessionId: known?.id };
        },
        ({ known }) => acceptDueIn(deps, due, text, known, { presence, behind }),
      );
    },
    async create(options) {
      if (gate !== 'open') throw closedError(gate);
      needAgent(options.agent);
      const sessionId = deps.journal.allocate('session');
      const wanted = options.key ?? freeKey(options.agent, sessionId);
      // A fork needs the conversation of the other session.
      return presence.inSession(
        wanted,
        () => ({ sessionId: options.fork?.sessionId }),
        () => createIn(options, { sessionId, wanted }),
      );
    },
    find,
    ending: (sessionId, work) => presence.ending(sessionId, work),
    open() {
      gate = 'open';
    },
    close() {
      gate = 'stopping';
    },
  };
}

/** The same channel message again is the same turn. */
const heardOf = ({ messageId, channel }: Incoming, turnId: number): readonly JournalEntry[] =>
  messageId === undefined ? [] : [{ kind: 'channel.heard', channel, messageId, turnId }];

function queueFull(agent: string): HoldfastError {
  return new HoldfastError(
    'OUTAGE_QUEUE_FULL',
    `Too many turns are waiting for the provider of "${agent}"; this one was not accepted.`,
    {
      hint: 'The waiting turns are saved. Send it again when the provider is back, or raise limits.max_waiting_turns.',
      retryable: true,
    },
  );
}

/** Window and CLI share one session per agent; a channel has one per peer. */
function defaultKey(incoming: Incoming): string {
  if (incoming.channel === 'window' || incoming.channel === 'cli') return incoming.agent ?? 'main';
  return `${incoming.channel}:${incoming.peer}`;
}

/** A key derived from a message is not a name: the session is titled by the message's text. */
function titleOf(key: string, text = ''): string {
  if (key === 'main') return 'Main';
  return (/^shared-[\da-f]{12}$/.test(key) && turnTitle(text)) || key;
}

function unknownSession(ref: string): HoldfastError {
  return new HoldfastError('SESSION_UNKNOWN', `There is no session "${ref.slice(0, 60)}".`, {
    hint: 'List the sessions with "holdfast sessions list".',
  });
}

function closedError(gate: 'starting' | 'stopping'): HoldfastError {
  return gate === 'starting'
    ? startingError('Nothing was accepted. Try again in a moment.')
    : stoppingError('Nothing was accepted. Send it again when Holdfast is running.');
}
