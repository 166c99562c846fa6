import type { WatchedFacts } from '../../../ports/conversations';
import type { ExternalSessionRow } from '../../../ports/journal/external';
import type { ErrorCode } from '../../kernel/errors';

/** Facts about an external program's conversation before it continues here. */
export interface AdoptFacts {
  readonly ref: string;
  readonly agent: string;
  /** The requested key; undefined if any will do. */
  readonly key: string | undefined;
  readonly nowMs: number;
  /** When the program last wrote its record; undefined if it has no such file. */
  readonly recordAtMs: number | undefined;
  /** At the reset of its limit, by the user's setting: the terminal may still be open. LM-12 */
  readonly isAtLimit?: boolean;
  /** What the hooks reported from a watched terminal; undefined if it was never watched. */
  readonly watched: WatchedFacts | undefined;
  /** The session that has it already. */
  readonly holder:
    | {
        readonly sessionId: number;
        readonly key: string;
        readonly agent: string;
        readonly isInTerminal: boolean;
      }
    | undefined;
}

type AdoptPlan =
  | { readonly kind: 'new' }
  /** Its earlier session takes it back from the terminal. */
  | { readonly kind: 'back'; readonly sessionId: number }
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string;
    };

/** A record written this recently is still in use. */
export const STILL_WARM_MS = 60_000;
/** After its end a program may write the last lines of its record. */
const LAST_LINES_MS = 5_000;

/** Whether a conversation can continue here, and as which session: one place at a time. Pure. */
export function planAdopt(facts: AdoptFacts): AdoptPlan {
  const { holder, key } = facts;
  if (holder !== undefined && !holder.isInTerminal) {
    return busy(
      `The session "${holder.key}" already has this conversation.`,
      'Nothing was changed. Continue there.',
    );
  }
  const alive = stillAlive(facts);
  if (alive !== undefined) return busy(alive, 'Nothing was changed. End it there, then try again.');
  if (holder === undefined) return { kind: 'new' };
  if (holder.agent !== facts.agent || (key !== undefined && key !== holder.key)) {
    return busy(
      `This conversation was moved to a terminal by the session "${holder.key}" of the agent "${holder.agent}".`,
      'Nothing was changed. Continue it with that agent, and without another name.',
    );
  }
  return { kind: 'back', sessionId: holder.sessionId };
}

const busy = (message: string, hint: string): AdoptPlan => ({
  kind: 'refused',
  code: 'CONVERSATION_BUSY',
  message,
  hint,
});

const isInUse = (watched: WatchedFacts | undefined): boolean =>
  watched !== undefined && !watched.hasEnded && watched.process === 'alive';

function stillAlive({ watched, recordAtMs, nowMs, isAtLimit }: AdoptFacts): string | undefined {
  if (isAtLimit === true && watched?.isAtLimit === true) return undefined;
  if (isInUse(watched)) return 'A watched terminal is still in this conversation.';
  const isOver = watched !== undefined && (watched.hasEnded || watched.process === 'dead');
  const lastMs = Math.max(recordAtMs ?? 0, watched?.lastAtMs ?? 0);
  // What a program writes around its known end is no heartbeat.
  if (isOver && lastMs <= watched.lastAtMs + LAST_LINES_MS) return undefined;
  if (nowMs - lastMs >= STILL_WARM_MS) return undefined;
  const seconds = Math.max(0, Math.round((nowMs - lastMs) / 1_000));
  return `This conversation was written to ${String(seconds)} s ago: something may still be working on it.`;
}

/** Why a turn must not resume: the conversation is in a terminal. Undefined if Holdfast has it. */
export function handedBack(session: ExternalSessionRow | undefined): string | undefined {
  if (session?.isInTerminal !== true) return undefined;
  return `This conversation has been in a terminal since you moved it there. Continue it in Holdfast, then resume: holdfast sessions attach ${session.agent} --id ${session.ref}`;
}

/** The same for a conversation that hooks report as open in a terminal without a handback. */
export function openedInTerminal(watched: WatchedFacts | undefined): string | undefined {
  // At its limit it does nothing until the user writes there, and then it is in use again.
  if (!isInUse(watched) || watched?.isAtLimit === true) return undefined;
  return 'A watched terminal is in this conversation: two at once would lose changes. Nothing was run. End it there, then resume.';
}
