/**
 * What is on disk in the middle of a turn. The image is taken by another process (`cp`), as a
 * power cut would leave it; a fresh engine starts on it while the first one still stands.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import type { Composition } from '../../../electron/compose/options';
import type { ToolCall } from '../../../electron/ports/tool-call';
import { composeIn, ENDED, QUIET, turnIn, type World } from '../../helpers/compose-world';
import {
  createFakeProvider,
  createFakeTools,
  linesOf,
  resultsSoFar,
} from '../../helpers/fake-world';
import { useWorld } from '../../helpers/use-world';

const { world, running } = useWorld();
let release: () => void = () => undefined;

afterEach(() => release());

const calls = (tool: string) => (request: Parameters<typeof resultsSoFar>[0]) =>
  resultsSoFar(request) < 5
    ? { calls: [{ tool, args: { n: resultsSoFar(request) } }] }
    : { text: 'five done' };

/** Runs a turn until its third call stands before or after its effect; returns an image of D. */
async function imageAtThirdCall(
  tool: string,
  at: 'before' | 'after',
): Promise<{ image: World; turnId: number; log: string }> {
  let reached: () => void = () => undefined;
  const isThere = new Promise<void>((resolve) => (reached = resolve));
  const held = new Promise<void>((resolve) => (release = resolve));
  const gate = (when: 'before' | 'after', call: ToolCall): Promise<void> | void => {
    if (when !== at || (call.args as { n: number }).n !== 2) return;
    reached();
    return held;
  };
  const tools = createFakeTools({ dir: world.outside, gate });
  const provider = createFakeProvider({ dir: world.outside, script: calls(tool) });
  const app = composeIn(world, { toolHosts: [tools], providers: [provider] });
  running.push(app);
  await app.lifecycle.start();
  const { turnId } = await app.holdfast.call('send', { text: 'five', agent: 'fake' }, 'test');
  await isThere;
  const dataDir = path.join(world.root, 'image');
  expect(spawnSync('cp', ['-r', world.dataDir, dataDir]).status).toBe(0);
  return { image: { ...world, dataDir }, turnId, log: tools.log };
}

/** A second engine on the image; its own logs beside those of the first. */
async function startOn(
  image: World,
  tool: string,
): Promise<{ app: Composition; requests: string; effects: string }> {
  const dir = path.join(world.root, 'second');
  spawnSync('mkdir', [dir]);
  const tools = createFakeTools({ dir });
  const provider = createFakeProvider({ dir, script: calls(tool) });
  // The record in the image names this very process, which is what a copied folder looks like.
  spawnSync('rm', [
    '-f',
    path.join(image.dataDir, 'agent.lock'),
    path.join(image.dataDir, 'lock.db'),
  ]);
  const app = composeIn(image, { toolHosts: [tools], providers: [provider] });
  running.push(app);
  await app.lifecycle.start();
  return { app, requests: provider.log, effects: tools.log };
}

describe('a turn cut off in its third of five calls', () => {
  it('S0-04 leaves 1 open turn, its finished steps and 1 started step', async () => {
    const { image } = await imageAtThirdCall('charge', 'before');
    const db = new Database(path.join(image.dataDir, 'holdfast.db'), { readonly: true });
    try {
      expect(db.prepare('SELECT status, count(*) AS n FROM turn_journal GROUP BY 1').all()).toEqual(
        [{ status: 'open', n: 1 }],
      );
      const states = db
        .prepare(
          "SELECT state, count(*) AS n FROM turn_steps WHERE tool = 'fake.charge' GROUP BY 1 ORDER BY 1",
        )
        .all();
      expect(states).toEqual([
        { state: 'completed', n: 2 },
        { state: 'started', n: 1 },
      ]);
    } finally {
      db.close();
    }
  });

  it('S4-19 has the started record on disk before the first byte of the effect leaves', async () => {
    const { image, log } = await imageAtThirdCall('charge', 'before');
    expect(linesOf(log)).toHaveLength(2);
    const db = new Database(path.join(image.dataDir, 'holdfast.db'), { readonly: true });
    try {
      const open = db.prepare("SELECT tool, state FROM turn_steps WHERE state = 'started'").all();
      expect(open).toEqual([{ tool: 'fake.charge', state: 'started' }]);
    } finally {
      db.close();
    }
  });

  it('S0-08 S4-01 with reads only goes on by itself after the start and asks nobody', async () => {
    const { image, turnId } = await imageAtThirdCall('look', 'after');
    const { app, requests } = await startOn(image, 'look');
    const turn = await turnIn(app, turnId, [...QUIET]);
    expect(turn).toMatchObject({ state: 'completed', attempt: 2 });
    const { decisions, lastStart } = await app.holdfast.call('recovery.list', {}, 'test');
    expect(decisions).toEqual([]);
    expect(lastStart).toMatchObject([{ turnId, action: 'resume' }]);
    // Three answers were on disk; the last three calls of the model are all that is paid.
    expect(linesOf(requests)).toHaveLength(3);
  });

  it('S4-07 S4-08 the first thing that runs after the start is the call that was cut off', async () => {
    const { image, turnId } = await imageAtThirdCall('charge', 'after');
    const { app, requests, effects } = await startOn(image, 'charge');
    expect(await turnIn(app, turnId, [...ENDED])).toMatchObject({ state: 'completed' });
    const again = linesOf(effects).map(
      (line) => JSON.parse(line) as { args: { n: number }; key: string },
    );
    expect(again.map((one) => one.args.n)).toEqual([2, 3, 4]);
    expect(again[0]?.key).toBe(
      `hf-${again[0]?.key.split('-').slice(1, -2).join('-') ?? ''}-${String(turnId)}-6`,
    );
    expect(linesOf(requests)).toHaveLength(3);
    const { steps } = await app.holdfast.call('turns.show', { turnId }, 'test');
    expect(
      steps
        .filter((step) => step.attempt === 1 && step.reusedCount === 1)
        .map((step) => step.index),
    ).toEqual([1, 2, 3, 4, 5]);
    expect(steps.find((step) => step.againOf === 6)).toMatchObject({
      duplicateRisk: true,
      state: 'completed',
    });
  });

  it('S4-+03 a stop in order and a cancel are told apart: one goes on, the other never', async () => {
    const { turnId } = await imageAtThirdCall('charge', 'before');
    const [app] = running;
    if (app === undefined) throw new Error('not started');
    const cancelled = app.holdfast.call('turns.cancel', { turnId }, 'test');
    release();
    expect(await cancelled).toMatchObject({ state: 'cancelled' });
    await app.lifecycle.stop('stop');
    running.length = 0;
    const next = composeIn(world, { toolHosts: [createFakeTools({ dir: world.outside })] });
    running.push(next);
    await next.lifecycle.start();
    expect((await next.holdfast.call('recovery.list', {}, 'test')).lastStart).toEqual([]);
    expect((await next.holdfast.call('turns.show', { turnId }, 'test')).turn.state).toBe(
      'cancelled',
    );
  });
});
