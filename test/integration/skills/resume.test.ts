/** Runs of skills over a kill: the image on disk at one moment, and a fresh engine on it. */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import { KIND_CODES } from '../../../electron/adapters/sqlite/journal/entry-codec';
import { FOLD_TABLES } from '../../../electron/adapters/sqlite/tables/fold';
import { QUIET, turnIn, writeConfig } from '../../helpers/compose-world';
import type { Script } from '../../helpers/fake-world';
import {
  createSkillWorld,
  createStall,
  editDatabase,
  fakes,
  imageOf,
  phaseOf,
  type SkillWorld,
} from './skill-world';

const PHASES = 'phases:\n  - name: one\n  - name: two\n  - name: three\n';

let world: SkillWorld;
let images: SkillWorld[];
let stall: ReturnType<typeof createStall>;

beforeEach(() => {
  world = createSkillWorld();
  images = [];
  stall = createStall();
});
afterEach(async () => {
  stall.release();
  for (const one of [...images, world]) await one.stopAll();
  world.remove();
});

/** In each phase one effect, then the answer. */
const perPhase: Script = (request) => {
  const phase = phaseOf(request);
  return request.messages.some((message) => message.role === 'tool')
    ? { text: `${phase} done` }
    : { calls: [{ tool: 'charge', args: { phase } }] };
};

/** Starts a turn whose effect in one phase stands still; returns when it does. */
async function standIn(
  phase: string,
  options: {
    readonly message?: string;
    readonly script?: Script;
    readonly at?: 'before' | 'after';
  } = {},
): Promise<{ readonly app: Composition; readonly turnId: number }> {
  const app = await world.start(
    fakes(world, options.script ?? perPhase, {
      gate: (at, call) =>
        at === (options.at ?? 'before') && (call.args as { phase?: string }).phase === phase
          ? stall.hold()
          : undefined,
    }),
  );
  const turnId = await world.send(app, options.message ?? '/skill work on it');
  await stall.reached;
  return { app, turnId };
}

function image(name: string): SkillWorld {
  const copy = imageOf(world, name);
  images.push(copy);
  return copy;
}

const auditLines = ({ dataDir }: SkillWorld): string[] =>
  fs.readdirSync(path.join(dataDir, 'audit')).flatMap((file) =>
    fs
      .readFileSync(path.join(dataDir, 'audit', file), 'utf8')
      .trim()
      .split('\n'),
  );

const stateOf = async (app: Composition, runId = 1) => {
  const { phase, visit, visits, history, input, artifact, version, parentRunId, state } =
    await app.holdfast.call('runs.show', { runId }, 'test');
  return { phase, visit, visits, history, input, artifact, version, parentRunId, state };
};

