import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import type { ComposeOptions, Composition } from '../../../electron/compose/options';
import type { ModelRequest } from '../../../electron/ports/provider';
import type { RunView } from '../../../shared/types';
import { composeIn, createWorld, type World } from '../../helpers/compose-world';
import {
  createFakeProvider,
  createFakeTools,
  linesOf,
  type Script,
} from '../../helpers/fake-world';

/** A world with skills, and everything that runs in it. */
export interface SkillWorld extends World {
  /** Writes a skill into the data folder. */
  skill(name: string, front: string, body?: string): string;
  start(extra?: Partial<ComposeOptions>): Promise<Composition>;
  /** Ends a composition; what it wrote stays. */
  stop(composition: Composition): Promise<void>;
  stopAll(): Promise<void>;
  send(composition: Composition, text: string, session?: string, agent?: string): Promise<number>;
  runs(composition: Composition): Promise<readonly RunView[]>;
  effects(): readonly { readonly tool: string; readonly args: unknown; readonly key: string }[];
  requests(): number;
}

export function createSkillWorld(config: Record<string, unknown> = {}): SkillWorld {
  return worldOver(createWorld(config));
}

function worldOver(world: World): SkillWorld {
  let running: Composition[] = [];
  return {
    ...world,
    skill(name, front, body = '') {
      const folder = path.join(world.dataDir, 'skills', name);
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(
        path.join(folder, 'SKILL.md'),
        `---\nname: ${name}\ndescription: does ${name}\n${front}---\n${body}\n`,
      );
      return folder;
    },
    async start(extra = {}) {
      const composition = composeIn(world, extra);
      running.push(composition);
      expect(await composition.lifecycle.start()).toEqual({ kind: 'started' });
      return composition;
    },
    async stop(composition) {
      running = running.filter((one) => one !== composition);
      await composition.lifecycle.stop('stop');
    },
    async stopAll() {
      for (const one of running) await one.lifecycle.stop('stop');
      running = [];
    },
    async send(composition, text, session, agent = 'fake') {
      const input = { text, agent, ...(session === undefined ? {} : { session }) };
      return (await composition.holdfast.call('send', input, 'test')).turnId;
    },
    async runs(composition) {
      const input = { includeEnded: true };
      return (await composition.holdfast.call('runs.list', input, 'test')).runs;
    },
    effects: () =>
      linesOf(path.join(world.outside, 'effects.log')).map(
        (line) => JSON.parse(line) as { tool: string; args: unknown; key: string },
      ),
    requests: () => linesOf(path.join(world.outside, 'requests.log')).length,
  };
}

/** The phase that a request is made in; empty outside of a skill. */
export function phaseOf(request: ModelRequest): string {
  const found = /You are in its phase "([^"]+)"/.exec(request.system)?.[1];
  return found ?? /You are running the skill "([^"]+)"/.exec(request.system)?.[1] ?? '';
}

/** A provider that answers by phase. */
export const fakes = (
  world: World,
  script: Script,
  tools: Partial<Parameters<typeof createFakeTools>[0]> = {},
) => ({
  providers: [createFakeProvider({ dir: world.outside, script })],
  toolHosts: [createFakeTools({ dir: world.outside, ...tools })],
});

/** A skill world on a copy of what is on disk now, as a kill at this moment would leave it. */
export function imageOf(world: SkillWorld, name: string): SkillWorld {
  const dataDir = path.join(world.root, name);
  expect(spawnSync('cp', ['-r', world.dataDir, dataDir]).status).toBe(0);
  // The record in the image names this very process, which is what a copied folder looks like.
  for (const file of ['agent.lock', 'lock.db'])
    fs.rmSync(path.join(dataDir, file), { force: true });
  const outside = path.join(world.root, `${name}-outside`);
  fs.mkdirSync(outside);
  return worldOver({ ...world, dataDir, outside });
}

/** Changes the database of a world while nothing runs on it. */
export function editDatabase(world: World, ...statements: readonly string[]): void {
  const db = new Database(path.join(world.dataDir, 'holdfast.db'));
  try {
    for (const statement of statements) db.exec(statement);
  } finally {
    db.close();
  }
}

/** Stands at one place until it is let go. */
export function createStall(): {
  readonly reached: Promise<void>;
  hold(): Promise<void>;
  release(): void;
} {
  let reach: () => void = () => undefined;
  let release: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const held = new Promise<void>((resolve) => (release = resolve));
  return {
    reached,
    hold: () => {
      reach();
      return held;
    },
    release,
  };
}
