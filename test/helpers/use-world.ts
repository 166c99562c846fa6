import { afterEach, beforeEach } from 'vitest';
import type { Composition } from '../../electron/compose/options';
import { createWorld, type World } from './compose-world';

/**
 * A world of its own for each test of a file. What a test puts into `running` is stopped after it,
 * before the world is removed and after any `afterEach` of the file itself.
 */
export function useWorld(config: Record<string, unknown> = {}): {
  readonly world: World;
  readonly running: Composition[];
} {
  let here: World | undefined;
  const running: Composition[] = [];
  const now = (): World => {
    if (here === undefined) throw new Error('A world is there only while a test runs.');
    return here;
  };
  beforeEach(() => {
    here = createWorld(config);
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.lifecycle.stop('stop');
    now().remove();
    here = undefined;
  });
  const world = {
    get root() {
      return now().root;
    },
    get dataDir() {
      return now().dataDir;
    },
    get outside() {
      return now().outside;
    },
    get workspace() {
      return now().workspace;
    },
    remove: () => now().remove(),
  };
  return { world, running };
}
