import type { Clock } from '../../../ports/clock';
import type { SettingsPort } from '../../../ports/settings';
import { createCoalesced } from '../../kernel/coalesce';
import type { createTerminalLimits } from './terminal-limits';

/** Terminals at their usage limit. Most users have the setting off, and do without its code. LM-12 */
export interface LazyTerminals {
  /** Continues what is due already. */
  start(): void;
  stop(): void;
}

interface LazyTerminalsDeps {
  readonly load: () => Promise<ReturnType<typeof createTerminalLimits>>;
  readonly settings: Pick<SettingsPort, 'get' | 'onChange'>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly isReadOnly: boolean;
  /** Aborted when the shutdown starts. */
  readonly draining: AbortSignal;
  /** Follows what the hooks write; undefined as long as they have written nothing. */
  readonly watchHooks: (onHint: () => void) => { stop(): void } | undefined;
}

const SETTING = 'limits.continue_terminals';
/** The hooks write line by line: one look for all of them. */
const SETTLE_MS = 500;

export function createLazyTerminals(deps: LazyTerminalsDeps): LazyTerminals {
  const { settings, draining } = deps;
  let loading: ReturnType<LazyTerminalsDeps['load']> | undefined;
  let watching: { stop(): void } | undefined;
  const look = (): void => {
    void (loading ??= deps.load()).then((limits) => limits.look());
  };
  const lookSoon = createCoalesced(look, (work) => {
    deps.clock.sleep(SETTLE_MS, draining).then(work, () => undefined);
  });
  const unwatch = (): void => {
    watching?.stop();
    watching = undefined;
  };
  const follow = (): void => {
    unwatch();
    if (draining.aborted) return;
    if (settings.get(SETTING)) watching = deps.watchHooks(lookSoon);
    // Switched off, what was planned is dropped with the next look.
    if (settings.get(SETTING) || loading !== undefined) look();
  };
  if (!deps.isReadOnly)
    settings.onChange((keys) => {
      if (keys.includes(SETTING) || keys.includes('limits.margin') || keys.includes('agents'))
        follow();
    });
  return { start: follow, stop: unwatch };
}
