import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { ComposeOptions, Composition } from '../../../electron/compose-options';
import type { ModelRequest } from '../../../electron/ports/provider';
import type { RunView } from '../../../shared/model';
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
  send(composition: Composition, text: string, session?: string): Promise<number>;
  runs(composition: Composition): Promise<readonly RunView[]>;
  effects(): readonly { readonly tool: string; readonly args: unknown; readonly key: string }[];
  requests(): number;
}

export function createSkillWorld(config: Record<string, unknown> = {}): SkillWorld {
  const world = createWorld(config);
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
    async send(composition, text, session) {
      const input = { text, agent: 'fake', ...(session === undefined ? {} : { session }) };
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
  return found ?? /You carry out the skill "([^"]+)"/.exec(request.system)?.[1] ?? '';
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
