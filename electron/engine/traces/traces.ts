import type { JournalEntry } from '../../ports/journal/entries';
import type { TurnReads } from '../../ports/journal/reads';
import type { StepRow, TurnRow } from '../../ports/journal/rows';
import type { SpanTexts } from './span-texts';
import {
  exportOf,
  reuseSpan,
  stepSpan,
  turnSpan,
  type ModelNames,
  type Span,
  type TraceIds,
} from './trace-spans';

/**
 * Maximum number of spans that wait for the collector; while it is unreachable, the oldest are
 * dropped.
 */
const MAX_WAITING = 4096;
/** Maximum number of spans in one request. */
const MAX_SENT = 512;
/** Steps that end within this time are sent together. */
const SOON_MS = 2_000;
const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 300_000;

interface TracesDeps {
  readonly ids: TraceIds;
  readonly reads: Pick<TurnReads, 'turn' | 'steps' | 'frame'>;
  readonly self: Readonly<Record<string, string>>;
  readonly version: string;
  readonly nowMs: () => number;
  readonly texts: SpanTexts;
  /** @throws if sending failed: the spans are sent again later */
  readonly send: (body: object) => Promise<void>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly onLost: (spans: number, why: unknown) => void;
}

export interface Traces {
  /** Called with every commit, so it only records the entries. */
  take(entries: readonly JournalEntry[]): void;
  /** Sends pending spans once. */
  flush(): Promise<void>;
}

interface Noted {
  readonly turnId: number;
  readonly step?: number;
  readonly reusedAtMs?: number;
}

const notesOf = (entry: JournalEntry, nowMs: number): readonly Noted[] => {
  switch (entry.kind) {
    case 'step.ended':
      return [{ turnId: entry.turnId, step: entry.step }];
    case 'steps.reused':
      return entry.steps.map((step) => ({ turnId: entry.turnId, step, reusedAtMs: nowMs }));
    case 'turn.closed':
      return [{ turnId: entry.turnId }];
    default:
      return [];
  }
};

/** Sends spans of entries that are on disk, in order. Never delays a turn. OT-01 */
export function createTraces(deps: TracesDeps): Traces {
  let noted: Noted[] = [];
  let waiting: Span[] = [];
  let isPlanned = false;
  let waitMs = FIRST_WAIT_MS;
  let last: Promise<void> = Promise.resolve();

  const spansOf = async (notes: readonly Noted[]): Promise<readonly Span[]> => {
    const spans: Span[] = [];
    const known = new Map<number, { steps: readonly StepRow[]; names: ModelNames }>();
    for (const { turnId, step, reusedAtMs } of notes) {
      const turn = deps.reads.turn(turnId);
      if (turn === undefined) continue;
      const its = known.get(turnId) ?? {
        steps: deps.reads.steps(turnId),
        names: namesOf(deps.reads, turn),
      };
      known.set(turnId, its);
      const row = its.steps.find((one) => one.step === step);
      const span =
        step === undefined
          ? turnSpan(deps.ids, turn, await deps.texts.turn(turn))
          : row && (await spanOfStep(row, its, reusedAtMs));
      if (span !== undefined) spans.push(span);
    }
    return spans;
  };
  const spanOfStep = async (
    row: StepRow,
    { steps, names }: { readonly steps: readonly StepRow[]; readonly names: ModelNames },
    reusedAtMs: number | undefined,
  ): Promise<Span | undefined> =>
    reusedAtMs === undefined
      ? stepSpan(deps.ids, row, names, await deps.texts.step(row, steps))
      : reuseSpan(deps.ids, row, names, reusedAtMs);
  const keep = (why: unknown): void => {
    const over = waiting.length - MAX_WAITING;
    if (over <= 0) return;
    waiting = waiting.slice(over);
    deps.onLost(over, why);
  };
  const sendAll = async (): Promise<void> => {
    const notes = noted;
    noted = [];
    waiting.push(...(await spansOf(notes)));
    keep('too many at once');
    while (waiting.length > 0) {
      const some = waiting.slice(0, MAX_SENT);
      await deps.send(exportOf(some, deps.self, deps.version));
      waiting = waiting.slice(some.length);
      waitMs = FIRST_WAIT_MS;
    }
  };
  const flush = (): Promise<void> => {
    last = last.then(sendAll, sendAll);
    return last;
  };
  const plan = (afterMs: number): void => {
    if (isPlanned) return;
    isPlanned = true;
    void deps.sleep(afterMs).then(async () => {
      isPlanned = false;
      try {
        await flush();
      } catch (error) {
        keep(error);
        plan(waitMs);
        waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
      }
    });
  };
  return {
    flush,
    take(entries) {
      const notes = entries.flatMap((entry) => notesOf(entry, deps.nowMs()));
      if (notes.length === 0) return;
      noted.push(...notes);
      if (noted.length > MAX_WAITING) noted = noted.slice(-MAX_WAITING);
      plan(SOON_MS);
    },
  };
}

function namesOf(reads: Pick<TurnReads, 'frame'>, turn: TurnRow): ModelNames {
  const frame = turn.frameId === undefined ? undefined : reads.frame(turn.frameId);
  return frame === undefined ? {} : { provider: frame.provider, model: frame.model };
}
