/** Single runs in the hands of a person: listed, looked at, discarded. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
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
import { SLACK } from '../../helpers/slack';

let world: SkillWorld;
let images: SkillWorld[];
let stall: ReturnType<typeof createStall>;

beforeEach(() => {
  world = createSkillWorld();
  images = [];
  stall = createStall();
  world.skill('outer', '');
  world.skill('inner', '');
});
afterEach(async () => {
  stall.release();
  for (const one of [...images, world]) await one.stopAll();
  world.remove();
});

/** main calls outer, outer calls inner, inner has one effect. */
const nested: Script = (request) => {
  const phase = phaseOf(request);
  const results = request.messages.filter((message) => message.role === 'tool');
  if (results.length > 0) return { text: `${phase} told: ${results[0]?.content ?? ''}` };
  if (phase === 'inner') return { calls: [{ tool: 'send_email', args: { to: 'you' } }] };
  const name = phase === 'outer' ? 'inner' : 'outer';
  return { calls: [{ tool: 'run_skill', args: { name } }] };
};

async function standInInner(message = 'do it'): Promise<{ app: Composition; turnId: number }> {
  const app = await world.start(
    fakes(world, nested, { gate: (at) => (at === 'after' ? stall.hold() : undefined) }),
  );
  const turnId = await world.send(app, message);
  await stall.reached;
  return { app, turnId };
}

async function discard(app: Composition, runId: number): Promise<void> {
  const { preview } = await app.holdfast.call('runs.discard', { runId }, 'test');
  const { requestHash } = preview;
  expect(await app.holdfast.call('runs.discard', { runId, requestHash }, 'test')).toMatchObject({
    isDone: true,
    run: { state: 'discarded' },
  });
}

const answerOf = async (app: Composition, turnId: number): Promise<string | undefined> =>
  (await app.holdfast.call('turns.show', { turnId }, 'test')).answer;

describe('S4-28 a single run', () => {
  it('S4-28 is previewed first, and discarded with the hash of the preview only', async () => {
    const { app } = await standInInner();
    const { preview, isDone } = await app.holdfast.call('runs.discard', { runId: 1 }, 'test');
    expect(isDone).toBe(false);
    expect(preview).toMatchObject({
      runId: 1,
      skill: 'outer',
      endsTurn: false,
      runs: [
        { runId: 2, skill: 'inner' },
        { runId: 1, skill: 'outer' },
      ],
      openSteps: [6],
    });
    const requestHash = '0'.repeat(64);
    await expect(
      app.holdfast.call('runs.discard', { runId: 1, requestHash }, 'test'),
    ).rejects.toMatchObject({ code: 'REQUEST_STALE' });
    expect((await world.runs(app)).map((run) => run.state)).toEqual(['running', 'running']);
  });

  it('S4-28 that is not there is an error, with and without force', async () => {
    const app = await world.start(fakes(world, nested));
    for (const extra of [{}, { requestHash: '0'.repeat(64) }]) {
      await expect(
        app.holdfast.call('runs.discard', { runId: 9, ...extra }, 'test'),
      ).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
    }
    for (const verb of ['runs.show', 'runs.plan'] as const) {
      await expect(app.holdfast.call(verb, { runId: 9 }, 'test')).rejects.toMatchObject({
        code: 'RUN_UNKNOWN',
      });
    }
  });

  it('S4-28 that finishes in between is told, and its turn keeps its answer', async () => {
    const { app, turnId } = await standInInner();
    const { preview } = await app.holdfast.call('runs.discard', { runId: 2 }, 'test');
    stall.release();
    await turnIn(app, turnId, [...QUIET]);
    const { requestHash } = preview;
    await expect(
      app.holdfast.call('runs.discard', { runId: 2, requestHash }, 'test'),
    ).rejects.toMatchObject({ code: 'RUN_STATE' });
    expect(await answerOf(app, turnId)).toContain('inner told: send_email: ok');
  });
});

