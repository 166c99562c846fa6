import type { Journal } from '../../ports/journal/journal';
import type { OutageReads } from '../../ports/journal/outage';
import type { SettingsPort } from '../../ports/settings';
import { createCoalesced } from '../kernel/coalesce';
import type { FallbackRoom } from './fallback';

/** Fallbacks of turns that wait. */
export interface LazyFallback {
  /** Looks at what already waits. */
  start(): void;
  use: FallbackRoom['use'];
}

interface LazyFallbackDeps {
  readonly load: () => Promise<FallbackRoom>;
  readonly settings: SettingsPort;
  readonly reads: Pick<OutageReads, 'countHeld'>;
  readonly journal: Pick<Journal, 'onCommitted'>;
  readonly onOutageMoved: (listener: () => void) => void;
  readonly isReadOnly: boolean;
  /** Aborted when the shutdown starts. */
  readonly draining: AbortSignal;
}

/** Loads their code with the first turn that waits while an agent has a fallback: most starts have none. */
export function createLazyFallback(deps: LazyFallbackDeps): LazyFallback {
  const { settings } = deps;
  let loading: Promise<FallbackRoom> | undefined;
  let isStarted = false;
  const loaded = (): Promise<FallbackRoom> => (loading ??= deps.load());
  const hasAny = (): boolean =>
    Object.values(settings.get('agents')).some(
      (agent) => agent.executor !== 'command' && (agent.fallback ?? []).length > 0,
    );
  const lookSoon = createCoalesced(() => {
    if (!isStarted || deps.draining.aborted) return;
    // Nothing waits and nothing is asked: there is nothing to look at.
    if (loading === undefined && (!hasAny() || deps.reads.countHeld() === 0)) return;
    void loaded().then((room) => room.look());
  });
  if (!deps.isReadOnly) {
    deps.onOutageMoved(lookSoon);
    deps.journal.onCommitted(
      (entries) => {
        if (entries.some(({ kind }) => kind === 'turn.waits' || kind === 'turn.closed')) lookSoon();
      },
      { skipsSteps: true },
    );
    settings.onChange((keys) => {
      if (keys.some((key) => key.startsWith('fallback.') || key === 'agents')) lookSoon();
    });
  }
  return {
    start() {
      isStarted = true;
      lookSoon();
    },
    use: async (...asked) => (await loaded()).use(...asked),
  };
}
