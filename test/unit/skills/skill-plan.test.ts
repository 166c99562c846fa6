import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  enterPhase,
  MAX_RUN_VISITS,
  phaseAfter,
  skillCommand,
} from '../../../electron/engine/skills/plan';
import { modelKey, toolKey } from '../../../electron/engine/journal/step-keys';

const hasher = { sha256Hex: (text: string) => createHash('sha256').update(text).digest('hex') };

describe('S4-08 the way through the phases', () => {
  const plans = fc.integer({ min: 1, max: 6 }).chain((count) =>
    fc.tuple(
      ...Array.from({ length: count }, (_, index) =>
        fc.record({
          name: fc.constant(`p${String(index)}`),
          loops: fc.array(fc.integer({ min: 0, max: count - 1 }), { maxLength: 3 }),
          maxVisits: fc.integer({ min: 1, max: 100 }),
        }),
      ),
    ),
  );

  it('S4-08 300 random plans: no phase is visited more often than it may, and a run always ends', () => {
    fc.assert(
      fc.property(plans, fc.array(fc.nat(5), { minLength: 400, maxLength: 400 }), (raw, picks) => {
        const phases = raw.map(({ name, loops, maxVisits }, index) => ({
          name,
          instructions: '',
          tools: undefined,
          maxVisits,
          next: [raw[index + 1]?.name ?? 'end', ...loops.map((to) => `p${String(to)}`)],
        }));
        const visits: Record<string, number> = {};
        let at = enterPhase({ phases }, 'p0', visits);
        let entered = 0;
        for (const pick of picks) {
          if (at.kind !== 'phase') break;
          visits[at.name] = at.visit;
          entered += 1;
          const { name } = at;
          const next = phases.find((one) => one.name === name)?.next ?? [];
          at = phaseAfter({ phases }, name, visits, next[pick % next.length]);
        }
        expect(at.kind).not.toBe('phase');
        expect(entered).toBeLessThanOrEqual(MAX_RUN_VISITS);
        for (const { name, maxVisits } of phases)
          expect(visits[name] ?? 0).toBeLessThanOrEqual(maxVisits);
      }),
      { numRuns: 300, seed: 20_260_2 },
    );
  });
});

describe('keys of steps in phases', () => {
  const request = { provider: 'p', model: 'm', system: 's', messages: [], tools: [] };
  const scope = { runId: 1, phase: 'a', visit: 1 };

  it('S4-+01 are those of every version before where there is no skill', () => {
    expect(toolKey(hasher, 't', { b: 1, a: 2 })).toBe(hasher.sha256Hex('tool\nt\n{"a":2,"b":1}'));
    expect(modelKey(hasher, request)).toBe(modelKey(hasher, request, undefined));
  });

  it('S4-08 differ by run, phase and visit, and are the same after a restart', () => {
    const others = [
      undefined,
      { ...scope, runId: 2 },
      { ...scope, phase: 'b' },
      { ...scope, visit: 2 },
    ];
    const all = [scope, ...others].map((one) => toolKey(hasher, 't', {}, one));
    expect(new Set(all).size).toBe(5);
    expect(modelKey(hasher, request, { ...scope })).toBe(modelKey(hasher, request, scope));
  });
});

describe('X-06 messages about skills', () => {
  it.each([
    ['hello', undefined],
    ['/skillful', undefined],
    ['/skill', { kind: 'list' }],
    ['/skill list', { kind: 'list' }],
    ['/skill discard 3', { kind: 'discard', runId: 3, isForced: false }],
    ['/skill discard 3 --force', { kind: 'discard', runId: 3, isForced: true }],
    ['/skill discard x', { kind: 'wrong' }],
    ['/skill report the\nweek', { kind: 'run', name: 'report', input: 'the\nweek' }],
  ] as const)('X-06 %s', (text, command) => {
    expect(skillCommand(text)).toEqual(command);
  });
});
