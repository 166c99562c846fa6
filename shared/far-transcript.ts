/**
 * A session's transcript from a host, and how it is read here: entry by entry and bounded,
 * whichever version wrote it. Its texts are shown by the components for a model's texts, which are
 * equally untrusted. Pure. HO-02, HO-03
 */
import { z } from 'zod';
import { readableSession } from './far-lists';
import { line } from './far-text';
import { once } from './once';
import { atMs, id, purity, stepState } from './types/base';
import {
  FAR_EVENT_TYPES,
  MAX_FAR_EVENTS,
  type FarEvent,
  type HostTranscript,
} from './types/far-transcript';
import type { SessionEvent, SessionView } from './types/sessions';
import { stepFate } from './types/turns';

/** Characters of one text; the rest is read on the host. */
const MAX_TEXT_CHARS = 8_000;
/** Of one answer on the wire, where a character may take six: more than 2 million are not read. */
const MAX_PART_CHARS = 300_000;
/** Of an answer beyond that nothing is read. */
const MAX_READ = 1_000;

/** Part of a transcript of this computer, for another one. */
interface ToldTranscript {
  readonly session: SessionView;
  readonly events: readonly SessionEvent[];
  readonly nextBefore?: number;
}

const isTold = ({ type }: SessionEvent): boolean =>
  (FAR_EVENT_TYPES as readonly string[]).includes(type);

const cut = <T extends { readonly text: string; readonly isTruncated: boolean }>(event: T): T =>
  event.text.length > MAX_TEXT_CHARS
    ? { ...event, text: event.text.slice(0, MAX_TEXT_CHARS), isTruncated: true }
    : event;

/** The newest of these events that fit into one answer, and where the previous ones start. */
export function tellTranscript(
  session: SessionView,
  page: { readonly events: readonly SessionEvent[]; readonly hasMore: boolean },
): ToldTranscript {
  const all = page.events.filter(isTold).map(cut);
  let chars = 0;
  let from = all.length;
  while (from > 0 && all.length - from < MAX_FAR_EVENTS) {
    chars += JSON.stringify(all[from - 1]).length;
    if (chars > MAX_PART_CHARS && from < all.length) break;
    from -= 1;
  }
  const events = all.slice(from);
  const first = from > 0 ? events[0] : page.hasMore ? page.events[0] : undefined;
  return { session, events, ...(first === undefined ? {} : { nextBefore: first.seq }) };
}

const readableEvent = once(() =>
  z.object({
    seq: id,
    turnId: id.optional().catch(undefined),
    type: z.enum(FAR_EVENT_TYPES),
    atMs,
    isPending: z.boolean().catch(false),
    text: z.string(),
    isTruncated: z.boolean().catch(false),
    tool: line(200).optional().catch(undefined),
    purity: purity.optional().catch(undefined),
    stepIndex: id.optional().catch(undefined),
    stepState: stepState.optional().catch(undefined),
    stepFate: stepFate.optional().catch(undefined),
    startedAtMs: atMs.optional().catch(undefined),
    endedAtMs: atMs.optional().catch(undefined),
  }),
);
const told = once(() =>
  z.object({
    session: readableSession(),
    events: z.array(z.unknown()),
    nextBefore: id.optional().catch(undefined),
  }),
);

/**
 * Reads part of a conversation. Undefined if it is not one of this session. Unreadable entries are
 * counted.
 */
export function readFarTranscript(value: unknown, sessionId: number): HostTranscript | undefined {
  const found = told().safeParse(value);
  if (!found.success || found.data.session.id !== sessionId) return undefined;
  const { session, events: all, nextBefore } = found.data;
  const tried = all.slice(-MAX_READ).map((one) => readableEvent().safeParse(one));
  const known = new Map<number, FarEvent>();
  for (const it of tried) if (it.success) known.set(it.data.seq, cut({ ...it.data, sessionId }));
  const read = [...known.values()].toSorted((one, other) => one.seq - other.seq);
  const events = read.slice(-MAX_FAR_EVENTS);
  const isCut = events.length < read.length || tried.length < all.length;
  const before = isCut ? events[0]?.seq : nextBefore;
  return {
    kind: 'told',
    session,
    events,
    hidden: tried.filter(({ success }) => !success).length,
    ...(before === undefined ? {} : { nextBefore: before }),
  };
}
