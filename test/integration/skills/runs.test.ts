import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QUIET, turnIn } from '../../helpers/compose-world';
import { resultsSoFar } from '../../helpers/fake-world';
import { createSkillWorld, fakes, phaseOf, type SkillWorld } from './skill-world';

let world: SkillWorld;

beforeEach(() => {
  world = createSkillWorld();
});
afterEach(async () => {
  await world.stopAll();
  world.remove();
});

const THREE =
  'phases:\n  - name: collect\n  - name: draft\n  - name: review\n    loop: draft\n    max_visits: 3\n';

describe('a run of a skill', () => {
  it('S4-04 goes phase by phase, hands artifacts on and answers with the last one', async () => {
    world.skill('report', THREE, '# Phase: draft\nWrite it.');
    const app = await world.start(
      fakes(world, (request) => {
        const phase = phaseOf(request);
        if (phase === 'collect' && resultsSoFar(request) === 0)
          return { calls: [{ tool: 'charge', args: { phase } }] };
        const given = request.messages[0];
        return { text: `${phase} of (${given?.role === 'user' ? given.text : ''})` };
      }),
    );
    const turnId = await world.send(app, '/skill report the week');
    expect(await turnIn(app, turnId, [...QUIET])).toMatchObject({ state: 'completed', reason: '' });
    const shown = await app.holdfast.call('turns.show', { turnId }, 'test');
    expect(shown.answer).toBe(
      'review of (the week\n\nResult of the phase "draft":\ndraft of (the week\n\nResult of the phase "collect":\ncollect of (the week)))',
    );
    // S4-05: each step says the phase that it belongs to.
    expect(shown.steps.map(({ tool, run }) => [tool, run?.skill, run?.phase, run?.visit])).toEqual([
      ['model', 'report', 'collect', 1],
      ['fake.charge', 'report', 'collect', 1],
      ['model', 'report', 'collect', 1],
      ['model', 'report', 'draft', 1],
      ['model', 'report', 'review', 1],
    ]);
    const [run] = await world.runs(app);
    expect(run).toMatchObject({
      id: 1,
      turnId,
      skill: 'report',
      state: 'completed',
      visits: { collect: 1, draft: 1, review: 1 },
      history: [
        { phase: 'collect', visit: 1, next: 'draft' },
        { phase: 'draft', visit: 1, next: 'review' },
        { phase: 'review', visit: 1 },
      ],
      input: 'the week',
      depth: 0,
      isOrphan: false,
    });
    expect(world.effects()).toHaveLength(1);
    expect((await app.holdfast.call('runs.list', {}, 'test')).runs).toEqual([]);
  });

  it('S4-08 executes a phase again that the model goes back to, and no more often than it may', async () => {
    world.skill('report', THREE);
    const seen: string[] = [];
    const app = await world.start(
      fakes(world, (request) => {
        const phase = phaseOf(request);
        const results = request.messages.filter((one) => one.role === 'tool');
        if (phase === 'draft' && results.length === 0)
          return { calls: [{ tool: 'charge', args: { same: true } }] };
        if (phase !== 'review') return { text: `${phase} ${String(seen.length)}` };
        seen.push(results.at(-1)?.content ?? '');
        if (results.length > 0 || seen.length > 20) return { text: 'enough' };
        return { calls: [{ tool: 'finish_phase', args: { artifact: 'again', next: 'draft' } }] };
      }),
    );
    const turnId = await world.send(app, '/skill report');
    const turn = await turnIn(app, turnId, [...QUIET]);
    const [run] = await world.runs(app);
    // The third review may not be followed by a fourth: then the run cannot come to its end.
    expect(run?.visits).toEqual({ collect: 1, draft: 4, review: 3 });
    expect(turn).toMatchObject({ state: 'failed' });
    expect(turn.reason).toContain('"review" has run 3 times');
    expect(world.effects()).toHaveLength(4);
    expect(new Set(world.effects().map((effect) => effect.key)).size).toBe(4);
  });

  it('S4-+06 shows a run that another run has started under its parent', async () => {
    world.skill('outer', '');
    world.skill('inner', '');
    let live: unknown;
    const app = await world.start(
      fakes(
        world,
        (request) => {
          const phase = phaseOf(request);
          const results = request.messages.filter((one) => one.role === 'tool');
          if (phase === 'inner')
            return results.length === 0 ? { calls: [{ tool: 'charge' }] } : { text: 'inner done' };
          if (results.length > 0) return { text: `told: ${results[0]?.content ?? ''}` };
          const name = phase === 'outer' ? 'inner' : 'outer';
          return { calls: [{ tool: 'run_skill', args: { name, input: 'x' } }] };
        },
        {
          gate: async (at) => {
            if (at === 'before') live = (await app.holdfast.call('runs.list', {}, 'test')).runs;
          },
        },
      ),
    );
    const turnId = await world.send(app, 'do it');
    expect(await turnIn(app, turnId, [...QUIET])).toMatchObject({ state: 'completed' });
    expect(live).toMatchObject([
      {
        id: 2,
        skill: 'inner',
        parentRunId: 1,
        depth: 1,
        state: 'running',
        phase: 'main',
        visit: 1,
      },
      { id: 1, skill: 'outer', depth: 0, state: 'running' },
    ]);
    const shown = await app.holdfast.call('turns.show', { turnId }, 'test');
    expect(shown.answer).toBe('told: told: inner done');
    // Those of the inner run are its own; what stands outside of skills says nothing.
    const none = undefined;
    expect(shown.steps.map((step) => step.run?.runId)).toEqual([
      ...[none, none, 1, 1, 2, 2, 2, 1],
      none,
    ]);
    expect(shown.steps.map((step) => step.tool)).toEqual([
      'model',
      'skill.run_skill',
      'model',
      'skill.run_skill',
      'model',
      'fake.charge',
      'model',
      'model',
      'model',
    ]);
  });

  it('S4-+03 that gives up ends as failed, and is not resumed', async () => {
    world.skill('fragile', '');
    const script = fakes(world, () => ({
      calls: [{ tool: 'finish_phase', args: { abort: 'no data this week' } }],
    }));
    const app = await world.start(script);
    const turnId = await world.send(app, '/skill fragile');
    const turn = await turnIn(app, turnId, [...QUIET]);
    expect(turn.state).toBe('failed');
    expect(turn.reason).toContain('no data this week');
    await world.stop(app);
    const again = await world.start(script);
    expect((await world.runs(again))[0]).toMatchObject({ state: 'failed' });
    expect(world.requests()).toBe(1);
  });

  it('gives a skill no tool that its agent does not have', async () => {
    world.skill('wide', 'tools: [charge, not_there]\n');
    const offered: string[][] = [];
    const app = await world.start(
      fakes(world, (request) => {
        offered.push(request.tools.map((tool) => tool.name));
        return { text: 'ok' };
      }),
    );
    await turnIn(app, await world.send(app, '/skill wide'), [...QUIET]);
    expect(offered).toEqual([['charge', 'finish_phase']]);
  });

  it('answers /skill list and a name that is not there in words, without a model call', async () => {
    world.skill('report', '');
    world.skill('deploy', 'requires:\n  env: [FOO]\n');
    const app = await world.start(fakes(world, () => ({ text: 'never' })));
    const ask = async (text: string) => {
      const turnId = await world.send(app, text);
      const turn = await turnIn(app, turnId, [...QUIET]);
      const { answer } = await app.holdfast.call('turns.show', { turnId }, 'test');
      return [turn.state, answer];
    };
    expect(await ask('/skill list')).toEqual([
      'completed',
      'No skill runs are in progress.\n\nSkills:\nreport: does report',
    ]);
    expect(await ask('/skill nope')).toEqual([
      'failed',
      'There is no skill "nope". Skills: report.',
    ]);
    expect(await ask('/skill deploy now')).toEqual([
      'failed',
      'The skill "deploy" is skipped: FOO is not set',
    ]);
    expect(await ask('/skill discard 7')).toEqual([
      'completed',
      expect.stringContaining('There is no run 7'),
    ]);
    expect(world.requests()).toBe(0);
  });
});