describe('a run that is killed in phase 2 of 3', () => {
  beforeEach(() => {
    world.skill('work', PHASES);
  });

  it('S4-08 S4-04 goes on in phase 2: nothing of phase 1 is asked or done again', async () => {
    const { app, turnId } = await standIn('two');
    const before = await stateOf(app);
    expect(before).toMatchObject({
      phase: 'two',
      visit: 1,
      artifact: 'one done',
      state: 'running',
    });
    const copy = image('image');
    const again = await copy.start(fakes(copy, perPhase));
    expect(await turnIn(again, turnId, [...QUIET])).toMatchObject({ state: 'completed' });
    expect(copy.effects().map((effect) => effect.args)).toEqual([
      { phase: 'two' },
      { phase: 'three' },
    ]);
    // The answer that asked for the effect in phase 2 is on disk; three more end phases 2 and 3.
    expect(copy.requests()).toBe(3);
    expect((await copy.runs(again))[0]).toMatchObject({
      state: 'completed',
      attempt: 2,
      action: 'retry',
      visits: { one: 1, two: 1, three: 1 },
    });
  });

  it.each([
    ['input', 'its stored input is missing'],
    ['output of phase 1', 'output of the phase before'],
  ])(
    'S4-08 S0-33 whose stored %s is lost is held and says so: nothing is asked or done with an empty text',
    async (what, says) => {
      const long = 'long '.repeat(10_000);
      const script: Script = (request) => {
        if (phaseOf(request) === '') {
          const isCalled = request.messages.some((message) => message.role === 'tool');
          const args = { name: 'work', input: what === 'input' ? long : 'short' };
          return isCalled ? { text: 'all done' } : { calls: [{ tool: 'run_skill', args }] };
        }
        const reply = perPhase(request);
        return 'text' in reply && what !== 'input' ? { text: long } : reply;
      };
      const { turnId } = await standIn('two', { message: 'go', script });
      const copy = image('image');
      const blobs = path.join(copy.dataDir, 'blobs', `t${String(turnId)}`);
      const lost = fs
        .readdirSync(blobs)
        .filter((name) => fs.readFileSync(path.join(blobs, name), 'utf8') === long);
      expect(lost).toHaveLength(1);
      fs.rmSync(path.join(blobs, lost[0] ?? ''));
      const again = await copy.start(fakes(copy, script));
      expect(await turnIn(again, turnId, [...QUIET])).toMatchObject({
        state: 'held',
        reason: expect.stringContaining(says),
      });
      expect([copy.effects(), copy.requests()]).toEqual([[], 0]);
    },
  );

  it('S4-02 S4-16 has the same state after the tables were emptied, and says so in the audit', async () => {
    const { app } = await standIn('two');
    const before = await stateOf(app);
    for (const [name, statements] of [
      ['all', FOLD_TABLES.map((table) => `DELETE FROM ${table}`)],
      ['runs', ['DELETE FROM runs']],
      ['damaged', ["UPDATE runs SET history = 'x'"]],
    ] as const) {
      const copy = image(name);
      editDatabase(copy, ...statements);
      writeConfig(copy, { resilience: { recovery: { mode: 'never' } } });
      const again = await copy.start(fakes(copy, perPhase));
      expect(await stateOf(again)).toEqual(before);
      // The audit gathers its lines for a moment before it writes them.
      await expect.poll(() => auditLines(copy).join('\n')).toContain('tables_rebuilt');
    }
  });

  it('S4-03 a table older than the journal: the journal wins', async () => {
    const { app } = await standIn('two');
    const before = await stateOf(app);
    const copy = image('old');
    editDatabase(
      copy,
      "UPDATE runs SET phase = 'one', visit = 1, history = '[]', artifact_seq = NULL",
      'UPDATE fold SET applied_seq = 1',
    );
    writeConfig(copy, { resilience: { recovery: { mode: 'never' } } });
    const again = await copy.start(fakes(copy, perPhase));
    expect(await stateOf(again)).toEqual(before);
  });

  it('S4-05 S4-06 shows its plan before and after: reused, unknown and still to run', async () => {
    await standIn('two');
    const copy = image('image');
    writeConfig(copy, { resilience: { recovery: { mode: 'never' } } });
    const again = await copy.start(fakes(copy, perPhase));
    const plan = await again.holdfast.call('runs.plan', { runId: 1 }, 'test');
    expect(plan).toMatchObject({
      action: 'retry',
      turnAction: 'hold',
      isVersionChanged: false,
      doesPlanMatch: true,
      phases: [
        { phase: 'one', visit: 1, state: 'done' },
        { phase: 'two', visit: 1, state: 'in_flight' },
        { phase: 'three', visit: 1, state: 'to_run' },
      ],
      ambiguous: [5],
      reused: 4,
      toRun: 2,
    });
    const { decisions } = await again.holdfast.call('recovery.list', {}, 'test');
    const requestHash = decisions[0]?.requestHash ?? '';
    await again.holdfast.call('recovery.resume', { turnId: 1, requestHash }, 'test');
    expect(await turnIn(again, 1, [...QUIET])).toMatchObject({ state: 'completed' });
    const after = await again.holdfast.call('runs.plan', { runId: 1 }, 'test');
    expect(after).toMatchObject({ action: 'none', reason: expect.stringContaining('completed') });
    expect(after.phases.map((phase) => phase.state)).toEqual(['done', 'done', 'done']);
  });

  it('S4-+02 names in the audit the record that was used again', async () => {
    const { turnId } = await standIn('two');
    const copy = image('image');
    const again = await copy.start(fakes(copy, perPhase));
    await turnIn(again, turnId, [...QUIET]);
    await copy.stop(again);
    const reused = auditLines(copy).filter((line) => line.includes('step_memoized'));
    expect(reused).toHaveLength(1);
    expect(reused[0]).toMatch(/"seq":\d+/);
  });
});

