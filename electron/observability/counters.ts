import type { JournalEntry, StepEnd } from '../ports/journal/entries';
import { MAX_SERIES, nameLabel, OTHER } from './labels';

/** Upper bounds of the latency buckets, ms. */
export const LATENCY_BUCKETS_MS = [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

/** A histogram: `counts[i]` is the number of values up to bound `i`; the last one counts all. */
export interface Latency {
  readonly buckets: readonly number[];
  readonly sumMs: number;
}

interface ToolCount {
  readonly agent: string;
  readonly tool: string;
  readonly outcome: StepEnd['state'] | 'error';
  readonly count: number;
}
interface ModelCount {
  readonly agent: string;
  /** Frame of the turn; its provider is looked up at the scrape. */
  readonly frameId: number | undefined;
  readonly model: string;
  readonly count: number;
}

export interface Counts {
  readonly models: readonly ModelCount[];
  readonly modelLatency: Latency;
  readonly tools: readonly ToolCount[];
  readonly toolLatency: Latency;
  readonly messages: number;
  readonly recoveries: Readonly<Record<string, number>>;
  readonly activations: Readonly<Record<string, number>>;
}

export interface Counters {
  /** Call after every commit. A few additions; only a turn's start reads anything. */
  take(entries: readonly JournalEntry[]): void;
  counts(): Counts;
}

interface OpenTurn {
  /** The series in which its newest call was counted. */
  last?: {
    readonly tool: string;
    readonly outcome: ToolCount['outcome'];
    readonly series: Counted<ToolCount>;
  };
  readonly agent: string;
  readonly frameId: number | undefined;
  readonly steps: Map<
    number,
    { readonly tool: string; readonly model: string | undefined; readonly startedMs: number }
  >;
}

/** States in which a turn is blocked on someone else. */
const BLOCKED: ReadonlySet<string> = new Set(['waiting', 'held', 'requires_action', 'parked']);

/**
 * Counts commits since the start of this process; reads no history (S2-56). A latency is the time
 * between the commits of intent and outcome.
 */
export function createCounters(deps: {
  readonly monotonicMs: () => number;
  readonly agentOf: (turnId: number) => string | undefined;
}): Counters {
  const steps = createStepCounts(deps);
  const recoveries: Record<string, number> = {};
  const activations: Record<string, number> = {};
  let messages = 0;
  const add = (into: Record<string, number>, what: string): void => {
    into[what] = (into[what] ?? 0) + 1;
  };
  const left = (turnId: number, how: string): void => {
    steps.left(turnId);
    add(activations, how);
  };
  const count = (entry: JournalEntry): void => {
    switch (entry.kind) {
      case 'step.started':
        steps.began(entry);
        return;
      case 'step.ended':
        steps.ended(entry);
        return;
      case 'turn.started':
        steps.entered(entry.turnId, entry.frameId);
        add(activations, 'leased');
        return;
      case 'turn.closed':
        messages += 1;
        left(entry.turnId, 'acked');
        return;
      case 'turn.requeued':
        left(entry.turnId, 'requeued');
        return;
      case 'turn.abandoned':
        left(entry.turnId, 'abandoned');
        return;
      case 'turn.state':
        if (BLOCKED.has(entry.state)) left(entry.turnId, 'blocked');
        return;
      case 'turn.recovered':
        add(recoveries, entry.action);
        return;
      default:
    }
  };
  return {
    take(entries) {
      for (const entry of entries) count(entry);
    },
    counts: () => ({ ...steps.counts(), messages, recoveries, activations }),
  };
}

type StepEntry<K> = Extract<JournalEntry, { kind: K }>;
type StepCounts = Pick<Counts, 'models' | 'modelLatency' | 'tools' | 'toolLatency'>;

/** Model and tool calls of running turns. */
function createStepCounts(deps: Parameters<typeof createCounters>[0]): {
  entered(turnId: number, frameId: number): void;
  left(turnId: number): void;
  began(entry: StepEntry<'step.started'>): void;
  ended(entry: StepEntry<'step.ended'>): void;
  counts(): StepCounts;
} {
  const open = new Map<number, OpenTurn>();
  const models = new Map<string, Counted<ModelCount>>();
  const tools = new Map<string, Counted<ToolCount>>();
  const modelLatency = createHistogram();
  const toolLatency = createHistogram();
  const countModel = ({ agent, frameId }: OpenTurn, model: string): void => {
    const key = `${agent} ${String(frameId ?? 0)} ${model}`;
    const rest = { agent: OTHER, frameId: undefined, model: OTHER };
    addBounded(models, [key, OTHER], [{ agent, frameId, model }, rest]);
  };
  const countTool = (turn: OpenTurn, tool: string, outcome: ToolCount['outcome']): void => {
    const { agent, last } = turn;
    // Most calls have the same result as the previous one: no key is built for those.
    if (last?.tool === tool && last.outcome === outcome) {
      last.series.count += 1;
      return;
    }
    const keys = [`${agent} ${tool} ${outcome}`, `${OTHER} ${outcome}`] as const;
    const series = addBounded(tools, keys, [
      { agent, tool, outcome },
      { agent: OTHER, tool: OTHER, outcome },
    ]);
    turn.last = { tool, outcome, series };
  };
  /** Agents are few, and a label costs a search for keys. */
  const labels = new Map<string, string>();
  const labelOf = (agent: string): string => {
    const label = labels.get(agent) ?? nameLabel(agent);
    if (labels.size < MAX_SERIES) labels.set(agent, label);
    return label;
  };
  return {
    entered(turnId, frameId) {
      const agent = labelOf(deps.agentOf(turnId) ?? OTHER);
      open.set(turnId, { agent, frameId, steps: new Map() });
    },
    left: (turnId) => {
      open.delete(turnId);
    },
    began({ turnId, step, tool, hint }) {
      open.get(turnId)?.steps.set(step, {
        tool,
        model: tool === 'model' ? hint : undefined,
        startedMs: deps.monotonicMs(),
      });
    },
    ended({ turnId, step, end }) {
      const turn = open.get(turnId);
      const begun = turn?.steps.get(step);
      if (turn === undefined || begun === undefined) return;
      turn.steps.delete(step);
      const tookMs = deps.monotonicMs() - begun.startedMs;
      if (begun.model !== undefined) {
        modelLatency.observe(tookMs);
        countModel(turn, begun.model);
        return;
      }
      toolLatency.observe(tookMs);
      countTool(turn, begun.tool, end.state === 'completed' && end.isError ? 'error' : end.state);
    },
    counts: () => ({
      models: [...models.values()],
      modelLatency: modelLatency.read(),
      tools: [...tools.values()],
      toolLatency: toolLatency.read(),
    }),
  };
}

/** A series whose count is incremented in place: a step costs no new object. */
type Counted<T> = Omit<T, 'count'> & { count: number };

/** Increments a series; if there is no space for a new one, the series for the rest. */
function addBounded<T>(
  into: Map<string, Counted<T>>,
  [key, restKey]: readonly [string, string],
  [series, rest]: readonly [Omit<T, 'count'>, Omit<T, 'count'>],
): Counted<T> {
  const isRest = !into.has(key) && into.size >= MAX_SERIES;
  const place = isRest ? restKey : key;
  const known = into.get(place);
  if (known !== undefined) {
    known.count += 1;
    return known;
  }
  const begun = { ...(isRest ? rest : series), count: 1 };
  into.set(place, begun);
  return begun;
}

function createHistogram(): { observe(ms: number): void; read(): Latency } {
  const buckets = new Array<number>(LATENCY_BUCKETS_MS.length + 1).fill(0);
  let sumMs = 0;
  return {
    observe(ms) {
      sumMs += ms;
      const place = LATENCY_BUCKETS_MS.findIndex((bound) => ms <= bound);
      const at = place === -1 ? LATENCY_BUCKETS_MS.length : place;
      buckets[at] = (buckets[at] ?? 0) + 1;
    },
    read() {
      let sum = 0;
      return { buckets: buckets.map((count) => (sum += count)), sumMs };
    },
  };
}
