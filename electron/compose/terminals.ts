import { watchPlace } from '../adapters/triggers/file-state';
import { watchDir } from '../data-dir';
import type { Adoption } from '../engine/executors/program/adopt';
import {
  createLazyTerminals,
  type LazyTerminals,
} from '../engine/executors/program/lazy-terminals';
import type { SessionsRoom } from '../engine/sessions/intake';
import type { Conversations } from '../ports/conversations';
import type { Core } from './core';

export function createTerminalsPart(
  core: Core,
  rooms: {
    readonly adoption: Pick<Adoption, 'takeOver'>;
    readonly conversations: Pick<Conversations, 'terminals'>;
    readonly sessions: Pick<SessionsRoom, 'accept'>;
  },
): LazyTerminals {
  const base = { ...core.world, ...core.disk, ...core.records, ...core.life };
  const { settings } = core;
  return createLazyTerminals({
    ...base,
    settings,
    watchHooks: (onHint) => watchPlace(watchDir(core.dataDir), onHint),
    async load() {
      const { createTerminalLimits } = await import('../engine/executors/program/terminal-limits');
      return createTerminalLimits({ ...base, settings, ...rooms });
    },
  });
}
