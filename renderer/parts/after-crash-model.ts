/** What happens after a crash to a step of a tool that had started, by the settings in force. Pure. */
import type { MessageKey } from '../../shared/messages';
import type { ConfigEntry, ToolView } from '../../shared/model';

/** The settings that decide; as the engine reads them for a cut-off turn. */
export interface CrashSettings {
  readonly mode: 'safe_only' | 'always' | 'never';
  readonly isEveryEffectHeld: boolean;
  readonly stepPolicy: 'retry' | 'skip' | 'discard_skill' | 'prompt';
}

const oneOf = <T extends string>(value: unknown, known: readonly T[], otherwise: T): T =>
  known.find((candidate) => candidate === value) ?? otherwise;

/** Reads them from the list of settings; what is missing counts as its default. */
export function crashSettings(entries: readonly ConfigEntry[]): CrashSettings {
  const value = (key: string): unknown => entries.find((entry) => entry.key === key)?.value;
  return {
    mode: oneOf(
      value('resilience.recovery.mode'),
      ['safe_only', 'always', 'never'] as const,
      'safe_only',
    ),
    isEveryEffectHeld: value('resilience.recovery.gate_all_side_effects') === true,
    stepPolicy: oneOf(
      value('skill_resume.default'),
      ['retry', 'skip', 'discard_skill', 'prompt'] as const,
      'retry',
    ),
  };
}

/** A few words for a table; finished effects are never fired again, whatever this says. */
export function afterCrash(
  tool: Pick<ToolView, 'purity' | 'isListed'>,
  settings: CrashSettings,
): MessageKey {
  const isEffect = tool.purity === 'side_effect' || tool.purity === 'external';
  if (settings.mode === 'never') return 'afterCrash.held';
  if (settings.mode === 'safe_only' && (tool.isListed || (isEffect && settings.isEveryEffectHeld)))
    return 'afterCrash.held';
  switch (tool.purity) {
    case 'pure':
      return 'afterCrash.pure';
    case 'world':
      return 'afterCrash.world';
    case 'llm':
      return 'afterCrash.llm';
    case 'side_effect':
    case 'external':
      break;
  }
  switch (settings.stepPolicy) {
    case 'retry':
    case 'prompt':
      return 'afterCrash.retry';
    case 'skip':
      return 'afterCrash.skip';
    case 'discard_skill':
      return 'afterCrash.discard';
  }
}
