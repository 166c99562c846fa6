import type { QueueStatus } from '../../shared/types/delivery';
import type { ExtView, StatusSnapshot } from '../../shared/types';
import type { BreakerView } from '../../shared/types/outage';
import { BREAKER_STATES } from '../../shared/states';
import { MAX_SERIES, modelLabel, nameLabel, OTHER } from './labels';
import { LATENCY_BUCKETS_MS, type Counts, type Latency } from './counters';

/** One line of a family. */
interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Set if it differs from the family's: the lines of a histogram. */
  readonly metricName?: string;
}

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly values: readonly Sample[];
}

/** Facts of one scrape; facts that do not exist yet are absent. */
export interface MetricsFacts {
  readonly version: string;
  readonly startedAtMs: number;
  readonly counts: Counts;
  /** Provider of a frame; undefined if the frame is gone. */
  readonly providerOf: (frameId: number) => string | undefined;
  readonly inbound: readonly {
    readonly kind: string;
    readonly filtered: boolean;
    readonly count: number;
  }[];
  readonly turns: Readonly<Record<string, number>>;
  readonly status: StatusSnapshot | undefined;
  readonly breakers: readonly Pick<BreakerView, 'name' | 'state'>[];
  readonly queue: QueueStatus | undefined;
  readonly extensions: readonly Pick<ExtView, 'state'>[];
}

/** Always present, even if no broker is configured, so that monitoring need not guess (S2-56). */
const ALWAYS_THERE = 'nats';
const TURN_STATES = ['queued', 'running', 'waiting', 'requires_action', 'held', 'parked'] as const;
const RECOVERIES = ['resume', 'hold', 'park', 'stale', 'discard', 'none'] as const;
const ACTIVATIONS = ['leased', 'acked', 'requeued', 'blocked', 'abandoned'] as const;
const EXTENSION_STATES = [
  'running',
  'starting',
  'restarting',
  'failed',
  'skipped',
  'stopped',
  'stopping',
  'disabled',
] as const satisfies readonly ExtView['state'][];

/**
 * Every metric in its documented name. Labels are names from the settings or of tools, limited in
 * number and characters (H7). Pure.
 */
export function metricFamilies(facts: MetricsFacts): Family[] {
  return [
    gauge('holdfast_build_info', 'The version that answers.', [
      { labels: { version: facts.version }, value: 1 },
    ]),
    gauge('process_start_time_seconds', 'Start time of this process, seconds since the epoch.', [
      { labels: {}, value: facts.startedAtMs / 1000 },
    ]),
    ...modelFamilies(facts),
    ...toolFamilies(facts.counts),
    counter('messages_processed_total', 'Turns that have ended, by result.', [
      { labels: {}, value: facts.counts.messages },
    ]),
    counter(
      'inbound_events_total',
      'Events received from channels, by kind; filtered ones were not messages.',
      facts.inbound.map(({ kind, filtered, count }) => ({
        labels: { kind: nameLabel(kind), filtered: String(filtered) },
        value: count,
      })),
    ),
    gauge(
      'holdfast_turns',
      'Unfinished turns, by state.',
      byName(TURN_STATES, 'state', facts.turns),
    ),
    counter(
      'holdfast_recovery_outcomes_total',
      'Decisions of this start about interrupted turns.',
      byName(RECOVERIES, 'outcome', facts.counts.recoveries),
    ),
    counter(
      'holdfast_activations_total',
      'Activations, by event: leased, acked, requeued, blocked, abandoned.',
      byName(ACTIVATIONS, 'outcome', facts.counts.activations),
    ),
    gauge(
      'holdfast_extensions_discovered',
      'MCP servers of the settings, by state.',
      byName(EXTENSION_STATES, 'status', countBy(facts.extensions.map(({ state }) => state))),
    ),
    ...breakerFamilies(facts.breakers),
    ...limitFamilies(facts.status),
    ...journalFamilies(facts.status),
    ...sharedFamilies(facts.status?.shared),
    ...(facts.queue === undefined ? [] : queueFamilies(facts.queue)),
  ];
}

const family =
  (type: Family['type']) =>
  (name: string, help: string, values: readonly Sample[]): Family => ({ name, help, type, values });
const gauge = family('gauge');
const counter = family('counter');

/** Zero if nothing was counted yet: a missing line looks like a broken one. */
const byName = (
  names: readonly string[],
  label: string,
  counts: Readonly<Record<string, number>>,
): Sample[] => names.map((name) => ({ labels: { [label]: name }, value: counts[name] ?? 0 }));

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Adds up samples whose labels became equal. */
function merged(samples: readonly Sample[]): Sample[] {
  const sums = new Map<string, Sample>();
  for (const sample of samples) {
    const key = JSON.stringify(sample.labels);
    sums.set(key, { ...sample, value: (sums.get(key)?.value ?? 0) + sample.value });
  }
  return [...sums.values()];
}

function modelFamilies({ counts, providerOf }: MetricsFacts): Family[] {
  const providers = new Map<number, string>();
  const provider = (frameId: number | undefined): string => {
    if (frameId === undefined) return OTHER;
    const known = providers.get(frameId) ?? nameLabel(providerOf(frameId) ?? OTHER);
    providers.set(frameId, known);
    return known;
  };
  return [
    counter(
      'llm_requests_total',
      'Model requests that have ended, by result.',
      merged(
        counts.models.map(({ agent, frameId, model, count }) => ({
          labels: {
            agent: nameLabel(agent),
            provider: provider(frameId),
            model: modelLabel(model),
          },
          value: count,
        })),
      ),
    ),
    histogram('llm_latency_ms', 'Duration of a model request, ms.', counts.modelLatency),
  ];
}

