import type { Audit } from '../../ports/log';
import type { SettingsPort } from '../../ports/settings';

/** Each thing in the file that is not in force is in the audit once, for as long as it is so. S2-30 */
export function problemTeller(
  settings: Pick<SettingsPort, 'problems'>,
  audit: Pick<Audit, 'record'>,
): () => void {
  let told: ReadonlySet<string> = new Set();
  return () => {
    const now = new Map(
      settings
        .problems()
        .filter(({ level }) => level !== 'hint')
        .map((one) => [JSON.stringify(one), one]),
    );
    for (const [text, { key = '', line, message }] of now)
      if (!told.has(text))
        audit.record('setting_problem', { key, message, ...(line === undefined ? {} : { line }) });
    told = new Set(now.keys());
  };
}