describe('a run inside of a run', () => {
  const LOOP = `phases:
  - name: collect
  - name: draft
  - name: review
    loop: draft
    max_visits: 3
`;
  /** Drafts twice; the second time by another skill, which asks whether it may send. */
  const looping: Script = (request) => {
    const phase = phaseOf(request);
    const first = request.messages[0];
    const given = first?.role === 'user' ? first.text : '';
    const isBegun = !request.messages.some((message) => message.role === 'tool');
    if (phase === 'inner')
      return isBegun ? { calls: [{ tool: 'send_email', args: { to: 'mara' } }] } : { text: 'sent' };
    if (phase === 'review')
      return given.includes('by inner') || !isBegun
        ? { text: 'fine' }
        : { calls: [{ tool: 'finish_phase', args: { artifact: 'again', next: 'draft' } }] };
    if (phase !== 'draft' || !given.includes('again')) return { text: `${phase} done` };
    return isBegun
      ? { calls: [{ tool: 'run_skill', args: { name: 'inner', input: 'x' } }] }
      : { text: 'by inner' };
  };

  it('S4-04 S4-05 S4-16 that waits for leave in the second visit of a phase is shown the same after a kill, its plan has both visits in their order, and with the answer it ends after 1 effect', async () => {
    world.skill('outer', LOOP);
    world.skill('inner', '');
    const asks = { approvals: { tools: { send_email: 'ask' } } };
    writeConfig(world, asks);
    const shown = (of: Composition) =>
      Promise.all(
        [1, 2].map(async (runId) => {
          const { ageMs: _age, ...run } = await of.holdfast.call('runs.show', { runId }, 'test');
          return run;
        }),
      );
    const visits = async (of: Composition) =>
      (await of.holdfast.call('runs.plan', { runId: 1 }, 'test')).phases.map(
        ({ phase, visit, state }) => `${phase} ${String(visit)} ${state}`,
      );
    const app = await world.start(fakes(world, looping));
    const turnId = await world.send(app, '/skill outer go');
    expect((await turnIn(app, turnId, [...QUIET])).state).toBe('requires_action');
    const before = await shown(app);
    expect(before).toMatchObject([
      { skill: 'outer', phase: 'draft', visit: 2, visits: { collect: 1, draft: 2, review: 1 } },
      { skill: 'inner', parentRunId: 1, awaiting: { kind: 'approval', title: 'send_email' } },
    ]);
    const planned = await visits(app);
    expect(planned.slice(0, 4)).toEqual([
      ...['collect 1 done', 'draft 1 done', 'review 1 done', 'draft 2 in_flight'],
    ]);
    const copy = image('image');
    writeConfig(copy, asks);
    const again = await copy.start(fakes(copy, looping));
    expect(await shown(again)).toEqual(before);
    expect(await visits(again)).toEqual(planned);
    const { requests } = await again.holdfast.call('approvals.list', {}, 'test');
    const { requestId = 0, requestHash = '' } = requests[0] ?? {};
    await again.holdfast.call('approvals.allow', { requestId, requestHash }, 'test');
    expect((await turnIn(again, turnId, ['completed', 'failed', 'held'])).state).toBe('completed');
    expect((await copy.runs(again)).map((run) => [run.skill, run.state, run.visits])).toEqual([
      ['inner', 'completed', { main: 1 }],
      ['outer', 'completed', { collect: 1, draft: 2, review: 2 }],
    ]);
    expect(copy.effects()).toHaveLength(1);
  });
});

