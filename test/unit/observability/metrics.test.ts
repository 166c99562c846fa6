import { describe, expect, it } from 'vitest';
import { metricFamilies, type MetricsFacts } from '../../../electron/observability/metric-families';
import { MAX_SERIES, modelLabel, nameLabel } from '../../../electron/observability/labels';
import { metricsText } from '../../../electron/observability/metrics-server';
import { createCounters } from '../../../electron/observability/counters';
import type { JournalEntry, StepEnd } from '../../../electron/ports/journal/entries';
import { readExposition } from '../../helpers/exposition';
import { NO_REASON } from '../../../shared/reason';

let nowMs = 0;
const newCounters = () => createCounters({ monotonicMs: () => nowMs, agentOf: () => 'coder' });
type Counters = ReturnType<typeof newCounters>;

const completed: StepEnd = {
  state: 'completed',
  content: { kind: 'inline', text: '' },
  isError: false,
};
const started = (turnId: number): JournalEntry => ({
  kind: 'turn.started',
  turnId,
  attempt: 1,
  frameId: 3,
  framedAtMs: 0,
});
const began = (turnId: number, step: number, tool: string, hint = ''): JournalEntry =>
  ({ kind: 'step.started', turnId, step, tool, hint }) as JournalEntry;
const ended = (turnId: number, step: number, end: StepEnd = completed): JournalEntry => ({
  kind: 'step.ended',
  turnId,
  step,
  end,
});
const closed = (turnId: number): JournalEntry => ({
  kind: 'turn.closed',
  turnId,
  sessionId: 1,
  state: 'completed',
  reason: NO_REASON,
  hasReply: false,
});
function call(counters: Counters, tool: string, tookMs: number, end: StepEnd = completed): void {
  counters.take([began(1, 1, tool)]);
  nowMs += tookMs;
  counters.take([ended(1, 1, end)]);
}

const facts = (counters: Counters, given: Partial<MetricsFacts> = {}): MetricsFacts => ({
  version: '1.2.3',
  startedAtMs: 1_700_000_000_000,
  counts: counters.counts(),
  providerOf: () => 'anthropic',
  inbound: [],
  turns: {},
  status: undefined,
  breakers: [],
  queue: undefined,
  extensions: [],
  ...given,
});
const scrape = async (counters: Counters, given: Partial<MetricsFacts> = {}) =>
  readExposition((await metricsText(metricFamilies(facts(counters, given)))).body);

