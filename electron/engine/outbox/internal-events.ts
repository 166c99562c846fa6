import { reasonText } from '../../../shared/reason';
import type { JournalEntry } from '../../ports/journal/entries';
import type { NewEvent } from '../../ports/event-queue';
import { utf8Bytes } from './queue-rules';

/**
 * Maximum length of texts in an event: they name the subject, they do not carry the work itself.
 */
const TEXT_CHARS = 2_000;

interface OwnEventFacts {
  readonly seq: number;
  readonly atMs: number;
  readonly databaseId: string;
  /** Includes prompts, answers and reasons; `events.include_text`. */
  readonly withText: boolean;
}

/**
 * The event that Holdfast publishes once this entry is on disk; undefined for most entries. Its ID
 * derives from the journal row, so a repeat creates the same event (R12). Pure.
 */
export function ownEvent(entry: JournalEntry, facts: OwnEventFacts): NewEvent | undefined {
  const told = describe(entry);
  if (told === undefined) return undefined;
  const id = `${facts.databaseId}-${String(facts.seq)}`;
  const text = facts.withText ? cut(told.text ?? {}) : {};
  const payload = JSON.stringify({ id, atMs: facts.atMs, ...told.facts, ...text });
  return { id, topic: `holdfast.${told.topic}`, payload, bytes: utf8Bytes(payload) };
}

interface EventText {
  readonly topic: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly text?: Readonly<Record<string, string | undefined>>;
}

function describe(entry: JournalEntry): EventText | undefined {
  switch (entry.kind) {
    case 'message.accepted': {
      const { turnId, sessionId, channel, promptStart } = entry;
      return {
        topic: 'turn.accepted',
        facts: { turnId, sessionId, channel },
        text: { prompt: promptStart },
      };
    }
    case 'turn.closed': {
      const { turnId, sessionId, state, reason, answer } = entry;
      return {
        topic: `turn.${state}`,
        facts: { turnId, sessionId, state },
        text: {
          reason: reasonText(reason),
          answer: answer?.kind === 'inline' ? answer.text : undefined,
        },
      };
    }
    case 'turn.state': {
      const { turnId, state, reason } = entry;
      if (state !== 'held' && state !== 'parked') return undefined;
      return {
        topic: `turn.${state}`,
        facts: { turnId, state },
        text: { reason: reasonText(reason) },
      };
    }
    case 'marker.started': {
      const { startId, reason, downSinceMs, version } = entry;
      return {
        topic: 'started',
        facts: { startId, reason, version, ...(downSinceMs === undefined ? {} : { downSinceMs }) },
      };
    }
    case 'outage.declared':
    case 'outage.resolved': {
      const { kind, provider, outageId } = entry;
      return { topic: kind, facts: { provider, outageId } };
    }
    default:
      return undefined;
  }
}

function cut(texts: NonNullable<EventText['text']>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) =>
      text === undefined || text === '' ? [] : [[name, text.slice(0, TEXT_CHARS)]],
    ),
  );
}
