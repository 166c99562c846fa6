import { describe, expect, it } from 'vitest';
import { createToolRegistry } from '../../../electron/engine/turns/tool-registry';
import { afterCrash } from '../../../electron/engine/recovery/after-crash';
import { planResume, type RecoveryPolicy } from '../../../electron/engine/recovery/plan-resume';
import type { ToolHost, ToolSpec } from '../../../electron/ports/tools';
import type { Purity } from '../../../shared/types';
import { policyOf, stepRow, turnRow } from './step-rows';

const CLASSES: readonly Purity[] = ['pure', 'world', 'side_effect', 'external'];
const MODES = ['safe_only', 'always', 'never'] as const;
const STEP_POLICIES = ['retry', 'skip', 'discard_skill', 'prompt'] as const;
const LISTS: readonly (readonly string[])[] = [
  [],
  ['shell'],
  ['shell.shell'],
  ['shell.*'],
  ['shell:effects'],
  ['shell.shell:effects'],
  ['other', 'shell:effects'],
  ['other.shell'],
];

const hostWith = (spec: Partial<ToolSpec> & Pick<ToolSpec, 'name'>): ToolHost => ({
  name: 'shell',
  tools: () => specs(spec),
  call: () => Promise.reject(new Error('never called')),
});
const lists = new Map<unknown, readonly ToolSpec[]>();
const specs = (spec: Partial<ToolSpec> & Pick<ToolSpec, 'name'>): readonly ToolSpec[] => {
  const known = lists.get(spec) ?? [
    { description: 'a tool', inputSchema: {}, ...spec } as unknown as ToolSpec,
  ];
  lists.set(spec, known);
  return known;
};

/** What a start does with a turn that was cut off in this call, in the words of the pages. */
function done(purity: Purity, hasEffects: boolean, policy: RecoveryPolicy): string {
  const plan = planResume({
    turn: turnRow(),
    steps: [stepRow(1, { tool: 'shell.shell', purity, hasEffects })],
    runs: [],
    policy,
    nowMs: 2_000,
    isAnswered: false,
    wasAlone: true,
    idempotencyKeyOf: () => 'key',
  });
  if (plan.action === 'hold') return 'held';
  if (plan.action === 'discard') return 'discarded';
  expect(plan.action).toBe('resume');
  const [step] = plan.steps;
  if (step?.action === 'skip') return 'skipped';
  return purity === 'world' ? 'asked_again' : 'run_again';
}

const policies = MODES.flatMap((mode) =>
  STEP_POLICIES.flatMap((stepPolicy) =>
    LISTS.flatMap((sideEffectTools) =>
      [false, true].map((gateAllSideEffects) =>
        policyOf({ mode, stepPolicy, sideEffectTools, gateAllSideEffects }),
      ),
    ),
  ),
);

describe('what is said of a tool after a crash', () => {
  it('S0-02 S0-12 is what the plan does, for each class, mode, step policy and form of the list', () => {
    let held = 0;
    for (const policy of policies) {
      for (const purity of CLASSES) {
        for (const canTell of [false, true]) {
          const spec = { name: 'shell', purity, ...(canTell ? { hasEffects: () => true } : {}) };
          const [view, ofEffects] = createToolRegistry([hostWith(spec)]).views(policy);
          const effects = done(purity, true, policy);
          expect(view?.afterCrash).toBe(effects);
          expect(view?.afterCrashOfReads ?? effects).toBe(
            canTell ? done(purity, false, policy) : effects,
          );
          if (canTell) expect(ofEffects?.afterCrash).toBe(effects);
          held += effects === 'held' ? 1 : 0;
        }
      }
    }
    expect(held).toBeGreaterThan(500);
  });

  it('F5 a shell of which the effects are on the list is held, its read-only commands are not', () => {
    const spec = { name: 'shell', purity: 'side_effect' as const, hasEffects: () => true };
    const registry = createToolRegistry([hostWith(spec)]);
    const [shell, ofEffects] = registry.views(policyOf({ sideEffectTools: ['shell:effects'] }));
    expect(shell).toMatchObject({
      name: 'shell',
      afterCrash: 'held',
      afterCrashOfReads: 'run_again',
      listedAs: [],
      isListed: false,
    });
    expect(ofEffects).toMatchObject({
      name: 'shell:effects',
      afterCrash: 'held',
      listedAs: ['shell:effects'],
      isListed: true,
    });
  });

  it('S0-13 names the entries of the list by which a tool is on it, in every form', () => {
    const registry = createToolRegistry([hostWith({ name: 'shell', hasEffects: () => true })]);
    const [shell, ofEffects] = registry.views(
      policyOf({ sideEffectTools: ['shell', 'shell.shell', 'shell.shell:effects', 'shell.*'] }),
    );
    expect(shell?.listedAs).toEqual(['shell', 'shell.shell']);
    expect(ofEffects?.listedAs).toEqual(['shell.shell:effects']);
  });

  it('S0-12 in no mode but safe_only the list holds anything', () => {
    const tool = { qualified: 'mail.send', purity: 'external', hasEffects: true } as const;
    const of = (mode: RecoveryPolicy['mode']): string =>
      afterCrash(tool, policyOf({ mode, sideEffectTools: ['send'] }));
    expect(MODES.map(of)).toEqual(['held', 'run_again', 'held']);
  });
});
