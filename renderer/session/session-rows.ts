/** Turns the events of a session into the blocks of a chat. Pure. */
import type { EventPayload } from '../../shared/contract';
import type { SessionEvent } from '../../shared/types';

export type ToolLine = SessionEvent & { readonly type: 'agent.tool_use' };

/** One block of the chat, oldest first. */
export type ChatBlock =
  | { readonly kind: 'message'; readonly seq: number; readonly event: SessionEvent }
  | { readonly kind: 'answer'; readonly seq: number; readonly event: SessionEvent }
  | { readonly kind: 'interrupt'; readonly seq: number; readonly event: SessionEvent }
  | { readonly kind: 'tools'; readonly seq: number; readonly lines: readonly ToolLine[] };

/**
 * Messages and answers in order; the tool calls between them are combined into one block. A later
 * event about the same step replaces the earlier one in its place. Other events are not shown.
 */
export function chatBlocks(events: readonly SessionEvent[]): readonly ChatBlock[] {
  const blocks: (
    Exclude<ChatBlock, { kind: 'tools' }> | { kind: 'tools'; seq: number; lines: ToolLine[] }
  )[] = [];
  const placeOf = new Map<string, { lines: ToolLine[]; at: number }>();
  for (const event of events) {
    switch (event.type) {
      case 'user.message':
      case 'user.define_outcome':
        blocks.push({ kind: 'message', seq: event.seq, event });
        break;
      case 'agent.message':
        if (event.text !== '') blocks.push({ kind: 'answer', seq: event.seq, event });
        break;
      case 'user.interrupt':
        blocks.push({ kind: 'interrupt', seq: event.seq, event });
        break;
      case 'agent.tool_use': {
        const line = event as ToolLine;
        const key = `${line.turnId ?? 0}:${line.stepIndex ?? `seq${line.seq}`}`;
        const known = placeOf.get(key);
        if (known) {
          known.lines[known.at] = line;
          break;
        }
        const last = blocks.at(-1);
        const lines = last?.kind === 'tools' ? last.lines : [];
        if (last?.kind !== 'tools') blocks.push({ kind: 'tools', seq: event.seq, lines });
        lines.push(line);
        placeOf.set(key, { lines, at: lines.length - 1 });
        break;
      }
      // A question and its answer are shown with the call they are about.
      case 'agent.custom_tool_use':
      case 'user.custom_tool_result':
      case 'user.tool_confirmation':
      case 'session.child_created':
      case 'session.child_idle':
      case 'session.status_changed':
      case 'session.status_idle':
      case 'span.started':
      case 'span.completed':
        break;
    }
  }
  return blocks;
}

/** Streamed text that is not on disk yet. */
export interface Provisional {
  readonly turnId: number;
  readonly text: string;
  /** Newest event when the text began: a later event of the turn replaces it. */
  readonly sinceSeq: number;
}

/** Maximum length of provisional text; the answer on disk is complete. */
const MAX_PROVISIONAL_CHARS = 60_000;

/** Adds a piece of streamed text; a withdrawal removes all of it. */
export function applyDelta(
  before: Provisional | undefined,
  delta: EventPayload<'turn.delta'>,
  newestSeq: number,
): Provisional | undefined {
  if (delta.isWithdrawn) return before?.turnId === delta.turnId ? undefined : before;
  const text = before?.turnId === delta.turnId ? before.text + delta.text : delta.text;
  return {
    turnId: delta.turnId,
    text: text.slice(-MAX_PROVISIONAL_CHARS),
    sinceSeq: before?.turnId === delta.turnId ? before.sinceSeq : newestSeq,
  };
}

/** Provisional text is removed as soon as the log contains something newer of the same turn. */
export function settleProvisional(
  provisional: Provisional | undefined,
  events: readonly SessionEvent[],
): Provisional | undefined {
  if (!provisional) return undefined;
  const isReplaced = events.some(
    (event) =>
      event.seq > provisional.sinceSeq &&
      event.turnId === provisional.turnId &&
      (event.type === 'agent.message' || event.type === 'agent.tool_use'),
  );
  return isReplaced ? undefined : provisional;
}

/** The part of a text that ends with a complete sentence: only this is read out. */
export function finishedSentences(text: string): string {
  const end = /^[\s\S]*[.!?:](?=\s|$)/.exec(text);
  return end ? end[0] : '';
}

/** Puts an older page before a newer one. If both contain an event, the newer one is kept. */
export function joinPages(
  older: readonly SessionEvent[],
  newer: readonly SessionEvent[],
): readonly SessionEvent[] {
  const first = newer[0]?.seq ?? Number.MAX_SAFE_INTEGER;
  return [...older.filter((event) => event.seq < first), ...newer];
}

/** The part of the log that the window has loaded. */
export interface HeldEvents {
  readonly events: readonly SessionEvent[];
  readonly hasMore: boolean;
}

/**
 * Merges the newest page. If it does not overlap the loaded events (many arrived at once), those
 * are dropped: a chat with a hidden gap would be worse than a short one.
 */
export function holdNewest(held: HeldEvents, page: HeldEvents): HeldEvents {
  const first = page.events[0]?.seq;
  const last = held.events.at(-1)?.seq;
  if (first === undefined || last === undefined || first > last) return page;
  return { events: joinPages(held.events, page.events), hasMore: held.hasMore };
}
