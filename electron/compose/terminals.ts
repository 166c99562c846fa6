import { watchPlace } from '../adapters/triggers/file-state';
import { watchDir } from '../data-dir';
import { createCoalesced } from '../engine/kernel/coalesce';
import type { Adoption } from '../engine/executors/program/adopt';
import type { SessionsRoom } from '../engine/sessions/intake';
import type { Conversations } from '../ports/conversations';
import type { Core } from './core';

/** Terminals at their usage limit. Most users have the setting off, and do without its code. LM-12 */
export interface TerminalsPart {
  /** Continues what is due already. */
  start(): void;
  stop(): void;
}

const SETTING = 'limits.continue_terminals';
/** The hooks write line by line: one look for all of them. */
const SETTLE_MS = 500;

export function createTerminalsPart(
  core: Core,
  rooms: {
    readonly adoption: Pick<Adoption, 'takeOver'>;
    readonly conversations: Pick<Conversations, 'terminals'>;
    readonly sessions: Pick<SessionsRoom, 'accept'>;
  },
): TerminalsPart {
  const { settings } = core;
  const load = async () => {
    const { createTerminalLimits } = await import('../engine/executors/program/terminal-limits');
    return createTerminalLimits({
      ...core.world,
      ...core.disk,
      ...core.records,
      ...core.life,
      settings: core.settings,
      ...rooms,
    });
  };
  let loading: ReturnType<typeof load> | undefined;
  let watching: ReturnType<typeof watchPlace>;
  const look = (): void => {
    void (loading ??= load()).then((limits) => limits.look());
  };
  const lookSoon = createCoalesced(look, (work) => {
    core.world.clock.sleep(SETTLE_MS, core.life.draining).then(work, () => undefined);
  });
  const follow = (): void => {
    watching?.stop();
    watching = undefined;
    if (core.life.draining.aborted) return;
    if (settings.get(SETTING)) watching = watchPlace(watchDir(core.dataDir), lookSoon);
    // Switched off, what was planned is dropped with the next look.
    if (settings.get(SETTING) || loading !== undefined) look();
  };
  if (!core.life.isReadOnly)
    settings.onChange((keys) => {
      if (keys.includes(SETTING) || keys.includes('limits.margin') || keys.includes('agents'))
        follow();
    });
  return {
    start: follow,
    stop() {
      watching?.stop();
      watching = undefined;
    },
  };
}
