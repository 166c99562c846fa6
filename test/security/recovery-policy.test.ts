import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHasher } from '../../electron/adapters/blobs/hasher';
import { createToolRegistry } from '../../electron/engine/turns/tool-registry';
import { runToolStep } from '../../electron/engine/executors/llm/tool-step';
import { createTurnRun, type TurnRunDeps } from '../../electron/engine/turns/run-record';
import { idempotencyKey, toolKey } from '../../electron/engine/journal/step-keys';
import { isListed } from '../../electron/engine/journal/side-effect-list';
import { noCrashPoints } from '../../electron/engine/kernel/crash-points';
import { buildLedger, createLedgerCursor, isEffect } from '../../electron/engine/recovery/ledger';
import { planResume, type RecoveryPolicy } from '../../electron/engine/recovery/plan-resume';
import type { StepRow } from '../../electron/ports/journal/rows';
import type { JournalEntry, StepEnd } from '../../electron/ports/journal/entries';
import type { ToolHost } from '../../electron/ports/tools';
import type { ToolCall } from '../../electron/ports/tool-call';
import { DONE, FAILED, policyOf, stepRow, turnRow, UNKNOWN } from '../unit/recovery/step-rows';

const TOOLS = [
  { name: 'send_email', purity: 'external' },
  { name: 'charge', purity: 'side_effect' },
  { name: 'mystery', purity: undefined },
  { name: 'look', purity: 'world' },
] as const;
const TOLD: StepEnd = {
  state: 'ambiguous',
  error: 'connection lost',
  content: { kind: 'inline', text: 'It may have happened.' },
};
const CONFIRMED: StepEnd = {
  state: 'confirmed',
  by: 'person',
  content: { kind: 'inline', text: 'Done.' },
};
const LOST: StepEnd = {
  state: 'completed',
  content: { kind: 'blob', address: '0'.repeat(64), chars: 40_000 },
  isError: false,
};

/** One logical call with the ends of its tries; the last may have been cut off without one. */
const calls = fc.array(
  fc.record({
    tool: fc.constantFrom(...TOOLS),
    arg: fc.integer({ min: 0, max: 2 }),
    before: fc.array(fc.constantFrom(UNKNOWN, FAILED), { maxLength: 2 }),
    last: fc.constantFrom<StepEnd | undefined>(
      DONE,
      UNKNOWN,
      FAILED,
      TOLD,
      CONFIRMED,
      LOST,
      undefined,
    ),
  }),
  { maxLength: 8 },
);
const policies: fc.Arbitrary<RecoveryPolicy> = fc.record({
  mode: fc.constantFrom('safe_only', 'always', 'never'),
  sideEffectTools: fc.subarray(['send_email', 'fake.charge', 'mystery', 'look']),
  gateAllSideEffects: fc.boolean(),
  stepPolicy: fc.constantFrom('retry', 'skip', 'discard_skill', 'prompt'),
  perSkill: fc.constant({}),
  worldDrift: fc.constantFrom('continue', 'pin', 'hold'),
  maxAgeMs: fc.constant(86_400_000),
  maxAttempts: fc.constant(3),
  resumeDelayMs: fc.constant(2_000),
});

interface Recorded {
  readonly steps: readonly StepRow[];
  readonly requests: readonly { readonly tool: string; readonly arg: number }[];
}

const hasher = createHasher();

/** The journal as a crash leaves it: tries of a call follow each other, calls follow each other. */
function record(made: typeof calls extends fc.Arbitrary<infer T> ? T : never): Recorded {
  const steps: StepRow[] = [];
  for (const { tool, arg, before, last } of made) {
    let againOf: number | undefined;
    for (const end of [...before, last]) {
      const step = steps.length + 1;
      steps.push(
        stepRow(step, {
          tool: `fake.${tool.name}`,
          purity: tool.purity ?? 'side_effect',
          key: toolKey(hasher, tool.name, { arg }),
          ...(end === undefined ? {} : { end }),
          ...(againOf === undefined ? {} : { againOf }),
        }),
      );
      againOf = step;
    }
  }
  return { steps, requests: made.map(({ tool, arg }) => ({ tool: tool.name, arg })) };
}

