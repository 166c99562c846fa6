import { quoted } from '../../../shared/reason';
import { describe, expect, it } from 'vitest';
import {
  callEntry,
  callsToHold,
  endOfOpen,
  leftAtWork,
} from '../../../electron/engine/executors/program/calls';
import { toldFacts, type ToldCall } from '../../../electron/engine/executors/program/calls';
import {
  createWorkClock,
  planLook,
  watchRun,
} from '../../../electron/engine/executors/program/watch';
import type { TurnRun, TurnRunDeps } from '../../../electron/engine/turns/run-record';
import { createVirtualClock } from '../../helpers/virtual-clock';

describe('what is open when a run ends', () => {
  const words = { unknown: 'unknown', cut: 'cut' };
  it.each([
    ['side_effect', undefined, 'ambiguous'],
    ['external', 'allowed', 'ambiguous'],
    ['side_effect', 'asked', 'failed'],
    ['world', undefined, 'failed'],
  ] as const)('S4-20 %s, question %s: %s', (purity, asking, state) => {
    expect(endOfOpen({ purity, asking }, words).state).toBe(state);
  });

  it.each([
    ['safe_only', 'claude.shell', true, ['shell'], 1],
    ['safe_only', 'claude.shell', true, ['claude.shell'], 1],
    ['safe_only', 'claude.shell', true, ['shell:effects'], 1],
    ['safe_only', 'claude.shell', true, ['send_email'], 0],
    ['always', 'claude.shell', true, ['shell'], 0],
  ])('S0-09 in %s %s is held by %o: %i', (mode, tool, hasEffects, sideEffectTools, held) => {
    const call = { tool, purity: 'side_effect', hasEffects } as const;
    expect(callsToHold([call], { mode, sideEffectTools })).toHaveLength(held);
  });

  it('an input of any length is kept up to 32 KB', () => {
    const call = { turnId: 1, step: 2, callId: 'a', title: 't', identity: 'i' };
    const entry = callEntry({ ...call, kind: 'edit', input: 'x'.repeat(40_000) });
    expect(entry).toMatchObject({ kind: 'outside.call', tool: 'edit' });
    expect(entry.kind === 'outside.call' && entry.input.length).toBe(32 * 1024);
  });

  it('what could not be ended is named', () => {
    const orphans = { found: 1, waited: 0, ended: 0, left: 1, commands: ['make all'] };
    expect(leftAtWork(orphans)).toContain('(make all)');
    expect(leftAtWork({ ...orphans, left: 0, ended: 1 })).toBeUndefined();
  });
});

describe('what an agent is told after a cut', () => {
  const call = (outcome: ToldCall['outcome'], title: string, output?: string): ToldCall => ({
    tool: 'own.shell',
    title,
    outcome,
    output,
  });

  it('S4-23 one paragraph for each outcome that there is, with the results that are known', () => {
    expect(toldFacts([])).toEqual([]);
    const told = toldFacts([
      call('unknown', 'b'),
      call('done', 'a', ' one\ntwo '),
      call('done', ''),
    ]);
    expect(told).toEqual([
      'Already done. Do not do these again:\n- shell: a -> one two\n- shell',
      'Outcome unknown: may have happened. Check before you do anything like it again:\n- shell: b',
    ]);
  });

  it('is bounded: the newest 60 calls, 600 characters of each', () => {
    const many = Array.from({ length: 70 }, (_, n) => call('done', `${String(n)}.`));
    const lines = toldFacts(many)[0]?.split('\n') ?? [];
    expect([lines.length, lines[1]]).toEqual([61, '- shell: 10.']);
    const [told = ''] = toldFacts([call('done', 'x'.repeat(700))]);
    expect(told).toContain(`${'x'.repeat(599)}…`);
  });
});

describe('a look at a run', () => {
  const look = {
    activeMs: 100,
    deadlineMs: undefined,
    overLimit: undefined,
    isDraining: false,
    isBusy: false,
  };
  it.each([
    [{}, undefined],
    [{ overLimit: { reason: quoted('It reached $2.') } }, 'limit'],
    [{ deadlineMs: 100 }, 'deadline'],
    [{ deadlineMs: 101 }, undefined],
    [{ isDraining: true }, 'draining'],
    [{ isDraining: true, isBusy: true }, undefined],
  ])('S3-25 with %o ends it as %s', (facts, kind) => {
    expect(planLook({ ...look, ...facts })?.kind).toBe(kind);
  });

  it('waiting for a person is no work, and waits that overlap count once', async () => {
    let nowMs = 0;
    const clock = createWorkClock({ monotonicMs: () => nowMs });
    nowMs = 10;
    let first: () => void = () => undefined;
    let second: () => void = () => undefined;
    const one = clock.waiting(() => new Promise<void>((resolve) => (first = resolve)));
    nowMs = 20;
    const two = clock.waiting(() => new Promise<void>((resolve) => (second = resolve)));
    nowMs = 40;
    expect([clock.activeMs(), clock.isWaiting()]).toEqual([10, true]);
    first();
    await one;
    nowMs = 50;
    second();
    await two;
    nowMs = 55;
    expect([clock.activeMs(), clock.isWaiting()]).toEqual([15, false]);
  });
});

