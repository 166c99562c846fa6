/** Whether the story of the first start is still to come, before any setting is read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * As `config.json` says it. Not parsed: that would load the schemas before the window, and a file
 * with comments or with an error elsewhere says it as well. Being wrong costs one change of size.
 */
export const saysFirstStartDone = (text: string): boolean =>
  /"first_start_done"\s*:\s*true\b/.test(text);

/** No `config.json`, or none that says it was seen. */
export function isFirstStart(dataDir: string): boolean {
  try {
    return !saysFirstStartDone(readFileSync(join(dataDir, 'config.json'), 'utf8'));
  } catch {
    return true; // Missing: nobody has set anything yet.
  }
}
