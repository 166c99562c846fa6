/**
 * Matching a started tool against `resilience.recovery.side_effect_tools`.
 *
 * An entry names a tool plainly (`send_email`) or with its host (`mail.send_email`). With
 * `:effects` (`shell:effects`) it counts only calls that are not known to be read-only.
 * Source: S0-12, S0-13.
 */
export function isListed(tool: string, hasEffects: boolean, list: readonly string[]): boolean {
  const plain = tool.slice(tool.indexOf('.') + 1);
  return list.some((entry) => {
    const isEffectsOnly = entry.endsWith(':effects');
    const name = isEffectsOnly ? entry.slice(0, -':effects'.length) : entry;
    return (name === tool || name === plain) && (!isEffectsOnly || hasEffects);
  });
}