describe('metrics', () => {
  it('S2-56 count model calls by agent, provider and model, with their latency', async () => {
    const counters = newCounters();
    counters.take([started(1), began(1, 1, 'model', 'claude-x')]);
    nowMs += 300;
    // As it is committed: the end rides with the next intent.
    counters.take([ended(1, 1), began(1, 2, 'model', 'claude-x')]);
    nowMs += 20_000;
    counters.take([ended(1, 2, { state: 'failed', error: 'x', isCutOff: false }), closed(1)]);
    const seen = await scrape(counters);
    expect(
      seen.value('llm_requests_total', {
        agent: 'coder',
        provider: 'anthropic',
        model: 'claude-x',
      }),
    ).toBe(2);
    expect(seen.value('llm_latency_ms_bucket', { le: '250' })).toBe(0);
    expect(seen.value('llm_latency_ms_bucket', { le: '500' })).toBe(1);
    expect(seen.value('llm_latency_ms_bucket', { le: '10000' })).toBe(1);
    expect(seen.value('llm_latency_ms_bucket', { le: '+Inf' })).toBe(2);
    expect(seen.value('llm_latency_ms_count')).toBe(2);
    expect(seen.value('llm_latency_ms_sum')).toBe(20_300);
    expect(seen.value('messages_processed_total')).toBe(1);
    expect(seen.value('holdfast_activations_total', { outcome: 'acked' })).toBe(1);
  });

  it('S2-56 count tool calls by agent, tool and outcome', async () => {
    const counters = newCounters();
    counters.take([started(1)]);
    call(counters, 'files.write', 5);
    call(counters, 'files.write', 5);
    call(counters, 'files.write', 5, { ...completed, isError: true });
    call(counters, 'shell', 70, { state: 'ambiguous', error: 'lost' });
    const seen = await scrape(counters);
    const tool = (name: string, outcome: string) =>
      seen.value('holdfast_tool_calls_total', { agent: 'coder', tool: name, outcome });
    expect(tool('files.write', 'completed')).toBe(2);
    expect(tool('files.write', 'error')).toBe(1);
    expect(tool('shell', 'ambiguous')).toBe(1);
    expect(seen.value('holdfast_tool_latency_ms_bucket', { le: '50' })).toBe(3);
    expect(seen.value('holdfast_tool_latency_ms_count')).toBe(4);
  });

  it('S2-56 always has the breaker "nats", and half-open counts as open (R24)', async () => {
    const none = await scrape(newCounters());
    expect(none.value('circuit_breaker_state', { breaker: 'nats' })).toBe(0);
    expect(none.value('circuit_breaker_phase', { breaker: 'nats', phase: 'closed' })).toBe(1);
    const some = await scrape(newCounters(), {
      breakers: [
        { name: 'nats', state: 'open' },
        { name: 'provider.x', state: 'half_open' },
        { name: 'mcp.files', state: 'closed' },
      ],
    });
    expect(some.all('circuit_breaker_state')).toEqual({
      'breaker=nats': 1,
      'breaker=provider.x': 1,
      'breaker=mcp.files': 0,
    });
    expect(some.value('circuit_breaker_phase', { breaker: 'provider.x', phase: 'half_open' })).toBe(
      1,
    );
    expect(some.value('circuit_breaker_phase', { breaker: 'provider.x', phase: 'open' })).toBe(0);
  });

  it('DW-28 say whether the shared store is connected and how many shared turns are here, and nothing where no work is shared', async () => {
    const status = (shared: Record<string, unknown>) =>
      ({ journal: { seq: 1, appliedSeq: 1 }, ...shared }) as unknown as MetricsFacts['status'];
    const some = await scrape(newCounters(), {
      status: status({ shared: { state: 'halted', held: 3 } }),
    });
    expect(some.value('holdfast_shared_store_connected')).toBe(0);
    expect(some.value('holdfast_shared_turns_held')).toBe(3);
    const up = await scrape(newCounters(), {
      status: status({ shared: { state: 'connected', held: 0 } }),
    });
    expect(up.value('holdfast_shared_store_connected')).toBe(1);
    const none = await scrape(newCounters(), { status: status({}) });
    expect(none.all('holdfast_shared_turns_held')).toEqual({});
  });

  it('S2-+03 show depth and totals of queue, dead letters and shed events', async () => {
    const seen = await scrape(newCounters(), {
      queue: {
        broker: 'down',
        depth: 7,
        bytes: 700,
        maxPending: 10_000,
        fill: 0.1,
        slowdownMs: 0,
        isDraining: false,
        deadLetters: 3,
        shed: { total: 12, summarised: 10, kept: 2 },
        published: 20,
        delivered: 10,
        refused: 0,
      },
    });
    expect(seen.value('holdfast_queue_depth')).toBe(7);
    expect(seen.value('holdfast_queue_published_total')).toBe(20);
    expect(seen.value('holdfast_dead_letters')).toBe(3);
    expect(seen.value('holdfast_events_shed_total')).toBe(12);
    expect(seen.all('holdfast_shed_events')).toEqual({ 'kept=true': 2, 'kept=false': 10 });
  });

  it('S2-53 S2-56 show what channels brought, by kind, and the turns by state', async () => {
    const seen = await scrape(newCounters(), {
      inbound: [
        { kind: 'message', filtered: false, count: 4 },
        { kind: 'typing', filtered: true, count: 9 },
      ],
      turns: { held: 2 },
      extensions: [{ state: 'running' }, { state: 'failed' }, { state: 'running' }],
    });
    expect(seen.value('inbound_events_total', { kind: 'message', filtered: 'false' })).toBe(4);
    expect(seen.value('inbound_events_total', { kind: 'typing', filtered: 'true' })).toBe(9);
    expect(seen.value('holdfast_turns', { state: 'held' })).toBe(2);
    expect(seen.value('holdfast_turns', { state: 'running' })).toBe(0);
    expect(seen.value('holdfast_extensions_discovered', { status: 'running' })).toBe(2);
  });

  it('H7 escape what stands in a label: quotes, backslashes and line ends stay inside it', async () => {
    const name = 'mcp.a"b\\c\nfake_metric{x="1"} 1';
    const seen = await scrape(newCounters(), { breakers: [{ name, state: 'open' }] });
    expect(seen.value('circuit_breaker_state', { breaker: name })).toBe(1);
    expect(seen.names()).not.toContain('fake_metric');
  });

  it.each([
    ['/home/ada/notes.md'],
    ['Run `rm -rf build` now'],
    ['ada@example.org'],
    ['sk-canary-4f1d9a77c0ffee0123456789abcdef'],
    ['x'.repeat(65)],
    [''],
    ['a\nb'],
  ])('H7 the label of %j is "other"', (text) => {
    expect(nameLabel(text)).toBe('other');
    expect(modelLabel(text)).toBe('other');
  });

  it('H7 plain names of tools and models are labels as they are', () => {
    for (const name of ['files.write', 'mcp__x__y', 'claude-sonnet-4.5', 'llama3:70b'])
      expect(nameLabel(name)).toBe(name);
    expect(modelLabel('meta-llama/llama-3:70b')).toBe('meta-llama/llama-3:70b');
  });

  it(`H7 at most ${String(MAX_SERIES)} series of a metric: the rest is counted together`, async () => {
    const counters = newCounters();
    counters.take([started(1)]);
    for (let index = 0; index < MAX_SERIES + 50; index += 1)
      call(counters, `tool${String(index)}`, 1);
    const seen = await scrape(counters, {
      breakers: Array.from({ length: 500 }, (_, index) => ({
        name: `browser.${String(index)}`,
        state: 'closed' as const,
      })),
    });
    expect(Object.keys(seen.all('holdfast_tool_calls_total'))).toHaveLength(MAX_SERIES + 1);
    expect(
      seen.value('holdfast_tool_calls_total', {
        agent: 'other',
        tool: 'other',
        outcome: 'completed',
      }),
    ).toBe(50);
    expect(Object.keys(seen.all('circuit_breaker_state'))).toHaveLength(MAX_SERIES);
  });

  it('S2-56 a turn that waits leaves nothing behind that is counted later', async () => {
    const counters = newCounters();
    counters.take([
      started(1),
      began(1, 1, 'shell'),
      { kind: 'turn.state', turnId: 1, state: 'held', reason: NO_REASON },
      ended(1, 1),
    ]);
    const seen = await scrape(counters);
    expect(seen.all('holdfast_tool_calls_total')).toEqual({});
    expect(seen.value('holdfast_activations_total', { outcome: 'blocked' })).toBe(1);
  });
});