describe('S3-25 who looks at a run, and when', () => {
  /** A run with a limit of 60 s of work, watched. */
  function watched() {
    const clock = createVirtualClock(0);
    const draining = new AbortController();
    const limits = { steps: 10, timeMs: 60_000, costUsd: 2 };
    const ends: string[] = [];
    let lives = 0;
    let changed: () => void = () => undefined;
    let isAtWork = false;
    let costUsd = 0;
    const run = {
      turn: { limitRaises: 0, stepCount: 0, usage: {} },
      step: () => 0,
      spent: () => ({}),
      ranBeforeMs: 0,
      atWork: () => {
        lives += 1;
        return () => void (lives -= 1);
      },
    } as unknown as TurnRun;
    const work = createWorkClock(clock);
    const watch = watchRun(
      {
        store: { clock },
        limits: {
          draining: draining.signal,
          stepGate: { look: () => undefined, follow: () => undefined },
          ofTurn: () => limits,
          budgets: { hasAny: () => false },
          onChange: (listener: () => void) => {
            changed = listener;
            return () => void (changed = () => undefined);
          },
        },
      } as unknown as TurnRunDeps,
      {
        run,
        clock: work,
        ending: { stop: (why: { kind: string }) => void ends.push(why.kind) } as never,
        ranBeforeMs: 0,
        deadlineMs: undefined,
        costUsd: () => costUsd,
        isAtWork: () => isAtWork,
        isBusy: () => isAtWork,
      },
    );
    return {
      clock,
      work,
      watch,
      draining,
      ends,
      lives: () => lives,
      begin: (is: boolean) => {
        isAtWork = is;
        watch.look();
      },
      costs: (usd: number) => {
        costUsd = usd;
        watch.look();
      },
      lower: () => {
        limits.timeMs = 10;
        changed();
      },
    };
  }

  it('S3-05 a question that is open for days sets no timer, shows life, and is no work', async () => {
    const { clock, work, ends, lives } = watched();
    await clock.advance(50_000);
    let answer: () => void = () => undefined;
    const asked = work.waiting(() => new Promise<void>((resolve) => (answer = resolve)));
    expect([clock.pending.sleeps, lives()]).toEqual([0, 1]);
    await clock.advance(3 * 86_400_000);
    expect([clock.pending.sleeps, lives(), ends.length]).toEqual([0, 1, 0]);
    answer();
    await asked;
    expect([clock.pending.sleeps, lives()]).toEqual([1, 0]);
    await clock.advance(9_999);
    expect(ends).toEqual([]);
    await clock.advance(1);
    expect([ends, clock.pending.sleeps]).toEqual([['limit'], 0]);
  });

  it('one timer for the whole limit: a call that begins and ends sets no other one', async () => {
    const { clock, begin, lives, ends } = watched();
    for (let n = 0; n < 20; n += 1) {
      begin(n % 2 === 0);
      expect([clock.pending.sleeps, lives()]).toEqual([1, n % 2 === 0 ? 1 : 0]);
      await clock.advance(1_000);
    }
    await clock.advance(40_000);
    expect(ends).toEqual(['limit']);
  });

  it('a limit that is lowered counts at once, not when the old one is over', async () => {
    const { clock, lower, ends } = watched();
    await clock.advance(11);
    lower();
    expect([ends, clock.pending.sleeps]).toEqual([['limit'], 0]);
  });

  it('S3-25 what it says that it has cost counts before its end: not at $1.99, at $2', () => {
    const { costs, ends } = watched();
    costs(1.99);
    expect(ends).toEqual([]);
    costs(2);
    expect(ends).toEqual(['limit']);
  });

  it('a stop ends it at once, or as soon as no effect is open', () => {
    const idle = watched();
    idle.draining.abort();
    expect(idle.ends).toEqual(['draining']);
    const busy = watched();
    busy.begin(true);
    busy.draining.abort();
    expect(busy.ends).toEqual([]);
    busy.begin(false);
    expect(busy.ends).toEqual(['draining']);
  });

  it('nothing is left of it when it is over', () => {
    const { clock, watch, draining, ends, begin, lives } = watched();
    begin(true);
    watch.stop();
    draining.abort();
    watch.look();
    expect([clock.pending.sleeps, lives(), ends.length]).toEqual([0, 0, 0]);
  });
});