describe('S4-+08 a skill that is another one after the stop', () => {
  const fingerprint = /[0-9a-f]{64}/g;

  it('goes on where only its description and a phase that is done have changed', async () => {
    world.skill('work', PHASES, '# Phase: one\nOld.');
    const { turnId } = await standIn('two');
    const copy = image('image');
    copy.skill('work', `license: MIT\n${PHASES}`, '# Phase: one\nNew.');
    const again = await copy.start(fakes(copy, perPhase));
    expect(await turnIn(again, turnId, [...QUIET])).toMatchObject({ state: 'completed' });
    expect(copy.requests()).toBe(3);
  });

  it('is held with both versions where the phase has changed, and goes on after the answer', async () => {
    world.skill('work', PHASES, '# Phase: two\nOld.');
    const { app, turnId } = await standIn('two');
    const { version } = await stateOf(app);
    const copy = image('image');
    copy.skill('work', PHASES, '# Phase: two\nNew.');
    const again = await copy.start(fakes(copy, perPhase));
    const held = await turnIn(again, turnId, [...QUIET]);
    expect(held.state).toBe('held');
    const [was, is] = held.reason.match(fingerprint) ?? [];
    expect(was).toBe(version);
    expect(is).not.toBe(version);
    const plan = await again.holdfast.call('runs.plan', { runId: 1 }, 'test');
    expect(plan).toMatchObject({
      isVersionChanged: true,
      doesPlanMatch: false,
      currentVersion: is,
    });
    expect(plan.problem).toContain('has changed');
    expect(copy.requests()).toBe(0);
    const { decisions } = await again.holdfast.call('recovery.list', {}, 'test');
    const requestHash = decisions[0]?.requestHash ?? '';
    await again.holdfast.call('recovery.resume', { turnId, requestHash }, 'test');
    expect(await turnIn(again, turnId, [...QUIET])).toMatchObject({ state: 'completed' });
    expect((await copy.runs(again))[0]?.version).toBe(is);
    // Phase one stays done; the effect of phase two keeps its key, so it is one effect.
    expect(copy.effects().map((effect) => effect.args)).toEqual([
      { phase: 'two' },
      { phase: 'three' },
    ]);
  });

  it('is held where the skill is gone, and the run can be discarded', async () => {
    world.skill('work', PHASES);
    const { turnId } = await standIn('two');
    const copy = image('image');
    fs.rmSync(path.join(copy.dataDir, 'skills/work'), { recursive: true });
    const again = await copy.start(fakes(copy, perPhase));
    const held = await turnIn(again, turnId, [...QUIET]);
    expect(held.state).toBe('held');
    expect(held.reason).toContain('There is no skill "work"');
    const { preview } = await again.holdfast.call('runs.discard', { runId: 1 }, 'test');
    const { requestHash } = preview;
    await again.holdfast.call('runs.discard', { runId: 1, requestHash }, 'test');
    expect(await turnIn(again, turnId, [...QUIET])).toMatchObject({ state: 'discarded' });
    expect((await again.holdfast.call('recovery.list', {}, 'test')).decisions).toEqual([]);
  });
});

