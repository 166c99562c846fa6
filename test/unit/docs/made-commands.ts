/** The pages that are made from the commands: the reference and the manual page. */
import { buildProgram } from '../../../electron/cli/cli';
import type { Program } from '../../../electron/cli/command';
import { manualPage, referencePage } from '../../../electron/cli/manual';
import { version } from '../../../package.json';

/** Where the pages are. */
export const REFERENCE_PATH = 'docs/reference/cli.md';
export const MANUAL_PATH = 'docs/holdfast.1';

/** The text of the page at `path`. */
export async function commandPage(path: string): Promise<string> {
  // Commands are only defined here: nothing of the program is used before one runs.
  const root = await buildProgram({} as Program, undefined);
  return path.endsWith('.1') ? manualPage(root, version) : referencePage(root);
}
