import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { compose } from '../../electron/compose/compose';
import type { ComposeOptions, Composition } from '../../electron/compose/options';
import type { TurnSummary } from '../../shared/types';

/** A fresh data directory with a folder beside it for what the world sees. */
export interface World {
  readonly root: string;
  readonly dataDir: string;
  readonly outside: string;
  readonly workspace: string;
  remove(): void;
}

export function createWorld(config: Record<string, unknown> = {}): World {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-world-'));
  const world = {
    root,
    dataDir: path.join(root, 'data'),
    outside: path.join(root, 'outside'),
    workspace: path.join(root, 'workspace'),
    remove: () => {
      fs.rmSync(root, { recursive: true, force: true });
    },
  };
  fs.mkdirSync(world.dataDir, { mode: 0o700 });
  fs.mkdirSync(world.outside);
  fs.mkdirSync(world.workspace);
  writeConfig(world, config);
  return world;
}

/** The settings file as a person would write it; an agent `fake` on the fake provider is there. */
export function writeConfig(world: World, config: Record<string, unknown>): void {
  const agents = { fake: { provider: 'fake', model: 'fake-1', workspace: world.workspace } };
  fs.writeFileSync(
    path.join(world.dataDir, 'config.json'),
    JSON.stringify({ agents, ...config }, null, 2),
    { mode: 0o600 },
  );
}

const QUIET_FLAGS = { noRestore: false, hidden: true, takeover: false, afterCrash: false };

export function composeIn(world: World, extra: Partial<ComposeOptions> = {}): Composition {
  return compose({
    dataDir: world.dataDir,
    mode: 'headless',
    flags: QUIET_FLAGS,
    version: '0.0.0-test',
    env: { PATH: process.env['PATH'], HOME: world.outside },
    ...extra,
  });
}

/** Resolves when the turn is in one of the states; looks again after every change, no sleeping. */
export async function turnIn(
  composition: Composition,
  turnId: number,
  states: readonly TurnSummary['state'][],
): Promise<TurnSummary> {
  const { holdfast } = composition;
  const look = async (): Promise<TurnSummary | undefined> => {
    const { turn } = await holdfast.call('turns.show', { turnId }, 'test');
    return states.includes(turn.state) ? turn : undefined;
  };
  return new Promise((resolve, reject) => {
    const check = (): void => {
      look().then((turn) => {
        if (turn === undefined) return;
        off();
        resolve(turn);
      }, reject);
    };
    // Listening first: what happens while the first look is under way is not missed.
    const off = holdfast.on('turn.changed', (change) => {
      if (change.turnId === turnId && states.includes(change.state)) check();
    });
    check();
  });
}

export const ENDED = ['completed', 'failed', 'cancelled', 'discarded'] as const;
export const QUIET = [...ENDED, 'held', 'parked', 'waiting', 'requires_action'] as const;
