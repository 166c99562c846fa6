import { parseDuration } from '../../../shared/durations';
import type { Clock } from '../../ports/clock';
import type { TurnReads } from '../../ports/journal/reads';
import type { WorkReads } from '../../ports/journal/work';
import type { JsonValue } from '../../ports/provider';
import type { ToolHost, ToolSpec } from '../../ports/tools';
import type { ToolCall, ToolOutcome } from '../../ports/tool-call';
import type { Wakes } from './wakes';

/** A wake further away than a year is a slip. */
const MAX_MS = 366 * 86_400_000;
const MAX_NOTE = 2_000;

const SPECS: readonly ToolSpec[] = [
  {
    name: 'revisit_later',
    description:
      'Wakes you in this conversation after a while to continue something. Survives restarts of the computer. Use it instead of waiting.',
    inputSchema: {
      type: 'object',
      properties: {
        note: { type: 'string', description: 'What to do then: you get exactly this text' },
        in: { type: 'string', description: 'After how long, for example "90s", "20m", "1h"' },
        key: {
          type: 'string',
          description:
            'A second request with the same key changes nothing while the first is pending',
        },
      },
      required: ['note', 'in'],
      additionalProperties: false,
    },
    purity: 'side_effect',
    isIdempotent: true,
    hasStatusCheck: true,
    hint: (args) => read(args)?.note ?? '',
  },
];

interface Revisit {
  readonly note: string;
  readonly inMs: number;
  readonly key: string | undefined;
}

function read(args: JsonValue): Revisit | undefined {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) return undefined;
  const { note, in: after, key } = args as { readonly [name: string]: JsonValue };
  if (typeof note !== 'string' || note.trim() === '' || typeof after !== 'string') return undefined;
  const parsed = parseDuration(after);
  if (!parsed.ok || parsed.ms > MAX_MS) return undefined;
  return {
    note: note.slice(0, MAX_NOTE),
    inMs: parsed.ms,
    key: typeof key === 'string' && key !== '' ? key.slice(0, 200) : undefined,
  };
}

/**
 * The tool with which an agent schedules more work for itself (S3-03). A call repeated after a
 * crash has the same idempotency key, which is its wake-up's key: one wake-up.
 */
export function createRevisitTool(deps: {
  readonly wakes: () => Wakes;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly reads: Pick<TurnReads, 'turn'>;
  readonly workReads: Pick<WorkReads, 'wasAskedFor'>;
}): ToolHost {
  const keyOf = (call: ToolCall): string => read(call.args)?.key ?? call.idempotencyKey;
  return {
    name: 'work',
    tools: () => SPECS,
    async call(call): Promise<ToolOutcome> {
      const wanted = read(call.args);
      const sessionId = deps.reads.turn(call.turnId)?.sessionId;
      if (wanted === undefined || sessionId === undefined) {
        return {
          kind: 'result',
          content:
            'TOOL_INPUT_INVALID: nothing was scheduled. Specify a note, and in "in" a time such as "90s", "20m" or "1h", at most a year.',
          isError: true,
        };
      }
      const dueAtMs = deps.clock.nowMs() + wanted.inMs;
      const { isNew } = await deps.wakes().queue({
        sessionId,
        dedupeKey: keyOf(call),
        dueAtMs,
        note: wanted.note,
        by: 'agent',
        turnId: call.turnId,
      });
      return {
        kind: 'result',
        content: isNew
          ? `You will be woken at ${new Date(dueAtMs).toISOString()}.`
          : 'A wake-up with this key is already pending; nothing was added.',
        isError: false,
      };
    },
    status: (call) =>
      Promise.resolve(deps.workReads.wasAskedFor(call.turnId, keyOf(call)) ? 'done' : 'not_done'),
  };
}
