/** Conversations of watched terminals that continue once, when their usage limit resets. LM-12 */
import type { WatchedSession } from '../../../../shared/watch-rules';
import { durationMs } from '../../../../shared/settings';
import type { Basics } from '../../kernel/basics';
import type { Conversations } from '../../../ports/conversations';
import type { JournalReads } from '../../../ports/journal/reads';
import type { SettingsPort } from '../../../ports/settings';
import { waitUntil } from '../../kernel/wait-until';
import { createWallAlarm } from '../../kernel/wall-alarm';
import type { SessionsRoom } from '../../sessions/intake';
import type { Adoption } from './adopt';

/** The message to send. The agent has its conversation and so knows the context. */
const GO_ON = 'Your usage limit has reset. Continue where you left off.';
/** Its answer appears in the session, like that of a message from the window. */
const CHANNEL = 'window';
const MAX_REF = 100;
/** A computer that was off for longer leaves it to the user: the work may be outdated. */
const LATEST_MS = 24 * 3_600_000;
/** Delay after a conversation could not be continued yet. */
const AGAIN_MS = 5 * 60_000;

interface TerminalLimitsDeps extends Pick<Basics, 'clock' | 'audit' | 'log'> {
  readonly settings: Pick<SettingsPort, 'get'>;
  readonly conversations: Pick<Conversations, 'terminals'>;
  readonly adoption: Pick<Adoption, 'takeOver'>;
  readonly sessions: Pick<SessionsRoom, 'accept'>;
  readonly reads: Pick<JournalReads, 'heardMessage'>;
  /** Aborted when the shutdown starts. */
  readonly draining: AbortSignal;
}

/** When a terminal's conversation continues automatically; undefined: never. Pure. */
export function continuesAtMs(
  { limit }: Pick<WatchedSession, 'limit'>,
  { nowMs, marginMs }: { readonly nowMs: number; readonly marginMs: number },
): number | undefined {
  if (limit?.resetsAtMs === undefined) return undefined;
  // No longer than its wait was when it began: the clock may have been ahead then.
  const dueMs =
    Math.min(limit.resetsAtMs, nowMs + Math.max(0, limit.resetsAtMs - limit.atMs)) + marginMs;
  return nowMs - dueMs > LATEST_MS ? undefined : dueMs;
}

/**
 * All of its state is on disk already: the reset time in the hooks' records, the adoption in the
 * journal, and the message under an ID that is accepted once. So a kill at any point loses nothing
 * and sends nothing twice.
 */
export function createTerminalLimits(deps: TerminalLimitsDeps): {
  /** Continues what is due, and checks again when the next one is. */
  look(): Promise<void>;
} {
  let looking: Promise<void> = Promise.resolve();

  const alarm = createWallAlarm(deps.clock, () => void look());
  /** The wait of each conversation: a clock that is set back does not make it longer. */
  let dues = new Map<string, () => number>();

  const goOn = async (one: WatchedSession): Promise<void> => {
    const ref = one.session.slice(0, MAX_REF);
    const messageId = `terminal-limit:${ref}:${String(one.limit?.atMs ?? 0)}`;
    // The message is on disk with its turn: one sent by an earlier start is not sent again.
    if (deps.reads.heardMessage(CHANNEL, messageId) !== undefined) return;
    const taken = await deps.adoption.takeOver(one);
    if (taken === undefined) return;
    await deps.sessions.accept({
      text: GO_ON,
      channel: CHANNEL,
      peer: one.session,
      session: String(taken.id),
      messageId,
    });
    deps.audit.record('terminal_continued', { sessionId: taken.id, agent: taken.agent });
  };

  const lookNow = async (): Promise<void> => {
    alarm.clear();
    if (deps.draining.aborted || !deps.settings.get('limits.continue_terminals')) return;
    const marginMs = durationMs(deps.settings.get('limits.margin'));
    const before = dues;
    dues = new Map();
    const waits: (() => number)[] = [];
    const terminals = await deps.conversations.terminals().catch((error: unknown) => {
      deps.log.warn('terminal.list_failed', { error });
      waits.push(waitUntil(deps.clock, deps.clock.nowMs() + AGAIN_MS));
      return [];
    });
    for (const one of terminals) {
      const nowMs = deps.clock.nowMs();
      const dueAtMs = continuesAtMs(one, { nowMs, marginMs });
      if (dueAtMs === undefined) continue;
      const key = `${one.session} ${String(one.limit?.resetsAtMs)} ${String(marginMs)}`;
      const due = before.get(key) ?? waitUntil(deps.clock, dueAtMs);
      dues.set(key, due);
      if (due() > nowMs) waits.push(due);
      else
        await goOn(one).catch((error: unknown) => {
          deps.log.warn('terminal.not_continued', { ref: one.session, error });
          waits.push(waitUntil(deps.clock, nowMs + AGAIN_MS));
        });
    }
    if (!deps.draining.aborted) alarm.set(waits);
  };

  /** One check at a time. */
  const look = (): Promise<void> => {
    looking = looking.then(lookNow, lookNow);
    return looking;
  };
  return { look };
}