describe('policies of skills', () => {
  it('S4-22 S4-06 three skills at a step with an unknown result go each by its own policy: retried, skipped, discarded, each with its reason', async () => {
    for (const name of ['a-retry', 'b-skip', 'c-discard']) world.skill(name, '');
    let stopped = 0;
    let all: () => void = () => undefined;
    const allStand = new Promise<void>((resolve) => (all = resolve));
    const script: Script = (request) =>
      request.messages.some((message) => message.role === 'tool')
        ? { text: 'done' }
        : { calls: [{ tool: 'charge', args: { phase: phaseOf(request) } }] };
    const app = await world.start(
      fakes(world, script, {
        gate: (at) => {
          if (at === 'before') return;
          stopped += 1;
          if (stopped === 3) all();
          return stall.hold();
        },
      }),
    );
    for (const name of ['a-retry', 'b-skip', 'c-discard'])
      await world.send(app, `/skill ${name}`, name);
    await allStand;
    const copy = image('image');
    writeConfig(copy, {
      skill_resume: {
        default: 'retry',
        per_skill: { 'b-skip': 'skip', 'c-discard': 'discard_skill', 'not-there': 'prompt' },
      },
    });
    const again = await copy.start(fakes(copy, script));
    const states = await Promise.all(
      [1, 2, 3].map(async (turnId) => (await turnIn(again, turnId, [...QUIET])).state),
    );
    expect(states).toEqual(['completed', 'completed', 'discarded']);
    expect(copy.effects().map((effect) => effect.args)).toEqual([{ phase: 'a-retry' }]);
    const runs = await copy.runs(again);
    expect(runs.map((run) => [run.skill, run.action, run.state]).sort()).toEqual([
      ['a-retry', 'retry', 'completed'],
      ['b-skip', 'skip', 'completed'],
      ['c-discard', 'discard', 'discarded'],
    ]);
    const db = new Database(path.join(copy.dataDir, 'holdfast.db'), { readonly: true });
    const planned = db
      .prepare("SELECT json_extract(body, '$.reason') FROM journal WHERE kind = ?")
      .pluck()
      .all(KIND_CODES['run.planned']);
    db.close();
    expect(planned).toHaveLength(3);
    expect(planned).not.toContain('');
    const { hints } = await again.holdfast.call('skills.list', {}, 'test');
    expect(hints).toEqual([
      'skill_resume.per_skill names "not-there": this skill was not found.',
      '"prompt" acts as retry for "not-there": a start never waits for an answer.',
    ]);
  });

  it('S4-26 discard_skill ends the run alone where another conversation called it: that is told', async () => {
    world.skill('inner', '');
    const script: Script = (request) => {
      const results = request.messages.filter((message) => message.role === 'tool');
      if (phaseOf(request) === 'inner')
        return results.length === 0
          ? { calls: [{ tool: 'charge', args: { phase: 'inner' } }] }
          : { text: 'inner done' };
      return results.length === 0
        ? { calls: [{ tool: 'run_skill', args: { name: 'inner' } }] }
        : { text: `told: ${results[0]?.content ?? ''}` };
    };
    const { turnId } = await standIn('inner', { message: 'do it', script });
    const copy = image('image');
    writeConfig(copy, { skill_resume: { per_skill: { inner: 'discard_skill' } } });
    const again = await copy.start(fakes(copy, script));
    expect(await turnIn(again, turnId, [...QUIET])).toMatchObject({ state: 'completed' });
    const { answer } = await again.holdfast.call('turns.show', { turnId }, 'test');
    expect(answer).toContain('told: The run of the skill "inner" was discarded.');
    expect(copy.effects()).toEqual([]);
  });
});

describe('S4-34 many runs at once', () => {
  it('S4-34 10 runs of 2 agents, one with a damaged record: nine go on, at most 3 at a time, one waits for a person', async () => {
    const fake = { provider: 'fake', model: 'fake-1', workspace: world.workspace };
    const agents = { fake, other: fake };
    writeConfig(world, { agents, limits: { max_running_turns: 20 } });
    world.skill('work', PHASES);
    let stopped = 0;
    let all: () => void = () => undefined;
    const allStand = new Promise<void>((resolve) => (all = resolve));
    const app = await world.start(
      fakes(world, perPhase, {
        gate: (at, call) => {
          if (at === 'after' || (call.args as { phase: string }).phase !== 'two') return;
          stopped += 1;
          if (stopped === 10) all();
          return stall.hold();
        },
      }),
    );
    for (let index = 1; index <= 10; index += 1)
      await world.send(
        app,
        `/skill work ${String(index)}`,
        `s${String(index)}`,
        index % 2 === 0 ? 'fake' : 'other',
      );
    await allStand;
    const copy = image('image');
    editDatabase(copy, `UPDATE journal SET body = 'x' WHERE kind = 37 AND turn_id = 4`);
    writeConfig(copy, { agents, limits: { max_running_turns: 3 } });
    let most = 0;
    let now = 0;
    const again = await copy.start(
      fakes(copy, perPhase, {
        gate: (at) => {
          now += at === 'before' ? 1 : -1;
          most = Math.max(most, now);
        },
      }),
    );
    const turns = await Promise.all(
      Array.from({ length: 10 }, (_, index) => turnIn(again, index + 1, [...QUIET])),
    );
    expect(turns.map((turn) => turn.state)).toEqual(
      Array.from({ length: 10 }, (_, index) => (index === 3 ? 'held' : 'completed')),
    );
    expect(turns[3]?.reason).toContain('cannot be read');
    expect(most).toBeLessThanOrEqual(3);
  });
});
