/** X-04 through the whole engine: 3 modes x 3 policies x listed or not x finished or ambiguous. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUIET, turnIn, writeConfig } from '../../helpers/compose-world';
import type { Script } from '../../helpers/fake-world';
import { createSkillWorld, createStall, fakes, imageOf, type SkillWorld } from './skill-world';

const MODES = ['never', 'safe_only', 'always'] as const;
const POLICIES = ['retry', 'skip', 'discard_skill'] as const;
const OUTCOMES = ['finished', 'ambiguous'] as const;

const script: Script = (request) =>
  request.messages.some((message) => message.role === 'tool')
    ? { text: 'done' }
    : { calls: [{ tool: 'send_email', args: { to: 'you' } }] };

type Outcome = (typeof OUTCOMES)[number];
const worlds = new Map<Outcome, SkillWorld>();
const stalls: ReturnType<typeof createStall>[] = [];

/** A run stands behind its finished effect, or inside of it. */
beforeAll(async () => {
  for (const outcome of OUTCOMES) {
    const world = createSkillWorld();
    const stall = createStall();
    stalls.push(stall);
    worlds.set(outcome, world);
    world.skill('mailer', '');
    const edge = fakes(world, script, {
      gate: (at) => (outcome === 'ambiguous' && at === 'after' ? stall.hold() : undefined),
    });
    const [provider] = edge.providers;
    if (provider === undefined) throw new Error('no provider');
    const app = await world.start({
      ...edge,
      providers: [
        {
          ...provider,
          async stream(request, watch) {
            const hasResult = request.messages.some((message) => message.role === 'tool');
            if (outcome === 'finished' && hasResult) await stall.hold();
            return provider.stream(request, watch);
          },
        },
      ],
    });
    await world.send(app, '/skill mailer');
    await stall.reached;
  }
});

afterAll(async () => {
  for (const stall of stalls) stall.release();
  for (const world of worlds.values()) {
    await world.stopAll();
    world.remove();
  }
});

interface Expected {
  readonly turn: 'held' | 'completed' | 'discarded';
  /** Effects of the second life. */
  readonly effects: number;
}

/** The row, in words: gate first, then the policy; discard_skill wins over `always`. */
function expectedOf(
  mode: (typeof MODES)[number],
  policy: (typeof POLICIES)[number],
  isListed: boolean,
  outcome: Outcome,
): Expected {
  if (mode === 'never' || (mode === 'safe_only' && isListed)) return { turn: 'held', effects: 0 };
  if (outcome === 'finished') return { turn: 'completed', effects: 0 };
  if (policy === 'discard_skill') return { turn: 'discarded', effects: 0 };
  return { turn: 'completed', effects: policy === 'retry' ? 1 : 0 };
}

const CASES = MODES.flatMap((mode) =>
  POLICIES.flatMap((policy) =>
    [true, false].flatMap((isListed) =>
      OUTCOMES.map((outcome) => ({ mode, policy, isListed, outcome })),
    ),
  ),
);

describe('X-04 the turn gate before the policy of the skill', () => {
  it('has 36 cases', () => {
    expect(CASES).toHaveLength(36);
  });

  it.each(CASES)(
    'X-04 $mode, $policy, listed $isListed, $outcome',
    async ({ mode, policy, isListed, outcome }) => {
      const from = worlds.get(outcome);
      if (from === undefined) throw new Error('no world');
      const copy = imageOf(from, `${mode}-${policy}-${String(isListed)}`);
      writeConfig(copy, {
        resilience: { recovery: { mode, side_effect_tools: isListed ? ['send_email'] : [] } },
        skill_resume: { per_skill: { mailer: policy } },
      });
      const app = await copy.start(fakes(copy, script));
      try {
        const turn = await turnIn(app, 1, [...QUIET]);
        const expected = expectedOf(mode, policy, isListed, outcome);
        expect({ turn: turn.state, effects: copy.effects().length }).toEqual(expected);
        const [run] = await copy.runs(app);
        expect(run?.state).toBe(expected.turn === 'held' ? 'running' : expected.turn);
      } finally {
        await copy.stopAll();
      }
    },
  );
});
