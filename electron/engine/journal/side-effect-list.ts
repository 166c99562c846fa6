import { ruleNames, spelledEntry } from '../../../shared/tool-id';

/**
 * Matching a started tool against `resilience.recovery.side_effect_tools`.
 *
 * An entry names a tool plainly (`send_email`) or with its host (`mail.send_email`). With
 * `:effects` (`shell:effects`) it counts only calls that are not known to be read-only.
 * Source: S0-12, S0-13.
 */
export function isListed(tool: string, hasEffects: boolean, list: readonly string[]): boolean {
  if (list.length === 0) return false;
  const names = new Set(ruleNames(tool, { hasEffects }).map(({ name }) => name));
  return list.some((entry) => !entry.endsWith('.*') && names.has(spelledEntry(entry)));
}
