/**
 * The outage part of `test/cases/breaker-cases.json`, driven through the pure models on virtual
 * time. The cases speak of the interval of the settings alone, so the early curve is off here;
 * `outage-tables.test.ts` has it.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  onCallOutcome,
  onDrained,
  onTried,
  newRecord,
  type OutageFacts,
} from '../../../electron/engine/outage/plan-outage';
import { causeOf, slotsOf } from '../../../electron/engine/outage/waiting-turns';
import { nextProbe } from '../../../electron/engine/outage/plan-probe';
import type { ProviderRecord } from '../../../electron/ports/journal/outage';
import { parseDuration } from '../../../shared/durations';
import { CLOSED } from './breaker-views';

interface Expectation {
  readonly outage?: boolean;
  readonly ran?: boolean;
  readonly probed?: boolean;
  readonly declared_count?: number;
  readonly probe_count?: number;
  readonly queue_tail?: readonly string[];
  readonly ran_ids_tail?: readonly string[];
}
interface Step {
  readonly t: number;
  readonly op: 'turn' | 'start' | 'finish' | 'tick' | 'probe_now' | 'restart' | 'read';
  readonly id?: string;
  readonly key?: string;
  readonly result?: 'ok' | 'provider_error' | 'other_error';
  readonly probe?: 'ok' | 'fail';
  readonly down_ms?: number;
  readonly expect?: Expectation;
}
interface Case {
  readonly id: string;
  readonly title: string;
  readonly config?: { readonly probe_interval?: string };
  readonly steps: readonly Step[];
}

const { outage_cases: cases } = JSON.parse(
  readFileSync(new URL('../../cases/breaker-cases.json', import.meta.url), 'utf8'),
) as { outage_cases: readonly Case[] };

interface Queued {
  readonly id: string;
  readonly result: Step['result'];
}

/** One provider with the turns that wait for it. */
class Side {
  record: ProviderRecord = newRecord('p');
  queue: Queued[] = [];
  ran: string[] = [];
  declared = 0;
  probes = 0;
  #outages = 0;

  constructor(readonly intervalMs: number) {}

  facts(nowMs: number): OutageFacts {
    return {
      nowMs,
      threshold: 3,
      waiting: this.queue.length,
      isBreakerClosed: true,
      newOutageId: () => (this.#outages += 1),
    };
  }

  arrive(item: Queued, nowMs: number): boolean {
    if (causeOf(this.record, CLOSED) !== undefined) {
      this.queue.push(item);
      return false;
    }
    this.run(item, nowMs);
    return true;
  }

  run(item: Queued, nowMs: number): void {
    this.ran.push(item.id);
    this.end(item, nowMs);
  }

  end(item: Queued, nowMs: number): void {
    const kind =
      item.result === 'ok' ? 'success' : item.result === 'provider_error' ? 'failure' : 'config';
    const change = onCallOutcome(this.record, { kind, source: 'turn' }, this.facts(nowMs));
    this.take(change);
    // The turn that failed is queued, too, at its place of arrival: it is older than what waits.
    if (kind === 'failure' && causeOf(this.record, CLOSED) !== undefined)
      this.queue.unshift({ ...item, result: 'ok' });
  }

  take(change: ReturnType<typeof onCallOutcome>): void {
    this.record = change.record;
    this.declared += change.steps.filter((step) => step.kind === 'declared').length;
  }

  probe(answer: 'ok' | 'fail', nowMs: number): void {
    this.probes += 1;
    const ok = answer === 'ok';
    this.record = onTried(this.record, { ok, startedAtMs: nowMs, isInterval: true });
    this.take(
      onCallOutcome(
        this.record,
        { kind: ok ? 'success' : 'failure', source: 'probe' },
        this.facts(nowMs),
      ),
    );
    this.drain(nowMs);
  }

  drain(nowMs: number): void {
    while (this.queue.length > 0 && slotsOf(this.record, CLOSED) > 0) {
      const [head] = this.queue.splice(0, 1);
      if (head !== undefined) this.run(head, nowMs);
    }
    if (this.queue.length === 0) this.take(onDrained(this.record));
  }

  isDue(nowMs: number): boolean {
    const next = nextProbe({
      record: this.record,
      breaker: CLOSED,
      policy: { intervalMs: this.intervalMs, isEarly: false },
      hasCanary: this.queue.length > 0,
      nowMs,
    });
    return next !== undefined && next.atMs <= nowMs;
  }
}

function drive({ steps, config }: Case): void {
  const parsed = parseDuration(config?.probe_interval ?? '1h');
  if (!parsed.ok) throw new Error(parsed.reason);
  const sides = new Map<string, Side>();
  const running = new Map<string, Queued>();
  for (const step of steps) {
    const key = step.key ?? 'p';
    const side = sides.get(key) ?? new Side(parsed.ms);
    sides.set(key, side);
    const item: Queued = { id: step.id ?? '', result: step.result };
    let didRun: boolean | undefined;
    let didProbe = false;
    switch (step.op) {
      case 'turn':
        didRun = side.arrive(item, step.t);
        break;
      case 'start':
        running.set(item.id, item);
        break;
      case 'finish':
        side.end(item, step.t);
        break;
      case 'tick':
        didProbe = side.isDue(step.t);
        if (didProbe) side.probe(step.probe ?? 'fail', step.t);
        break;
      case 'probe_now':
        didProbe = true;
        side.probe(step.probe ?? 'fail', step.t);
        break;
      case 'restart':
        // All that survives is what the entries carry.
        side.record = JSON.parse(JSON.stringify(side.record)) as ProviderRecord;
        break;
      case 'read':
        break;
    }
    const { expect: wanted = {} } = step;
    const at = `${step.op} ${step.id ?? ''} at ${String(step.t)}`;
    if (wanted.outage !== undefined)
      expect(side.record.standing.kind !== 'answering', at).toBe(wanted.outage);
    if (wanted.ran !== undefined) expect(didRun, at).toBe(wanted.ran);
    if (wanted.probed !== undefined) expect(didProbe, at).toBe(wanted.probed);
    if (wanted.declared_count !== undefined) expect(side.declared, at).toBe(wanted.declared_count);
    if (wanted.probe_count !== undefined) expect(side.probes, at).toBe(wanted.probe_count);
    if (wanted.queue_tail !== undefined)
      expect(side.queue.map((one) => one.id).slice(-wanted.queue_tail.length), at).toEqual(
        wanted.queue_tail,
      );
    if (wanted.ran_ids_tail !== undefined)
      expect(side.ran.slice(-wanted.ran_ids_tail.length), at).toEqual(wanted.ran_ids_tail);
  }
}

describe('the public cases of the outage detector', () => {
  it('S0-17 has all 12 of them', () => {
    expect(cases).toHaveLength(12);
  });

  it.each(cases.map((one) => [one.id, one.title, one] as const))(
    'S0-17 %s: %s',
    (_id, _title, one) => {
      drive(one);
    },
  );
});