/** Replays the calls as a resumed run makes them; returns what reached the tools. */
async function resume(
  recorded: Recorded,
  policy: RecoveryPolicy,
  isAnswered: boolean,
): Promise<{ readonly reached: readonly ToolCall[]; readonly written: readonly JournalEntry[] }> {
  const reached: ToolCall[] = [];
  const written: JournalEntry[] = [];
  const host: ToolHost = {
    name: 'fake',
    tools: () => specs,
    call: (call) => {
      reached.push(call);
      return Promise.resolve({ kind: 'result', content: 'ok', isError: false });
    },
  };
  const specs = TOOLS.map(({ name, purity }) => ({
    name,
    description: '',
    inputSchema: {},
    ...(purity === undefined ? {} : { purity }),
  }));
  const deps = {
    store: {
      journal: {
        commit: (entries: readonly JournalEntry[]) => {
          written.push(...entries);
          return Promise.resolve({ firstSeq: 1, atMs: 2_000 });
        },
      },
      reads: { isGranted: () => false },
      blobs: { get: () => Promise.resolve(undefined), put: () => Promise.resolve('') },
      hasher,
      crashPoints: noCrashPoints,
      audit: { record: () => undefined },
      clock: { monotonicMs: () => 0 },
    },
    tools: {
      registry: createToolRegistry([host]),
      approvals: { ofTurn: () => () => undefined },
      rules: () => ({ mode: 'off', tools: {} }),
      refusedCommand: () => undefined,
    },
    limits: { policy: () => policy },
  } as unknown as TurnRunDeps;
  const run = createTurnRun(deps, {
    turn: turnRow({ isAnswered }),
    attempt: 2,
    frame: {
      provider: 'fake',
      model: 'm',
      system: '',
      tools: specs.map(({ name, description }) => ({ name, description, inputSchema: {} })),
      workspace: '/w',
      env: [],
    },
    models: [{ provider: 'fake', model: 'm' }],
    cursor: createLedgerCursor(buildLedger(recorded.steps)),
    messages: [],
    portable: undefined,
    origin: { databaseId: 'db', turnId: turnRow({ isAnswered }).id },
    epoch: undefined,
    lastStep: recorded.steps.length,
    ranBeforeMs: 0,
    lease: {
      claimId: 'c',
      owner: 'o',
      sessionId: 1,
      turnId: 1,
      attempt: 2,
      alive: () => undefined,
      atWork: () => () => undefined,
      isHeld: () => true,
      assertHeld: () => undefined,
    },
    opening: [],
  });
  for (const [part, { tool, arg }] of recorded.requests.entries()) {
    const signal = new AbortController().signal;
    const request = { tool, args: { arg }, call: { step: 1, part } };
    if ((await runToolStep(deps, run, request, signal)).kind !== 'told') break;
  }
  return { reached, written };
}

describe('T1 recovery and the policy', () => {
  it('T1 500 random journals: no effect that the policy forbids reaches a tool', async () => {
    const seen = { resumed: 0, held: 0, effects: 0 };
    await fc.assert(
      fc.asyncProperty(calls, policies, fc.boolean(), async (made, policy, isAnswered) => {
        const recorded = record(made);
        const lines = buildLedger(recorded.steps);
        const { action } = planResume({
          turn: turnRow({ isAnswered }),
          steps: recorded.steps,
          runs: [],
          policy,
          nowMs: 2_000,
          isAnswered,
          wasAlone: false,
          idempotencyKeyOf: (root) => idempotencyKey({ databaseId: 'db', turnId: 7 }, root),
        });
        const isGated =
          policy.mode === 'never' ||
          (policy.mode === 'safe_only' &&
            recorded.steps.some(
              (step) =>
                isListed(step.tool, true, policy.sideEffectTools) ||
                (policy.gateAllSideEffects && isEffect(step)),
            ));
        if (!isAnswered && isGated) expect(action).toBe('hold');
        const isDiscarded =
          policy.stepPolicy === 'discard_skill' && lines.some((line) => line.outcome === 'open');
        if (!isAnswered && !isGated && isDiscarded) expect(action).toBe('discard');
        if (action !== 'resume') {
          seen.held += 1;
          return;
        }
        seen.resumed += 1;
        const { reached } = await resume(recorded, policy, isAnswered);
        const effects = reached.filter((call) => call.tool !== 'look');
        seen.effects += effects.length;
        for (const call of effects) {
          const line = lines.find(
            (one) =>
              idempotencyKey({ databaseId: 'db', turnId: 7 }, one.root) === call.idempotencyKey,
          );
          // Only calls of the journal are made here, so each has to be one of its lines.
          expect(line?.first.tool).toBe(`fake.${call.tool}`);
          expect(line?.outcome).not.toBe('finished');
          if (policy.stepPolicy === 'skip' && !isAnswered) expect(line?.outcome).toBe('again');
        }
        expect(new Set(effects.map((call) => call.idempotencyKey)).size).toBe(effects.length);
      }),
      { numRuns: 500, seed: 20_260_1 },
    );
    // The property is about something: all three kinds of outcome really occur.
    expect(Math.min(seen.resumed, seen.held, seen.effects)).toBeGreaterThan(50);
  });

  it('T1 an empty list and retry lets an unlisted unknown effect run again once, with its first key', async () => {
    const recorded = record([{ tool: TOOLS[1], arg: 1, before: [UNKNOWN], last: undefined }]);
    const { reached, written } = await resume(recorded, policyOf({ mode: 'always' }), false);
    expect(reached.map((call) => call.idempotencyKey)).toEqual(['hf-db-7-1']);
    expect(written.find((entry) => entry.kind === 'step.started')).toMatchObject({ againOf: 1 });
  });
});
