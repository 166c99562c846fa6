import type { JournalEntry, StepEnd } from '../ports/journal';
import { MOST_SERIES, nameLabel, OTHER } from './labels';

/** Upper bounds of the latency buckets, ms. */
export const LATENCY_BUCKETS_MS = [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

/** A histogram: how many were at most so long; the last place counts all. */
export interface Latency {
  readonly buckets: readonly number[];
  readonly sumMs: number;
}

export interface ToolCount {
  readonly agent: string;
  readonly tool: string;
  readonly outcome: StepEnd['state'] | 'error';
  readonly count: number;
}
export interface ModelCount {
  readonly agent: string;
  /** Frame of the turn; its provider is read with the scrape. */
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

export interface Tally {
  /** To be called with every commit, after it. A few additions; nothing is read but at a turn's start. */
  take(entries: readonly JournalEntry[]): void;
  counts(): Counts;
}

interface OpenTurn {
  readonly agent: string;
  readonly frameId: number | undefined;
  readonly steps: Map<number, { readonly tool: string; readonly startedMs: number }>;
}

/** States in which a turn waits for somebody: its run was blocked. */
const BLOCKED: ReadonlySet<string> = new Set(['waiting', 'held', 'requires_action', 'parked']);

/**
 * Counts what is committed, from the start of this process on; no history is read (S2-56). A
 * latency is the time between the commits of intent and outcome.
 */
export function createTally(deps: {
  readonly monotonicMs: () => number;
  readonly agentOf: (turnId: number) => string | undefined;
}): Tally {
  const open = new Map<number, OpenTurn>();
  const models = new Map<string, { -readonly [K in keyof ModelCount]: ModelCount[K] }>();
  const tools = new Map<string, { -readonly [K in keyof ToolCount]: ToolCount[K] }>();
  const modelLatency = createHistogram();
  const toolLatency = createHistogram();
  const recoveries: Record<string, number> = {};
  const activations: Record<string, number> = {};
  let messages = 0;

  const began = (entry: Extract<JournalEntry, { kind: 'step.started' }>): void => {
    open.get(entry.turnId)?.steps.set(entry.step, {
      tool: entry.tool === 'model' ? `model ${entry.hint}` : entry.tool,
      startedMs: deps.monotonicMs(),
    });
  };
  const ended = ({ turnId, step, end }: Extract<JournalEntry, { kind: 'step.ended' }>): void => {
    const turn = open.get(turnId);
    const begun = turn?.steps.get(step);
    if (turn === undefined || begun === undefined) return;
    turn.steps.delete(step);
    const tookMs = deps.monotonicMs() - begun.startedMs;
    if (begun.tool.startsWith('model ')) {
      modelLatency.observe(tookMs);
      const model = begun.tool.slice(6);
      const key = `${turn.agent} ${String(turn.frameId ?? 0)} ${model}`;
      const known = models.get(key);
      if (known !== undefined) known.count += 1;
      else
        addBounded(
          models,
          key,
          OTHER,
          {
            agent: turn.agent,
            frameId: turn.frameId,
            model,
            count: 1,
          },
          { agent: OTHER, frameId: undefined, model: OTHER, count: 1 },
        );
      return;
    }
    toolLatency.observe(tookMs);
    const outcome = end.state === 'completed' && end.isError ? 'error' : end.state;
    const key = `${turn.agent} ${begun.tool} ${outcome}`;
    const known = tools.get(key);
    if (known !== undefined) known.count += 1;
    else
      addBounded(
        tools,
        key,
        `${OTHER} ${outcome}`,
        { agent: turn.agent, tool: begun.tool, outcome, count: 1 },
        { agent: OTHER, tool: OTHER, outcome, count: 1 },
      );
  };
  const add = (into: Record<string, number>, what: string): void => {
    into[what] = (into[what] ?? 0) + 1;
  };

  return {
    take(entries) {
      for (const entry of entries) {
        switch (entry.kind) {
          case 'step.started':
            began(entry);
            break;
          case 'step.ended':
            ended(entry);
            break;
          case 'turn.started':
            open.set(entry.turnId, {
              agent: nameLabel(deps.agentOf(entry.turnId) ?? OTHER),
              frameId: entry.frameId,
              steps: new Map(),
            });
            add(activations, 'leased');
            break;
          case 'turn.closed':
            open.delete(entry.turnId);
            messages += 1;
            add(activations, 'acked');
            break;
          case 'turn.requeued':
            open.delete(entry.turnId);
            add(activations, 'requeued');
            break;
          case 'turn.abandoned':
            open.delete(entry.turnId);
            add(activations, 'abandoned');
            break;
          case 'turn.state':
            if (!BLOCKED.has(entry.state)) break;
            open.delete(entry.turnId);
            add(activations, 'blocked');
            break;
          case 'turn.recovered':
            add(recoveries, entry.action);
            break;
          default:
            break;
        }
      }
    },
    counts: () => ({
      models: [...models.values()],
      modelLatency: modelLatency.read(),
      tools: [...tools.values()],
      toolLatency: toolLatency.read(),
      messages,
      recoveries,
      activations,
    }),
  };
}

/** A new series where there is room for one, else one more of the series that stands for the rest. */
function addBounded<T extends { count: number }>(
  into: Map<string, T>,
  key: string,
  restKey: string,
  series: T,
  rest: T,
): void {
  if (into.size < MOST_SERIES) {
    into.set(key, series);
    return;
  }
  const known = into.get(restKey);
  if (known === undefined) into.set(restKey, rest);
  else known.count += 1;
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