function toolFamilies(counts: Counts): Family[] {
  return [
    counter(
      'holdfast_tool_calls_total',
      'Tool calls that have ended, by result; "error" is a tool that reported an error.',
      merged(
        counts.tools.map(({ agent, tool, outcome, count }) => ({
          labels: { agent: nameLabel(agent), outcome, tool: nameLabel(tool) },
          value: count,
        })),
      ),
    ),
    histogram('holdfast_tool_latency_ms', 'Duration of a tool call, ms.', counts.toolLatency),
  ];
}

function histogram(name: string, help: string, { buckets, sumMs }: Latency): Family {
  const bounds = [...LATENCY_BUCKETS_MS, '+Inf'];
  const all = buckets.at(-1) ?? 0;
  return {
    name,
    help,
    type: 'histogram',
    values: [
      ...bounds.map((le, index) => ({
        metricName: `${name}_bucket`,
        labels: { le },
        value: buckets[index] ?? 0,
      })),
      { metricName: `${name}_sum`, labels: {}, value: sumMs },
      { metricName: `${name}_count`, labels: {}, value: all },
    ],
  };
}

/** Empty if no agent reports it: an unknown limit does not count as unused. LM-09 */
function limitFamilies(status: StatusSnapshot | undefined): Family[] {
  const known = (status?.limits ?? []).flatMap(({ provider, window, usedPercent }) =>
    usedPercent === undefined
      ? []
      : [{ labels: { provider: nameLabel(provider), window }, value: usedPercent / 100 }],
  );
  return known.length === 0
    ? []
    : [
        gauge(
          'holdfast_usage_limit_used_ratio',
          'Used part of the usage limit that an agent reported last, from 0 to 1.',
          known,
        ),
      ];
}

/** Half-open counts as open: 1 until calls go through again (R24). */
function breakerFamilies(breakers: readonly Pick<BreakerView, 'name' | 'state'>[]): Family[] {
  const states = new Map<string, BreakerView['state']>([[ALWAYS_THERE, 'closed']]);
  for (const { name, state } of breakers) {
    if (states.size < MAX_SERIES || states.has(name)) states.set(name, state);
  }
  const all = [...states];
  return [
    gauge(
      'circuit_breaker_state',
      '0 closed, 1 open or half-open.',
      all.map(([breaker, state]) => ({ labels: { breaker }, value: state === 'closed' ? 0 : 1 })),
    ),
    gauge(
      'circuit_breaker_phase',
      '1 for the current phase of the circuit breaker.',
      all.flatMap(([breaker, state]) =>
        BREAKER_STATES.map((phase) => ({
          labels: { breaker, phase },
          value: phase === state ? 1 : 0,
        })),
      ),
    ),
  ];
}

function journalFamilies(status: StatusSnapshot | undefined): Family[] {
  if (status === undefined) return [];
  const { journal } = status;
  return [
    gauge('holdfast_journal_refused', '1 while the disk cannot be written or read.', [
      { labels: {}, value: journal.refusal === undefined ? 0 : 1 },
    ]),
    counter('holdfast_journal_entries_total', 'Entries ever written to the journal.', [
      { labels: {}, value: journal.seq },
    ]),
  ];
}

/** For this computer; empty if it shares no work. DW-28 */
const sharedFamilies = (shared: StatusSnapshot['shared']): Family[] =>
  shared === undefined
    ? []
    : [
        gauge('holdfast_shared_store_connected', '1 while the shared store is connected.', [
          { labels: {}, value: shared.state === 'connected' ? 1 : 0 },
        ]),
        gauge('holdfast_shared_turns_held', 'Shared turns that this computer has.', [
          { labels: {}, value: shared.held },
        ]),
      ];

function queueFamilies(queue: QueueStatus): Family[] {
  const one = (value: number): Sample[] => [{ labels: {}, value }];
  return [
    gauge(
      'holdfast_queue_depth',
      'Events on disk that the event broker has not acknowledged.',
      one(queue.depth),
    ),
    gauge('holdfast_queue_bytes', 'Size of the events on disk, bytes.', one(queue.bytes)),
    gauge(
      'holdfast_queue_max_depth',
      'Queue limit; beyond it the oldest event is dropped.',
      one(queue.maxPending),
    ),
    counter(
      'holdfast_queue_published_total',
      'Events accepted since the start: sent to the event broker at once, or stored on disk first.',
      one(queue.published),
    ),
    counter(
      'holdfast_events_refused_total',
      'Events that could not be written to disk since the start; their publishers got an error.',
      one(queue.refused),
    ),
    counter(
      'holdfast_queue_delivered_total',
      'Events acknowledged since the start.',
      one(queue.delivered),
    ),
    gauge('holdfast_dead_letters', 'Dead letters that can be sent again.', one(queue.deadLetters)),
    gauge(
      'holdfast_shed_events',
      'Events dropped because the queue was full: still listed as dead letters, or only counted.',
      [
        { labels: { kept: 'true' }, value: Math.max(0, queue.shed.total - queue.shed.summarised) },
        { labels: { kept: 'false' }, value: queue.shed.summarised },
      ],
    ),
    counter(
      'holdfast_events_shed_total',
      'All events ever dropped because the queue was full.',
      one(queue.shed.total),
    ),
  ];
}
