import { describe, expect, it } from 'vitest';
import type { Breakers, Permit } from '../../../electron/ports/breakers';
import cases from '../../cases/breaker-cases.json';
import variants from '../../cases/breaker-variants.json';
import { createTestRegistry, createKept, DEFAULT_POLICY } from './book';
import { createVirtualTime } from './virtual-time';

interface Expected {
  readonly state?: string | readonly string[];
  readonly allowed?: boolean;
  readonly failures?: number;
  readonly successes?: number;
  readonly backoff_ms?: number;
  readonly retry_in_ms?: number;
  readonly transitions?: readonly string[];
  readonly executed_since_open?: number;
}

interface Step {
  readonly t: number;
  readonly op: string;
  readonly id?: string;
  readonly n?: number;
  readonly times?: number;
  readonly every_ms?: number;
  readonly key?: string;
  readonly down_ms?: number;
  readonly by_ms?: number;
  readonly for_ms?: number;
  readonly corrupt?: boolean;
  readonly expect?: Expected;
}

interface Case {
  readonly id: string;
  readonly title: string;
  readonly config?: Readonly<Record<string, number>>;
  readonly steps: readonly Step[];
}

const CONFIG_KEYS: Readonly<Record<string, keyof typeof DEFAULT_POLICY>> = {
  failure_threshold: 'failureThreshold',
  success_threshold: 'successThreshold',
  initial_backoff_ms: 'initialBackoffMs',
  max_backoff_ms: 'maxBackoffMs',
};

/** Drives one case as its file says; every operation goes through the port that callers have. */
async function drive({ config, steps }: Case): Promise<void> {
  const time = createVirtualTime();
  const kept = createKept();
  const policy: Record<string, number> = { ...DEFAULT_POLICY };
  for (const [key, value] of Object.entries(config ?? {})) {
    const known = CONFIG_KEYS[key];
    if (known === undefined) expect([key, value]).toEqual(['probe_timeout_ms', 30_000]);
    else policy[known] = value;
  }
  const open = (): Breakers => {
    const book = createTestRegistry(time.clock, kept, () => policy as never);
    book.onMoved((move) => transitions.push(`${move.from}>${move.to}`));
    return book;
  };
  const transitions: string[] = [];
  let book = open();
  let passedMs = 0;
  let executed = 0;
  const permits = new Map<string, Permit>();

  const toInstant = async (t: number): Promise<void> => {
    await time.advance(t - passedMs);
    passedMs = t;
  };

  const once = async (step: Step): Promise<boolean | undefined> => {
    const breaker = book.of(step.key ?? 'case', 'provider');
    const permit = step.id === undefined ? undefined : permits.get(step.id);
    const admitted = (): Permit => {
      const admission = breaker.allow();
      if (admission.kind === 'refused') throw new Error(`not admitted: ${admission.reason}`);
      if (transitions.includes('closed>open')) executed += 1;
      return admission;
    };
    switch (step.op) {
      case 'allow': {
        const admission = breaker.allow();
        if (admission.kind === 'refused') return false;
        if (transitions.includes('closed>open')) executed += 1;
        if (step.id !== undefined) permits.set(step.id, admission);
        return true;
      }
      case 'success':
        breaker.onSuccess(permit);
        return undefined;
      case 'failure':
        breaker.onFailure(permit, 'as the case says');
        return undefined;
      case 'ignored':
        breaker.onIgnored(step.id === undefined ? admitted() : permit);
        return undefined;
      case 'cancel':
        breaker.onIgnored(permit);
        return undefined;
      case 'ok':
        breaker.onSuccess(admitted());
        return undefined;
      case 'fail':
        breaker.onFailure(admitted(), 'as the case says');
        return undefined;
      case 'try_fail': {
        const admission = breaker.allow();
        if (admission.kind === 'allowed') breaker.onFailure(admission);
        return admission.kind === 'allowed';
      }
      case 'fail_then_ok':
        breaker.onFailure(admitted());
        breaker.onSuccess(admitted());
        return undefined;
      case 'trip':
        breaker.trip('tripped by the case');
        return undefined;
      case 'reset':
        breaker.reset('the case');
        return undefined;
      case 'read':
        return undefined;
      case 'restart':
        await toInstant(step.t + (step.down_ms ?? 0));
        if (step.corrupt === true)
          for (const row of kept.rows.values()) row['failures'] = 'a damaged row';
        permits.clear();
        book = open();
        return undefined;
      case 'wall_jump':
        time.jumpWall(step.by_ms ?? 0);
        return undefined;
      case 'suspend':
        time.suspend(step.for_ms ?? 0);
        passedMs += step.for_ms ?? 0;
        return undefined;
      default:
        throw new Error(`unknown operation ${step.op}`);
    }
  };

  for (const step of steps) {
    const times = step.times ?? 1;
    for (let round = 0; round < times; round++) {
      await toInstant(Math.max(passedMs, step.t + round * (step.every_ms ?? 0)));
      let allowed: boolean | undefined;
      for (let again = 0; again < (step.n ?? 1); again++) allowed = await once(step);
      check(step, allowed);
    }
  }

  function check(step: Step, allowed: boolean | undefined): void {
    const wanted = step.expect;
    if (wanted === undefined) return;
    const where = `${step.op} at ${String(step.t)}`;
    if (wanted.allowed !== undefined) expect(allowed, where).toBe(wanted.allowed);
    const view = book.of(step.key ?? 'case', 'provider').view();
    if (wanted.state !== undefined) expect([wanted.state].flat(), where).toContain(view.state);
    if (wanted.failures !== undefined) expect(view.failures, where).toBe(wanted.failures);
    if (wanted.successes !== undefined) expect(view.successes, where).toBe(wanted.successes);
    if (wanted.backoff_ms !== undefined) expect(view.backoffMs, where).toBe(wanted.backoff_ms);
    if (wanted.transitions !== undefined) expect(transitions, where).toEqual(wanted.transitions);
    if (wanted.executed_since_open !== undefined)
      expect(executed, where).toBe(wanted.executed_since_open);
    if (wanted.retry_in_ms !== undefined) {
      const inMs = Math.max(0, (view.nextTrialAtMs ?? 0) - time.wallMs());
      expect(Math.abs(inMs - wanted.retry_in_ms), `${where}: ${String(inMs)}`).toBeLessThan(2);
    }
  }
}

describe('public cases of the breaker', () => {
  it.each((cases.cases as readonly Case[]).filter((one) => one.id.startsWith('B')))(
    'S2-05 S2-11 S2-14 S2-20 $id $title',
    drive,
  );

  it.each(variants.cases as readonly Case[])(
    'S2-05 S2-07 S2-11 S2-14 S2-20 S2-+04 $id $title',
    drive,
  );
});