describe('S4-26 a run that is discarded', () => {
  it('S4-26 while it is at work tells its caller within 2 s; the files stay', async () => {
    const { app, turnId } = await standInInner();
    fs.writeFileSync(path.join(world.workspace, 'half.txt'), 'kept');
    const began = Date.now();
    const done = discard(app, 2);
    // The tool does not listen to its signal; it is let go when the discard is on disk.
    await expect.poll(async () => (await world.runs(app))[0]?.state).toBe('discarded');
    stall.release();
    await done;
    await turnIn(app, turnId, [...QUIET]);
    expect(Date.now() - began).toBeLessThan(2_000 * SLACK);
    expect(await answerOf(app, turnId)).toContain(
      'outer told: The run of the skill "inner" was discarded. You discarded it.',
    );
    expect((await world.runs(app)).map((run) => [run.skill, run.state])).toEqual([
      ['inner', 'discarded'],
      ['outer', 'completed'],
    ]);
    expect(fs.readFileSync(path.join(world.workspace, 'half.txt'), 'utf8')).toBe('kept');
  });

  it('S4-+06 takes what it has started with it', async () => {
    const { app, turnId } = await standInInner();
    const done = discard(app, 1);
    await expect.poll(async () => (await world.runs(app))[0]?.state).toBe('discarded');
    stall.release();
    await done;
    await turnIn(app, turnId, [...QUIET]);
    expect((await world.runs(app)).map((run) => [run.skill, run.state])).toEqual([
      ['inner', 'discarded'],
      ['outer', 'discarded'],
    ]);
    expect(await answerOf(app, turnId)).toContain('The run of the skill "outer" was discarded.');
  });

  it('S4-26 while its turn is held for an unknown step: the question goes, the caller goes on', async () => {
    const { turnId } = await standInInner();
    const copy = imageOf(world, 'image');
    images.push(copy);
    writeConfig(copy, { resilience: { recovery: { side_effect_tools: ['send_email'] } } });
    const again = await copy.start(fakes(copy, nested));
    expect((await turnIn(again, turnId, [...QUIET])).state).toBe('held');
    expect((await copy.runs(again))[0]).toMatchObject({
      skill: 'inner',
      awaiting: { kind: 'replay_decision' },
    });
    const began = Date.now();
    await discard(again, 2);
    expect(await turnIn(again, turnId, ['completed'])).toMatchObject({ state: 'completed' });
    expect(Date.now() - began).toBeLessThan(2_000 * SLACK);
    expect((await again.holdfast.call('recovery.list', {}, 'test')).decisions).toEqual([]);
    expect(copy.effects()).toEqual([]);
    // A run is gone for good: the next start does not ask about its step either.
    await copy.stop(again);
    const third = await copy.start(fakes(copy, nested));
    expect((await third.holdfast.call('recovery.list', {}, 'test')).decisions).toEqual([]);
  });

  it('S4-26 drops the question whether it may make a call', async () => {
    const asks = { approvals: { tools: { send_email: 'ask' } } };
    writeConfig(world, asks);
    const app = await world.start(fakes(world, nested));
    const turnId = await world.send(app, 'do it');
    expect((await turnIn(app, turnId, [...QUIET])).state).toBe('requires_action');
    expect((await world.runs(app))[0]).toMatchObject({ skill: 'inner', awaiting: {} });
    await discard(app, 2);
    expect((await turnIn(app, turnId, ['completed'])).state).toBe('completed');
    expect(world.effects()).toEqual([]);
    const { items } = await app.holdfast.call('inbox.list', {}, 'test');
    expect(items.filter((item) => item.settledAtMs === undefined)).toEqual([]);
  });

  it('S4-16 S4-26 ends its turn where the message asked for it, also with /skill discard', async () => {
    const { app, turnId } = await standInInner('/skill outer');
    const asked = await world.send(app, '/skill discard 1', 'other');
    await turnIn(app, asked, [...QUIET]);
    expect(await answerOf(app, asked)).toContain(
      'Nothing was done. To do it: /skill discard 1 --force',
    );
    const forced = await world.send(app, '/skill discard 1 --force', 'other');
    await turnIn(app, forced, [...QUIET]);
    stall.release();
    expect(await turnIn(app, turnId, [...QUIET])).toMatchObject({ state: 'discarded' });
    expect(await answerOf(app, turnId)).toContain('was discarded');
    expect((await app.holdfast.call('runs.list', {}, 'test')).runs).toEqual([]);
  });

  it('S4-+06 S4-16 shows a run without its parent as a root', async () => {
    await standInInner();
    const copy = imageOf(world, 'image');
    images.push(copy);
    writeConfig(copy, { resilience: { recovery: { mode: 'never' } } });
    editDatabase(copy, 'DELETE FROM runs WHERE id = 1');
    const again = await copy.start(fakes(copy, nested));
    expect(await copy.runs(again)).toMatchObject([
      { skill: 'inner', parentRunId: 1, depth: 0, isOrphan: true },
    ]);
  });
});
